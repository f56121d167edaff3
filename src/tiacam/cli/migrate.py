"""`tiacam migrate`: to the newest schema, or with --to into another database."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tiacam.cli.options import add_registry, open_registry, registry_path
from tiacam.cli.output import print_json

if TYPE_CHECKING:
    from tiacam.registry.moving import MoveReport

HELP = "bring a registry's schema up to date, or copy it into another database (--to)"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--to", metavar="FILE|URL", help="copy all records there: a new file, or a postgresql:// URL"
    )
    add_registry(parser)


def run(options: argparse.Namespace) -> int:
    from tiacam.registry import Registry, parse_place
    from tiacam.registry.moving import move, update_schema

    if options.to is None:
        version = update_schema(registry_path(options))
        print_json({"version": version}) if options.json else print(f"the schema has version {version}")
        return 0
    with open_registry(options) as source, Registry.open(parse_place(options.to)) as target:
        print_move(move(source, target), target.name, options.json)
    return 0


def print_move(report: MoveReport, name: str, as_json: bool) -> None:
    moved, audit = report.moved, report.audit
    if as_json:
        counts = {"added": moved.added, "present": moved.present, "records": audit.records}
        print_json({"registry": name} | counts | {"head": audit.head.hex()})
    else:
        print(
            f"{name}: {moved.added} records taken over, {moved.present} were there already; "
            f"{audit.records} verify, head {audit.head.hex()}"
        )
