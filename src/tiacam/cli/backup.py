"""`tiacam backup`: everything that a registry holds, in one new registry file, while others go on using it."""

from __future__ import annotations

import argparse
from pathlib import Path

from tiacam.cli.options import add_registry, open_registry
from tiacam.cli.output import print_json

HELP = "copy a registry in use into a new registry file, and audit the copy; keys are not part of it"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="where to; an existing file is never replaced"
    )
    add_registry(parser)


def run(options: argparse.Namespace) -> int:
    from tiacam.registry.moving import back_up

    with open_registry(options) as registry:
        report = back_up(registry, options.file)
    if options.json:
        print_json({"file": str(options.file), "records": report.records, "head": report.head.hex()})
    else:
        print(f"{options.file}: {report.records} records, audited; head {report.head.hex()}")
    return 0
