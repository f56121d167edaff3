"""A shelf whose index lies in a file: what the file does not cover yet is kept in memory, and folded in by and by."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tiacam.progress import progress_bar
from tiacam.registry.following import NOTHING, Coverage, ModelFeatures
from tiacam.registry.index import Hits
from tiacam.registry.index_file import Description, Engine, IndexFolder, StaleIndexError
from tiacam.registry.shelves import ExactShelf, IndexState

LEAST_FOLD = 4096
FOLD_SHARE = 8  # a tail of an eighth of the file is folded in, so all folding together costs a few builds
LEAST_LISTED = 32
LISTED = 2  # so many times as many records are compared with the ledger's features as are asked for

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Parts:
    """The mapped index, what it covers, and the rest; changed all at once, because others are searching."""

    base: Engine
    covered: Coverage
    tail: ExactShelf

    @property
    def records(self) -> int:
        return self.covered.records + len(self.tail)

    @property
    def is_top_heavy(self) -> bool:
        return len(self.tail) > most_in_memory(self.covered)


class FileShelf:
    """A mapped file up to some record, and an exact index in memory of all that came later."""

    def __init__(self, features: ModelFeatures, folder: Path, engine: type[Engine]) -> None:
        self._features = features
        self._make = engine
        self._files = IndexFolder(folder, features.model, engine.kind)
        self._parts = Parts(engine(features.width), NOTHING, ExactShelf(features))
        self._opened = False
        self._folding: threading.Thread | None = None
        self._closing = threading.Event()

    def catch_up(self) -> None:
        if not self._opened:
            self._open()
            self._opened = True
        self._parts.tail.catch_up()
        if self._parts.is_top_heavy:
            self._adopt()
        if self._parts.is_top_heavy and not self._is_folding():
            self._folding = threading.Thread(target=self._fold, name="tiacam-index")
            self._folding.start()

    def search(self, queries: NDArray[np.float32], count: int) -> list[Hits]:
        parts = self._parts
        late = parts.tail.search(queries, count)
        if not len(parts.base):
            return late
        listed = parts.base.search(queries, max(LEAST_LISTED, LISTED * count))
        early = self._features.rescored(queries, listed, count)
        return [some.merged(others, count) for some, others in zip(early, late, strict=True)]

    def state(self) -> IndexState:
        records = self._parts.records
        place = str(self._files.description_path)
        return IndexState(self._make.kind, place, records, self._features.total() - records)

    def close(self) -> None:
        self._closing.set()
        if self._folding is not None:
            self._folding.join()

    def _open(self) -> None:
        """Use the file if it is this ledger's; make it where there is none, or where too much is missing."""
        self._adopt()
        covered = self._parts.covered
        if self._features.total() - covered.records > most_in_memory(covered):
            self._fold()
            self._adopt()

    def _adopt(self) -> None:
        """Change over to the current file, which another process may have written, unless it is of no use."""
        try:
            description = self._files.describe()
            if description is None or description.coverage.last <= self._parts.covered.last:
                return
            base = self._open_engine(description)
        except StaleIndexError as error:
            logger.warning("the index %s is made again: %s", self._files.description_path, error)
            return
        tail = ExactShelf(self._features, description.coverage.last)
        tail.catch_up()
        self._parts = Parts(base, description.coverage, tail)

    def _open_engine(self, description: Description) -> Engine:
        """The index in the file, once everything about it agrees with the model and the ledger."""
        features, wanted = self._features, self._make
        for what, got, want in (
            ("model", description.model, features.model),
            ("width", description.width, features.width),
            ("kind", description.kind, wanted.kind),
            ("settings", description.settings, wanted.settings),
        ):
            if got != want:
                raise StaleIndexError(f"its {what} is {got!r}, wanted {want!r}")
        if features.coverage(description.coverage.last) != description.coverage:
            raise StaleIndexError("it was made from other records than this registry holds")
        path = self._files.data_path(description)
        try:
            return wanted.open(path, features.width, description.coverage.records)
        except (OSError, ValueError, RuntimeError) as error:
            raise StaleIndexError(f"{path.name} cannot be opened: {error}") from error

    def _fold(self) -> None:
        """Write a file that covers everything, if nobody else is at it; without one the tail goes on growing."""
        try:
            with self._files.exclusive() as alone:
                if alone:
                    self._write()
        except Exception as error:  # the index is a convenience: whatever fails here, the tail answers
            logger.warning("the index %s cannot be written: %s", self._files.description_path, error)

    def _write(self) -> None:
        base, last = self._parts.base, self._parts.covered.last
        engine = base.copy() if len(base) else self._make(self._features.width)
        missing = self._features.total() - len(engine)
        with progress_bar(total=missing, desc=f"{engine.kind} index", unit="record", leave=False) as bar:
            for page in self._features.pages(last):
                if self._closing.is_set():
                    return
                engine.add(page.numbers, page.matrix)
                last = page.last
                bar.update(len(page.numbers))
        self._files.write(engine, self._features.model, self._features.width, self._covering(engine, last))

    def _covering(self, engine: Engine, last: int) -> Coverage:
        coverage = self._features.coverage(last)
        if coverage.records != len(engine):
            raise StaleIndexError(f"{len(engine)} records were added, the ledger has {coverage.records}")
        return coverage

    def _is_folding(self) -> bool:
        return self._folding is not None and self._folding.is_alive()


def most_in_memory(covered: Coverage) -> int:
    return max(LEAST_FOLD, covered.records // FOLD_SHARE)
