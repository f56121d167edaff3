"""Registering what a benchmark asks about: all of it, or an error."""

from __future__ import annotations

from collections.abc import Iterable

from tiacam import Submission, Tiacam, TiacamError
from tiacam.registry import Record


def register_all(session: Tiacam, submissions: Iterable[Submission]) -> list[Record]:
    """The records, in the order of the submissions; the first that cannot be used ends it."""
    records = []
    for record in session.register_many(submissions):
        if isinstance(record, TiacamError):
            raise record
        records.append(record)
    return records
