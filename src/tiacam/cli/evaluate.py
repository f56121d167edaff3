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
    parser.add_argument("--data", type=Path, metavar="DIR", help="a folder or a tar archive of pictures")
    parser.add_argument("--n", type=positive, default=200, help="how many pictures (default %(default)s)")
    parser.add_argument("--seed", type=whole, default=0, help="of everything random (default %(default)s)")
    parser.add_argument(
        "--out", type=Path, default=Path("results"), metavar="DIR", help="where records go (default results)"
    )
    parser.add_argument(
        "--threads", type=positive, metavar="N", help="CPU threads of a model pass (default: all cores)"
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
    from tiacam.evaluate import TABLES

    for table in TABLES.values():
        if as_json:
            print_json({"table": table.name, "summary": table.summary, "parts": list(table.parts)})
        else:
            print(f"{table.name:12} {table.summary}")
    return 0


def measure(options: argparse.Namespace) -> int:
    from tiacam.evaluate import TABLES, open_bench, partial_path, read_result, run_table
    from tiacam.model import DEFAULT_MODEL, load_model

    table = TABLES.get(options.table)
    if table is None:
        raise UsageError(f"no table {options.table!r}, there are {', '.join(TABLES)}")
    model = load_model(options.model or DEFAULT_MODEL, threads=options.threads)
    bench = open_bench(model, options.data, options.n, options.seed)
    report_pictures(bench, options.n)
    try:
        path = run_table(table, bench, options.out, command_of(options, model.card.name))
    except KeyboardInterrupt:
        kept = partial_path(options.out, table.name, model.id)
        if kept.exists():
            print(f"finished rows are in {kept}: the same command goes on from there", file=sys.stderr)
        raise
    report(read_result(path, table=table.name, model=model.id), as_json=options.json)
    print(f"wrote {path}", file=sys.stderr)
    return 0


def command_of(options: argparse.Namespace, model: str) -> str:
    """The command that gives the same rows; of the data's path only the name, for it lies elsewhere elsewhere."""
    arguments = [options.table, "--model", model, "--data", options.data.resolve().name]
    arguments += ["--n", str(options.n), "--seed", str(options.seed)]
    return shlex.join(["tiacam", "evaluate", *arguments])


def report_pictures(bench: Bench, wanted: int) -> None:
    for reason in bench.shelf.refused:
        print(f"left out: {reason}", file=sys.stderr)
    if bench.n < wanted:
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
    return f"{row.name:18} {row.metric:34} {row.value:6.3f}{interval}{paper}"
