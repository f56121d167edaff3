"""What every table is measured on: a model, pictures, photos of them, and registries made from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tiacam.app.sights import all_sights, frame
from tiacam.capture import Kind, Strength
from tiacam.capture.attacks import ATTACKS, Attack
from tiacam.evaluate.captures import Darkroom, Order, read_corners
from tiacam.evaluate.desk import Answers, Desk
from tiacam.evaluate.pairs import Pair
from tiacam.evaluate.photos import Photo
from tiacam.evaluate.references import References, draw_messages
from tiacam.evaluate.remembering import RememberingModel
from tiacam.evaluate.shelf import Shelf, Source
from tiacam.image import Picture, load
from tiacam.image.loading import Source as Loadable
from tiacam.locate import default_locator
from tiacam.model import FeatureModel
from tiacam.pipeline import foresee_each, look, look_each
from tiacam.progress import progress_bar
from tiacam.watermark import Message

BATCH = 16  # pictures decoded and attacked before a pass
SEED_STRIDE = 1_000_000  # draws of two seeds never meet below so many pictures
BITS = 100  # the length of a message where a table does not compare lengths
ROUNDS = 3  # captures of each picture, every one drawn anew

Features = NDArray[np.float32]


@dataclass(frozen=True)
class Bench:
    """A model, pictures and perhaps photos to measure it on; everything drawn here follows from the seed."""

    model: FeatureModel
    shelf: Shelf
    seed: int
    pairs: tuple[Pair, ...] = ()
    captions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by the picture's name
    darkroom: Darkroom = field(default_factory=Darkroom)

    @property
    def n(self) -> int:
        return len(self.shelf)

    @cached_property
    def registered(self) -> tuple[Source, ...]:
        """The numbered pictures: those of the shelf, then those that only the photos show."""
        known = {source.place for source in self.shelf.sources}
        shown = dict.fromkeys(pair.original for pair in self.pairs)
        more = [Source(path.name, path) for path in shown if path not in known]
        return (*self.shelf.sources, *more)

    @property
    def photos_only(self) -> bool:
        """Whether the data were photos alone, so that the pictures are only those that they show."""
        return bool(self.pairs) and len(self.registered) == self.n

    @cached_property
    def features(self) -> Features:
        """Of all numbered pictures (R, D), as the network sees them: the paper's feature of an untouched picture."""
        return self.look_at("originals", [source.place for source in self.registered])

    @cached_property
    def registered_features(self) -> Features:
        """Of all numbered pictures (R, D), as the product registers them: near those of likely photos of them."""
        return self.look_at("registered", [source.place for source in self.registered], foresee_each)

    @property
    def originals(self) -> Features:
        """Of the shelf's pictures (N, D)."""
        return self.features[: self.n]

    @cached_property
    def nearest(self) -> NDArray[np.int64]:
        """For every numbered picture the other one that is most like it (R,)."""
        cosines = self.features @ self.features.T  # (R, R)
        np.fill_diagonal(cosines, -np.inf)
        return np.asarray(cosines.argmax(axis=1), np.int64)

    def attacked(self, name: str) -> list[Picture]:
        """The shelf's pictures after one attack."""
        attack = ATTACKS[name]
        sources = progress_bar(self.shelf.sources, name, unit="picture", leave=False)
        return [self._attack(attack, source.open(), index) for index, source in enumerate(sources)]

    def attacked_in_turn(self, names: Sequence[str]) -> list[Picture]:
        """The shelf's pictures, each after one of these attacks."""
        return [
            self._attack(ATTACKS[names[index % len(names)]], source.open(), index)
            for index, source in enumerate(progress_bar(self.shelf.sources, unit="picture", leave=False))
        ]

    def attack(self, name: str) -> Features:
        """Features (N, D) of the shelf's pictures after one attack."""
        return self.look_at(name, [picture.pixels for picture in self.attacked(name)])

    def captures(
        self, kind: Kind, strength: Strength, rounds: int = ROUNDS, first: int | None = None
    ) -> list[Photo]:
        """Simulated photos of the shelf's pictures, or of the first few, `rounds` of each."""
        shown = self.shelf.sources[:first]
        orders = [
            Order(source, kind, strength, (self.seed + turn) * SEED_STRIDE + number)
            for turn in range(rounds)
            for number, source in enumerate(shown)
        ]
        developed = self.darkroom.develop(orders)
        return [
            Photo(index % len(shown), f"{order.source.name}, {kind}", encoded, read_corners(corners))
            for index, (order, (corners, encoded)) in enumerate(zip(orders, developed, strict=True))
        ]

    def real_photos(self, medium: str) -> list[Photo]:
        """The photos that the list calls so, each with the number of its picture."""
        numbers = {source.place: number for number, source in enumerate(self.registered)}
        return [
            Photo(numbers[pair.original], pair.captured.name, pair.captured, pair.corners)
            for pair in self.pairs
            if pair.medium == medium
        ]

    def look_at(
        self, what: str, images: Sequence[Loadable], look_each: Callable[..., Features] = look_each
    ) -> Features:
        """Features (Q, D) of pictures as the product first looks at them: without a margin of one colour."""
        looked = []
        with progress_bar(total=len(images), desc=what, unit="picture", leave=False) as bar:
            for start in range(0, len(images), BATCH):
                batch = [load(image) for image in images[start : start + BATCH]]
                looked.append(look_each(self._remembering, [(picture, frame(picture)) for picture in batch]))
                bar.update(len(batch))
        return np.concatenate(looked)

    def score_located(self, images: Sequence[Loadable]) -> Features:
        """The best cosine (Q, R) of everything that the product looks at before it aligns."""
        scores = []
        for image in progress_bar(images, "located", unit="photo", leave=False):
            picture = load(image)
            views = all_sights(picture, default_locator())
            seen = look(self._remembering, [picture], views)[0]  # (V, D)
            scores.append((seen @ self.registered_features.T).max(axis=0))
        return np.stack(scores)

    def desk(self, bits: int = BITS) -> Desk:
        """The product with every numbered picture registered."""
        return self._desk(f"all {bits}", bits, range(len(self.registered)))

    def desk_of(self, numbers: Iterable[int]) -> Desk:
        """The product with some pictures registered: those that a table asks about one by one."""
        if "some" not in self._desks:
            self._desks["some"] = Desk.open(self._remembering, self.seed)
        desk = self._desks["some"]
        messages = [Message.from_bits(row.tolist()) for row in self._drawn(BITS)]
        desk.register(self.registered, [number for number in numbers if number not in desk], messages)
        return desk

    def references(self, bits: int = BITS) -> References:
        """The paper's head for every numbered picture."""
        if bits not in self._references:
            self._references[bits] = References(self.features, self._drawn(bits), self.seed)
        return self._references[bits]

    def read_as_strangers(self, photos: Sequence[Loadable], owners: Sequence[int]) -> Answers:
        """Look the photos up where every second picture is registered, and their own is not."""
        count = len(self.registered)
        claimed = np.empty(len(photos), np.int64)
        for parity in (0, 1):
            mine = [index for index, owner in enumerate(owners) if owner % 2 != parity]
            desk = self._desk(f"every second from {parity}", BITS, range(parity, count, 2))
            claimed[mine] = desk.read([photos[index] for index in mine]).claimed
        return Answers(claimed)

    def time_reading(self, photos: Sequence[Loadable]) -> float:
        """Milliseconds a look-up among all numbered pictures, nothing remembered from before."""
        desk = self.desk()
        self.forget()
        return desk.time_reading(photos)

    def forget(self) -> None:
        """The features of all photos, before something is timed."""
        self._remembering.forget()

    def close(self) -> None:
        for desk in self._desks.values():
            desk.close()
        self._desks.clear()

    def _desk(self, name: str, bits: int, numbers: range) -> Desk:
        if name not in self._desks:
            desk = Desk.open(self._remembering, self.seed)
            self._desks[name] = desk
            messages = [Message.from_bits(row.tolist()) for row in self._drawn(bits)]
            desk.register(self.registered, numbers, messages)
        return self._desks[name]

    def _drawn(self, bits: int) -> NDArray[np.uint8]:
        return draw_messages(len(self.registered), bits, self.seed)

    def _attack(self, attack: Attack, picture: Picture, index: int) -> Picture:
        pixels = attack.apply(picture.pixels, self.seed * SEED_STRIDE + index)
        return load(pixels, name=f"{picture.name} after {attack.name}")

    @cached_property
    def _remembering(self) -> RememberingModel:
        return RememberingModel(self.model)

    @cached_property
    def _desks(self) -> dict[str, Desk]:
        return {}

    @cached_property
    def _references(self) -> dict[int, References]:
        return {}
