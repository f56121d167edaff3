"""The picture at the top of the README, and the record of the demo that it shows.

python -m benchmarks.demo_picture        # writes docs/demo.jpg and results/demo.json
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.record import ROOT, write
from PIL import Image

from tiacam.cli.demo import play
from tiacam.cli.demo_report import contact_sheet, summary
from tiacam.cli.output import verdict_json
from tiacam.model import DEFAULT_MODEL

SHOWN = ("astronaut", "coffee", "rocket")
WIDTH = 900


def main() -> None:
    # Without options, but asking for help must not run it.
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        played = play(Path(folder), None)
    shown = [row for row in played if row.picture in SHOWN or not row.expected]
    sheet = contact_sheet(shown)
    small = sheet.resize((WIDTH, sheet.height * WIDTH // sheet.width), Image.Resampling.LANCZOS)
    small.save(ROOT / "docs" / "demo.jpg", quality=82, optimize=True)
    rows = [verdict_json(row.name, row.verdict) | {"outcome": row.outcome} for row in played]
    kept = [
        {key: row[key] for key in ("photo", "registered", "p_value", "cosine", "view", "outcome")}
        for row in rows
    ]
    write(
        ROOT / "results" / "demo.json",
        command="python -m benchmarks.demo_picture",
        seed=None,
        n=len(kept),
        rows=kept,
        model=DEFAULT_MODEL,
        summary=summary(played),
        note="simple captures made with Pillow, for showing and not for measuring",
    )
    print(summary(played))


if __name__ == "__main__":
    main()
