"""`tiacam audit`: is every record still what its owner signed?"""

from __future__ import annotations

import argparse

from tiacam.cli.options import add_registry, open_registry
from tiacam.cli.output import print_json
from tiacam.errors import UsageError

HELP = "verify every signature and the chain of the whole registry"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--head", metavar="HEX", help="the head that an earlier audit printed: must be in the chain"
    )
    add_registry(parser)


def run(options: argparse.Namespace) -> int:
    try:
        noted = bytes.fromhex(options.head) if options.head else None
    except ValueError:
        raise UsageError(
            f"--head is {options.head!r}, wanted the hexadecimal digits of an earlier audit"
        ) from None
    with open_registry(options) as registry:
        report = registry.verify_chain(noted)
    if options.json:
        print_json({"records": report.records, "head": report.head.hex(), "owners": len(report.owners)})
    else:
        print(f"{report.records} records of {len(report.owners)} owners verify; head {report.head.hex()}")
    return 0
