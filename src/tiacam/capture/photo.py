"""A photo of a picture on a display or on paper: the physical chain from surface to file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from tiacam.capture.codec import MEDIA_TYPES, File, decode, encode, through
from tiacam.capture.colour import SRGB_TO_LINEAR, to_bytes, to_linear
from tiacam.capture.display import Display, subpixel_waves
from tiacam.capture.geometry import Pose, Projection, SurfaceMap, map_surface, project, quadrilateral_area
from tiacam.capture.hand import fingers
from tiacam.capture.kinds import Capture, Field, Pixels
from tiacam.capture.lattice import Blur, modulation
from tiacam.capture.light import Light, colour_of_light, flicker_bands, glare, illumination, intrusion
from tiacam.capture.medium import (
    Medium,
    Rectangle,
    coverage_medium,
    display_medium,
    picture_area,
    sheet_medium,
)
from tiacam.capture.paper import Print, dotted, reflect, screen_waves
from tiacam.capture.scene import Scene, surroundings
from tiacam.capture.sensor import Camera, Incoming, develop, expose, shake_kernel

SHADOW_OFFSET = 0.03
SHADOW_REACH = 0.12
MARGIN_GLOSS = 0.12  # cases and bezels mirror less than what they frame
MOST_CANVAS_PIXELS = 2400.0
INTRUDER_COLOUR = (0.95, 0.85, 0.72)  # skin, china or paper


@dataclass(frozen=True)
class Shot:
    """Everything that was drawn for one photo; applying it twice gives the same photo."""

    pose: Pose
    camera: Camera
    light: Light
    scene: Scene
    medium: Display | Print
    files: tuple[File, ...]


@dataclass(frozen=True, eq=False)
class _View:
    """A shot laid out for one picture: where everything is on the sensor."""

    shot: Shot
    picture: Pixels
    carrier: Medium
    projection: Projection
    sheet: SurfaceMap  # surface points of the carrier
    desk: SurfaceMap  # surface points of the flat plane that it lies on
    hand: tuple[Field, Field] | None
    near: Field | None  # what something close to the lens covers
    scale: float  # sensor pixels a surface unit

    @property
    def frame(self) -> tuple[int, int]:
        return self.projection.frame

    @property
    def picture_area(self) -> Rectangle:
        return picture_area(self.projection.width, self.projection.height)


def photograph(picture: Pixels, shot: Shot, backgrounds: Sequence[Pixels]) -> Capture:
    """The photo that this shot takes of the picture."""
    view = _lay_out(picture, shot)
    light = _blurred(to_linear(_arrange(view, backgrounds)), view)
    _resolve_structure(light, view)
    main_colour = _main_colour(shot)
    strength, mirrored = _strength_of_light(view), _mirrored_light(view)
    _intrude(light, strength, mirrored, view)
    incoming = Incoming(
        colours=light,
        strength=strength,
        mirrored=mirrored,
        room_colour=main_colour,
        mirror_colour=colour_of_light(shot.light.mirror_warmth),
        veil=shot.light.veil,
    )
    photo = develop(expose(incoming, shot.camera), shot.camera, main_colour)
    encoded = encode(through(photo, *shot.files[:-1]), shot.files[-1])
    return Capture(
        photo=decode(encoded),
        corners=_to_photo(view.projection.corners(), shot.camera),
        mask=_visible(view),
        encoded=encoded,
        media_type=MEDIA_TYPES[shot.files[-1].format],
    )


def _lay_out(picture: Pixels, shot: Shot) -> _View:
    projection = project(shot.pose, (picture.shape[1], picture.shape[0]), shot.camera.sensor_frame)
    sheet = map_surface(projection)
    flat = replace(projection, pose=replace(shot.pose, curl=0.0))
    extent = projection.width * projection.height
    scale = min(math.sqrt(quadrilateral_area(projection.corners()) / extent), MOST_CANVAS_PIXELS)
    return _View(
        shot=shot,
        picture=picture,
        carrier=_carrier(picture, shot, scale),
        projection=projection,
        sheet=sheet,
        desk=map_surface(flat) if projection.bend else sheet,
        hand=fingers(projection, shot.scene.fingers, shot.scene.seed),
        near=intrusion(shot.light, projection.frame),
        scale=scale,
    )


def _carrier(picture: Pixels, shot: Shot, scale: float) -> Medium:
    if isinstance(shot.medium, Display):
        return display_medium(picture, shot.medium, scale, shot.scene.seed)
    return sheet_medium(picture, shot.medium, scale)


def _arrange(view: _View, backgrounds: Sequence[Pixels]) -> Pixels:
    """The scene in even light: what lies around, and the carrier on top."""
    scene = surroundings(view.shot.scene, view.desk, backgrounds)
    if isinstance(view.shot.medium, Display):
        scene = _tinted(scene, colour_of_light(view.shot.light.warmth) / _main_colour(view.shot))
    view.carrier.lie_on(scene, view.sheet)
    return scene


def _main_colour(shot: Shot) -> NDArray[np.float32]:
    """Colour of the light that most of the photo is in: the display's own, or the room's."""
    own = shot.medium.warmth if isinstance(shot.medium, Display) else shot.light.warmth
    return colour_of_light(own)


def _tinted(pixels: Pixels, colour: NDArray[np.float32]) -> Pixels:
    """The pixels in light of another colour."""
    levels = to_bytes(SRGB_TO_LINEAR[:, None, None] * colour[None, None, :])  # (256, 1, 3)
    return np.asarray(cv2.LUT(pixels, levels), np.uint8)


def _blurred(light: Field, view: _View) -> Field:
    """The lens and the hand's motion, before anything is sampled; fingers hide what is behind them."""
    if view.hand is not None:
        light += view.hand[0][..., None] * (view.hand[1] - light)
    camera = view.shot.camera
    soft = cv2.GaussianBlur(light, (0, 0), max(camera.defocus, 0.3))
    kernel = shake_kernel(camera)
    return np.asarray(soft if kernel is None else cv2.filter2D(soft, -1, kernel), np.float32)


