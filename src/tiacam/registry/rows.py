"""A record as a row of the ledger's table, and back with its form checked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tiacam.errors import DamagedRegistryError
from tiacam.registry.record import Record, describe
from tiacam.registry.registration import HALF, encode
from tiacam.registry.store import Store
from tiacam.watermark.mark import Mark

COLUMNS = (
    "seq, id, created_at, model, mark, feature, bits, media_type, sha256, note, owner, previous, signature, "
    "landmarks, manifest_sha256"
)
INSERT = f"INSERT INTO record ({COLUMNS}) VALUES ({', '.join('?' * len(COLUMNS.split(',')))})"
SELECT = f"SELECT {COLUMNS} FROM record"
PAGE = 256


@dataclass(frozen=True)
class StoredRecord:
    """A record and its number in the ledger, counted from 1."""

    number: int
    record: Record


def to_row(number: int, record: Record) -> tuple[Any, ...]:
    return (
        number,
        record.id,
        record.created_at,
        record.model,
        encode(record.mark.to_json()).decode(),
        record.feature.tobytes(),
        record.bits,
        record.media_type,
        record.sha256,
        record.note,
        record.owner,
        record.previous,
        record.signature,
        record.landmarks,
        record.manifest_sha256,
    )


def from_row(row: tuple[Any, ...]) -> StoredRecord:
    (
        number,
        record_id,
        created_at,
        model,
        mark,
        feature,
        bits,
        media_type,
        sha256,
        note,
        owner,
        previous,
        signature,
        landmarks,
        manifest_sha256,
    ) = row
    try:
        record = Record(
            created_at=created_at,
            model=model,
            mark=Mark.from_json(json.loads(mark)),
            feature=np.frombuffer(feature, HALF),
            bits=bits,
            media_type=media_type,
            sha256=sha256,
            note=note,
            owner=owner,
            previous=previous,
            signature=signature,
            landmarks=landmarks,
            manifest_sha256=manifest_sha256,
        )
        return StoredRecord(number, record.checked(record_id))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DamagedRegistryError(
            f"record {record_id} (number {number}) is damaged: {describe(error)}"
        ) from error


def stream(database: Store) -> Iterator[StoredRecord]:
    """All records in the order of the chain, a page at a time, so that nobody waits for a slow reader."""
    seen = 0
    while page := database.rows(f"{SELECT} WHERE seq > ? ORDER BY seq LIMIT {PAGE}", seen):
        yield from map(from_row, page)
        seen = page[-1][0]
