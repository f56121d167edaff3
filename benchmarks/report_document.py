"""docs/results.md: the paper's tables and the other systems, generated from the records.

python -m benchmarks.headline    # writes it together with the README's table
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from benchmarks.report_baselines import ATTACKED_NOTE, ATTACKED_TITLE, attacked_heads, attacked_rows
from benchmarks.report_claims import NOTE, TITLE, findings
from benchmarks.report_failures import TITLE as FAILED_TITLE
from benchmarks.report_failures import read_failures
from benchmarks.report_lines import heads, table_rows
from benchmarks.report_paper import ELSEWHERE, sections
from benchmarks.report_probes import HEADS as PROBE_HEADS
from benchmarks.report_probes import NOTE as PROBE_NOTE
from benchmarks.report_probes import TITLE as PROBE_TITLE
from benchmarks.report_probes import probe_rows
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
    "distorted",
    "digital",
    "geometric",
    "occlusion",
    "field",
    "distinctiveness",
    "identification",
    "peers",
)
FURTHER = {"retrieval": "Image-text retrieval on 1,000 held-out pictures (not in the paper)"}
# Their rows stand in the paper's tables.
ELSEWHERE_SHOWN = {"ablation", "captions", "latent", "probes", "reported", "ssl", "watermark"}
MOST_FURTHER = 60  # rows of a table that is not one of these
RUN_NOTE = (
    "What was run: every table of the harness, on how many pictures, by which commit, where. The commands and the "
    "versions of all libraries stand in the records. What others wrote in the same form (baselines, probes, captions) "
    "stands in the sections below with a record of its own."
)
RUN_HEADS = ("table", "model", "pictures", "commit", "device", "seed", "record")
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
    linked = [[*row[:-1], link(row[-1])] for row in run_rows(results)]
    parts = [HEAD, f"{RUN_NOTE}\n", markdown(RUN_HEADS, linked)]
    for section in sections():
        parts += [
            f"## {section.title}\n",
            f"{section.note}\n",
            markdown(heads(section), table_rows(results, section)),
        ]
    if marks := list(attacked_rows(results)):
        parts += [f"## {ATTACKED_TITLE}\n", f"{ATTACKED_NOTE}\n", markdown(attacked_heads(), marks)]
    parts += [f"## {PROBE_TITLE}\n", f"{PROBE_NOTE}\n", markdown(PROBE_HEADS, probe_rows(results))]
    parts += list(attacked("S8: occlusion", "occlusion", results))
    parts += list(attacked("Attacks that others report", "field", results))
    parts += list(identification(results.of("identification")))
    parts += list(peers(results.of("peers")))
    parts += list(further(results))
    parts += list(failed(results))
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


def failed(results: Results) -> Iterator[str]:
    failures = read_failures(results.folder)
    if failures is not None:
        sheet = "" if failures.sheet is None else f"![{FAILED_TITLE}](../results/{failures.sheet.name})\n"
        yield f"## {FAILED_TITLE}\n\n{failures.note}\n"
        yield f"{markdown(failures.heads, failures.rows)}\n{sheet}"


def further(results: Results) -> Iterator[str]:
    """Tables in the same form that have no place above."""
    for record in results.records:
        if record.table not in {*TABLES, *ELSEWHERE_SHOWN}:
            rows = record.content["rows"]
            yield f"## {FURTHER.get(record.table, record.table)}: {record.model}\n"
            left = "" if len(rows) <= MOST_FURTHER else f", the first {MOST_FURTHER} of {len(rows)} rows"
            yield f"{link(record.path.name)}, n = {record.content['n']}{left}\n"
            shown_rows = [further_row(row) for row in rows[:MOST_FURTHER]]
            yield markdown(["", "metric", "paper", "ours", "difference"], shown_rows)


def further_row(row: Mapping[str, Any]) -> list[str]:
    paper = row.get("paper")
    interval = "" if row["low"] is None else f" ({row['low']:.3f} to {row['high']:.3f})"
    difference = "" if paper is None else f"{row['value'] - paper:+.3f}"
    ours = f"{row['value']:.3f}{interval}"
    return [row["name"], row["metric"], "" if paper is None else f"{paper:.3f}", ours, difference]


def run_rows(results: Results) -> Iterator[list[str]]:
    """Table by table what was run; a table that was not keeps its place."""
    for table in TABLES:
        record = results.of(table)
        if record is None:
            yield [table, "not run yet", "", "", "", "", ""]
            continue
        content = record.content
        facts = (content["n"], content["commit"][:9], content.get("device", ""), content["seed"])
        yield [table, record.model, *map(str, facts), record.path.name]


def link(name: str) -> str:
    return f"[{name}](../results/{name})" if name else ""


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
