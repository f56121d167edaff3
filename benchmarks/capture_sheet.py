"""Draw docs/capture-sheet.jpg: freely licensed pictures, captured in every way.

python benchmarks/capture_sheet.py
"""

from __future__ import annotations

from pathlib import Path

from skimage import data

from tiacam.capture import Kind, Strength, simulate
from tiacam.capture.codec import File, encode
from tiacam.capture.sheet import contact_sheet

OUT = Path(__file__).parent.parent / "docs" / "capture-sheet.jpg"
PER_ROW = 6


def main() -> None:
    """Rows: screen, print and screenshot, each mild, typical and severe."""
    pictures = [data.astronaut(), data.chelsea(), data.coffee(), data.rocket()]
    shown = []
    for kind in Kind:
        for strength in Strength:
            for column in range(PER_ROW):
                picture = pictures[column % len(pictures)]
                others = [other for other in pictures if other is not picture]
                capture = simulate(
                    picture, kind, strength, seed=100 + column, backgrounds=others, long_side=800
                )
                shown.append(capture.photo)
    OUT.write_bytes(encode(contact_sheet(shown, columns=PER_ROW, cell=240), File("JPEG", 74)))


if __name__ == "__main__":
    main()
