"""`tiacam prove`: a file that shows without the registry that it holds a record, or that it has only grown."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tiacam.cli.options import add_key, add_registry, load_ring, open_registry
from tiacam.errors import UsageError

HELP = "write a proof of one record, or of growth since a saved tree head; `tiacam audit --proof` checks it"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id", nargs="?", metavar="ID", help="the record's id, or an unambiguous beginning of it"
    )
    parser.add_argument(
        "--since", type=Path, metavar="FILE", help="a tree head saved by `tiacam audit --sign`"
    )
    parser.add_argument(
        "--sign",
        action="store_true",
        help="sign a tree head first where the latest does not cover everything, so that the proof does",
    )
    add_key(parser, "with --sign: the key")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to (default: stdout)")
    add_registry(parser)


def run(options: argparse.Namespace) -> int:
    from tiacam.registry import GrowthProof, RecordProof, TreeHead
    from tiacam.registry.log.heads import read_json, write_json

    if (options.id is None) == (options.since is None):
        raise UsageError("wanted the id of a record or --since FILE, one of both")
    with open_registry(options) as registry:
        if options.sign:
            registry.log.covering_head(load_ring(options, registry).key)
        proof: RecordProof | GrowthProof
        if options.id:
            record = registry.get(options.id)
            proof = registry.log.prove(record.id)
            if registry.log.is_revoked(record.id, record.owner, registry.log.history()):
                print(f"tiacam: record {record.id} does not count: its key was revoked", file=sys.stderr)
        else:
            proof = registry.log.prove_growth(TreeHead.from_json(read_json(options.since)))
            if (newer := len(registry) - proof.second.size) > 0:
                print(
                    f"tiacam: no tree head covers the newest {newer} records, so neither does the proof: "
                    "--sign signs one first",
                    file=sys.stderr,
                )
    if options.out:
        write_json(options.out, proof.to_json())
    else:
        print(json.dumps(proof.to_json()), flush=True)
    return 0
