"""The second test of a claim, as the reader makes it: do the details of both pictures contradict each other?"""

from __future__ import annotations

import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from tiacam.align import choose_landmarks
from tiacam.app.aligning import Geometry
from tiacam.app.reader import BEYOND_DOUBT
from tiacam.image import Picture, load
from tiacam.watermark import Decision

Named = tuple[str, str, float]  # probe, record, correlation


@dataclass(frozen=True)
class Shelf:
    """Pictures of some archives by name, decoded when asked for."""

    places: dict[str, tuple[Path, int, int]]  # archive, first byte, length

    @classmethod
    def of(cls, archives: Sequence[Path]) -> Shelf:
        places = {}
        for path in archives:
            with tarfile.open(path) as archive:
                for member in archive:
                    places[Path(member.name).stem] = path, member.offset_data, member.size
        return cls(places)

    def __getitem__(self, name: str) -> Picture:
        path, first, length = self.places[name]
        with path.open("rb") as file:
            file.seek(first)
            return load(file.read(length))


def survives(correlation: float, trials: int, decision: Decision, probe: Picture, record: Picture) -> bool:
    """Whether a claim by the feature stands after the details were asked, which a sure one's are not."""
    if decision.p_value(correlation, trials) < BEYOND_DOUBT:
        return True
    return not Geometry(probe).contradicts(choose_landmarks(record).pack(), None)


def surviving(
    claimed: Sequence[Named], trials: int, decision: Decision, probes: Shelf, records: Shelf
) -> list[Named]:
    return [
        (probe, record, correlation)
        for probe, record, correlation in tqdm(claimed, "details", disable=None)
        if survives(correlation, trials, decision, probes[probe], records[record])
    ]
