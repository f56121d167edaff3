"""The one who writes: takes drafts from an engine, stores each once, and tells what became of every picture."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tiacam.app import Submission, Tiacam
from tiacam.app.drafting import BATCH, batches
from tiacam.app.reader import check_model
from tiacam.bulk.engines import Batch, Done, Engine
from tiacam.errors import ImageError, ModelMismatchError
from tiacam.registry import Draft, Record
from tiacam.watermark import KeyedHead, Message

HASHERS = 4


@dataclass(frozen=True)
class Outcome:
    """A picture and its record, or why it has none; `present` if the record was there before."""

    submission: Submission
    record: Record | None = None
    error: ImageError | None = None
    present: bool = False


class Collector:
    """Registers a collection. What is registered already is passed over: by any key of the owner's ring, with the
    same message and note, in a record that counts.

    So a run that was killed is simply started again.
    """

    def __init__(self, session: Tiacam, engine: Engine, *, again: bool = False) -> None:
        self._session = session
        self._engine = engine
        self._again = again
        self._passed: list[Outcome] = []
        self._history = session.registry.log.history()

    def register(self, submissions: Iterable[Submission]) -> Iterator[Outcome]:
        """One outcome a picture, in the order in which they are done; a record is durable when it is told."""
        check_model(self._session.registry, self._session.model)
        with self._engine, ThreadPoolExecutor(HASHERS) as hashers:
            for done in self._engine.map(self._fresh(submissions, hashers)):
                passed, self._passed = self._passed, []
                yield from passed
                yield from self._store(done)
        yield from self._passed

    def _fresh(self, submissions: Iterable[Submission], hashers: ThreadPoolExecutor) -> Iterator[Batch]:
        """The pictures that are not registered yet; an empty batch where some were passed over."""
        for batch in batches(submissions, BATCH):
            fresh: list[Submission] = []
            digests = [None] * len(batch) if self._again else hashers.map(digest_of, batch)
            for item, digest in zip(batch, digests, strict=True):
                record = self._find(item, digest)
                if record is None:
                    fresh.append(item)
                else:
                    self._passed.append(Outcome(item, record, present=True))
            if self._passed:
                yield []
            if fresh:
                yield fresh

    def _store(self, done: Done) -> Iterator[Outcome]:
        pairs = list(zip(done.batch, done.attempts, strict=True))
        drafts = [found for _, found in pairs if isinstance(found, Draft)]
        self._check_models(drafts)
        items = {id(draft): item for item, draft in pairs}
        present: set[int] = set()

        def known(draft: Draft) -> Record | None:
            record = None if self._again else self._find(items[id(draft)], draft.sha256)
            present.update([id(draft)] if record else [])
            return record

        session = self._session
        records = iter(session.registry.add_many(drafts, session.key, known=known) if drafts else [])
        for item, found in pairs:
            if isinstance(found, Draft):
                yield Outcome(item, next(records), present=id(found) in present)
            else:
                yield Outcome(item, error=found)

    def _check_models(self, drafts: Iterable[Draft]) -> None:
        wanted = self._session.model.id
        for draft in drafts:
            if draft.model != wanted:
                raise ModelMismatchError(f"the workers use the model {draft.model}, the registry {wanted}")

    def _find(self, item: Submission, digest: str | None) -> Record | None:
        """This owner's record of the same file with the same message, note and manifest."""
        if digest is None:
            return None
        session = self._session
        for record in session.registry.by_file(digest):
            mine = record.owner in session.ring and record.model == session.model.id
            if mine and record.note == item.note and self._message(record) == item.message:
                manifest = hashlib.sha256(item.manifest).hexdigest() if item.manifest else None
                revoked = session.registry.log.is_revoked(record.id, record.owner, self._history)
                if record.manifest_sha256 == manifest and not revoked:
                    return record
        return None

    def _message(self, record: Record) -> Message | None:
        """The owner's key and the stored feature open a record without any picture."""
        feature = record.feature.astype(np.float32)
        return KeyedHead().read(feature, record.mark, self._session.ring.head_secret(record.owner)).message


def digest_of(item: Submission) -> str | None:
    """The sha256 of a picture's file; None where there is none or it cannot be read, which shows later."""
    if not isinstance(item.image, str | os.PathLike):
        return None
    try:
        with Path(item.image).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):
        return None
