"""`tiacam audit`: is every record still what its owner signed? Of a whole registry, or of one proof offline."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tiacam.cli.options import add_key, add_registry, load_ring, open_registry
from tiacam.cli.output import print_json
from tiacam.errors import DamagedRegistryError, UsageError

if TYPE_CHECKING:
    from tiacam.registry import GrowthProof, RecordProof, Registry, TreeHead

HELP = "verify every signature, the chain and the hash tree of a registry, or one proof without a registry"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--head",
        metavar="HEX|FILE",
        help="what an earlier audit printed (HEX) or saved (FILE): the registry must continue it",
    )
    parser.add_argument("--sign", action="store_true", help="afterwards sign a tree head and keep it")
    parser.add_argument("--save", type=Path, metavar="FILE", help="with --sign: write the tree head here too")
    parser.add_argument(
        "--stamp", metavar="URL", help="with --sign: have it stamped by this authority (RFC 3161)"
    )
    add_key(parser, "with --sign: the key")
    parser.add_argument(
        "--proof", type=Path, metavar="FILE", help="check this proof instead; no registry is opened"
    )
    parser.add_argument(
        "--log", metavar="KEY", help="the tree heads must be signed by the key with this fingerprint"
    )
    parser.add_argument(
        "--roots", type=Path, metavar="PEM", help="time stamps must be of an authority that these vouch for"
    )
    add_registry(parser)


def run(options: argparse.Namespace) -> int:
    if options.proof:
        return check_proof(options)
    if (options.save or options.stamp) and not options.sign:
        raise UsageError("--save and --stamp go with --sign")
    from tiacam.progress import progress_bar

    noted_hash, noted = parse_head(options.head)
    with open_registry(options) as registry:
        with progress_bar(desc="audit", total=len(registry), unit="record", leave=False) as bar:
            report = registry.verify_chain(noted_hash, noted, bar.update)
        head = sign(registry, options) if options.sign else registry.log.latest_head()
        stamped = check_heads([head] if head else [], options)
    for record_id in report.distrusted:
        print(f"tiacam: record {record_id} does not count: its key was revoked", file=sys.stderr)
    if options.json:
        print_json(
            {
                "records": report.records,
                "head": report.head.hex(),
                "owners": len(report.owners),
                "root": report.root.hex(),
                "tree_heads": report.tree_heads + options.sign,
                "key_events": report.key_events,
                "distrusted": list(report.distrusted),
                "stamped": stamped,
            }
        )
        return 0
    print(f"{report.records} records of {len(report.owners)} owners verify; head {report.head.hex()}")
    print(
        f"tree root {report.root.hex()}, {report.tree_heads + options.sign} signed tree heads agree with it"
    )
    if stamped:
        print(f"the last tree head was stamped at {stamped}")
    return 0


def parse_head(given: str | None) -> tuple[bytes | None, TreeHead | None]:
    """A noted head: the hash of the last record, or a saved tree head."""
    from tiacam.registry import TreeHead
    from tiacam.registry.log.heads import read_json

    if given is None:
        return None, None
    if Path(given).is_file():
        return None, TreeHead.from_json(read_json(Path(given)))
    try:
        return bytes.fromhex(given), None
    except ValueError:
        raise UsageError(
            f"--head is {given!r}, wanted the hexadecimal digits of an earlier audit or the file it saved"
        ) from None


def sign(registry: Registry, options: argparse.Namespace) -> TreeHead:
    from functools import partial

    from tiacam.registry.log import request_stamp
    from tiacam.registry.log.heads import write_json

    key = load_ring(options, registry).key
    head = registry.log.sign_head(key, partial(request_stamp, options.stamp) if options.stamp else None)
    if options.save:
        write_json(options.save, head.to_json())
    return head


def check_heads(heads: list[TreeHead], options: argparse.Namespace) -> str | None:
    """Hold tree heads against the keys and authorities that the user trusts; returns the last one's stamp."""
    from tiacam.registry import fingerprint
    from tiacam.registry.log.stamps import read_roots, verify_stamp

    stamped = None
    for head in heads:
        if options.log and fingerprint(head.log) != options.log:
            raise DamagedRegistryError(
                f"the tree head of {head.size} records is signed by the key {fingerprint(head.log)}, "
                f"wanted {options.log}"
            )
        if options.roots and head.stamp:
            time = verify_stamp(head.stamp, head.signed_bytes(), read_roots(options.roots))
            stamped = time.isoformat()
    return stamped


def check_proof(options: argparse.Namespace) -> int:
    from tiacam.registry import RecordProof, read_proof

    proof = read_proof(options.proof)
    proof.verify()
    single = isinstance(proof, RecordProof)
    stamped = check_heads(
        [proof.head] if isinstance(proof, RecordProof) else [proof.first, proof.second], options
    )
    if options.json:
        print_json(
            {"proof": "record" if single else "growth", "valid": True, "stamped": stamped} | facts(proof)
        )
    else:
        print("the proof holds: " + ", ".join(f"{name} {value}" for name, value in facts(proof).items()))
        if stamped:
            print(f"stamped at {stamped}")
    return 0


def facts(proof: RecordProof | GrowthProof) -> dict[str, object]:
    """What a proof shows, for people and programs."""
    from tiacam.registry import RecordProof, fingerprint

    if isinstance(proof, RecordProof):
        return {
            "id": proof.record.id,
            "created_at": proof.record.created_at,
            "owner": fingerprint(proof.record.owner),
            "number": proof.number,
            "size": proof.head.size,
            "signed_at": proof.head.created_at,
            "log": fingerprint(proof.head.log),
        }
    return {
        "first": proof.first.size,
        "second": proof.second.size,
        "signed_at": proof.second.created_at,
        "log": fingerprint(proof.second.log),
    }
