"""Whatever bytes come in, a picture or an ImageError comes out."""

from __future__ import annotations

import os
import warnings

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from picture_files import MEDIA_TYPES, encode, gradient, swapped_profile, with_orientation
from PIL import Image

from tiacam.errors import ImageError
from tiacam.image import Picture, load

LONG = os.environ.get("TIACAM_LONG") == "1"
SMALL = gradient(48, 40)
UPSIDE_DOWN = Image.fromarray(SMALL[::-1])
FILES = [
    *(encode(SMALL, kind) for kind in MEDIA_TYPES),
    *(with_orientation(kind, 6, SMALL) for kind in ("JPEG", "PNG", "WEBP", "AVIF", "TIFF", "HEIC")),
    *(encode(SMALL, kind, icc_profile=swapped_profile()) for kind in ("JPEG", "PNG", "TIFF")),
    *(
        encode(SMALL, kind, save_all=True, append_images=[UPSIDE_DOWN])
        for kind in ("GIF", "PNG", "WEBP", "TIFF")
    ),
    encode(SMALL, "TIFF", compression="tiff_lzw"),
    encode(SMALL, "JPEG", progressive=True),
]


def load_or_refuse(data: bytes, target: int | None = None) -> Picture | ImageError:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return load(data, target=target, name="damaged")
        except ImageError as error:
            return error


@st.composite
def damaged_files(draw: st.DrawFn) -> bytes:
    """A real file with a few bytes overwritten, dropped, doubled or cut off; mostly near its header."""
    data = bytearray(draw(st.sampled_from(FILES)))
    for _ in range(draw(st.integers(1, 6))):
        reach = draw(st.sampled_from([64, 400, len(data)]))
        start = draw(st.integers(0, max(min(reach, len(data)) - 1, 0)))
        end = start + draw(st.integers(0, 8))
        what = draw(st.sampled_from(["overwrite", "overwrite", "drop", "double", "cut"]))
        if what == "overwrite":
            data[start:end] = draw(st.binary(min_size=end - start, max_size=end - start))
        elif what == "drop":
            del data[start:end]
        elif what == "double":
            data[start:start] = data[start:end]
        else:
            del data[start:]
    return bytes(data)


@settings(
    max_examples=20_000 if LONG else 400,
    derandomize=not LONG,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(damaged_files(), st.sampled_from([None, 64]))
def test_damaged_files_give_a_picture_or_an_image_error(data: bytes, target: int | None) -> None:
    outcome = load_or_refuse(data, target)
    if isinstance(outcome, ImageError):
        assert str(outcome).startswith("damaged: ")
    else:
        assert min(outcome.pixels.shape[:2]) >= 32
        assert outcome.pixels.shape[2] == 3


@given(st.binary(max_size=200))
def test_random_bytes_are_refused(data: bytes) -> None:
    assert isinstance(load_or_refuse(data), ImageError)
