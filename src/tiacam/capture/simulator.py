"""One call from a picture to a capture of it: draw what happened, then apply it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from tiacam.capture.display import draw_display
from tiacam.capture.kinds import Capture, Kind, Pixels, Strength, check_picture
from tiacam.capture.light import draw_light
from tiacam.capture.occasions import draw_occasion
from tiacam.capture.paper import draw_print
from tiacam.capture.phones import draw_camera, draw_files
from tiacam.capture.photo import Shot, photograph
from tiacam.capture.poses import draw_pose
from tiacam.capture.scene import draw_scene
from tiacam.capture.screenshot import Screenshot, draw_screenshot, take_screenshot
from tiacam.errors import UsageError

Draw: TypeAlias = Shot | Screenshot


def draw(kind: Kind, strength: Strength, *, seed: int, long_side: int | None = None) -> Draw:
    """Everything random about one capture. The same seed draws like circumstances at every strength."""
    if seed < 0:
        raise UsageError(f"seed {seed} is negative, wanted 0 or more")
    rng = np.random.default_rng([seed, list(Kind).index(kind)])
    if kind is Kind.SCREENSHOT:
        return draw_screenshot(strength, rng, long_side)
    pose, camera, light, scene, medium, files, together = rng.spawn(7)
    occasion = draw_occasion(kind, together)
    return Shot(
        pose=draw_pose(kind, strength, occasion, pose),
        camera=draw_camera(strength, occasion, camera, long_side),
        light=draw_light(kind, strength, occasion, light),
        scene=draw_scene(kind, strength, occasion, scene),
        medium=(
            draw_display(strength, medium) if kind is Kind.SCREEN else draw_print(strength, occasion, medium)
        ),
        files=draw_files(strength, occasion, files),
    )


def apply(picture: Pixels, drawn: Draw, backgrounds: Sequence[Pixels] = ()) -> Capture:
    """The capture that these circumstances make of the picture."""
    picture, others = check_picture(picture), [check_picture(other) for other in backgrounds]
    if isinstance(drawn, Screenshot):
        return take_screenshot(picture, drawn, others)
    return photograph(picture, drawn, others)


def simulate(
    picture: Pixels,
    kind: Kind,
    strength: Strength,
    *,
    seed: int,
    backgrounds: Sequence[Pixels] = (),
    long_side: int | None = None,
) -> Capture:
    """A capture of the picture; the same arguments give the same bytes."""
    return apply(picture, draw(kind, strength, seed=seed, long_side=long_side), backgrounds)
