"""`tiacam import`: take in an export."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tiacam.cli.options import add_registry, open_registry
from tiacam.cli.output import print_json

HELP = "take in an export, all or nothing, after checking every signature and the chain"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="an export, or - for stdin")
    add_registry(parser)


def run(options: argparse.Namespace) -> int:
    with open_registry(options, create=True) as registry:
        report = registry.import_(sys.stdin if options.file == "-" else Path(options.file))
    if options.json:
        print_json({"added": report.added, "present": report.present})
    else:
        print(f"imported {report.added} records, {report.present} were there already")
    return 0
