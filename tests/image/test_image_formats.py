"""Every format and every kind of source that `load` takes."""

from __future__ import annotations

import hashlib
import io
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from picture_files import LOSSY, MEDIA_TYPES, encode, gradient, swapped_profile, with_orientation
from PIL import Image, ImageOps

from tiacam.image import load

EXIF_FORMATS = sorted(set(MEDIA_TYPES) - {"GIF", "BMP"})
ANIMATED = ["GIF", "PNG", "WEBP", "AVIF", "TIFF"]


def distance(a: object, b: object) -> float:
    return float(np.abs(np.asarray(a, dtype=float) - np.asarray(b, dtype=float)).mean())


@pytest.mark.parametrize("kind", MEDIA_TYPES)
def test_each_format_gives_the_pixels_that_were_saved(kind: str) -> None:
    data = encode(gradient(), kind)
    picture = load(data)
    assert distance(picture.pixels, gradient()) < (4 if kind in LOSSY | {"GIF"} else 1e-9)
    assert picture.media_type == MEDIA_TYPES[kind]
    assert picture.sha256 == hashlib.sha256(data).hexdigest()
    assert picture.size == (96, 64)
    assert picture.pixels.dtype == np.uint8
    assert picture.pixels.flags.c_contiguous


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", EXIF_FORMATS)
def test_pictures_are_turned_upright_by_their_orientation(kind: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    tagged = Image.fromarray(gradient())
    tagged.info["exif"] = exif.tobytes()
    upright = ImageOps.exif_transpose(tagged)
    picture = load(with_orientation(kind, orientation, gradient()))
    assert picture.size == upright.size
    assert distance(picture.pixels, upright) < 4


def test_a_reduced_jpeg_is_turned_upright_and_still_states_its_full_size() -> None:
    data = with_orientation("JPEG", 6, gradient(960, 640))
    picture = load(data, target=100)
    assert picture.size == (640, 960)
    assert picture.pixels.shape == (240, 160, 3)
    assert distance(picture.pixels, np.rot90(gradient(240, 160), -1)) < 4


def test_damaged_exif_data_is_no_reason_to_refuse() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert load(encode(gradient(), "JPEG", exif=b"Exif\0\0MM\0*\xff\xff")).size == (96, 64)


@pytest.mark.parametrize("kind", MEDIA_TYPES)
def test_garbage_behind_the_picture_is_no_reason_to_refuse(kind: str) -> None:
    data = encode(gradient(), kind)
    assert np.array_equal(load(data + b"\0garbage" * 100).pixels, load(data).pixels)


@pytest.mark.parametrize("kind", ANIMATED)
def test_of_an_animation_the_first_frame_is_read_with_a_warning(kind: str) -> None:
    black = Image.new("RGB", (96, 64))
    data = encode(gradient(), kind, save_all=True, append_images=[black])
    with pytest.warns(UserWarning, match="only the first"):
        picture = load(data)
    assert distance(picture.pixels, gradient()) < 4


@pytest.mark.parametrize("kind", MEDIA_TYPES)
def test_a_still_picture_gives_no_warning(kind: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(encode(gradient(), kind))


def test_a_second_picture_behind_a_jpeg_makes_it_no_animation() -> None:
    data = encode(gradient(), "MPO", save_all=True, append_images=[Image.new("RGB", (96, 64))])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load(data).media_type == "image/jpeg"


def test_all_kinds_of_source_give_the_same_picture(tmp_path: Path) -> None:
    data = encode(gradient(), "PNG")
    path = tmp_path / "a.png"
    path.write_bytes(data)
    with path.open("rb") as stream, Image.open(path) as image:
        sources = [path, str(path), data, bytearray(data), memoryview(data), io.BytesIO(data), stream, image]
        pictures = [load(source) for source in sources]
    assert {picture.sha256 for picture in pictures} == {hashlib.sha256(data).hexdigest()}
    assert all(np.array_equal(picture.pixels, gradient()) for picture in pictures)
    assert [p.name for p in pictures] == [str(path)] * 2 + ["<bytes>"] * 3 + ["<stream>"] + [str(path)] * 2


def test_the_callers_name_goes_before_the_files_own() -> None:
    assert load(encode(gradient(), "PNG"), name="upload 7").name == "upload 7"


def test_a_pil_image_that_may_have_been_changed_claims_no_file(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(encode(gradient(), "PNG"))
    with Image.open(path) as image:
        image.paste((0, 0, 0), (0, 0, 40, 40))
        picture = load(image)
    assert (picture.sha256, picture.media_type) == (None, "application/x-raw")
    assert picture.pixels[:40, :40].max() == 0


def test_a_pil_image_of_a_format_that_is_not_read_from_files_is_taken_as_pixels() -> None:
    with Image.open(io.BytesIO(encode(gradient(), "PPM"))) as image:
        assert np.array_equal(load(image).pixels, gradient())


def test_many_threads_load_at_once() -> None:
    files = [encode(gradient(), kind) for kind in MEDIA_TYPES]
    files += [encode(gradient(400, 300), "PNG", icc_profile=swapped_profile())]
    expected = [load(data).pixels for data in files]
    with ThreadPoolExecutor(8) as pool:
        loaded = list(pool.map(load, files * 25))
    assert all(np.array_equal(p.pixels, expected[i % len(files)]) for i, p in enumerate(loaded))
