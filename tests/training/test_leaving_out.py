"""Training pictures that are near what must not be trained on are left out, the others kept as they are."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tiacam.data.shards import members, read_names
from tiacam.recipes.leave_out import main

PICTURES = Path(__file__).parents[2] / "src" / "tiacam" / "cli" / "pictures"


def archive(path: Path, pictures: dict[str, Image.Image]) -> Path:
    with tarfile.open(path, "w") as tar:
        for name, picture in pictures.items():
            content = io.BytesIO()
            picture.save(content, "PNG")
            info = tarfile.TarInfo(f"{name}.png")
            info.size = content.tell()
            content.seek(0)
            tar.addfile(info, content)
    return path


def test_a_smaller_copy_of_a_forbidden_picture_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = {
        name: Image.open(PICTURES / f"{name}.jpg").convert("RGB") for name in ("coffee", "rocket", "grass")
    }
    data = archive(tmp_path / "data.tar", {name: picture.resize((96, 96)) for name, picture in shown.items()})
    near = archive(tmp_path / "near.tar", {"forbidden": shown["rocket"]})
    out = tmp_path / "rest.tar"
    assert main(["--data", str(data), "--near", str(near), "--out", str(out)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert read_names([out]) == ["coffee", "grass"]
    assert report["pictures"] == 3
    assert report["kept"] == 2
    assert report["nearest"] > 0.8
    kept = [np.asarray(Image.open(io.BytesIO(content))) for content in members(out)]
    assert np.array_equal(kept[0], np.asarray(shown["coffee"].resize((96, 96))))
