"""A screenshot of an application that shows the picture, and what a platform makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from tiacam.capture.chrome import (
    DARK,
    LIGHT,
    Theme,
    as_pixels,
    draw_actions,
    draw_caption,
    draw_header,
    draw_status_bar,
    phrase,
)
from tiacam.capture.codec import MEDIA_TYPES, File, decode, encode, through
from tiacam.capture.kinds import Capture, Pixels, Points, Strength
from tiacam.capture.spans import Span, draw_seed, happens, pick
from tiacam.capture.stickers import Sticker, draw_sticker, paste, render_sticker
from tiacam.capture.textures import scenery

DEVICES = ((750, 1334), (828, 1792), (1080, 1920), (1080, 2340), (1170, 2532), (1536, 2048), (1920, 1080))
PLATFORM_SIDES = (1080, 1280, 1600, 2048)
Box = tuple[int, int, int, int]  # left, top, right, bottom


@dataclass(frozen=True)
class Screenshot:
    """Everything that was drawn for one screenshot."""

    device: tuple[int, int]
    dark: bool
    crop: tuple[float, float, float, float]  # shares of the picture cut away: left, above, right, below
    stretch: float  # width by height relative to the picture's own
    width: float  # share of the screen's width that the picture gets
    place: float  # 0 at the top of the free height, 1 at its bottom
    border: float  # share of the picture's width, white
    tiles: int  # columns and rows of a collage; 1 is the picture alone
    tile: int  # which of them the picture is
    captions: tuple[bool, bool]  # above and below
    boxed: bool  # captions on a white band instead of over the picture
    stickers: tuple[Sticker, ...]
    trimmed: bool  # cut to the picture by whoever took it, leaving a little of the application
    long_side: int
    files: tuple[File, ...]
    seed: int


@dataclass(frozen=True)
class ScreenshotRanges:
    """What screenshots there are at one strength."""

    crop: Span
    stretch: Span
    width: Span
    border: Span
    collage: float
    caption: float
    stickers: Span
    sticker_size: Span
    quality: Span
    twice: float


SCREENSHOTS = {
    Strength.MILD: ScreenshotRanges(
        crop=Span(0.0, 0.02),
        stretch=Span(1.0, 1.0),
        width=Span(0.9, 1.0),
        border=Span(-0.02, 0.01),
        collage=0.0,
        caption=0.0,
        stickers=Span(0, 0.9),
        sticker_size=Span(0.05, 0.1),
        quality=Span(78, 92),
        twice=0.0,
    ),
    Strength.TYPICAL: ScreenshotRanges(
        crop=Span(-0.05, 0.12),
        stretch=Span(0.95, 1.05),
        width=Span(0.6, 1.0),
        border=Span(-0.03, 0.05),
        collage=0.15,
        caption=0.35,
        stickers=Span(0, 2.5),
        sticker_size=Span(0.08, 0.22),
        quality=Span(55, 85),
        twice=0.3,
    ),
    Strength.SEVERE: ScreenshotRanges(
        crop=Span(0.0, 0.25),
        stretch=Span(0.8, 1.25),
        width=Span(0.35, 0.9),
        border=Span(0.0, 0.1),
        collage=0.4,
        caption=0.8,
        stickers=Span(2, 6.5),
        sticker_size=Span(0.15, 0.35),
        quality=Span(25, 55),
        twice=0.8,
    ),
}


def draw_screenshot(strength: Strength, rng: np.random.Generator, long_side: int | None) -> Screenshot:
    ranges = SCREENSHOTS[strength]
    tiles = int(pick(rng, (2, 3), (3, 1))) if happens(rng, ranges.collage) else 1
    stickers = int(max(0.0, ranges.stickers.draw(rng)))
    return Screenshot(
        device=pick(rng, DEVICES),
        dark=happens(rng, 0.4),
        crop=(
            _share(ranges.crop, rng),
            _share(ranges.crop, rng),
            _share(ranges.crop, rng),
            _share(ranges.crop, rng),
        ),
        stretch=ranges.stretch.draw(rng),
        width=ranges.width.draw(rng),
        place=Span(0.1, 0.9).draw(rng),
        border=_share(ranges.border, rng),
        tiles=tiles,
        tile=int(rng.integers(tiles * tiles)),
        captions=(happens(rng, ranges.caption), happens(rng, ranges.caption)),
        boxed=happens(rng, 0.4),
        stickers=tuple(draw_sticker(ranges.sticker_size, rng) for _ in range(stickers)),
        trimmed=happens(rng, 0.35),
        long_side=long_side or int(pick(rng, PLATFORM_SIDES)),
        files=_draw_files(ranges, rng),
        seed=draw_seed(rng),
    )


def _share(span: Span, rng: np.random.Generator) -> float:
    return max(0.0, span.draw(rng))


def _draw_files(ranges: ScreenshotRanges, rng: np.random.Generator) -> tuple[File, ...]:
    first = File(pick(rng, ("JPEG", "WEBP"), (3, 1)), round(ranges.quality.draw(rng)))
    second = File("JPEG", round(ranges.quality.draw(rng)))
    return (first, second) if happens(rng, ranges.twice) else (first,)


def take_screenshot(picture: Pixels, shot: Screenshot, backgrounds: Sequence[Pixels]) -> Capture:
    """The screenshot as the platform hands it on."""
    page = _Page(picture, shot, backgrounds)
    left, top, right, bottom = page.kept()
    canvas, seen = page.canvas[top:bottom, left:right], page.seen[top:bottom, left:right]
    factor = min(1.0, shot.long_side / max(canvas.shape[:2]))
    size = (max(1, round(canvas.shape[1] * factor)), max(1, round(canvas.shape[0] * factor)))
    small = np.asarray(cv2.resize(canvas, size, interpolation=cv2.INTER_AREA), np.uint8)
    encoded = encode(through(small, *shot.files[:-1]), shot.files[-1])
    scale = np.array([size[0] / canvas.shape[1], size[1] / canvas.shape[0]])
    return Capture(
        photo=decode(encoded),
        corners=(page.corners() - np.array([left, top])) * scale,
        mask=cv2.resize(seen.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST) > 0,
        encoded=encoded,
        media_type=MEDIA_TYPES[shot.files[-1].format],
    )


class _Page:
    """The application's screen while it is being drawn."""

    def __init__(self, picture: Pixels, shot: Screenshot, backgrounds: Sequence[Pixels]) -> None:
        self.shot = shot
        self.rng = np.random.default_rng(shot.seed)
        self.theme: Theme = DARK if shot.dark else LIGHT
        self.width, self.height = shot.device
        self.bar = round(max(shot.device) * 0.032)
        self.head = round(max(shot.device) * 0.055)
        self.actions = round(max(shot.device) * 0.11)
        self.block = self._block(picture)
        self.box = self._tile_box(shot.tile)
        self.canvas = self._compose(picture, backgrounds)
        self.seen = np.zeros((self.height, self.width), bool)
        left, top, right, bottom = self.box
        self.seen[top:bottom, left:right] = True
        self._write_captions()
        self._stick()

    def corners(self) -> Points:
        """Corners of the whole picture on the screen, the cropped parts counted in."""
        left, top, right, bottom = self.box
        cut = self.shot.crop
        width = (right - left) / (1 - cut[0] - cut[2])
        height = (bottom - top) / (1 - cut[1] - cut[3])
        x, y = left - cut[0] * width, top - cut[1] * height
        return np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]], np.float64)

    def kept(self) -> Box:
        """What is left of the screen when whoever took it cuts it."""
        if not self.shot.trimmed:
            return 0, 0, self.width, self.height
        left, top, right, bottom = self.block
        slack = (self.rng.uniform(0.0, 0.06, 4) * (right - left)).astype(int)
        return (
            max(0, left - int(slack[0])),
            max(0, top - int(slack[1])),
            min(self.width, right + int(slack[2])),
            min(self.height, bottom + int(slack[3])),
        )

    def _block(self, picture: Pixels) -> Box:
        """Where the picture, or the collage with it, goes: as wide as asked, as high as fits."""
        shot, cut = self.shot, self.shot.crop
        aspect = (
            picture.shape[1]
            * (1 - cut[0] - cut[2])
            / (picture.shape[0] * (1 - cut[1] - cut[3]))
            * shot.stretch
        )
        room = self.height - 2 * self.bar - 2 * self.head
        width = min(self.width * shot.width, room * aspect)
        height = width / aspect
        left = (self.width - width) / 2
        top = self.bar + self.head + shot.place * (room - height)
        return round(left), round(top), round(left + width), round(top + height)

    def _tile_box(self, tile: int) -> Box:
        left, top, right, bottom = self.block
        row, column = divmod(tile, self.shot.tiles)
        edge = round(self.shot.border * (right - left)) if self.shot.tiles > 1 else 0
        width, height = (right - left) // self.shot.tiles, (bottom - top) // self.shot.tiles
        x, y = left + column * width, top + row * height
        return x + edge // 4, y + edge // 4, x + width - edge // 4, y + height - edge // 4

    def _compose(self, picture: Pixels, backgrounds: Sequence[Pixels]) -> Pixels:
        canvas = as_pixels(self._chrome())
        for box in self._neighbours():
            _fill(canvas, self._other(backgrounds), box)
        for tile in range(self.shot.tiles**2):
            own = tile == self.shot.tile
            shown = _cropped(picture, self.shot.crop) if own else self._other(backgrounds)
            left, top, right, bottom = self._tile_box(tile)
            canvas[top:bottom, left:right] = cv2.resize(
                shown, (right - left, bottom - top), interpolation=cv2.INTER_AREA
            )
        return canvas

    def _neighbours(self) -> list[Box]:
        """Where the posts before and after show their pictures, as far as they are on the screen."""
        left, top, right, bottom = self.block
        edge = round(self.shot.border * (right - left))
        before = (left, self.bar, right, top - edge - self.head - self.actions)
        after = (left, bottom + edge + self.actions + self.head, right, self.height - self.bar)
        return [box for box in (before, after) if box[3] - box[1] > self.head and box[2] > box[0]]

    def _other(self, backgrounds: Sequence[Pixels]) -> Pixels:
        if backgrounds:
            return backgrounds[int(self.rng.integers(len(backgrounds)))]
        return scenery(self.rng, 256)

    def _chrome(self) -> Image.Image:
        """Everything of the screen but the pictures."""
        canvas = Image.new("RGB", (self.width, self.height), self.theme.ground)
        draw = ImageDraw.Draw(canvas)
        left, top, right, bottom = self.block
        edge = round(self.shot.border * (right - left))
        draw.rectangle((left - edge, top - edge, right + edge, bottom + edge), fill=(250, 250, 250))
        above, below = top - edge - self.head, bottom + edge + 1
        for y in (above - self.actions, below):
            draw_actions(draw, (0, y, self.width, y + self.actions), self.theme, self.rng)
        for y in (above, below + self.actions):
            draw_header(draw, (0, y, self.width, y + self.head), self.theme, self.rng)
        draw_status_bar(draw, self.width, self.bar, self.theme, self.rng)
        draw.rectangle((0, self.height - self.bar, self.width, self.height), fill=self.theme.ground)
        return canvas

    def _write_captions(self) -> None:
        left, top, right, bottom = self.box
        size = max(12, (bottom - top) // 9)
        image = Image.fromarray(self.canvas)
        for wanted, start in zip(self.shot.captions, (top, bottom - size), strict=True):
            text = phrase(self.rng, int(self.rng.integers(3, 7))).upper()
            if wanted:
                draw_caption(image, (left, start, right, start + size), text, self.shot.boxed)
                self.seen[start : start + size, left:right] = False
        self.canvas = as_pixels(image)

    def _stick(self) -> None:
        left, top, right, bottom = self.box
        for sticker in self.shot.stickers:
            patch = render_sticker(sticker, round(sticker.size * (right - left)))
            place = round(left + sticker.x * (right - left)), round(top + sticker.y * (bottom - top))
            landed = paste(self.canvas, patch, *place)
            if landed is not None:
                rows, columns, hidden = landed
                self.seen[rows, columns] &= ~hidden


def _fill(canvas: Pixels, picture: Pixels, box: Box) -> None:
    """Show the picture's middle in the whole box, cut to its shape."""
    left, top, right, bottom = box
    width, height = right - left, bottom - top
    factor = max(width / picture.shape[1], height / picture.shape[0])
    size = (max(width, round(picture.shape[1] * factor)), max(height, round(picture.shape[0] * factor)))
    grown = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    x, y = (size[0] - width) // 2, (size[1] - height) // 2
    canvas[top:bottom, left:right] = grown[y : y + height, x : x + width]


def _cropped(picture: Pixels, crop: tuple[float, float, float, float]) -> NDArray[np.uint8]:
    height, width = picture.shape[:2]
    left, right = round(crop[0] * width), round((1 - crop[2]) * width)
    top, bottom = round(crop[1] * height), round((1 - crop[3]) * height)
    return np.ascontiguousarray(picture[top:bottom, left:right])
