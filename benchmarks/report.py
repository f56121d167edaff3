"""One page with everything that is recorded under results/: `make report`.

    python -m benchmarks.report --results results --out build/report.html

The paper's tables beside ours, what of the paper did not hold, plots, then every record as it is and every picture.
"""

from __future__ import annotations

import argparse
import base64
import html
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.report_baselines import ATTACKED_NOTE, ATTACKED_TITLE, attacked_heads, attacked_rows
from benchmarks.report_claims import NOTE, TITLE, findings
from benchmarks.report_lines import NOT_RUN, Section, heads, table_rows
from benchmarks.report_paper import ELSEWHERE, sections
from benchmarks.report_plots import PLOTS
from benchmarks.report_records import Results

ROOT = Path(__file__).parent.parent
MEDIA_TYPES = {".png": "image/png", ".jpg": "image/jpeg"}
MANY_ROWS = 60  # longer tables are folded
STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { max-width: 95rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: .6rem 0 1.4rem } img { max-width: 100% }
td, th { padding: .2rem .7rem; border-bottom: 1px solid #8884; text-align: left }
td.number { text-align: right; font-variant-numeric: tabular-nums }
.comparison td { text-align: right; white-space: nowrap }
.comparison td:first-child, .comparison td.absent { text-align: left } .comparison td.absent { white-space: normal }
.less { color: #c33 } .more { color: #283 } .absent { color: #888 }
"""

Row = Mapping[str, Any]


def render(results: Path) -> str:
    tables = Results(results)
    records = sorted(results.glob("*.json"))
    recorded = [section(path) for path in records] or ["<p>There are no records yet.</p>"]
    pictures = [picture(path) for path in sorted(results.glob("*")) if path.suffix in MEDIA_TYPES]
    contents = "".join(f'<li><a href="#{path.stem}">{path.stem}</a></li>' for path in records)
    compared = [*comparisons(tables), *plots(tables)] if tables.records else []
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>TIACam results</title>'
        f"<style>{STYLE}</style><h1>TIACam results</h1>"
        + "\n".join([*compared, f"<h2>Records</h2><ul>{contents}</ul>", *recorded, *pictures])
        + "</html>\n"
    )


def comparisons(results: Results) -> Iterator[str]:
    """The paper's tables, row by row, and what has none here."""
    for part in sections():
        yield f"<h2>{html.escape(part.title)}</h2><p>{html.escape(part.note)}</p>"
        yield comparison(results, part)
    marks = [dict(zip(attacked_heads(), row, strict=True)) for row in attacked_rows(results)]
    if marks:
        yield f"<h2>{html.escape(ATTACKED_TITLE)}</h2><p>{html.escape(ATTACKED_NOTE)}</p>{table(marks)}"
    rows = [dict(zip(("paper", "what", "why", "command"), entry, strict=True)) for entry in ELSEWHERE]
    yield f"<h2>Not in these tables</h2>{table(rows)}"
    told = [
        {"the paper": claim, "here": plain(found), "record": ", ".join(names)}
        for claim, found, names in findings(results)
    ]
    yield f"<h2>{html.escape(TITLE)}</h2><p>{html.escape(NOTE)}</p>{table(told)}"


def plain(text: str) -> str:
    """Text without the targets of its links, which are beside docs/results.md and not beside this page."""
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)


def comparison(results: Results, part: Section) -> str:
    head = "".join(f"<th>{html.escape(text)}</th>" for text in heads(part))
    body = "".join(f"<tr>{compared_row(row)}</tr>" for row in table_rows(results, part))
    return f'<table class="comparison"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def compared_row(row: Sequence[str]) -> str:
    """Cells with a difference in its colour; the reason of a row that was not run fills the rest of it."""
    label, paper, ours, *rest = (html.escape(text) for text in row)
    start = f"<td>{label}</td><td>{paper}</td>"
    if ours.startswith(NOT_RUN):
        return f'{start}<td class="absent" colspan="{1 + len(rest)}">{ours.replace("`", "")}</td>'
    difference, *others = rest
    worse = "+" if "lower is better" in label else "-"
    kind = "less" if difference.startswith(worse) else "more"
    return f'{start}<td>{ours}</td><td class="{kind}">{difference}</td>' + "".join(
        f"<td>{text}</td>" for text in others
    )


def plots(results: Results) -> Iterator[str]:
    for title, draw in PLOTS.items():
        figure = draw(results)
        if figure is not None:
            file = io.BytesIO()
            figure.savefig(file, format="png", dpi=110)
            data = base64.b64encode(file.getvalue()).decode()
            name = html.escape(title)
            yield f'<h2>{name}</h2><img alt="{name}" src="data:image/png;base64,{data}">'


def section(path: Path) -> str:
    """One record: what was run, on what, and what came out."""
    record = json.loads(path.read_text(encoding="utf-8"))
    rows = record.pop("rows", []) if isinstance(record, dict) else record
    facts = record if isinstance(record, dict) else {}
    tables = "\n".join(table(group) for group in same_columns(rows))
    return f'<h2 id="{path.stem}">{html.escape(path.name)}</h2>{table([facts])}{tables}'


def same_columns(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Rows of different kinds may stand in one record: each kind gets a table of its own."""
    for _, group in groupby(rows, key=lambda row: tuple(row)):
        yield list(group)


def table(rows: Sequence[Row]) -> str:
    columns = list(rows[0]) if rows else []
    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    body = "\n".join(f"<tr>{''.join(cell(row[column]) for column in columns)}</tr>" for row in rows)
    whole = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    if len(rows) <= MANY_ROWS:
        return whole
    return f"<details><summary>{len(rows)} rows</summary>{whole}</details>"


def cell(value: Any) -> str:
    if isinstance(value, float):
        return f'<td class="number">{value:.4g}</td>'
    if isinstance(value, int) and not isinstance(value, bool):
        return f'<td class="number">{value:,}</td>'
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)
    return f"<td>{html.escape('' if value is None else text)}</td>"


def picture(path: Path) -> str:
    data = base64.b64encode(path.read_bytes()).decode()
    name = html.escape(path.name)
    source = f"data:{MEDIA_TYPES[path.suffix]};base64,{data}"
    return f'<h2 id="{path.stem}-picture">{name}</h2><img alt="{name}" src="{source}">'


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=ROOT / "results", help="folder with the records")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "report.html")
    args = parser.parse_args()
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(render(args.results), encoding="utf-8")
    print(args.out)


if __name__ == "__main__":
    main()
