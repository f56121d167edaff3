"""What the registry's tests run in processes of their own: `registry_child.py VERB REGISTRY ARGUMENT`."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

from registry_samples import KEY, make_draft

from tiacam.errors import RegistryUnavailableError
from tiacam.registry import Registry, database, parse_place

NOBODY = 65534


def register_forever(path: str | Path, acknowledged: str) -> None:
    """Add records until killed; an id is written out, unbuffered, only after `add` has returned."""
    database.ROWS_BETWEEN_CHECKPOINTS = 8  # many checkpoints, so that some are hit by a kill
    journal = os.open(acknowledged, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with Registry.open(path) as registry:
        while True:
            os.write(journal, registry.add(make_draft(), KEY).id.encode() + b"\n")


def open_together(path: str | Path, gate: str) -> None:
    """Wait for the file `gate`, then open a registry that does not exist yet and add one record."""
    Path(f"{gate}-{os.getpid()}").touch()
    while not Path(gate).exists():
        time.sleep(0.001)
    with Registry.open(path) as registry:
        tell(registry.add(make_draft(), KEY).id)


def fill_small_disk(path: Path, kind: str) -> None:
    """Add records until there is no room, then make room, add one more and check everything."""
    make_room = limit_file_size() if kind == "limit" else occupy(path.with_name("ballast"))
    with Registry.open(path) as registry:
        stored, reason = [], ""
        while not reason:
            try:
                stored.append(registry.add(make_draft(), KEY).id)
            except RegistryUnavailableError as error:
                reason = str(error)
        seen_when_full = len(registry)
        make_room()
        stored.append(registry.add(make_draft(), KEY).id)
        kept = [record.id for record in registry.records()]
        tell({"reason": reason, "stored": stored, "kept": kept, "seen_when_full": seen_when_full})
        registry.verify_chain()


def limit_file_size() -> Callable[[], None]:
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, most))
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def occupy(ballast: Path) -> Callable[[], None]:
    ballast.write_bytes(bytes(300_000))
    return ballast.unlink


def use_unwritable(path: Path, note: str) -> None:
    """As a user without rights on the folder: read what is there, then try to add."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    outcome: dict[str, object] = {"writable": is_writable(path.parent)}
    try:
        with Registry.open(path) as registry:
            outcome["records"] = registry.verify_chain().records
            registry.add(make_draft(note=note), KEY)
    except RegistryUnavailableError as error:
        outcome["error"] = str(error)
    tell(outcome)


def is_writable(folder: Path) -> bool:
    try:
        (folder / "probe").write_bytes(b"")
    except OSError:
        return False
    return True


def tell(value: object) -> None:
    print(json.dumps(value), flush=True)


VERBS: dict[str, Callable[..., None]] = {
    "register-forever": register_forever,
    "open-together": open_together,
    "fill-small-disk": fill_small_disk,
    "use-unwritable": use_unwritable,
}

if __name__ == "__main__":
    VERBS[sys.argv[1]](parse_place(sys.argv[2]), sys.argv[3])
