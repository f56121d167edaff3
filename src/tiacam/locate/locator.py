"""Locating: a photo in, quadrilaterals of displayed or printed pictures out."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiacam.errors import ModelFileError
from tiacam.image import Picture
from tiacam.locate.card import LocatorCard, read_locator_card
from tiacam.locate.quad import Quad, to_points
from tiacam.locate.rectify import UNIT_SQUARE, apply_homography, homography, is_convex
from tiacam.locate.voting import nearest_turn, same_place, vote
from tiacam.model.runtime import session_options

FILES = Path(__file__).parent / "files"
DEFAULT_LOCATOR = "locator-1-int8"
LEAST_CONFIDENCE = 0.5
MOST_QUADS = 4
HASTY_SIZE = 160  # at half of the cost: enough for a picture that fills a good part of the photo
CHANNELS = 17
SECOND_MARGIN = 0.15  # around a quad at the second look, in its sides
SECOND_AGREEMENT = (
    0.15  # mean distance of the corners, in the quad's sides, up to which the first look is confirmed
)


class Locator:
    """One loaded ONNX file with its card. Safe to share between threads."""

    def __init__(self, card: LocatorCard, session: Any) -> None:
        self.card = card
        self._session = session
        # A side that is no number is free. Those of a file with a fixed one are always looked at with care.
        free = not isinstance(session.get_inputs()[0].shape[1], int)
        self.hasty_size = min(HASTY_SIZE, card.input_size) if free else card.input_size

    def locate(
        self, picture: Picture, *, limit: int = MOST_QUADS, least_confidence: float = LEAST_CONFIDENCE
    ) -> list[Quad]:
        """The pictures in a photo, the surest first; none is an answer too."""
        return self.locate_many([picture], limit=limit, least_confidence=least_confidence)[0]

    def locate_many(
        self,
        pictures: Sequence[Picture],
        *,
        limit: int = MOST_QUADS,
        least_confidence: float = LEAST_CONFIDENCE,
        hasty: bool = False,
    ) -> list[list[Quad]]:
        """The same for several photos in one pass; in haste, smaller, small pictures may be missed."""
        if not pictures:
            return []
        size = self.hasty_size if hasty else self.card.input_size
        squares = np.stack([picture.square(size) for picture in pictures])
        found = [vote(cells, limit) for cells in self.answer(squares)]
        return [[quad for quad in quads if quad.confidence >= least_confidence] for quads in found]

    def refine(self, picture: Picture, quads: Sequence[Quad]) -> list[Quad]:
        """The same quads looked at once more from near by, each filling the square: one more pass for all of them.

        A quad stays as it is where the second look does not confirm it.
        """
        if not quads:
            return []
        near = [quad.widened(SECOND_MARGIN, SECOND_MARGIN, SECOND_MARGIN, SECOND_MARGIN) for quad in quads]
        squares = np.stack([quad.cut(picture, self.card.input_size) for quad in near])
        seen = [vote(cells, MOST_QUADS) for cells in self.answer(squares)]
        return [second_look(*views) for views in zip(quads, near, seen, strict=True)]

    def look_inside(
        self, picture: Picture, quads: Sequence[Quad], *, limit: int = MOST_QUADS, least_confidence: float
    ) -> list[Quad]:
        """The pictures within located ones, those of the first quad first: one more pass for all of them.

        What was located may be the screen or the page that shows the picture.
        """
        if not quads:
            return []
        squares = np.stack([quad.cut(picture, self.card.input_size) for quad in quads])
        found: list[Quad] = []
        for outer, cells in zip(quads, self.answer(squares), strict=True):
            matrix = homography(UNIT_SQUARE, np.array(outer.corners, np.float64))
            for quad in vote(cells, limit):
                corners = apply_homography(matrix, np.array(quad.corners, np.float64))
                if quad.confidence >= least_confidence and is_convex(corners):
                    found.append(replace(quad, corners=to_points(corners), inner=True))
        return found

    def answer(self, squares: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(B, S, S, 3) photos squashed to squares → the network's cells (B, N, 17)."""
        (cells,) = self._session.run(None, {"pixels": squares})
        return np.asarray(cells, np.float32)


def second_look(quad: Quad, near: Quad, seen: Sequence[Quad]) -> Quad:
    """`quad` with the corners of what was seen in `near` at its place."""
    start, end = SECOND_MARGIN / (1 + 2 * SECOND_MARGIN), (1 + SECOND_MARGIN) / (1 + 2 * SECOND_MARGIN)
    expected = replace(quad, corners=to_points(start + (end - start) * UNIT_SQUARE))
    confirmed = [other for other in seen if same_place(other, expected, SECOND_AGREEMENT)]
    if not confirmed:
        return quad
    matrix = homography(UNIT_SQUARE, np.array(near.corners, np.float64))
    found = confirmed[0]
    turn = nearest_turn(np.array(found.corners), np.array(expected.corners))
    corners = np.roll(apply_homography(matrix, np.array(found.corners, np.float64)), turn, axis=0)
    return replace(quad, corners=to_points(corners)) if is_convex(corners) else quad


def load_locator(locator: str | os.PathLike[str] = DEFAULT_LOCATOR, *, threads: int | None = None) -> Locator:
    """Load a locator (by name, or by the path of its card) after checking its file against the card's sha256."""
    given = Path(locator)
    path = given if given.suffix == ".json" else FILES / f"{given}.json"
    card = read_locator_card(path)
    return Locator(card, _open_session(_checked_content(path.parent / card.file, card), card, threads))


@cache
def default_locator(threads: int | None = None) -> Locator:
    """The shipped locator, loaded once for each number of threads."""
    return load_locator(threads=threads)


def locate(picture: Picture) -> list[Quad]:
    """The pictures in a photo, found by the shipped locator, the surest first."""
    return default_locator().locate(picture)


def _checked_content(path: Path, card: LocatorCard) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelFileError(f"cannot read the locator's file {path}: {error.strerror}") from error
    digest = hashlib.sha256(content).hexdigest()
    if digest != card.sha256:
        raise ModelFileError(
            f"{path} is not the file of its card: its sha256 is {digest[:16]}…, wanted {card.sha256[:16]}…"
        )
    return content


def _open_session(content: bytes, card: LocatorCard, threads: int | None) -> Any:
    import onnxruntime

    options = session_options(onnxruntime, threads)
    try:
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises its own unrelated classes
        raise ModelFileError(f"onnxruntime cannot load {card.file}: {error}") from error
    if [entry.name for entry in session.get_inputs()] != ["pixels"]:
        raise ModelFileError(f"{card.file} does not take `pixels`")
    if session.get_outputs()[0].shape[-1] != CHANNELS:
        raise ModelFileError(f"{card.file} does not answer with {CHANNELS} numbers a cell")
    return session
