"""The ablations as a record: means over seeds, with their range, and a row for each variant in the page's table."""

from __future__ import annotations

from pathlib import Path

from benchmarks.ablation_record import METRICS, summarise, table
from benchmarks.pages import fill_page


def rows(variant: str, *genuine: float) -> list[dict[str, object]]:
    numbers = dict.fromkeys(METRICS, 0.5)
    return [
        {"variant": variant, "space": space, "what": "all", **numbers, "genuine": value}
        for space in ("plain", "whitened")
        for value in genuine
    ]


def test_seeds_become_a_mean_with_their_range() -> None:
    (found,) = (
        row
        for row in summarise(rows("tiacam", 0.8, 0.9))
        if (row.name, row.metric) == ("tiacam, plain, all", "cosine mean")
    )
    assert (round(found.value, 6), found.low, found.high) == (0.85, 0.8, 0.9)


def test_the_table_has_a_row_for_each_variant_and_stands_between_its_marks(tmp_path: Path) -> None:
    summary = list(summarise([*rows("backbone", 0.7), *rows("tiacam", 0.8, 0.9)]))
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- ablations -->\nold\n<!-- /ablations -->\nafter\n", encoding="utf-8")
    fill_page(page, "ablations", table(summary))
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    assert "| `backbone` | 0.7 |" in text
    assert "| `tiacam` | 0.85 |" in text
