"""The three comparisons of TIACam with RootSIFT. Each asks before the pictures are registered, and again after."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.against_contest import Ours, Pictures, Question, Theirs, ask
from benchmarks.against_material import Material
from benchmarks.against_rows import Row, Sheet, differing, rows_of, split
from benchmarks.against_scale import Crowd, fill_ours
from benchmarks.scale_child import resident_mb

from tiacam.capture import Kind
from tiacam.evaluate.metrics import Estimate

CELLS, PROBES = 1024, 16  # of the inverted file for about 1,000 pictures
MANY_CELLS, MANY_PROBES = 16_384, 8  # for up to 100,000
STRANGERS = 40  # distractors that the registry of the part `scale` lacks


@dataclass(frozen=True)
class Settings:
    """What a caller may choose."""

    scratch: Path
    plain: int  # pictures without texture
    sizes: Sequence[int]
    photos: int  # at each size


@dataclass
class Chapter:
    """Rows that are kept and replaced together."""

    name: str
    rows: list[Row] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)

    def enter(self, sheets: Iterator[Sheet], when: str) -> None:
        for sheet in sheets:
            self.rows += rows_of(sheet)
            self.notes[when] = differing(sheet)  # the last sheet has all questions


def measure_photos(material: Material, settings: Settings) -> Iterator[Chapter]:
    """Raw photos by phones."""
    yield contest("photos", material.distractors, material.originals, material.photos, settings)


def measure_textureless(material: Material, settings: Settings) -> Iterator[Chapter]:
    """Captures of the pictures with the fewest keypoints."""
    counts = material.plainest(settings.plain)
    own = {number: material.distractors[number] for number in counts}
    others = {number: file for number, file in material.distractors.items() if number not in counts}
    questions = material.simulate(list(own), list(Kind))
    chapter = contest("textureless", others, own, questions, settings)
    chapter.notes["keypoints of the pictures, fewest and most"] = [min(counts.values()), max(counts.values())]
    yield chapter


def contest(
    name: str, others: Pictures, own: Pictures, questions: Sequence[Question], settings: Settings
) -> Chapter:
    """All questions with the others registered alone, and again with the pictures that they show."""
    chapter = Chapter(name)
    ours, theirs = Ours(fresh(settings.scratch / f"{name}.tiacam")), Theirs(CELLS, PROBES)
    everybody = (ours, theirs)
    for registered, pictures in ((False, others), (True, own)):
        for system in everybody:
            system.remember(pictures)
        records = len(ours.tiacam.registry)
        when = "registered" if registered else "not registered"
        answers = ask(everybody, questions, f"{name}, {when}", guess=registered)
        chapter.enter(split(name, records, registered, questions, answers), when)
    chapter.rows += sizes(name, ours, theirs)
    ours.tiacam.close()
    return chapter


def measure_scale(material: Material, settings: Settings) -> Iterator[Chapter]:
    """Some of the phone photos among ever more records, and captures of pictures that are not registered."""
    numbers = list(material.distractors)
    known = {number: material.distractors[number] for number in numbers[:-STRANGERS]}
    strangers = material.simulate(numbers[-STRANGERS:], [Kind.PRINT])
    chosen = spread(material.photos, settings.photos)
    theirs = Theirs(MANY_CELLS, MANY_PROBES)
    learn_cells(theirs, known, settings.scratch / "cells.npy")
    crowd = Crowd(theirs.index)
    theirs.remember(material.originals)
    before: Path | None = None
    for size in sorted(settings.sizes):
        path = settings.scratch / f"{size}.tiacam"
        if before is not None and not path.exists():
            take_over(before, path)
        grow(path, known, material.originals, size)
        crowd.fill(size)
        yield compare_at(size, path, theirs, chosen, strangers)
        before = path


def compare_at(
    size: int, path: Path, theirs: Theirs, photos: Sequence[Question], strangers: Sequence[Question]
) -> Chapter:
    chapter = Chapter(f"scale {size:,}")
    ours = Ours(path)  # opened anew, because the kind of index is chosen when a registry is opened
    for registered, questions in ((True, photos), (False, strangers)):
        when = "registered" if registered else "not registered"
        answers = ask((ours, theirs), questions, f"{chapter.name}, {when}", guess=registered)
        chapter.enter(split(chapter.name, size, registered, questions, answers), when)
    chapter.rows += sizes(chapter.name, ours, theirs)
    chapter.notes["memory of the process with both systems, MB"] = round(resident_mb())
    ours.tiacam.close()
    return chapter


def learn_cells(theirs: Theirs, pictures: Pictures, kept: Path) -> None:
    """Learning them takes minutes, so they are kept where an earlier run of the same pictures was."""
    if kept.exists():
        theirs.index.take_cells(np.load(kept))
    theirs.remember(pictures)
    np.save(kept, theirs.index.cells())


def grow(path: Path, known: Pictures, originals: Pictures, size: int) -> None:
    """A registry of real records and then of made-up ones; what an earlier run has put there is kept."""
    ours = Ours(path)
    if not len(ours.tiacam.registry):
        ours.remember(known)
        ours.remember(originals)
    fill_ours(ours, size, len(known) + len(originals), len(known))
    ours.tiacam.close()


def sizes(name: str, ours: Ours, theirs: Theirs) -> Iterator[Row]:
    records = len(ours.tiacam.registry)
    sheet = Sheet(name, "", records, True, [], {})
    small, large = ours.bytes_a_record, theirs.bytes_a_record
    for system, metric, value in (
        (ours.name, "bytes a record", small),
        (ours.name, "bytes a record on disk", ours.disk_bytes_a_record),
        (theirs.name, "bytes a record", large),
        (f"{ours.name} / {theirs.name}", "bytes a record", small / large),
        (f"{ours.name} / {theirs.name}", "bytes a record on disk", ours.disk_bytes_a_record / large),
    ):
        yield sheet.row(system, metric, Estimate(value, None, None)) | {"n": records, "pictures": records}


def spread(questions: Sequence[Question], count: int) -> list[Question]:
    """`count` of the questions at even distances."""
    places = np.linspace(0, len(questions) - 1, min(count, len(questions))).round().astype(int)
    return [questions[place] for place in places]


def fresh(path: Path) -> Path:
    """The path of a registry without what an earlier run has left there."""
    for left in (path, path.with_name(f"{path.name}.key"), *path.parent.glob(f"{path.name}-*")):
        left.unlink(missing_ok=True)
    shutil.rmtree(path.with_name(f"{path.name}.index"), ignore_errors=True)
    return path


def take_over(before: Path, path: Path) -> None:
    """Begin with the records of a smaller registry and under its key."""
    for suffix in ("", ".key"):
        shutil.copy(before.with_name(before.name + suffix), path.with_name(path.name + suffix))
