"""What the demo shows: a table on the terminal, a contact sheet and one HTML page."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from tiacam.watermark import Message, Verdict

THUMB = 150
CAPTION = 46


@dataclass(frozen=True)
class Row:
    """One capture: what it shows, what was registered for it (None for unrelated pictures), and the verdict."""

    picture: str
    capture: str
    original: Image.Image
    photo: Image.Image
    expected: Message | None
    verdict: Verdict

    @property
    def name(self) -> str:
        return f"{self.picture} / {self.capture}"

    @property
    def right(self) -> bool:
        """The exact message for a registered picture, no claim for another one."""
        return self.verdict.message == self.expected and self.verdict.registered == (
            self.expected is not None
        )

    @property
    def outcome(self) -> str:
        if self.right:
            return "exact" if self.expected else "not registered"
        return "FALSE CLAIM" if self.verdict.registered else "missed"


def print_table(rows: Sequence[Row]) -> None:
    captures = list(dict.fromkeys(row.capture for row in rows))
    print(f"{'picture':12}" + "".join(f"{capture:>15}" for capture in captures))
    for picture in dict.fromkeys(row.picture for row in rows):
        cells = {row.capture: row.outcome for row in rows if row.picture == picture}
        print(f"{picture:12}" + "".join(f"{cells.get(capture, ''):>15}" for capture in captures))
    print(summary(rows))


def summary(rows: Sequence[Row]) -> str:
    genuine = [row for row in rows if row.expected]
    unrelated = [row for row in rows if not row.expected]
    claims = sum(row.verdict.registered for row in unrelated)
    return (
        f"{sum(row.right for row in genuine)} of {len(genuine)} captures gave their message back exactly, "
        f"{sum(row.verdict.registered and not row.right for row in genuine)} gave a wrong one; "
        f"{claims} of {len(unrelated)} unrelated pictures were claimed"
    )


def write_report(out: Path, rows: Sequence[Row]) -> Path:
    """`contact-sheet.jpg` and `report.html`, which holds everything it shows."""
    contact_sheet(rows).save(out / "contact-sheet.jpg", quality=88)
    path = out / "report.html"
    path.write_text(page(rows), encoding="utf-8")
    return path


def contact_sheet(rows: Sequence[Row]) -> Image.Image:
    """A picture a line: the original first, then its captures, each with outcome, p-value and cosine."""
    pictures = list(dict.fromkeys(row.picture for row in rows if row.expected))
    lines = [[row for row in rows if row.picture == picture] for picture in pictures]
    lines.append([row for row in rows if not row.expected])
    columns = 1 + max(len(line) for line in lines)
    sheet = Image.new("RGB", (columns * (THUMB + 8) + 8, len(lines) * (THUMB + CAPTION) + 8), "white")
    for index, line in enumerate(lines):
        draw_line(sheet, index, line)
    return sheet


def draw_line(sheet: Image.Image, index: int, line: Sequence[Row]) -> None:
    top = 8 + index * (THUMB + CAPTION)
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(12)
    if line[0].expected:
        place(sheet, line[0].original, 8, top)
    draw.text((8, top + THUMB + 3), "registered" if line[0].expected else "unrelated pictures", "black", font)
    draw.text((8, top + THUMB + 18), line[0].picture if line[0].expected else "", "black", font)
    for column, row in enumerate(line, 1):
        left = 8 + column * (THUMB + 8)
        place(sheet, row.photo, left, top)
        colour = "#186a3b" if row.right else "#b03a2e"
        draw.text(
            (left, top + THUMB + 3),
            f"{row.capture if row.expected else row.picture}: {row.outcome}",
            colour,
            font,
        )
        draw.text(
            (left, top + THUMB + 18),
            f"p {row.verdict.p_value:.0e}  cos {row.verdict.cosine:.2f}",
            "black",
            font,
        )


def place(sheet: Image.Image, picture: Image.Image, left: int, top: int) -> None:
    small = thumbnail(picture)
    sheet.paste(small, (left + (THUMB - small.width) // 2, top + (THUMB - small.height) // 2))


def thumbnail(picture: Image.Image) -> Image.Image:
    small = picture.copy()
    small.thumbnail((THUMB, THUMB), Image.Resampling.LANCZOS)
    return small


def inline(picture: Image.Image) -> str:
    buffer = io.BytesIO()
    thumbnail(picture).save(buffer, "JPEG", quality=80)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode()


STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
td, th { padding: .4rem .6rem; border-bottom: 1px solid #8884; text-align: left; vertical-align: middle }
img { max-height: 110px; display: block } code { word-break: break-all; font-size: .8em }
.right { color: #1e8449 } .wrong { color: #c0392b; font-weight: 600 }
"""


def page(rows: Sequence[Row]) -> str:
    body = "\n".join(table_row(row) for row in rows)
    heads = "".join(
        f"<th>{head}</th>" for head in ("Picture", "Capture", "Registered message", "Verdict", "p-value")
    )
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>TIACam demo</title><style>{STYLE}</style>
<h1>TIACam demo</h1>
<p>{html.escape(summary(rows))}. The pixels of the registered pictures were not touched.
The p-value is the probability that an unrelated picture would give such a reading, all records and views
counted. What the model cannot read is shown as missed.</p>
<table><thead><tr>{heads}</tr></thead><tbody>
{body}
</tbody></table></html>
"""


def table_row(row: Row) -> str:
    verdict, expected = row.verdict, row.expected
    message = f"<code>{expected.hex}</code>" if expected else "–"
    read = f"<br><code>{verdict.message.hex}</code>" if verdict.message else ""
    style = "right" if row.right else "wrong"
    detail = f"cosine {verdict.cosine:.2f}" + (f", {verdict.view} frame" if verdict.view else "")
    return (
        f'<tr><td><img src="{inline(row.original)}" alt="{html.escape(row.picture)}"></td>'
        f'<td><img src="{inline(row.photo)}" alt="{html.escape(row.name)}">{html.escape(row.capture)}</td>'
        f'<td>{message}</td><td><span class="{style}">{row.outcome}</span>{read}<br><small>{detail}</small></td>'
        f"<td>{verdict.p_value:.1e}</td></tr>"
    )
