"""Every attack keeps its promise."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import tiacam.capture
from tiacam.capture.attacks import ATTACKS, Group, attacks_of
from tiacam.errors import UnreadableImageError

Pixels = NDArray[np.uint8]
PAPER_DIGITAL = [
    "Identity",
    "Rotation (25°)",
    "Crop (0.5)",
    "Crop (0.1)",
    "Resize (0.7)",
    "Blur (2.0)",
    "JPEG (50)",
    "Brightness (2.0)",
    "Contrast (2.0)",
    "Hue (0.25)",
    "Screenshot",
]


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_gives_pixels_and_the_same_ones_again(picture: Pixels, name: str) -> None:
    before = picture.copy()
    one, two = (ATTACKS[name].apply(picture, seed=3) for _ in range(2))
    assert one.dtype == np.uint8
    assert one.ndim == 3
    assert one.shape[2] == 3
    assert min(one.shape[:2]) >= 16
    assert np.array_equal(one, two)
    assert np.array_equal(picture, before)


@pytest.mark.parametrize("name", sorted(set(ATTACKS) - {"identity"}))
def test_every_attack_but_identity_changes_the_picture(picture: Pixels, name: str) -> None:
    assert not np.array_equal(ATTACKS[name].apply(picture), picture)


def test_the_lists_of_the_paper_are_complete() -> None:
    assert [attack.paper for attack in attacks_of(Group.DIGITAL)] == PAPER_DIGITAL
    geometric = {attack.paper for attack in attacks_of(Group.GEOMETRIC)}
    assert geometric == {
        *(f"Translation {p}%" for p in (10, 25, 50)),
        *(f"Rotation {d}°" for d in (15, 30, 45)),
        *(f"Scaling ±{p}%" for p in (10, 20, 25)),
    }
    table1 = [attack.paper for attack in attacks_of(Group.DISTORTION)]
    assert table1 == ["Additive", "Photometric", "Perspective", "JPEG", "Moiré", "Filtering", "All"]
    assert [attack.name for attack in attacks_of(Group.OCCLUSION)] == [
        f"occlusion-{p}" for p in range(10, 100, 10)
    ]


@pytest.mark.parametrize(("name", "share"), [("crop-0.5", 0.5), ("crop-0.1", 0.1), ("resize-0.7", 0.7)])
def test_crop_and_resize_count_area(picture: Pixels, name: str, share: float) -> None:
    out = ATTACKS[name].apply(picture)
    assert out.shape[0] * out.shape[1] == pytest.approx(share * 240 * 160, rel=0.03)
    assert out.shape[1] / out.shape[0] == pytest.approx(1.5, rel=0.03)


def test_a_crop_is_the_untouched_middle(picture: Pixels) -> None:
    out = ATTACKS["crop-0.5"].apply(picture)
    top, left = (160 - out.shape[0]) // 2, (240 - out.shape[1]) // 2
    assert np.array_equal(out, picture[top : top + out.shape[0], left : left + out.shape[1]])


@pytest.mark.parametrize("percent", range(10, 100, 10))
def test_occlusion_covers_its_share(picture: Pixels, percent: int) -> None:
    out = ATTACKS[f"occlusion-{percent}"].apply(picture, seed=7)
    changed = (out != picture).any(axis=2).mean()
    assert changed == pytest.approx(percent / 100, abs=0.015)


def test_translation_keeps_what_stays_in_the_frame_and_blackens_the_rest(picture: Pixels) -> None:
    out = ATTACKS["translation-25"].apply(picture, seed=1)
    rows = slice(40, 160) if not out[:40].any() else slice(0, 120)
    columns = slice(60, 240) if not out[:, :60].any() else slice(0, 180)
    from_rows = slice(0, 120) if rows.start else slice(40, 160)
    from_columns = slice(0, 180) if columns.start else slice(60, 240)
    assert np.array_equal(out[rows, columns], picture[from_rows, from_columns])
    assert (out == 0).all(axis=2).mean() > 0.4


def test_scaling_up_shows_less_and_scaling_down_leaves_black(picture: Pixels) -> None:
    larger, smaller = (ATTACKS[name].apply(picture) for name in ("scaling+25", "scaling-25"))
    assert larger.shape == smaller.shape == picture.shape
    assert (smaller == 0).all(axis=2).mean() == pytest.approx(1 - 0.75**2, abs=0.04)
    assert smaller[0].max() == 0
    assert larger[0].max() > 0


def test_hue_turns_and_comes_back_after_four_quarters(picture: Pixels) -> None:
    out = picture
    for _ in range(4):
        out = ATTACKS["hue-0.25"].apply(out)
    assert np.abs(out.astype(int) - picture).mean() < 4


def test_flip_and_turns_lose_nothing(picture: Pixels) -> None:
    for name, times in (("flip", 2), ("turn-180", 2), ("turn-90", 4)):
        out = picture
        for _ in range(times):
            out = ATTACKS[name].apply(out)
        assert np.array_equal(out, picture)


def test_lower_quality_is_further_from_the_picture(picture: Pixels) -> None:
    worse, better = (
        np.abs(ATTACKS[name].apply(picture).astype(int) - picture).mean() for name in ("jpeg-10", "jpeg-50")
    )
    assert worse > better


def test_all_is_harder_than_each_of_its_parts(picture: Pixels) -> None:
    def distance(name: str) -> float:
        outs = [ATTACKS[name].apply(picture, seed).astype(float) for seed in range(6)]
        return float(np.mean([np.abs(out - picture).mean() for out in outs]))

    parts = [attack.name for attack in attacks_of(Group.DISTORTION)][:-1]
    assert distance("all") > max(distance(part) for part in parts)


def test_the_moire_attack_needs_no_more_than_a_grid_and_a_sensor() -> None:
    grey = np.full((128, 128, 3), 120, np.uint8)
    out = ATTACKS["moire"].apply(grey, seed=2).astype(float)
    assert out.std() > 3
    assert out.mean() == pytest.approx(120, abs=12)


def test_an_attack_refuses_what_is_no_picture() -> None:
    with pytest.raises(UnreadableImageError):
        ATTACKS["blur-2"].apply(np.zeros((32, 32), np.uint8))


def test_the_package_never_reads_the_network() -> None:
    forbidden = {"http", "httpx", "requests", "socket", "urllib"}
    for path in Path(tiacam.capture.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {a.name.split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
        names |= {(n.module or "").split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
        assert not names & forbidden
