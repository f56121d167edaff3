"""The captures of the demo: simple stand-ins for what happens to a picture, made with Pillow alone.

They are for showing, not for measuring; `tiacam simulate` has the physical simulators.
"""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageEnhance, ImageFilter

Pixels = NDArray[np.uint8]
Capture = Callable[[Image.Image], Image.Image]


def jpeg_50(picture: Image.Image) -> Image.Image:
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=50)
    return Image.open(io.BytesIO(buffer.getvalue())).convert("RGB")


def rotation_15(picture: Image.Image) -> Image.Image:
    """Turned by 15°, the corners filled with grey."""
    return picture.rotate(15, Image.Resampling.BICUBIC, expand=True, fillcolor=(128, 128, 128))


def crop_50(picture: Image.Image) -> Image.Image:
    """The middle half of the area."""
    share = (1 - 0.5**0.5) / 2
    width, height = picture.size
    return picture.crop(
        (int(share * width), int(share * height), int((1 - share) * width), int((1 - share) * height))
    )


def resize_50(picture: Image.Image) -> Image.Image:
    return picture.resize((picture.width // 2, picture.height // 2), Image.Resampling.BILINEAR)


def colour_shift(picture: Image.Image) -> Image.Image:
    """Warmer light, more contrast, less saturation."""
    warm = np.clip(np.asarray(picture, np.float32) * np.array([1.15, 1.0, 0.8], np.float32), 0, 255)
    strong = ImageEnhance.Contrast(Image.fromarray(warm.astype(np.uint8))).enhance(1.3)
    return ImageEnhance.Color(strong).enhance(0.6)


def recapture(picture: Image.Image) -> Image.Image:
    """A print on a dark desk, seen at an angle: perspective, uneven light, blur, noise and compression."""
    width, height = 900, 700
    corners = np.array([(110, 70), (790, 120), (830, 610), (60, 640)], np.float64)
    source = np.array([(0, 0), (picture.width, 0), picture.size, (0, picture.height)], np.float64)
    matrix = homography(corners, source)
    size, kind, sampling = (width, height), Image.Transform.PERSPECTIVE, Image.Resampling.BICUBIC
    seen = picture.transform(size, kind, matrix, sampling)
    mask = Image.new("L", picture.size, 255).transform(size, kind, matrix, sampling)
    scene = Image.composite(seen, desk(width, height), mask).filter(ImageFilter.GaussianBlur(1.2))
    return jpeg_50(light_and_noise(scene))


def desk(width: int, height: int) -> Image.Image:
    """Dark wood, more or less."""
    grain = np.random.default_rng(7).normal(0, 1, (height, 1, 1)).cumsum(axis=0) * 0.4
    plank = np.array([74, 52, 38]) + grain - grain.mean() + np.zeros((height, width, 3))
    return Image.fromarray(np.clip(plank, 0, 255).astype(np.uint8))


def light_and_noise(scene: Image.Image) -> Image.Image:
    """A lamp to the upper left, and a small sensor."""
    pixels = np.asarray(scene, np.float32)
    height, width = pixels.shape[:2]
    distance = np.hypot(*np.meshgrid(np.linspace(-0.2, 1, width), np.linspace(-0.2, 1, height)))
    lit = pixels * (1.15 - 0.45 * distance)[:, :, None]
    noisy = lit + np.random.default_rng(11).normal(0, 5, pixels.shape)
    return Image.fromarray(np.clip(noisy, 0, 255).astype(np.uint8))


def homography(points: NDArray[np.float64], images: NDArray[np.float64]) -> tuple[float, ...]:
    """The eight numbers of the projective map that takes four points to four others."""
    rows = []
    for (x, y), (u, v) in zip(points, images, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
    return tuple(np.linalg.solve(np.array(rows), images.reshape(-1)).tolist())


CAPTURES: dict[str, Capture] = {
    "JPEG 50": jpeg_50,
    "rotation 15°": rotation_15,
    "crop 50%": crop_50,
    "resize 50%": resize_50,
    "colour shift": colour_shift,
    "recapture": recapture,
}
