"""`tiacam keys`: what became of the keys of a registry; going over to a new one, taking one back."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tiacam.cli.options import add_registry, open_registry, registry_path
from tiacam.cli.output import print_json
from tiacam.errors import UsageError

if TYPE_CHECKING:
    from tiacam.registry import KeyEvent

HELP = "list key events, go over to a new key (--rotate), or take a key back (--revoke)"


def configure(parser: argparse.ArgumentParser) -> None:
    act = parser.add_mutually_exclusive_group()
    act.add_argument(
        "--rotate", type=Path, metavar="NEW", help="from now on this key; made there if it does not exist"
    )
    act.add_argument("--revoke", type=Path, metavar="FILE", help="the key file that no longer counts")
    parser.add_argument(
        "--since",
        metavar="ID",
        help="with --revoke: the first record that does not count (default: the next)",
    )
    parser.add_argument(
        "--key",
        type=Path,
        metavar="FILE",
        help="with --rotate: the key until now (default: beside the registry)",
    )
    add_registry(parser)


def run(options: argparse.Namespace) -> int:
    from tiacam.registry import OwnerKey, fingerprint, key_path

    if options.since and not options.revoke:
        raise UsageError("--since goes with --revoke")
    with open_registry(options) as registry:
        if options.rotate:
            old = OwnerKey.load(options.key or key_path(registry_path(options)))
            registry.log.rotate(old, OwnerKey.load_or_create(options.rotate).key)
        elif options.revoke:
            key = OwnerKey.load(options.revoke)
            since = registry.log.number(registry.get(options.since).id) - 1 if options.since else None
            registry.log.revoke(key.public, key, since)
        events = registry.log.history().events
    for event in events:
        print_event(event, fingerprint(event.key), fingerprint(event.successor), options.json)
    return 0


def print_event(event: KeyEvent, key: str, successor: str, as_json: bool) -> None:
    if as_json:
        print_json(event.to_json())
        return
    onwards = f", its successor is {successor}" if event.successor else ""
    print(f"{event.created_at[:19]}Z  {event.kind}  {key}: counts up to record {event.since}{onwards}")
