"""`tiacam export`: all records as JSON lines."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tiacam.cli.options import add_registry, open_registry
from tiacam.cli.output import print_json

HELP = "write all records as JSON lines, to a file or to stdout"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="where to (default: stdout)")
    add_registry(parser)


def run(options: argparse.Namespace) -> int:
    with open_registry(options) as registry:
        count = registry.export(options.file if options.file else sys.stdout)
    if options.file and options.json:
        print_json({"file": str(options.file), "records": count})
    else:
        print(f"exported {count} records", file=sys.stderr)
    return 0
