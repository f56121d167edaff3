"""Where a picture is in a photo: turned photos, collages, margins, and what a reading compared."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import tiacam
from tiacam import Tiacam, Verdict
from tiacam.app import reader
from tiacam.app.aligning import Geometry
from tiacam.app.reader import BARE_COSINE
from tiacam.app.sights import LOOKS_FOR_ALL, find_single
from tiacam.image import load
from tiacam.locate import default_locator

Pixels = NDArray[np.uint8]
Open = Callable[..., Tiacam]
SAMPLES = Path(tiacam.__file__).parent / "cli" / "pictures"


def paste(canvas: Pixels, picture: Pixels, left: int, top: int, width: int, height: int) -> None:
    small = Image.fromarray(picture).resize((width, height), Image.Resampling.LANCZOS)
    canvas[top : top + height, left : left + width] = np.asarray(small)


def desk(width: int, height: int) -> Pixels:
    """A background that is no picture: wood, roughly."""
    grain = np.random.default_rng(0).normal(0, 6, (height, 1, 1)) + np.array([150, 110, 80])
    return np.clip(np.broadcast_to(grain, (height, width, 3)), 0, 255).astype(np.uint8).copy()


def test_both_pictures_of_a_collage_are_read_each_with_its_place(
    open_tiacam: Open, pictures: dict[str, Pixels]
) -> None:
    session = open_tiacam()
    for name in ("cat", "rocket"):
        session.register(pictures[name], name)
    canvas = desk(1000, 560)
    boxes = {"cat": (60, 90, 400, 300), "rocket": (540, 150, 400, 280)}
    for name, box in boxes.items():
        paste(canvas, pictures[name], *box)
    found = {verdict.message.text: verdict for verdict in session.read_all(canvas) if verdict.message}
    assert set(found) == {"cat", "rocket"}
    for name, (left, top, width, height) in boxes.items():
        corners = np.array(found[name].corners) * (1000, 560)
        middle = corners.mean(axis=0)
        assert left < middle[0] < left + width
        assert top < middle[1] < top + height


def test_ten_pictures_in_one_photo_are_all_read_and_every_look_is_counted(open_tiacam: Open) -> None:
    session = open_tiacam()
    names = sorted({file.stem for file in SAMPLES.glob("*.jpg")} - {"grass", "gravel"})
    page = np.full((560, 1650, 3), 236, np.uint8)
    for number, name in enumerate(names):
        session.register(SAMPLES / f"{name}.jpg", name)
        row, column = divmod(number, 5)
        paste(page, load(SAMPLES / f"{name}.jpg").pixels, 20 + 326 * column, 20 + 270 * row, 306, 240)
    _, verdicts, lookup = session.explain_all(page)
    assert sorted(str(verdict.message) for verdict in verdicts) == names
    assert lookup.trials == 10 * LOOKS_FOR_ALL
    assert len(lookup.seen) < LOOKS_FOR_ALL


def test_a_mirror_image_is_read_on_request_and_its_corners_are_those_of_the_photo(
    open_tiacam: Open, pictures: dict[str, Pixels]
) -> None:
    session = open_tiacam()
    session.register(pictures["cat"], "cat")
    photo = desk(1000, 700)
    paste(photo, pictures["cat"], 60, 100, 560, 420)
    mirror_image = np.ascontiguousarray(photo[:, ::-1])
    straight = session.read(photo)
    (turned,) = session.read_many([mirror_image], mirror=True)
    assert session.read(mirror_image, mirror=True).p_value == straight.p_value
    assert isinstance(turned, Verdict)
    assert (turned.cosine, turned.message) == (straight.cosine, straight.message)
    assert np.array(turned.corners) == pytest.approx(np.array(straight.corners) * (-1, 1) + (1, 0))
    (one,) = session.read_all(mirror_image, mirror=True)
    assert np.array(one.corners).mean(axis=0)[0] > 0.5
    assert session.read(photo, mirror=True).cosine < straight.cosine


def test_the_time_of_an_explained_reading_has_all_of_it(
    open_tiacam: Open, pictures: dict[str, Pixels], monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_tiacam()
    session.register(pictures["cat"], "cat")
    monkeypatch.setattr(reader, "find_single", lambda *rest: time.sleep(0.2) or find_single(*rest))
    _, verdict, _ = session.explain(pictures["cat"])
    assert isinstance(verdict, Verdict)
    assert verdict.milliseconds > 200


@pytest.mark.parametrize("name", ["rocket", "chelsea", "astronaut"])
def test_a_small_picture_beside_a_large_one_is_found_though_haste_overlooks_it(
    open_tiacam: Open, name: str
) -> None:
    session = open_tiacam()
    session.register(SAMPLES / f"{name}.jpg", name)
    page = np.full((960, 1280, 3), 236, np.uint8)
    paste(page, load(SAMPLES / "coffee.jpg").pixels, 60, 80, 720, 560)
    paste(page, load(SAMPLES / f"{name}.jpg").pixels, 900, 560, 170, 127)
    (single,) = find_single([load(page)], default_locator(1))
    assert single is not None
    assert single.smallest_side > 0.3  # the large one
    verdict = session.read(page)
    assert verdict.message is not None
    assert verdict.message.text == name


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_a_photo_held_sideways_is_read(open_tiacam: Open, pictures: dict[str, Pixels], quarters: int) -> None:
    session = open_tiacam()
    session.register(pictures["cat"], "cat")
    canvas = desk(900, 700)
    paste(canvas, pictures["cat"], 150, 120, 600, 430)
    verdict = session.read(np.ascontiguousarray(np.rot90(canvas, quarters)))
    assert verdict.registered
    assert verdict.corners is not None


def test_a_picture_with_a_margin_is_read_without_it(open_tiacam: Open, pictures: dict[str, Pixels]) -> None:
    session = open_tiacam()
    cat = pictures["cat"]
    height, width = cat.shape[:2]
    shop = np.full((height + 120, width + 200, 3), 255, np.uint8)
    shop[60 : 60 + height, 100 : 100 + width] = cat
    session.register(shop, "shop")
    assert session.read(cat).registered
    assert session.read(shop).registered


def test_nothing_registered_in_a_photo_of_a_desk_and_no_places(
    open_tiacam: Open, pictures: dict[str, Pixels]
) -> None:
    session = open_tiacam()
    session.register(pictures["cat"], "cat")
    assert session.read_all(desk(640, 480)) == []


def test_an_explanation_has_every_view_and_its_nearest_records(
    open_tiacam: Open, pictures: dict[str, Pixels]
) -> None:
    session = open_tiacam()
    record = session.register(pictures["cat"], "cat")
    picture, verdict, lookup = session.explain(pictures["rocket"])
    assert not getattr(verdict, "registered", True)
    assert picture.pixels.shape[2] == 3
    names = {seen.sight.name for seen in lookup.seen}
    assert "whole" in names
    assert "located" in names or {"centre 80%", "centre 60%"} <= names
    assert all(seen.nearest[0][0] == record.id for seen in lookup.seen)


def test_details_refute_a_place_that_is_full_of_them_and_no_other(
    open_tiacam: Open, pictures: dict[str, Pixels]
) -> None:
    """A blurred picture on a ground full of detail is not refuted by the ground."""
    photo = np.array(Image.open(SAMPLES / "gravel.jpg").convert("RGB").resize((960, 720)))
    blurred = Image.fromarray(pictures["cat"]).resize((40, 30)).resize((400, 300), Image.Resampling.BICUBIC)
    photo[200:500, 280:680] = np.asarray(blurred)
    left, top, right, bottom = 280 / 960, 200 / 720, 680 / 960, 500 / 720
    record = open_tiacam().register(pictures["cat"], "cat")
    geometry = Geometry(load(photo))
    assert geometry.contradicts(record.landmarks, None)
    assert not geometry.contradicts(
        record.landmarks, ((left, top), (right, top), (right, bottom), (left, bottom))
    )


def cloud(seed: int) -> Pixels:
    """Smooth noise: a picture with nothing in it that could be told from another's."""
    cells = np.random.default_rng(seed).integers(0, 256, (3, 3), np.uint8)
    return np.asarray(Image.fromarray(cells).convert("RGB").resize((400, 400), Image.Resampling.BICUBIC))


def test_pictures_with_nothing_in_them_are_found_and_not_claimed_for_each_other(open_tiacam: Open) -> None:
    session = open_tiacam()
    clouds = [cloud(seed) for seed in range(24)]
    ids = [session.register(one, f"cloud {number}").id for number, one in enumerate(clouds[:12])]
    assert [session.read(one).record_id for one in clouds[:12]] == ids
    others = [session.read(one) for one in clouds[12:]]
    alike = [one for one in others if 0.5 < one.cosine < BARE_COSINE]
    assert len(alike) >= 3  # near enough for a claim by the feature of any other picture
    assert not any(one.registered for one in alike)
