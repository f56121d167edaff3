"""Bad input: each kind refused with an error that names the file and the reason."""

from __future__ import annotations

import io
import os
import struct
from pathlib import Path

import numpy as np
import pytest
from picture_files import MEDIA_TYPES, bomb, encode, gradient
from PIL import Image

from tiacam.errors import ImageError, ImageTooLargeError, ImageTooSmallError, UnreadableImageError
from tiacam.image import load


def write(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableImageError, match=r"nothing\.jpg: empty"):
        load(write(tmp_path, "nothing.jpg", b""))
    with pytest.raises(UnreadableImageError, match="empty"):
        load(b"")


@pytest.mark.parametrize(
    "content",
    [
        b"Dear reader, this is no picture.",
        b"BMW and other words that begin like a bitmap",
        b"<svg xmlns='http://www.w3.org/2000/svg' width='99' height='99'/>",
        b"<!doctype html><title>404</title>",
        b"%PDF-1.7\n",
        b"\0\0\0\x18ftypisom\0\0\0\0isomiso2",
        encode(gradient(), "PPM"),
        encode(gradient(), "ICO"),
    ],
    ids=["text", "BM", "SVG", "HTML", "PDF", "MP4", "PPM", "ICO"],
)
def test_what_is_no_picture_of_a_listed_format_is_refused_whatever_its_name(
    tmp_path: Path, content: bytes
) -> None:
    with pytest.raises(UnreadableImageError, match=r"photo\.jpg: not a picture: begins with .* wanted JPEG"):
        load(write(tmp_path, "photo.jpg", content))


@pytest.mark.parametrize("part", [0.05, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("kind", MEDIA_TYPES)
def test_a_truncated_file_is_refused(tmp_path: Path, kind: str, part: float) -> None:
    data = encode(gradient(), kind)
    with pytest.raises(UnreadableImageError, match=r"cut\.dat: .* truncated"):
        load(write(tmp_path, "cut.dat", data[: max(int(len(data) * part), 20)]))


def test_a_truncated_jpeg_is_refused_at_reduced_scale_too() -> None:
    for progressive in (False, True):
        data = encode(gradient(800, 600), "JPEG", progressive=progressive)
        with pytest.raises(UnreadableImageError, match="truncated"):
            load(data[: len(data) * 2 // 3], target=64)


@pytest.mark.parametrize(("width", "height"), [(1, 1), (31, 400), (400, 31)])
def test_a_picture_that_is_too_small_is_refused(tmp_path: Path, width: int, height: int) -> None:
    path = write(tmp_path, "dot.png", encode(np.zeros((height, width, 3), np.uint8), "PNG"))
    with pytest.raises(ImageTooSmallError, match=rf"dot\.png: {width}×{height} pixels.* 32"):
        load(path)


def test_a_bomb_is_refused_by_its_header_alone(tmp_path: Path) -> None:
    data = bomb(30_000)
    limit = Image.MAX_IMAGE_PIXELS
    with pytest.raises(ImageTooLargeError, match=r"bomb\.png: 30000×30000 .* 900 megapixels, at most 178"):
        load(write(tmp_path, "bomb.png", data))
    with pytest.raises(ImageTooLargeError):
        load(data[:100])
    assert limit == Image.MAX_IMAGE_PIXELS


def test_headers_that_claim_too_many_pixels_are_refused_in_other_formats() -> None:
    jpeg, gif, bmp = (bytearray(encode(gradient(), kind)) for kind in ("JPEG", "GIF", "BMP"))
    frame = jpeg.index(b"\xff\xc0") + 5
    jpeg[frame : frame + 4] = struct.pack(">HH", 30_000, 30_000)
    gif[6:10] = struct.pack("<HH", 30_000, 30_000)
    bmp[18:26] = struct.pack("<ii", 30_000, 30_000)
    for data in (jpeg, gif, bmp):
        with pytest.raises(ImageTooLargeError, match="30000×30000"):
            load(data)


def test_the_limit_holds_where_the_process_has_lifted_pillows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", None)
    with pytest.raises(ImageTooLargeError):
        load(bomb(13_400))
    with pytest.raises(ImageTooLargeError):
        load(Image.open(io.BytesIO(bomb(13_400))))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableImageError, match=r"gone\.jpg: cannot be read: No such file"):
        load(tmp_path / "gone.jpg")
    with pytest.raises(UnreadableImageError, match="cannot be read"):
        load("null\0byte")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableImageError, match=f"{tmp_path.name}: cannot be read: Is a directory"):
        load(tmp_path)


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="permissions of this kind are POSIX's")
def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "secret.png", encode(gradient(), "PNG"))
    path.chmod(0)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)  # root may read everything
    try:
        with pytest.raises(UnreadableImageError, match=r"secret\.png: cannot be read: Permission denied"):
            load(path)
    finally:
        os.seteuid(user)


def test_a_file_object_that_gives_no_bytes_is_refused() -> None:
    with pytest.raises(UnreadableImageError, match="binary mode"):
        load(io.StringIO("text"))  # type: ignore[arg-type]
    closed = io.BytesIO(encode(gradient(), "PNG"))
    closed.close()
    with pytest.raises(UnreadableImageError, match="closed"):
        load(closed)


@pytest.mark.parametrize("source", [None, 7, [[1, 2]], object()])
def test_what_cannot_hold_a_picture_is_refused(source: object) -> None:
    with pytest.raises(ImageError, match=f"got {type(source).__name__}, wanted a path"):
        load(source)  # type: ignore[arg-type]
