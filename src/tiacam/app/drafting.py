"""From pictures to drafts: everything about a registration that needs the model and the key, but no registry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tiacam.align import LONGER_SIDE, choose_landmarks
from tiacam.app.repeating import draw
from tiacam.app.sights import frame
from tiacam.errors import ImageError
from tiacam.image import Picture, Source, load
from tiacam.model import FeatureModel
from tiacam.pipeline import foresee_each
from tiacam.registry import Draft, OwnerKey
from tiacam.watermark import KeyedHead, Mark, Message

T = TypeVar("T")
BATCH = 16  # photos decoded ahead and passed through the model together
DECODERS = 2  # threads that decode pictures while the model works


@dataclass(frozen=True)
class Submission:
    """One picture to register with its message."""

    image: Source
    message: Message
    note: str = ""
    manifest: bytes = b""  # a C2PA manifest store, kept byte for byte
    name: bytes = b""  # the caller's own name for this registration: repeated, it is the same record


class Drafter:
    """Makes drafts of pictures; it can work in a process of its own, for a registry that another one writes."""

    def __init__(self, model: FeatureModel, key: OwnerKey) -> None:
        self._model = model
        self._key = key

    def attempt_all(self, pool: ThreadPoolExecutor, batch: Sequence[Submission]) -> list[Draft | ImageError]:
        """One draft a picture, or the error of one that cannot be used; the others go on."""
        loaded = load_all(pool, [item.image for item in batch], LONGER_SIDE)
        good = [
            (item, found) for item, found in zip(batch, loaded, strict=True) if isinstance(found, Picture)
        ]
        drafts = iter(self.draft_all(good))
        return [next(drafts) if isinstance(found, Picture) else found for found in loaded]

    def draft(self, submission: Submission) -> Draft:
        picture = load(submission.image, target=LONGER_SIDE)
        (draft,) = self.draft_all([(submission, picture)])
        return draft

    def draft_all(self, items: Sequence[tuple[Submission, Picture]]) -> list[Draft]:
        if not items:
            return []
        features = foresee_each(self._model, [(picture, frame(picture)) for _, picture in items])
        return [
            Draft(
                model=self._model.id,
                mark=self._bind(item, feature),
                feature=feature,
                bits=item.message.length,
                media_type=picture.media_type,
                sha256=picture.sha256,
                note=item.note,
                manifest=item.manifest,
                landmarks=choose_landmarks(picture).pack(),
            )
            for (item, picture), feature in zip(items, features, strict=True)
        ]

    def _bind(self, item: Submission, feature: NDArray[np.float32]) -> Mark:
        secret = self._key.head_secret
        note = item.note.encode(errors="surrogatepass")  # what cannot be stored is refused later, by name
        drawn = draw(secret, item.name, feature, item.message, note, item.manifest)
        return KeyedHead().bind(feature, item.message, secret, **drawn)


def load_all(pool: ThreadPoolExecutor, images: Sequence[Source], target: int) -> list[Picture | ImageError]:
    def attempt(image: Source) -> Picture | ImageError:
        try:
            return load(image, target=target)
        except ImageError as error:
            return error

    return list(pool.map(attempt, images))


def batches(items: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
