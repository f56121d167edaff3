"""Attacked and captured pictures, made by several processes: a capture takes half a second."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from itertools import repeat

import cv2
import numpy as np
from numpy.typing import NDArray

from tiacam.capture import Capture, Kind, Strength, simulate
from tiacam.capture.attacks import ATTACKS
from tiacam.image import square

WARPED = 512  # side of a rectified picture before it is shrunk without aliasing

Pixels = NDArray[np.uint8]


@contextmanager
def open_pool(workers: int) -> Iterator[Executor]:
    """Fresh processes: forking one that holds a GPU or threads is not safe."""
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), initializer=calm) as pool:
        yield pool


def calm() -> None:
    """One thread a process."""
    cv2.setNumThreads(1)


def attack_all(pool: Executor, pictures: Sequence[Pixels], name: str, size: int, seed: int) -> Pixels:
    """Every picture after the attack, squashed (N, size, size, 3); picture i draws from seed + i."""
    seeds = range(seed, seed + len(pictures))
    made = pool.map(attack_one, pictures, repeat(name), repeat(size), seeds, chunksize=8)
    return np.stack(list(made))


def attack_one(picture: Pixels, name: str, size: int, seed: int) -> Pixels:
    return square(ATTACKS[name].apply(picture, seed), size)


def capture_all(
    pool: Executor, pictures: Sequence[Pixels], kind: Kind, size: int, seed: int
) -> dict[str, Pixels]:
    """Typical simulated captures of every picture, squashed: the whole photo, and cut out along the true corners."""
    seeds = range(seed, seed + len(pictures))
    made = list(pool.map(capture_one, pictures, repeat(kind), repeat(size), seeds, chunksize=2))
    return {"raw": np.stack([raw for raw, _ in made]), "rectified": np.stack([flat for _, flat in made])}


def capture_one(picture: Pixels, kind: Kind, size: int, seed: int) -> tuple[Pixels, Pixels]:
    capture = simulate(picture, kind, Strength.TYPICAL, seed=seed)
    return square(capture.photo, size), square(rectify(capture), size)


def rectify(capture: Capture) -> Pixels:
    """The picture cut out of the photo along its true corners, which no user knows."""
    side = float(WARPED)
    wanted = np.array([(0, 0), (side, 0), (side, side), (0, side)], np.float32)
    # Corners are continuous, pixel centres lie at half: OpenCV counts from centre to centre.
    matrix = cv2.getPerspectiveTransform(capture.corners.astype(np.float32) - 0.5, wanted - 0.5)
    warped = cv2.warpPerspective(capture.photo, matrix, (WARPED, WARPED), flags=cv2.INTER_LINEAR)
    return np.asarray(warped, np.uint8)
