"""The product in one object: a registry, a model and a key, and the four things that people do with them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from tiacam.app.drafting import DECODERS, Drafter, Submission, batches, load_all
from tiacam.app.lookup import Lookup
from tiacam.app.mirroring import as_taken, mirrored
from tiacam.app.reader import Reader, check_model
from tiacam.app.sights import SHORTER_SIDE
from tiacam.errors import ImageError, KeyFileError, WrongKeyError
from tiacam.image import Picture, Source, load
from tiacam.locate import default_locator
from tiacam.model import DEFAULT_MODEL, FeatureModel, load_model, model_names
from tiacam.registry import Draft, KeyRing, Record, Registry, default_places, open_ring
from tiacam.watermark import Decision, Message, Verdict
from tiacam.watermark.decision import FALSE_CLAIM_RATE

Place = str | os.PathLike[str]


class Tiacam:
    """Registers pictures and reads photos of them. Open one with `Tiacam.open(path)`."""

    def __init__(
        self,
        registry: Registry,
        model: FeatureModel,
        ring: KeyRing,
        false_claim_rate: float,
        threads: int | None = None,
    ) -> None:
        self.registry = registry
        self.model = model
        self.ring = ring
        self.key_file = ring.file
        self.key = ring.key
        self.decision = Decision(model.card.null_dimensions, false_claim_rate)
        self._drafter = Drafter(model, self.key)
        self._reader = Reader(registry, model, ring, self.decision, partial(default_locator, threads))

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        key: Place | Sequence[Place] | None = None,
        model: str | None = None,
        threads: int | None = None,
        false_claim_rate: float = FALSE_CLAIM_RATE,
        index: str = "auto",
    ) -> Tiacam:
        """Open the registry in the file `path`, made on first use with a key beside it (`path` + ".key").

        `key` may be several files, and folders of `*.key`: the first signs, or the key that followed it in this
        registry; the others read what they registered. By default also those in `path` + ".keys".
        A `postgresql://` URL opens one on a server; its key then lies in the user's data folder.
        Without `model`, an existing registry is opened with the model it was made with, a new one with the default.
        `index` is how the nearest records are found: auto, exact, signs, usearch or milvus://host:port.
        """
        registry = Registry.open(path, index=index)
        try:
            ring = open_keys(registry, places_of(key) or default_places(path))
            chosen = load_model(model or model_of(registry), threads=threads)
            check_model(registry, chosen)
            return cls(registry, chosen, ring, false_claim_rate, threads)
        except BaseException:
            registry.close()
            raise

    def register(self, image: Source, message: Message | str | bytes | int, *, note: str = "") -> Record:
        """Bind a message to a picture; returns when the signed record is durable. The picture is not touched."""
        (result,) = self.register_many([Submission(image, Message.parse(message), note)])
        if isinstance(result, ImageError):
            raise result
        return result

    def register_many(self, submissions: Iterable[Submission]) -> Iterator[Record | ImageError]:
        """Register many pictures in batches; a picture that cannot be used yields its error, the others go on."""
        check_model(self.registry, self.model)
        with ThreadPoolExecutor(DECODERS) as pool:
            for batch in batches(submissions):
                attempts = self._drafter.attempt_all(pool, batch)
                drafts = [found for found in attempts if isinstance(found, Draft)]
                records = iter(self.registry.add_many(drafts, self.key) if drafts else [])
                yield from (next(records) if isinstance(found, Draft) else found for found in attempts)

    def read(self, image: Source, *, mirror: bool = False) -> Verdict:
        """Find which registered picture a photo shows, and its message. "Not registered" is an answer.

        `mirror` takes the photo for a mirror image; trying both is two look-ups, each with its own false-claim rate.
        """
        picture = load(image, target=SHORTER_SIDE)
        (result,) = self._read([picture], mirror)
        if isinstance(result, WrongKeyError):
            raise result
        return result

    def read_many(
        self, images: Iterable[Source], *, mirror: bool = False
    ) -> Iterator[Verdict | ImageError | WrongKeyError]:
        """Read many photos in batches; one that is unusable or another owner's yields its error, the rest go on."""
        with ThreadPoolExecutor(DECODERS) as pool:
            for batch in batches(images):
                loaded = load_all(pool, batch, SHORTER_SIDE)
                verdicts = iter(self._read([found for found in loaded if isinstance(found, Picture)], mirror))
                yield from (next(verdicts) if isinstance(found, Picture) else found for found in loaded)

    def read_all(self, image: Source, *, mirror: bool = False) -> list[Verdict]:
        """Every registered picture in a photo, a collage or a screenshot, each with its place; the surest first."""
        picture = load(image, target=SHORTER_SIDE)
        if mirror:
            return [as_taken(verdict) for verdict in self._reader.read_all(mirrored(picture))]
        return self._reader.read_all(picture)

    def _read(self, pictures: Sequence[Picture], mirror: bool) -> list[Verdict | WrongKeyError]:
        if not mirror:
            return self._reader.read(pictures)
        answers = self._reader.read([mirrored(picture) for picture in pictures])
        return [as_taken(answer) if isinstance(answer, Verdict) else answer for answer in answers]

    def explain(self, image: Source) -> tuple[Picture, Verdict | WrongKeyError, Lookup]:
        """A reading with everything that it compared: the photo, the verdict, the views and their nearest records."""
        picture = load(image, target=SHORTER_SIDE)
        return picture, *self._reader.explain(picture)

    def explain_all(self, image: Source) -> tuple[Picture, list[Verdict], Lookup]:
        """The same for every registered picture in the photo."""
        picture = load(image, target=SHORTER_SIDE)
        return picture, *self._reader.explain_all(picture)

    def verify(self, image: Source, record_id: str) -> Verdict:
        """Does this photo show the picture of this one record? Fewer comparisons, so a weaker photo suffices."""
        record = self.registry.get(record_id)
        picture = load(image, target=SHORTER_SIDE)
        return self._reader.verify(picture, record)

    def close(self) -> None:
        self.registry.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def draft(self, submission: Submission) -> Draft:
        """What would be registered, before it is signed and stored."""
        return self._drafter.draft(submission)


def places_of(key: Place | Sequence[Place] | None) -> list[Path]:
    """Files and folders of keys as a caller names them: one, several or none."""
    if key is None:
        return []
    return [Path(one) for one in ([key] if isinstance(key, str | os.PathLike) else key)]


def open_keys(registry: Registry, places: Sequence[Path]) -> KeyRing:
    """The owner's keys; one is made only for an empty registry, because a new key opens no existing record."""
    filled = len(registry) > 0
    if filled and not places[0].exists():
        raise KeyFileError(
            f"the registry has records, but there is no key at {places[0]}: restore it or name another key"
        )
    return open_ring(places, registry.log.history(), create=not filled)


def model_of(registry: Registry) -> str:
    """The name of the model that a registry was made with, or the default for an empty one."""
    made_with = next(iter(registry.models()), None)
    if made_with is None:
        return DEFAULT_MODEL
    name = made_with.partition("@")[0]
    return name if name in model_names() else DEFAULT_MODEL
