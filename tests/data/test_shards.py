"""Reading tar shards of pictures into memory."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tiacam.data import read_pictures, read_shards
from tiacam.errors import DataError


def write_shard(path: Path, colours: list[int], suffix: str = "webp") -> None:
    with tarfile.open(path, "w") as archive:
        for index, colour in enumerate(colours):
            buffer = io.BytesIO()
            Image.new("RGB", (20, 10), (colour, 0, 0)).save(buffer, suffix.upper(), lossless=True)
            entry = tarfile.TarInfo(f"{index:06}.{suffix}")
            entry.size = buffer.tell()
            buffer.seek(0)
            archive.addfile(entry, buffer)
        note = tarfile.TarInfo("README.txt")
        archive.addfile(note, io.BytesIO())


def test_shards_are_read_in_order_and_squashed(tmp_path: Path) -> None:
    write_shard(tmp_path / "shard-01.tar", [200])
    write_shard(tmp_path / "shard-00.tar", [10, 90], "png")
    pixels = read_shards(tmp_path, size=8)
    assert pixels.shape == (3, 8, 8, 3)
    assert pixels.dtype == np.uint8
    assert pixels[:, 0, 0, 0].tolist() == [10, 90, 200]


def test_a_limit_stops_early(tmp_path: Path) -> None:
    write_shard(tmp_path / "shard-00.tar", [10, 90, 30])
    assert len(read_shards(tmp_path, size=8, limit=2)) == 2


def test_a_folder_without_shards_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no shard"):
        read_shards(tmp_path, size=8)


def test_a_missing_or_empty_archive_is_an_error(tmp_path: Path) -> None:
    write_shard(tmp_path / "empty.tar", [])
    with pytest.raises(DataError, match="no pictures"):
        read_pictures([tmp_path / "empty.tar"], size=8)
    with pytest.raises(DataError, match="is no file"):
        read_pictures([tmp_path / "missing.tar"], size=8)


def test_a_text_and_an_archive_that_was_cut_off_are_named_in_one_line(tmp_path: Path) -> None:
    write_shard(tmp_path / "cut.tar", [200, 100, 0])
    whole = (tmp_path / "cut.tar").read_bytes()
    (tmp_path / "cut.tar").write_bytes(whole[:700])
    (tmp_path / "text.tar").write_text("no archive", encoding="utf-8")
    for name in ("cut.tar", "text.tar"):
        with pytest.raises(DataError, match=f"{name} is no folder and no readable tar archive") as refused:
            read_pictures([tmp_path / name], size=8)
        assert "\n" not in str(refused.value)
