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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.report_baselines import ATTACKED_NOTE, ATTACKED_TITLE, attacked_heads, attacked_rows
from benchmarks.report_claims import NOTE, TITLE, findings
from benchmarks.report_document import RUN_HEADS, RUN_NOTE, run_rows
from benchmarks.report_failures import TITLE as FAILED_TITLE
from benchmarks.report_failures import read_failures
from benchmarks.report_lines import NOT_RUN, heads, table_rows
from benchmarks.report_paper import ELSEWHERE, sections
from benchmarks.report_plots import PLOTS
from benchmarks.report_probes import HEADS as PROBE_HEADS
from benchmarks.report_probes import NOTE as PROBE_NOTE
from benchmarks.report_probes import TITLE as PROBE_TITLE
from benchmarks.report_probes import probe_rows
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
.comparison td:first-child, .comparison td.absent { text-align: left; white-space: normal }
.comparison td:first-child { min-width: 15rem } .comparison td, .comparison th { padding: .2rem .45rem }
.wide { overflow-x: auto } .facts td:first-child { color: #888; white-space: nowrap }
.facts td, .facts td.number { overflow-wrap: anywhere; text-align: left }
.less { color: #c33 } .more { color: #283 } .absent { color: #888 }
"""

Row = Mapping[str, Any]


def render(results: Path) -> str:
    tables = Results(results)
    records = sorted(results.glob("*.json"))
    recorded = [section(path) for path in records] or ["<p>There are no records yet.</p>"]
    shown = {"failures.jpg"}  # beside its counts
    paths = [
        path for path in sorted(results.glob("*")) if path.suffix in MEDIA_TYPES and path.name not in shown
    ]
    pictures = [picture(path) for path in paths]
    contents = "".join(f'<li><a href="#{path.stem}">{path.stem}</a></li>' for path in records)
    compared = [*comparisons(tables), *plots(tables), *failed(results)] if tables.records else []
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>TIACam results</title>'
        f"<style>{STYLE}</style><h1>TIACam results</h1>"
        + "\n".join([*compared, f"<h2>Records</h2><ul>{contents}</ul>", *recorded, *pictures])
        + "</html>\n"
    )


def comparisons(results: Results) -> Iterator[str]:
    """The paper's tables, row by row, and what has none here."""
    yield f"<p>{html.escape(RUN_NOTE)}</p>{listed(RUN_HEADS, run_rows(results))}"
    for part in sections():
        yield f"<h2>{html.escape(part.title)}</h2><p>{prose(part.note)}</p>"
        yield comparison(heads(part), table_rows(results, part))
    yield f"<h2>{html.escape(PROBE_TITLE)}</h2><p>{prose(PROBE_NOTE)}</p>"
    yield comparison(PROBE_HEADS, probe_rows(results))
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


def prose(text: str) -> str:
    """A note's text, with the code in it marked as such."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text))


def plain(text: str) -> str:
    """Text without the targets of its links, which are beside docs/results.md and not beside this page."""
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)


def listed(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Texts under their heads."""
    return table([dict(zip(names, row, strict=True)) for row in rows])


def comparison(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Lines beside the paper's; long ones are folded."""
    head = "".join(f"<th>{html.escape(text)}</th>" for text in names)
    lines = [f"<tr>{compared_row(names, row)}</tr>" for row in rows]
    whole = f'<table class="comparison"><thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table>'
    return folded(f'<div class="wide">{whole}</div>', len(lines), 2 * MANY_ROWS)


def compared_row(names: Sequence[str], row: Sequence[str]) -> str:
    """Cells with a difference in its colour; the reason of a row that was not run fills what it may of the rest."""
    label = row[0]
    cells = []
    for name, text in zip(names, row, strict=True):
        shown = html.escape(text)
        if text.startswith(NOT_RUN):
            cells.append(
                f'<td class="absent" colspan="{len(row) - len(cells)}">{shown.replace("`", "")}</td>'
            )
            break
        if name.startswith("difference") and text:
            worse = "+" if "lower is better" in label else "-"
            cells.append(f'<td class="{"less" if text.startswith(worse) else "more"}">{shown}</td>')
        else:
            cells.append(f"<td>{shown}</td>")
    return "".join(cells)


def failed(results: Path) -> Iterator[str]:
    """What was not read, by reason, and pictures of it."""
    failures = read_failures(results)
    if failures is not None:
        sheet = "" if failures.sheet is None else image(failures.sheet, FAILED_TITLE)
        yield (
            f"<h2>{html.escape(FAILED_TITLE)}</h2><p>{html.escape(failures.note)}</p>"
            f"{listed(failures.heads, failures.rows)}{sheet}"
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
    told = "".join(f"<tr><td>{html.escape(name)}</td>{cell(value)}</tr>" for name, value in facts.items())
    return f'<h2 id="{path.stem}">{html.escape(path.name)}</h2><table class="facts">{told}</table>{tables}'


def same_columns(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Rows of different kinds may stand in one record: each kind gets a table of its own."""
    for _, group in groupby(rows, key=lambda row: tuple(row)):
        yield list(group)


def table(rows: Sequence[Row]) -> str:
    columns = list(rows[0]) if rows else []
    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    body = "\n".join(f"<tr>{''.join(cell(row[column]) for column in columns)}</tr>" for row in rows)
    whole = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return folded(f'<div class="wide">{whole}</div>', len(rows), MANY_ROWS)


def folded(whole: str, rows: int, most: int) -> str:
    return whole if rows <= most else f"<details><summary>{rows} rows</summary>{whole}</details>"


def cell(value: Any) -> str:
    if isinstance(value, float):
        return f'<td class="number">{value:.4g}</td>'
    if isinstance(value, int) and not isinstance(value, bool):
        return f'<td class="number">{value:,}</td>'
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)
    return f"<td>{html.escape('' if value is None else text)}</td>"


def picture(path: Path) -> str:
    return f'<h2 id="{path.stem}-picture">{html.escape(path.name)}</h2>{image(path, path.name)}'


def image(path: Path, name: str) -> str:
    data = base64.b64encode(path.read_bytes()).decode()
    return f'<img alt="{html.escape(name)}" src="data:{MEDIA_TYPES[path.suffix]};base64,{data}">'


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
