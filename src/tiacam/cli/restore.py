"""`tiacam restore`: a backup's records into a registry that is empty or has the same beginning."""

from __future__ import annotations

import argparse
from pathlib import Path

from tiacam.cli.migrate import print_move
from tiacam.cli.options import add_registry, open_registry

HELP = "take the records of a backup into an empty registry, or one with the same beginning"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="what `tiacam backup` wrote")
    add_registry(parser)


def run(options: argparse.Namespace) -> int:
    from tiacam.registry import Registry
    from tiacam.registry.moving import move

    with (
        Registry.open(options.file, create=False) as backup,
        open_registry(options, create=True) as registry,
    ):
        print_move(move(backup, registry), registry.name, options.json)
    return 0
