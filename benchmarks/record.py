"""The record that every published number has: command, commit, seed, versions, device, n, and the rows.

from benchmarks.record import write
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tiacam.provenance import current_commit, describe_processor, write_record

ROOT = Path(__file__).parent.parent
# Read when the run begins: by its end, others may have committed.
COMMIT = current_commit(mark_changes=True)


def write(
    path: Path,
    *,
    command: str,
    seed: int | None,
    n: int,
    rows: Sequence[Mapping[str, Any]],
    commit: str | None = None,
    **more: Any,
) -> None:
    """Write a record; `more` goes in beside the fixed fields (notes, targets, how to read the rows)."""
    device = describe_processor()
    write_record(path, rows, command=command, seed=seed, device=device, n=n, commit=commit or COMMIT, **more)
