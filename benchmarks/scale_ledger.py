"""Ledgers of any size for the scale benchmark: real features first, then resampled ones.

The first record and one of every 4096 are complete, but for their signatures; the others have made-up ids, because a
search looks at neither and making them would take hours. All take up the room that real ones do.

Beyond the real features come copies of all of them under random signed permutations of the axes. Whitened axes are
alike and uncorrelated, so within a copy every picture keeps its neighbours, and copies are unrelated to each other.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from tiacam.registry import Record, Registry
from tiacam.registry.registration import HALF
from tiacam.registry.rows import COLUMNS, INSERT, to_row
from tiacam.watermark.mark import Mark

# As large as the marks of 100-bit messages are.
MARK = Mark("keyed-1", {"directions": 768, "seed_bits": 48}, bytes(16), bytes(150))
LANDMARKS = bytes(2037)  # as many bytes as a picture full of detail has
WHEN = "2026-01-01T00:00:00.000000Z"
ROWS = 4096

Half = NDArray[np.float16]


def resample(real: Half, count: int, seed: int) -> Iterator[Half]:
    """`count` features in pieces: the real ones, then copies under signed permutations of the axes."""
    rng = np.random.default_rng(seed)
    yield real[:count]
    left = count - len(real)
    while left > 0:
        axes, signs = rng.permutation(real.shape[1]), rng.choice([-1, 1], real.shape[1]).astype(np.float16)
        copy = real[:left, axes] * signs
        yield copy
        left -= len(copy)


def make_record(feature: Half, model: str, previous: bytes) -> Record:
    return Record(
        model=model,
        mark=MARK,
        feature=feature,
        bits=100,
        media_type="image/jpeg",
        sha256=hashlib.sha256(feature.tobytes()).hexdigest(),
        created_at=WHEN,
        owner=bytes(32),
        previous=previous,
        signature=bytes(64),
        landmarks=LANDMARKS,
    )


def rows(number: int, page: Half, count: int, model: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a page of features, numbered from `number` on."""
    pattern = to_row(0, make_record(page[0], model, bytes(32)))
    place = {name.strip(): column for column, name in enumerate(COLUMNS.split(","))}
    for here, feature in enumerate(page, number):
        previous = hashlib.sha256(here.to_bytes(8)).digest()
        if here % ROWS == 0 or here in (1, count):  # those whose hashes say what an index covers
            yield to_row(here, make_record(feature, model, previous))
            continue
        row = list(pattern)
        row[place["seq"]], row[place["feature"]] = here, feature.tobytes()
        row[place["id"]] = "tia" + base64.b32encode(previous[:20]).decode().lower()
        row[place["previous"]] = previous
        yield tuple(row)


def fill(path: Path, features: Iterator[Half], count: int, model: str) -> None:
    """A ledger with `count` records; what an earlier run has put there is kept."""
    with Registry.open(path) as registry, tqdm(total=count, desc=path.name, disable=None) as bar:
        database = registry._database  # the only way in without signing
        done, number = len(registry), 0
        if done == count:
            return
        for piece in features:
            for start in range(0, len(piece), ROWS):
                page = piece[start : start + ROWS].astype(HALF)
                if number + len(page) > done:
                    with database.transaction():
                        for row in rows(number + 1, page, count, model):
                            database.execute(INSERT, *database.adapt(row))
                number += len(page)
                bar.update(len(page))
