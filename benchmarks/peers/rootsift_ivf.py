"""RootSIFT with an inverted file: photos vote for records through cells of descriptors, a homography checks the best.

The inverted file is faiss's (`IndexIVFScalarQuantizer`, 8 bits a value). A descriptor's number says whose it is:
picture × SLOTS + its row. Each keypoint of a photo votes for the picture of its nearest descriptor where that is
clearly nearer than any other picture's; a candidate's homography rests on the nearest descriptor of that picture among
the NEIGHBOURS of each keypoint, so descriptors need not be kept a second time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import faiss
import numpy as np
from benchmarks.peers.rootsift import RATIO, Descriptors, Points, describe_grey, inliers
from numpy.typing import NDArray

KEYPOINTS = 500  # a picture and a photo
SLOTS = 512  # numbers a picture has for its descriptors
NEIGHBOURS = 10
CANDIDATES = 20  # whose geometry is checked
ENOUGH = 15  # inliers from which a match is accepted
SCALE = 512  # descriptors are stored as bytes; what is cut off at 255 is rarer than 1 in 10,000 values
ROUNDS = 8  # of k-means
BYTES_A_DESCRIPTOR = 128 + 4  # two bytes a coordinate

Grey = NDArray[np.uint8]  # (H, W)
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Match:
    """The picture with the most inliers, -1 where none had any."""

    picture: int
    inliers: int
    unneeded: float = 0.0  # seconds spent on further candidates after one had enough inliers


class RootSiftIndex:
    """Pictures under numbers; look-ups may go on while more are added."""

    def __init__(self, cells: int, probes: int) -> None:
        self.ivf: Any = faiss.IndexIVFScalarQuantizer(
            faiss.IndexFlatL2(128), 128, cells, faiss.ScalarQuantizer.QT_8bit_direct, faiss.METRIC_L2, False
        )
        self.ivf.nprobe = probes
        self.ivf.cp.niter = ROUNDS
        self.ivf.cp.min_points_per_centroid = 1  # says nothing about few points
        self._points: dict[int, Points] = {}
        self.elsewhere = np.zeros((SLOTS, 2), np.float32)  # points of records that were never described
        self.records = 0  # one more than the highest number
        self.made_up = 0  # of the records, those that were never described

    def train(self, descriptors: Descriptors) -> None:
        self.ivf.train(to_codes(descriptors))

    def cells(self) -> Descriptors:
        """The centres of the cells (C, 128)."""
        return np.asarray(self.ivf.quantizer.reconstruct_n(0, self.ivf.nlist), np.float32)

    def take_cells(self, centres: Descriptors) -> None:
        """Instead of training: the cells of another index."""
        self.ivf.quantizer.add(centres)
        self.ivf.is_trained = True

    def add(self, picture: int, points: Points, descriptors: Descriptors) -> None:
        points, descriptors = points[:SLOTS], descriptors[:SLOTS]
        self._points[picture] = points
        self.records = max(self.records, picture + 1)
        numbers = picture * SLOTS + np.arange(len(points), dtype=np.int64)
        if len(points):
            self.ivf.add_with_ids(to_codes(descriptors), numbers)

    def look_up(self, grey: Grey) -> Match:
        points, descriptors = describe_grey(grey, KEYPOINTS)
        if len(points) < 4:
            return Match(-1, 0)
        distances, found = self.ivf.search(to_codes(descriptors), NEIGHBOURS)  # (K, N)
        candidates = choose(distances, found // SLOTS, self.records)
        best, enough = Match(-1, 0), None
        for candidate in candidates:
            count = self._check(points, found, candidate)
            if count > best.inliers:
                best = Match(int(candidate), count)
            if enough is None and count >= ENOUGH:
                enough = time.perf_counter()
        return best if enough is None else replace(best, unneeded=time.perf_counter() - enough)

    def _check(self, points: Points, found: Numbers, candidate: int) -> int:
        hit = found // SLOTS == candidate  # (K, N), nearest first
        matched = hit.any(axis=1)
        rows = found[matched, hit[matched].argmax(axis=1)] % SLOTS
        return inliers(points[matched], self._points.get(int(candidate), self.elsewhere)[rows])

    @property
    def described(self) -> int:
        """Pictures that were added, which are not all records where others fill it up."""
        return len(self._points)

    @property
    def bytes_a_record(self) -> float:
        return float(self.ivf.ntotal) / max(1, self.described + self.made_up) * BYTES_A_DESCRIPTOR


def to_codes(descriptors: Descriptors) -> Descriptors:
    """Whole numbers from 0 to 255, which faiss stores as bytes."""
    return np.asarray(np.rint(np.minimum(descriptors * SCALE, 255)), np.float32)


def choose(distances: NDArray[np.float32], owners: Numbers, records: int) -> Numbers:
    """The candidates, most votes first, from squared distances and owners of neighbours (K, N), nearest first.

    Votes that are not clear only order those that have no others. Cells that hold too few give the owner -1.
    """
    known = owners[:, 0] >= 0
    distances, owners = distances[known], owners[known]
    other = np.where(owners != owners[:, :1], distances, np.inf).min(axis=1, initial=np.inf)
    clear = distances[:, 0] < RATIO**2 * other
    votes = np.bincount(owners[clear, 0], minlength=records).astype(np.float64)
    votes += 1e-3 * np.bincount(owners[:, 0], minlength=records)
    named = np.flatnonzero(votes)
    return named[np.argsort(-votes[named], kind="stable")][:CANDIDATES]
