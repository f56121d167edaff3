"""docs/results.md: the paper's tables and the other systems, generated from the records.

python -m benchmarks.headline    # writes it together with the README's table
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from benchmarks.report_baselines import ATTACKED_NOTE, ATTACKED_TITLE, attacked_heads, attacked_rows
from benchmarks.report_claims import NOTE, TITLE, findings
from benchmarks.report_lines import NOT_RUN, heads, table_rows
from benchmarks.report_paper import ELSEWHERE, sections
from benchmarks.report_records import Record, Results

HEAD = """# Results beside the paper's

Generated from the records under [results](../results) by `make report`; do not edit. Rows where we lose are here as
well as those where we win, and a row that could not be run says why. "Ours" is the same quantity as the paper's, with
its 95 % interval; [evaluate.md](evaluate.md) says what each is and how it was measured. In the columns beside it stands
what the number is worth: the same for pictures that have nothing to do with it.
"""
TABLES = (
    "table1",
    "camera",
    "digital",
    "geometric",
    "occlusion",
    "field",
    "distinctiveness",
    "identification",
    "peers",
)
FURTHER = {
    "captions": "S7, caption sensitivity",
    "latent": "S4, marks in a latent space",
    "probes": "S6, linear probes",
    "reported": "S4, numbers of the paper only",
    "retrieval": "Image-text retrieval on 1,000 held-out pictures (not in the paper)",
}
MOST_FURTHER = 60  # rows of a table that is not one of these
PEER_METRICS = (
    "top-1",
    "accepted at 1% false a look-up",
    "accepted at the usual threshold",
    "false at the usual threshold",
)
ATTACKED_METRICS = (
    "cosine mean",
    "impostor cosine p99.9",
    "keyed exact",
    "another record claimed",
    "unregistered keyed claims",
    "look-alike keyed claims",
    "reference bit accuracy",
    "unrelated reference bit accuracy",
)
MARK_METRICS = (
    "bit accuracy",
    "exact",
    "unmarked bit accuracy",
    "keyed exact, 32 bits",
    "unregistered keyed claims",
)


def document(results: Results) -> str:
    parts = [HEAD, models_line(results)]
    for section in sections():
        parts += [
            f"## {section.title}\n",
            f"{section.note}\n",
            markdown(heads(section), table_rows(results, section)),
        ]
    if marks := list(attacked_rows(results)):
        parts += [f"## {ATTACKED_TITLE}\n", f"{ATTACKED_NOTE}\n", markdown(attacked_heads(), marks)]
    parts += list(attacked("S8: occlusion", "occlusion", results))
    parts += list(attacked("Attacks that others report", "field", results))
    parts += list(identification(results.of("identification")))
    parts += list(peers(results.of("peers")))
    parts += list(further(results))
    parts += list(claims(results))
    rows = [[place, what, why, f"`{command}`" if command else ""] for place, what, why, command in ELSEWHERE]
    parts += ["## Not in these tables\n", markdown(["paper", "what", "why", "command"], rows)]
    return "\n".join(parts)


def claims(results: Results) -> Iterator[str]:
    yield f"## {TITLE}\n\n{NOTE}\n"
    rows = []
    for claim, found, names in findings(results):
        links = ", ".join(f"[{name.removesuffix('.json')}](../results/{name})" for name in names)
        rows.append([claim, found, links])
    yield markdown(["the paper", "here", "record"], rows)


def further(results: Results) -> Iterator[str]:
    """Tables that others wrote in the same form: baselines, probes, captions."""
    known = {*TABLES, "ssl", "watermark"}  # the last two stand in Tables 1 and 2
    for record in results.records:
        if record.table not in known:
            measured = record.content["n"] > 0  # a record without a trial only keeps what the paper reports
            rows = [further_row(row, measured) for row in record.content["rows"][:MOST_FURTHER]]
            yield f"## {FURTHER.get(record.table, record.table)}: {record.model}\n"
            yield f"[{record.path.name}](../results/{record.path.name}), n = {record.content['n']}\n"
            yield markdown(["", "metric", "paper", "ours", "difference"], rows)


def further_row(row: Mapping[str, Any], measured: bool) -> list[str]:
    paper = row.get("paper")
    if not measured:
        return [row["name"], row["metric"], f"{paper or row['value']:.3f}", f"{NOT_RUN}: reported only", ""]
    interval = "" if row["low"] is None else f" ({row['low']:.3f} to {row['high']:.3f})"
    difference = "" if paper is None else f"{row['value'] - paper:+.3f}"
    ours = f"{row['value']:.3f}{interval}"
    return [row["name"], row["metric"], "" if paper is None else f"{paper:.3f}", ours, difference]


def models_line(results: Results) -> str:
    found = [(table, results.of(table)) for table in TABLES]
    lines = [
        f"| {table} | " + ("not run yet | | |" if record is None else facts(record))
        for table, record in found
    ]
    return "| table | model | pictures | record |\n|---|---|---|---|\n" + "\n".join(lines) + "\n"


def facts(record: Record) -> str:
    return f"{record.model} | {record.content['n']} | [{record.path.name}](../results/{record.path.name}) |"


def attacked(title: str, table: str, results: Results) -> Iterator[str]:
    """Cosines and messages under attacks for which the paper prints no numbers."""
    yield f"## {title}\n"
    if (record := results.of(table)) is None:
        yield f"Not run yet: `tiacam evaluate {table} --data PICTURES`\n"
        return
    yield f"{record.content['n']} pictures; the paper prints no numbers.\n"
    rows = [[name, *(shown(record, name, metric) for metric in ATTACKED_METRICS)] for name in record.names()]
    yield markdown(["attack", *ATTACKED_METRICS], rows)


def identification(record: Record | None) -> Iterator[str]:
    yield "## Identification against gallery size\n"
    if record is None:
        yield "Not run yet: `tiacam evaluate identification --data PICTURES PHOTOS`\n"
        return
    metrics = ("top-1", "accepted at 1% false a look-up", "keyed exact", "unregistered keyed claims")
    rows = [
        [name, *(shown(record, name, metric) for metric in metrics)]
        for name in record.names()
        if (name, "top-1") in record.rows
    ]
    yield markdown(["photos", *metrics], rows)


def peers(record: Record | None) -> Iterator[str]:
    yield "## Other systems, in one run with ours\n"
    if record is None:
        yield "Not run yet: `make peers`, then `tiacam evaluate peers --data PICTURES PHOTOS`\n"
        return
    costs = ("milliseconds a look-up", "milliseconds a photo", "bytes a record", "PSNR of the marked picture")
    rows = [[name, *(shown(record, name, m) for m in costs)] for name in record.names() if ", " not in name]
    yield markdown(["system", *costs], rows)
    for title, metrics in (("Which picture is it?", PEER_METRICS), ("Which message is it?", MARK_METRICS)):
        names = [name for name in record.names() if any((name, metric) in record.rows for metric in metrics)]
        yield f"### {title}\n"
        yield markdown(
            ["system and photos", *metrics], [[n, *(shown(record, n, m) for m in metrics)] for n in names]
        )


def shown(record: Record, name: str, metric: str) -> str:
    row = record.rows.get((name, metric))
    if row is None:
        return ""
    value, high = row["value"], row["high"]
    if metric.startswith(("milliseconds", "bytes", "PSNR")):
        return f"{value:,.1f}"
    return f"{value:.3f}" if high is None else f"{value:.3f} ({row['low']:.3f} to {high:.3f})"


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
