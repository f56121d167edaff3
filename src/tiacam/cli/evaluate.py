"""`tiacam evaluate`: measures a model on pictures, table by table, and keeps the record."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tiacam.cli.extras import require_extra
from tiacam.cli.options import add_json, positive
from tiacam.cli.output import print_json
from tiacam.errors import UsageError

if TYPE_CHECKING:
    from tiacam.evaluate import Bench, Result, Row

HELP = "measure a model on a folder of pictures and write results/TABLE--MODEL.json"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", nargs="?", metavar="TABLE", help="which table; --list names them")
    parser.add_argument("--list", action="store_true", help="name the tables and what they measure")
    parser.add_argument("--model", metavar="NAME", help="a shipped model or the path of a card")
    parser.add_argument(
        "--data",
        type=Path,
        nargs="+",
        metavar="DIR",
        help="folders or tar archives of pictures, folders of real photos with a pairs.jsonl",
    )
    parser.add_argument("--n", type=positive, help="how many pictures of each place (default: the table's)")
    parser.add_argument("--seed", type=whole, default=0, help="of everything random (default %(default)s)")
    parser.add_argument(
        "--out", type=Path, default=Path("results"), metavar="DIR", help="where records go (default results)"
    )
    parser.add_argument(
        "--threads", type=positive, metavar="N", help="CPU threads of a model pass (default: all cores)"
    )
    parser.add_argument(
        "--captures",
        type=Path,
        metavar="DIR",
        help="keep simulated captures here, for the next table or model",
    )
    add_json(parser)


def whole(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{value} is negative")
    return value


def run(options: argparse.Namespace) -> int:
    require_extra("cv2", "simulate")
    if options.list:
        return list_tables(options.json)
    if options.table is None or options.data is None:
        raise UsageError("wanted `tiacam evaluate TABLE --data DIR`, or --list for the names of the tables")
    return measure(options)


def list_tables(as_json: bool) -> int:
    from tiacam.evaluate import OUTSIDE, TABLES

    for table in TABLES.values():
        if as_json:
            facts = {"table": table.name, "summary": table.summary, "n": table.n}
            print_json({**facts, "parts": list(table.parts)})
        else:
            print(f"{table.name:16} {table.summary}")
    for outside in OUTSIDE.values():
        if as_json:
            print_json(
                {"table": outside.name, "summary": outside.summary, "needs": "a clone of the repository"}
            )
        else:
            print(f"{outside.name:16} {outside.summary} (in a clone of the repository)")
    return 0


def measure(options: argparse.Namespace) -> int:
    from tiacam.evaluate import find_table, open_bench, partial_path, read_result, run_table
    from tiacam.model import DEFAULT_MODEL, load_model

    table = find_table(options.table)
    model = load_model(options.model or DEFAULT_MODEL, threads=options.threads)
    bench = open_bench(
        model, options.data, options.n, options.seed, default=table.n, captures=options.captures
    )
    report_pictures(bench, options.n)
    try:
        path = run_table(table, bench, options.out, command_of(options, model.card.name))
    except KeyboardInterrupt:
        kept = partial_path(options.out, table.name, model.id)
        if kept.exists():
            print(f"finished rows are in {kept}: the same command goes on from there", file=sys.stderr)
        raise
    finally:
        bench.close()
    report(read_result(path, table=table.name, model=model.id), as_json=options.json)
    print(f"wrote {path}", file=sys.stderr)
    return 0


def command_of(options: argparse.Namespace, model: str) -> str:
    """The command that gives the same rows; of the data's path only the name, for it lies elsewhere elsewhere."""
    arguments = [options.table, "--model", model, "--data", *(data.resolve().name for data in options.data)]
    arguments += [] if options.n is None else ["--n", str(options.n)]
    arguments += ["--seed", str(options.seed)]
    return shlex.join(["tiacam", "evaluate", *arguments])


def report_pictures(bench: Bench, wanted: int | None) -> None:
    for reason in bench.shelf.refused:
        print(f"left out: {reason}", file=sys.stderr)
    if wanted is not None and bench.n < wanted:
        print(f"{bench.n} pictures of the {wanted} asked for", file=sys.stderr)


def report(result: Result, as_json: bool) -> None:
    for row in result.rows:
        if as_json:
            print_json({"table": result.table, "model": result.model, **row.to_json()})
        else:
            print(row_line(row))


def row_line(row: Row) -> str:
    interval = "" if row.low is None or row.high is None else f"  ({row.low:.3f} to {row.high:.3f})"
    paper = "" if row.paper is None else f"  paper {row.paper:.3f}"
    return f"{row.name:46} {row.metric:44} {row.value:8.3f}{interval}{paper}"
