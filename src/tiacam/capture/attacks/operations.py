"""The changes themselves, each a function from pixels to pixels."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from tiacam.capture.kinds import Pixels


def as_bytes(values: NDArray[np.floating]) -> Pixels:
    return np.clip(np.round(values), 0, 255).astype(np.uint8)


def resized(picture: Pixels, width: float, height: float) -> Pixels:
    """Resampled to this size, averaging where it shrinks."""
    size = (max(1, round(width)), max(1, round(height)))
    shrinks = size[0] * size[1] < picture.shape[0] * picture.shape[1]
    return np.asarray(
        cv2.resize(picture, size, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC), np.uint8
    )


def scale_area(picture: Pixels, share: float) -> Pixels:
    """Resampled to this share of its area."""
    side = math.sqrt(share)
    return resized(picture, picture.shape[1] * side, picture.shape[0] * side)


def centre_crop(picture: Pixels, share: float) -> Pixels:
    """The middle, keeping this share of the area."""
    height, width = (max(1, int(side * math.sqrt(share))) for side in picture.shape[:2])
    top, left = (picture.shape[0] - height) // 2, (picture.shape[1] - width) // 2
    return picture[top : top + height, left : left + width].copy()


def rotate(picture: Pixels, degrees: float, scale: float = 1.0) -> Pixels:
    """Turned counter-clockwise about the middle on the same canvas; what is uncovered is black."""
    height, width = picture.shape[:2]
    matrix = cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), degrees, scale)
    return np.asarray(cv2.warpAffine(picture, matrix, (width, height), flags=cv2.INTER_LINEAR), np.uint8)


def translate(picture: Pixels, across: float, down: float) -> Pixels:
    """Moved by these shares of its width and height on the same canvas; what is uncovered is black."""
    height, width = picture.shape[:2]
    matrix = np.array([[1, 0, round(across * width)], [0, 1, round(down * height)]], np.float64)
    return np.asarray(cv2.warpAffine(picture, matrix, (width, height), flags=cv2.INTER_NEAREST), np.uint8)


def blur(picture: Pixels, sigma: float) -> Pixels:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma), np.uint8)


def brighten(picture: Pixels, factor: float) -> Pixels:
    return as_bytes(picture * np.float32(factor))


def stretch_contrast(picture: Pixels, factor: float) -> Pixels:
    """Away from the picture's mean grey by this factor."""
    grey = float(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY).mean())
    return as_bytes(grey + factor * (picture.astype(np.float32) - grey))


def turn_hue(picture: Pixels, turn: float) -> Pixels:
    """Every hue moved by this share of the colour circle."""
    hsv = cv2.cvtColor(picture, cv2.COLOR_RGB2HSV_FULL)
    hsv[..., 0] = (hsv[..., 0].astype(np.int32) + round(turn * 256)) % 256
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB_FULL), np.uint8)


def grey(picture: Pixels) -> Pixels:
    return np.repeat(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)[..., None], 3, axis=2)


def median(picture: Pixels, side: int) -> Pixels:
    return np.asarray(cv2.medianBlur(picture, side), np.uint8)


def sharpen(picture: Pixels, amount: float) -> Pixels:
    soft = cv2.GaussianBlur(picture, (0, 0), 1.5).astype(np.float32)
    return as_bytes(picture + amount * (picture - soft))


def curve(picture: Pixels, gamma: float, gain: float = 1.0, offset: float = 0.0) -> Pixels:
    """gain · x^gamma + offset, x between 0 and 1."""
    table = gain * (np.arange(256) / 255) ** gamma + offset
    return np.asarray(cv2.LUT(picture, as_bytes(table * 255)), np.uint8)


def add_noise(picture: Pixels, sigma: float, rng: np.random.Generator) -> Pixels:
    """Gaussian, independent in every pixel and colour; sigma in levels of 255."""
    return as_bytes(picture + sigma * rng.standard_normal(picture.shape, dtype=np.float32))


def salt_and_pepper(picture: Pixels, share: float, rng: np.random.Generator) -> Pixels:
    chance = rng.random(picture.shape[:2])
    out = picture.copy()
    out[chance < share / 2] = 0
    out[chance > 1 - share / 2] = 255
    return out


def shake(picture: Pixels, length: int, degrees: float) -> Pixels:
    """Motion blur along a line."""
    kernel = np.zeros((length, length), np.float32)
    kernel[length // 2] = 1
    turn = cv2.getRotationMatrix2D(((length - 1) / 2, (length - 1) / 2), degrees, 1.0)
    turned = cv2.warpAffine(kernel, turn, (length, length))
    return np.asarray(
        cv2.filter2D(picture, -1, turned / turned.sum(), borderType=cv2.BORDER_REPLICATE), np.uint8
    )


def bend_corners(picture: Pixels, reach: float, rng: np.random.Generator) -> Pixels:
    """Each corner moved inwards by up to this share of the sides; what is uncovered is black."""
    height, width = picture.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    inwards = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * rng.uniform(0, reach, (4, 2))
    moved = (corners + inwards * [width, height]).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(corners, moved)
    return np.asarray(cv2.warpPerspective(picture, matrix, (width, height)), np.uint8)


def cover(picture: Pixels, share: float, rng: np.random.Generator) -> Pixels:
    """One opaque rectangle of the picture's own shape over this share of it, place and colour drawn."""
    height, width = picture.shape[:2]
    tall = round(height * math.sqrt(share))
    wide = round(share * height * width / tall)
    top, left = int(rng.integers(height - tall + 1)), int(rng.integers(width - wide + 1))
    out = picture.copy()
    out[top : top + tall, left : left + wide] = rng.integers(0, 256, 3)
    return out
