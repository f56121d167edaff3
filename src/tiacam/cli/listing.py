"""`tiacam list`: the records of a registry."""

from __future__ import annotations

import argparse

from tiacam.cli.options import add_registry, open_registry
from tiacam.cli.output import plain, print_json

HELP = "list the records of a registry, oldest first"


def configure(parser: argparse.ArgumentParser) -> None:
    add_registry(parser)


def run(options: argparse.Namespace) -> int:
    from tiacam.registry import fingerprint

    with open_registry(options) as registry:
        for record in registry.records():
            owner = fingerprint(record.owner)
            if options.json:
                fields = {
                    "id": record.id,
                    "created_at": record.created_at,
                    "bits": record.bits,
                    "model": record.model,
                }
                print_json(fields | {"owner": owner, "note": record.note, "sha256": record.sha256})
            else:
                told = f"{record.id}  {record.created_at[:19]}Z  {record.bits:4d} bits  {owner}"
                print(f"{told}  {plain(record.note)}".rstrip())
    return 0
