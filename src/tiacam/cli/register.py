"""`tiacam register`: bind messages to pictures, one or a whole collection."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiacam.cli.manifests import manifest_of, submissions_of
from tiacam.cli.options import add_session, open_session, positive
from tiacam.cli.output import print_json, with_progress
from tiacam.errors import DataError

if TYPE_CHECKING:
    from tiacam.app import Submission, Tiacam
    from tiacam.bulk import Engine, Outcome

HELP = "register pictures with a message; their pixels are not touched"
FAILURES = Path("tiacam-failures.jsonl")
FEW_DETAILS = "has almost no details, so other pictures with as little in them can be claimed for it"
MANY = 64  # from here on starting other processes pays


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", metavar="FILE", help="pictures, folders or patterns")
    message = parser.add_mutually_exclusive_group()
    message.add_argument("--message", metavar="TEXT", help="the message as text (UTF-8)")
    message.add_argument(
        "--hex", metavar="DIGITS", help="the message as a hexadecimal number, four bits a digit"
    )
    message.add_argument("--bits", metavar="BITS", help="the message as a string of 0 and 1")
    message.add_argument(
        "--manifest",
        type=Path,
        metavar="FILE",
        help='JSON lines {"file", "message" or "hex" or "bits", "note"?}',
    )
    parser.add_argument("--note", default="", help="free text stored with the record, readable by everybody")
    parser.add_argument(
        "--again", action="store_true", help="make a new record even of what is registered already"
    )
    add_bulk(parser)
    add_session(parser)


def add_bulk(parser: argparse.ArgumentParser) -> None:
    many = parser.add_argument_group("many pictures")
    many.add_argument(
        "--engine",
        choices=["auto", "inline", "processes", "ray"],
        default="auto",
        help=f"who does the work (default: several processes from {MANY} pictures on)",
    )
    many.add_argument("--workers", type=positive, metavar="N", help="how many (default: one a core)")
    many.add_argument("--ray-address", metavar="HOST:PORT", help="join this Ray cluster (default: make one)")
    many.add_argument(
        "--failures",
        type=Path,
        metavar="FILE",
        help="where pictures that could not be registered are listed, if any "
        f"(default: {FAILURES}, and none for a few pictures in this process)",
    )


def run(options: argparse.Namespace) -> int:
    submissions = manifest_of(options) if options.manifest else submissions_of(options)
    tally = Tally(options.json)
    with open_session(options, create=True) as session:
        kind = choose(options.engine, len(submissions))
        outcomes = collect(session, bulk_engine(kind, session, options), submissions, options.again)
        for outcome in with_progress(outcomes, len(submissions), "registering"):
            tally.add(outcome)
        if kind != "inline":
            if tally.registered:
                session.registry.log.sign_head(session.key)
            tally.summarise("" if options.ray_address else session.model.provider)
        if kind != "inline" or options.failures:
            tally.list_failures(options.failures or FAILURES)
    return 1 if tally.failures else 0


def choose(engine: str, pictures: int) -> str:
    if engine != "auto":
        return engine
    return "processes" if pictures >= MANY else "inline"


def bulk_engine(kind: str, session: Tiacam, options: argparse.Namespace) -> Engine:
    from tiacam.app import Drafter, model_of
    from tiacam.bulk import InlineEngine, Setup, make_engine

    if kind == "inline":
        return InlineEngine(Drafter(session.model, session.key))
    setup = Setup(options.model or model_of(session.registry), session.key, options.threads or 1)
    return make_engine(kind, setup, options.workers, options.ray_address)


def collect(session: Tiacam, engine: Engine, submissions: list[Submission], again: bool) -> Iterator[Outcome]:
    from tiacam.bulk import Collector

    return Collector(session, engine, again=again).register(submissions)


@dataclass
class Tally:
    """What became of the pictures: printed one by one, counted, and the failures kept for a list at the end."""

    as_json: bool
    registered: int = 0
    present: int = 0
    failures: list[dict[str, Any]] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)

    def add(self, outcome: Outcome) -> None:
        from tiacam.align import has_few_details

        file, record = str(outcome.submission.image), outcome.record
        if record is None:
            self.failures.append({"file": file, "error": str(outcome.error)})
            self._print(self.failures[-1], str(outcome.error))
            return
        self.present += outcome.present
        self.registered += not outcome.present
        answer = {"file": file, "id": record.id, "bits": record.bits, "model": record.model}
        words = "registered already as" if outcome.present else "registered as"
        line = f"{file}: {words} {record.id} ({record.bits} bits)"
        few = has_few_details(record.landmarks)
        self._print(
            answer | ({"present": True} if outcome.present else {}) | ({"few_details": True} if few else {}),
            line,
        )
        if few:
            print(f"tiacam: warning: {file}: {FEW_DETAILS}", file=sys.stderr)

    def summarise(self, provider: str) -> None:
        seconds = time.monotonic() - self.started
        rate = (self.registered + self.present + len(self.failures)) / max(seconds, 1e-9)
        print(
            f"registered {self.registered}, {self.present} were registered already, {len(self.failures)} failed; "
            f"{seconds:.1f} s, {rate:.1f} pictures a second" + (f", {provider}" if provider else ""),
            file=sys.stderr,
        )

    def list_failures(self, path: Path) -> None:
        """Write them down; where there are none, an earlier run's list is emptied, for it is true no more."""
        if self.failures or path.exists():
            write_failures(path, self.failures)
        if self.failures:
            print(f"the failures are listed in {path}", file=sys.stderr)

    def _print(self, value: dict[str, Any], line: str) -> None:
        if self.as_json:
            print_json(value)
        else:
            print(line, flush=True)


def write_failures(path: Path, failures: list[dict[str, Any]]) -> None:
    try:
        with path.open("w", encoding="ascii") as file:
            file.writelines(json.dumps(failure) + "\n" for failure in failures)
    except OSError as error:
        raise DataError(f"the list of failures {path} cannot be written: {error.strerror}") from error