def _resolve_structure(light: Field, view: _View) -> None:
    """Sub-pixels or halftone dots as far as the lens resolves them, at the sensor's own points."""
    rows, columns = _bounds(view)
    part = view.sheet.cut(rows, columns)
    medium = view.shot.medium
    if isinstance(medium, Display):
        grid = modulation(subpixel_waves(medium), part, _blur(view.shot.camera), 3)
        if grid is not None:
            grid *= _lit(view)[rows, columns, None]
            light[rows, columns] *= 1 + grid
    else:
        dots = modulation(screen_waves(medium), part, _blur(view.shot.camera), 4)
        if dots is not None:
            light[rows, columns] *= _dot_contrast(dots, part, view, medium)


def _bounds(view: _View) -> tuple[slice, slice]:
    """Rows and columns of the sensor that can see the carrier's structure."""
    medium, area = view.shot.medium, view.picture_area
    if isinstance(medium, Display):
        area = area.widened(*medium.margins)
    edges = view.projection.to_photo(area.outline())
    width, height = view.frame
    left, top = np.clip(np.floor(edges.min(axis=0)), 0, (width, height)).astype(int)
    right, bottom = np.clip(np.ceil(edges.max(axis=0)), 0, (width, height)).astype(int)
    return slice(int(top), int(bottom)), slice(int(left), int(right))


def _blur(camera: Camera) -> Blur:
    shake = camera.shake if camera.shake >= 1 else 0.0
    return Blur(camera.defocus, shake * math.cos(camera.shake_angle), shake * math.sin(camera.shake_angle))


def _dot_contrast(dots: Field, part: SurfaceMap, view: _View, sheet: Print) -> Field:
    """Light from the dotted print relative to the same print without dots (H, W, 3)."""
    inks = np.zeros((*part.x.shape, 4), np.uint8)
    coverage_medium(view.picture, sheet, view.scale).lie_on(inks, part)
    coverage = inks.astype(np.float32) * np.float32(1 / 255)
    return np.asarray(reflect(dotted(coverage, dots), sheet) / reflect(coverage, sheet), np.float32)


def _strength_of_light(view: _View) -> Field:
    """What the scene's colours are multiplied by: room light everywhere, its own on a display (H, W)."""
    shot = view.shot
    falling = illumination(shot.light, view.frame)
    falling *= _shadow(view)
    bands = flicker_bands(shot.light, view.frame[1])[:, None]
    if not isinstance(shot.medium, Display):
        falling *= bands
        return falling
    return np.asarray(falling + _lit(view) * (np.float32(shot.medium.luminance) * bands - falling))


def _lit(view: _View) -> Field:
    """Where a display emits light and nothing is before it, 0 to 1 (H, W)."""
    assert isinstance(view.shot.medium, Display)
    lit = view.picture_area.widened(*view.shot.medium.margins).cover(view.sheet, 1.5 / view.scale)
    return lit if view.hand is None else lit * (1 - view.hand[0])


def _mirrored_light(view: _View) -> Field:
    """What glossy surfaces mirror (H, W)."""
    shot = view.shot
    edge = 1.5 / view.scale
    margin = MARGIN_GLOSS * shot.medium.gloss
    gloss = view.carrier.extent.cover(view.sheet, edge) * np.float32(margin - shot.light.desk_gloss)
    gloss += view.picture_area.cover(view.sheet, edge) * np.float32(shot.medium.gloss - margin)
    gloss += np.float32(shot.light.desk_gloss)
    gloss *= glare(shot.light, view.frame)
    return gloss


def _intrude(colours: Field, strength: Field, mirrored: Field, view: _View) -> None:
    """Something close to the lens stands before the scene, nearer to the lamp than everything else."""
    if view.near is None or view.shot.light.intruder is None:
        return
    colours += view.near[..., None] * (np.array(INTRUDER_COLOUR, np.float32) - colours)
    strength += view.near * (np.float32(view.shot.light.intruder.level) - strength)
    mirrored *= 1 - view.near


def _shadow(view: _View) -> Field:
    """How much of the room's light is left beside the carrier, which itself lies in the light (H, W)."""
    depth = 0.0 if view.shot.scene.behind else view.shot.scene.shadow
    extent, offset = view.carrier.extent, SHADOW_OFFSET
    below = extent.widened(-offset, -offset, offset, offset).cover(view.desk, SHADOW_REACH)
    below *= np.float32(-depth)
    below *= 1 - extent.cover(view.sheet, 1.5 / view.scale)
    below += 1
    return below


def _to_photo(points: NDArray[np.float64], camera: Camera) -> NDArray[np.float64]:
    return np.asarray(points * (np.array(camera.frame) / np.array(camera.sensor_frame)))


def _visible(view: _View) -> NDArray[np.bool_]:
    """Where the photo shows the picture (H, W of the photo)."""
    seen = view.picture_area.cover(view.sheet, 1e-6)
    if view.hand is not None:
        seen *= view.hand[0] < 0.5
    if view.near is not None:
        seen *= view.near < 0.5
    return np.asarray(cv2.resize(seen, view.shot.camera.frame, interpolation=cv2.INTER_AREA) >= 0.5)
