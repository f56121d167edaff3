"""`tiacam show`: one record in full."""

from __future__ import annotations

import argparse
from typing import Any

from tiacam.cli.options import add_registry, open_registry
from tiacam.cli.output import plain, print_json
from tiacam.errors import DataError

HELP = "show one record and check its signature"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the record's id, or an unambiguous beginning of it")
    add_registry(parser)


def run(options: argparse.Namespace) -> int:
    from tiacam.registry import fingerprint

    with open_registry(options) as registry:
        record = registry.get(options.id)
        manifest = registry.manifest(record.id)
    if options.json:
        print_json(record.to_json() | (about(manifest) if manifest else {}))
        return 0
    lines = {
        "id": record.id,
        "created": record.created_at,
        "note": plain(record.note) or "-",
        "message": f"{record.bits} bits, sealed (read it from a photo with the owner's key)",
        "owner": fingerprint(record.owner),
        "model": record.model,
        "head": f"{record.mark.head} {dict(record.mark.parameters)}, {len(record.mark.helper)} bytes",
        "file": f"{record.media_type or 'unknown'}, sha256 {record.sha256 or 'unknown'}",
        "manifest": told(manifest, record.manifest_sha256),
        "previous": record.previous.hex(),
        "signature": "valid",
    }
    for name, value in lines.items():
        print(f"{name:10} {value}")
    return 0


def about(manifest: bytes) -> dict[str, Any]:
    """What is said of the C2PA manifest store; the id is its active manifest's, None for bytes that are no store."""
    from tiacam.service.jumbf import parse_store

    try:
        label = parse_store(manifest).active.label
    except DataError:  # a registry keeps any bytes, `tiacam serve` and `tiacam c2pa` check them
        label = None
    return {"manifest_id": label, "manifest_bytes": len(manifest)}


def told(manifest: bytes, digest: str | None) -> str:
    if not manifest:
        return "-"
    name = about(manifest)["manifest_id"]
    return f"{plain(name) if name else 'no C2PA manifest store'}, {len(manifest)} bytes, sha256 {digest}"
