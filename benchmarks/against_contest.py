"""Two systems asked the same questions: `Tiacam.read` as it ships, and RootSIFT with an inverted file and RANSAC.

A question is a file as a camera or a platform wrote it; an answer's time runs from there, so decoding is in it. Both
systems answer a question before the next one is asked, so that a busy machine hits both alike.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
from benchmarks.peers.rootsift import Descriptors, Points, describe_grey
from benchmarks.peers.rootsift_ivf import ENOUGH, KEYPOINTS, Grey, RootSiftIndex
from tqdm import tqdm

from tiacam import Message, Submission, Tiacam
from tiacam.image import load

THREADS = 2
NETWORK_THREADS = 1  # of ours: a second one makes a pass of a single picture no faster, and dearer
BITS = 100
FALSE_CLAIM_RATE = 1e-6
NOBODY = -1

File = Path | bytes
Pictures = Mapping[int, File]  # by number


@dataclass(frozen=True)
class Question:
    """A photo, the number of the picture that it shows, and the row that it counts for."""

    name: str
    file: File
    picture: int
    group: str


@dataclass(frozen=True)
class Answer:
    """Whom a system names, whether it stands by it, and what that took by the clock and of the processor."""

    picture: int
    accepted: bool
    exact: bool  # the whole message came back; RootSIFT has none
    milliseconds: float
    core_milliseconds: float
    inliers: int = 0
    unneeded: float = 0.0  # of these milliseconds, those after the first acceptable candidate


class Contestant(Protocol):
    """A system that remembers pictures under numbers and is asked which one a photo shows."""

    name: str

    def remember(self, pictures: Pictures) -> None: ...

    def look_up(self, file: File, *, guess: bool) -> Answer:
        """With `guess`, the picture that comes nearest is named even where it is not accepted."""
        ...

    @property
    def bytes_a_record(self) -> float: ...


class Clock:
    """Milliseconds since it was made."""

    def __init__(self) -> None:
        self._wall, self._cores = time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float]:
        """By the clock, and of all cores together."""
        return 1e3 * (time.perf_counter() - self._wall), 1e3 * (time.process_time() - self._cores)


class Ours:
    """The product. A record's note is the picture's number, from which its message follows."""

    name = "TIACam"

    def __init__(self, registry: Path) -> None:
        self.path = registry
        self.tiacam = Tiacam.open(registry, threads=NETWORK_THREADS, false_claim_rate=FALSE_CLAIM_RATE)

    def remember(self, pictures: Pictures) -> None:
        submissions = (
            Submission(file, message_of(number), note=str(number)) for number, file in pictures.items()
        )
        registered = self.tiacam.register_many(submissions)
        for result in tqdm(registered, "registering", len(pictures), mininterval=5):
            if isinstance(result, Exception):
                raise result

    def look_up(self, file: File, *, guess: bool) -> Answer:
        clock = Clock()
        verdict = self.tiacam.read(file)
        spent = clock.read()
        if verdict.record_id is None:
            return Answer(self._guess(file) if guess else NOBODY, False, False, *spent)
        picture = self._number(verdict.record_id)
        return Answer(picture, True, verdict.message == message_of(picture), *spent, verdict.inliers)

    def _guess(self, file: File) -> int:
        nearest = self.tiacam.explain(file)[2].best()
        return int(nearest[0].note) if nearest else NOBODY

    def _number(self, record_id: str) -> int:
        return int(self.tiacam.registry.get(record_id).note)

    @property
    def bytes_a_record(self) -> float:
        """What a record must hold to be found and read: feature, helper data, salt, landmarks."""
        sizes = [
            record.feature.nbytes + len(record.mark.helper) + len(record.mark.salt) + len(record.landmarks)
            for record in self.tiacam.registry.records()
        ]
        return float(np.mean(sizes))

    @property
    def disk_bytes_a_record(self) -> float:
        """The database with chain, signatures and its own indices, and the index of features where it is a file."""
        database = self.tiacam.registry._database
        (pages,), (size,) = (database.rows(f"PRAGMA {name}")[0] for name in ("page_count", "page_size"))
        files = self.path.with_name(f"{self.path.name}.index").glob("*")
        total = int(pages) * int(size) + sum(file.stat().st_size for file in files)
        return total / len(self.tiacam.registry)


class Theirs:
    """RootSIFT; the cells of its inverted file are learned from the first pictures that it remembers."""

    name = "RootSIFT + RANSAC"

    def __init__(self, cells: int, probes: int) -> None:
        self.index = RootSiftIndex(cells, probes)

    def remember(self, pictures: Pictures) -> None:
        described = describe_pictures(pictures)
        if not self.index.ivf.is_trained:
            self.index.train(np.concatenate([descriptors for _, descriptors in described.values()]))
        for number, (points, descriptors) in described.items():
            self.index.add(number, points, descriptors)

    def look_up(self, file: File, *, guess: bool) -> Answer:
        clock = Clock()
        match = self.index.look_up(decode_grey(file))
        spent = clock.read()
        accepted = match.inliers >= ENOUGH
        picture = match.picture if accepted or guess else NOBODY
        return Answer(picture, accepted, False, *spent, match.inliers, 1e3 * match.unneeded)

    @property
    def bytes_a_record(self) -> float:
        return self.index.bytes_a_record


def describe_pictures(pictures: Pictures) -> dict[int, tuple[Points, Descriptors]]:
    bar = tqdm(pictures.items(), "describing", mininterval=5)
    return {number: describe_grey(decode_grey(file), KEYPOINTS) for number, file in bar}


def decode_grey(file: File) -> Grey:
    """Grey levels of an encoded picture, by OpenCV, which is fastest, or by our decoder where it knows no such file."""
    content = np.frombuffer(file, np.uint8) if isinstance(file, bytes) else np.fromfile(file, np.uint8)
    grey = cv2.imdecode(content, cv2.IMREAD_GRAYSCALE)
    if grey is None:  # HEIC
        grey = cv2.cvtColor(load(file).pixels, cv2.COLOR_RGB2GRAY)
    return np.asarray(grey, np.uint8)


def message_of(picture: int) -> Message:
    """The message of a picture: drawn once for all runs."""
    value = int.from_bytes(np.random.default_rng([BITS, picture]).bytes(16)) >> (128 - BITS)
    return Message.from_int(value, BITS)


def ask(
    contestants: Sequence[Contestant], questions: Sequence[Question], what: str, *, guess: bool
) -> dict[str, list[Answer]]:
    """All answers by system; the first question is asked once before, so that everything is loaded."""
    for contestant in contestants:
        contestant.look_up(questions[0].file, guess=False)
    answers: dict[str, list[Answer]] = {contestant.name: [] for contestant in contestants}
    for question in tqdm(questions, what, unit="photo", mininterval=5):
        for contestant in contestants:
            answers[contestant.name].append(contestant.look_up(question.file, guess=guess))
    return answers
