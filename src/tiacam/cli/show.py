"""`tiacam show`: one record in full."""

from __future__ import annotations

import argparse

from tiacam.cli.options import add_registry, open_registry
from tiacam.cli.output import plain, print_json

HELP = "show one record and check its signature"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the record's id, or an unambiguous beginning of it")
    add_registry(parser)


def run(options: argparse.Namespace) -> int:
    from tiacam.registry import fingerprint

    with open_registry(options) as registry:
        record = registry.get(options.id)
    if options.json:
        print_json(record.to_json())
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
        "previous": record.previous.hex(),
        "signature": "valid",
    }
    for name, value in lines.items():
        print(f"{name:10} {value}")
    return 0
