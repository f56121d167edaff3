"""Simulated captures are made once, kept, and found again only for the very same order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tiacam.capture import Kind, Strength
from tiacam.evaluate.captures import Darkroom, Order, make, read_corners
from tiacam.evaluate.shelf import Source


def an_order(samples: Path) -> Order:
    path = sorted(samples.glob("*.jpg"))[0]
    return Order(Source(path.name, path), Kind.SCREENSHOT, Strength.MILD, 3)


def test_a_kept_capture_is_the_one_that_was_made(samples: Path, tmp_path: Path) -> None:
    order = an_order(samples)
    made = Darkroom(tmp_path / "kept").develop([order])
    assert made == [make(order)]
    (path,) = (tmp_path / "kept").iterdir()
    path.write_bytes(path.read_bytes()[:64] + b"another photo")
    assert Darkroom(tmp_path / "kept").develop([order])[0][1] == b"another photo"
    assert Darkroom().develop([order]) == made
    assert read_corners(made[0][0]).shape == (4, 2)


def test_any_difference_is_another_capture(samples: Path) -> None:
    order = an_order(samples)
    other = Source("x", sorted(samples.glob("*.jpg"))[1])
    changed = [replace(order, seed=4), replace(order, strength=Strength.SEVERE), replace(order, source=other)]
    assert len({order.key, *(one.key for one in changed)}) == 4
    assert replace(order, source=replace(order.source, name="renamed")).key == order.key
