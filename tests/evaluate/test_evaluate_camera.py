"""The camera table: real photos from a folder, simulated ones from pictures, raw and rectified apart."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tiacam.capture import Kind, Strength, simulate
from tiacam.cli import main
from tiacam.errors import DataError
from tiacam.evaluate import TABLES, open_bench, read_result
from tiacam.evaluate.photos import rectify
from tiacam.model import DEFAULT_MODEL, FeatureModel


@pytest.fixture(scope="module")
def photo_folder(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three pictures, a screenshot of each, and a fourth photo that is none."""
    folder = tmp_path_factory.mktemp("photos")
    lines = []
    for number, path in enumerate(sorted(samples.glob("*.jpg"))[:3]):
        picture = np.asarray(Image.open(path).convert("RGB"))
        capture = simulate(picture, Kind.SCREENSHOT, Strength.MILD, seed=number)
        (folder / f"{number}.jpg").write_bytes(path.read_bytes())
        (folder / f"photo{number}.bin").write_bytes(capture.encoded)
        entry = {"original": f"{number}.jpg", "captured": f"photo{number}.bin", "medium": "screenshot"}
        lines.append({**entry, "corners": capture.corners.tolist()} if number else entry)
    (folder / "broken.jpg").write_bytes(b"\xff\xd8\xff\xe0 no photo")
    lines.insert(1, {"original": "0.jpg", "captured": "broken.jpg", "medium": "screenshot"})
    (folder / "pairs.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return folder


def test_a_folder_of_photos_is_measured_raw_and_rectified_and_a_broken_photo_is_counted(
    photo_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["evaluate", "camera", "--data", str(photo_folder), "--out", str(tmp_path), "--threads", "1"]
    assert main(arguments) == 0
    assert "left out: broken.jpg" in capsys.readouterr().err
    rows = {
        (row.name, row.metric): row for row in read_result(tmp_path / f"camera--{DEFAULT_MODEL}.json").rows
    }
    part = "Screenshots, real"
    assert rows[part, "photos"].value == 4
    assert rows[part, "unreadable photos"].value == 1
    for form in ("raw", "rectified"):
        for bits in (30, 100, 200):
            assert 0 <= rows[f"{part}, {form}", f"keyed exact, {bits} bits"].value <= 1
    assert rows[f"{part}, rectified", "keyed exact, 100 bits"].value == 1  # the two with corners
    assert rows[f"{part}, raw", "reference bit accuracy, 100 bits"].paper == 0.952
    assert rows[f"{part}, rectified", "reference bit accuracy, 100 bits"].paper is None
    assert rows[f"{part}, raw", "unregistered keyed claims"].value == 0
    assert not [name for name, _ in rows if "simulated" in name]


def test_pictures_and_photos_together_give_simulated_and_real_parts(
    model: FeatureModel, samples: Path, photo_folder: Path
) -> None:
    bench = open_bench(model, [samples, photo_folder], 2, 0)
    table = TABLES["camera"]
    possible = [part for part in table.parts if table.obstacle(bench, part) is None]
    assert len(possible) == 9 + 1
    assert len(bench.registered) == 2 + 3
    assert [photo.picture for photo in bench.real_photos("screenshot")] == [2, 2, 3, 4]


def test_photos_of_a_single_picture_need_pictures_beside_them(
    model: FeatureModel, samples: Path, photo_folder: Path, tmp_path: Path
) -> None:
    for name in ("0.jpg", "photo0.bin"):
        shutil.copy(photo_folder / name, tmp_path / name)
    entry = {"original": "0.jpg", "captured": "photo0.bin", "medium": "screenshot"}
    (tmp_path / "pairs.jsonl").write_text(json.dumps(entry), encoding="utf-8")
    with pytest.raises(DataError, match="show 1 usable pictures, wanted at least 2"):
        open_bench(model, [tmp_path], None, 0)
    bench = open_bench(model, [samples, tmp_path], 3, 0)
    rows = {(row.name, row.metric): row for row in TABLES["camera"].measure(bench, "Screenshots, real")}
    assert rows["Screenshots, real, raw", "cosine mean"].value > 0
    assert rows["Screenshots, real", "records"].value == 4


def test_simulated_captures_are_measured_raw_and_rectified_and_kept(
    model: FeatureModel, samples: Path, tmp_path: Path
) -> None:
    bench = open_bench(model, samples, 2, 0, captures=tmp_path)
    rows = {
        (row.name, row.metric): row for row in TABLES["camera"].measure(bench, "Screenshots, simulated mild")
    }
    assert rows["Screenshots, simulated mild", "photos"].value == 2
    assert "Screenshots, simulated mild, rectified" in {name for name, _ in rows}
    assert len(list(tmp_path.iterdir())) == 2
    assert len(bench.captures(Kind.SCREENSHOT, Strength.MILD)) == 6  # three rounds
    bench.close()


def test_rectifying_undoes_a_projection() -> None:
    ramp = np.tile(np.arange(0, 200, 2, np.uint8), (100, 1))
    picture = np.stack([ramp, ramp.T, ramp], axis=-1)  # (100, 100, 3)
    frame = np.zeros((300, 300, 3), np.uint8)
    frame[50:150, 80:180] = picture
    corners = np.array([(80, 50), (180, 50), (180, 150), (80, 150)], np.float64)
    flat = rectify(frame, corners, (100, 100))
    assert np.abs(flat[2:-2, 2:-2].astype(int) - picture[2:-2, 2:-2]).max() <= 1
