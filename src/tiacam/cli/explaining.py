"""The picture that `tiacam read --explain` writes: the photo, every view, the nearest records, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw, ImageFont

if TYPE_CHECKING:
    from tiacam.app.lookup import Lookup
    from tiacam.image import Picture
    from tiacam.watermark import Corners, Verdict

    Answer = Verdict | Exception

WIDTH, PANEL, LINE, MARGIN = 900, 420, 22, 16
FOUND, LOOKED, INK, FAINT, PAPER = (0, 200, 90), (255, 190, 0), (30, 30, 30), (120, 120, 120), (255, 255, 255)
SHOWN = 3  # nearest records of each view


def draw_explanation(picture: Picture, verdicts: Sequence[Answer], lookup: Lookup) -> Image.Image:
    """The photo on the left with all that was looked at, the words on the right."""
    photo = Image.fromarray(picture.pixels)
    photo = photo.resize((WIDTH, max(1, round(WIDTH * photo.height / photo.width))))
    lines = describe(verdicts, lookup)
    height = max(photo.height, 2 * MARGIN + LINE * len(lines))
    sheet = Image.new("RGB", (WIDTH + PANEL, height), PAPER)
    draw_places(photo, verdicts, lookup)
    sheet.paste(photo, (0, 0))
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(14)
    for number, (text, colour) in enumerate(lines):
        pen.text((WIDTH + MARGIN, MARGIN + LINE * number), text, colour, font)
    return sheet


def draw_places(photo: Image.Image, verdicts: Sequence[Answer], lookup: Lookup) -> None:
    from tiacam.app.sights import corners_of

    for seen in lookup.seen:
        outline(photo, corners_of(seen.sight), LOOKED, 2)
    for verdict in verdicts:
        if corners := getattr(verdict, "corners", None):
            outline(photo, corners, FOUND, 6)


def outline(photo: Image.Image, corners: Corners, colour: tuple[int, int, int], width: int) -> None:
    points = [(x * (photo.width - 1), y * (photo.height - 1)) for x, y in corners]
    ImageDraw.Draw(photo).line([*points, points[0]], colour, width, joint="curve")


def describe(verdicts: Sequence[Answer], lookup: Lookup) -> list[tuple[str, tuple[int, int, int]]]:
    """Lines of text with their colours."""
    lines = [line for verdict in verdicts for line in (*headline(verdict), ("", INK))]
    lines.append((f"{lookup.trials:,} comparisons are counted", INK))
    for seen in lookup.seen:
        lines.append((f"{seen.sight.name}:", INK))
        lines += [
            (f"    {cosine:+.3f}  {record_id[:22]}…", FAINT) for record_id, cosine in seen.nearest[:SHOWN]
        ]
    return lines


def headline(verdict: Answer) -> list[tuple[str, tuple[int, int, int]]]:
    if isinstance(verdict, Exception):
        return [("another owner's picture", INK)]
    if not verdict.registered:
        return [("not registered", INK), (f"nearest cosine {verdict.cosine:.3f}", FAINT)]
    lines = [
        (f"registered: {verdict.message}", FOUND),
        (f"{verdict.record_id}", FAINT),
        (f"read from the {verdict.view} view", INK),
        (f"cosine {verdict.cosine:.3f}, false claim {verdict.p_value:.0e}", INK),
    ]
    if verdict.inliers:
        lines.append((f"{verdict.inliers} landmarks where they belong", INK))
    return lines


def write_explanation(sheet: Image.Image, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(path)
