"""`tiacam keys`: what became of the keys of a registry; going over to a new one, taking one back."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tiacam.cli.options import add_key, add_registry, load_ring, open_registry, registry_path
from tiacam.cli.output import print_json
from tiacam.errors import UsageError

if TYPE_CHECKING:
    from tiacam.registry import KeyEvent, KeyFile, OwnerKey, Registry

HELP = "list key events, go over to a new key (--rotate), or take a key back (--revoke)"
RING = Path()  # --rotate without a file: into the registry's own ring


def configure(parser: argparse.ArgumentParser) -> None:
    act = parser.add_mutually_exclusive_group()
    act.add_argument(
        "--rotate",
        type=Path,
        nargs="?",
        const=RING,
        metavar="NEW",
        help="from now on this key, made there if it does not exist (default: a new one in REGISTRY.keys)",
    )
    act.add_argument(
        "--revoke", metavar="FILE|KEY", help="the key that no longer counts: its file, or its fingerprint"
    )
    parser.add_argument(
        "--since",
        metavar="ID",
        help="with --revoke: the first record that does not count (default: the next)",
    )
    add_key(parser, "with --rotate: the key until now; with --revoke KEY: its successor, who signs")
    add_registry(parser)


def run(options: argparse.Namespace) -> int:
    from tiacam.registry import fingerprint

    if options.since and not options.revoke:
        raise UsageError("--since goes with --revoke")
    with open_registry(options) as registry:
        if options.rotate:
            rotate(registry, options)
        elif options.revoke:
            revoke(registry, options)
        events = registry.log.history().events
    for event in events:
        print_event(event, fingerprint(event.key), fingerprint(event.successor), options.json)
    return 0


def rotate(registry: Registry, options: argparse.Namespace) -> None:
    """Make the new key durable, then let both keys sign the change; say where the new one lies."""
    from tiacam.registry import OwnerKey

    old = load_ring(options, registry).file
    registry.log.history().check(old.key.public)  # before a key is made in vain
    new = new_in_ring(options) if options.rotate is RING else OwnerKey.load_or_create(options.rotate)
    registry.log.rotate(old.key, new.key)
    made = "made" if new.created else "went over to"
    print(f"{made} the key {new.path}: back it up; keep {old.path}, which opens its records", file=sys.stderr)
    if options.rotate is not RING:
        print(f"from now on give --key {new.path} --key {old.path}", file=sys.stderr)


def new_in_ring(options: argparse.Namespace) -> KeyFile:
    """A new key in the folder that every command looks into by itself."""
    from tiacam.registry import KeyFile, OwnerKey, ring_folder

    key = OwnerKey.generate()
    path = ring_folder(registry_path(options)) / f"{key.fingerprint}.key"
    key.save(path)
    return KeyFile(path, key, created=True)


def revoke(registry: Registry, options: argparse.Namespace) -> None:
    """Take a key back: signed by itself where its file is at hand, else by the key that followed it."""
    from tiacam.registry import OwnerKey

    since = registry.log.number(registry.get(options.since).id) - 1 if options.since else None
    if Path(options.revoke).exists():
        key = OwnerKey.load(options.revoke)
        registry.log.revoke(key.public, key, since)
    else:
        signer = load_ring(options, registry).key
        registry.log.revoke(predecessor(registry, options.revoke, signer), signer, since)


def predecessor(registry: Registry, name: str, signer: OwnerKey) -> bytes:
    """The public key with this fingerprint that the signer followed in this registry."""
    from tiacam.registry import fingerprint

    followed = {event.key for event in registry.log.history().events if event.successor == signer.public}
    found = [key for key in followed if fingerprint(key) == name]
    if not found:
        raise UsageError(
            f"{name} is neither a key file nor the fingerprint of a key that {signer.fingerprint} followed here"
        )
    return found[0]


def print_event(event: KeyEvent, key: str, successor: str, as_json: bool) -> None:
    if as_json:
        print_json(event.to_json())
        return
    onwards = f", its successor is {successor}" if event.successor else ""
    print(f"{event.created_at[:19]}Z  {event.kind}  {key}: counts up to record {event.since}{onwards}")
