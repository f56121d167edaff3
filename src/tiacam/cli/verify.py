"""`tiacam verify`: does this photo show the picture of this record?"""

from __future__ import annotations

import argparse

from tiacam.cli.options import add_session, open_session
from tiacam.cli.output import print_json, verdict_json, verdict_line
from tiacam.errors import TiacamError

HELP = "check a photo against one record"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("photo", metavar="PHOTO")
    parser.add_argument(
        "--id", required=True, metavar="ID", help="the record's id, or an unambiguous beginning of it"
    )
    add_session(parser)


def run(options: argparse.Namespace) -> int:
    with open_session(options) as session:
        try:
            verdict = session.verify(options.photo, options.id)
        except TiacamError as error:
            if not options.json:
                raise
            print_json({"photo": options.photo, "error": str(error)})
            return error.exit_code
    print_json(verdict_json(options.photo, verdict)) if options.json else print(
        verdict_line(options.photo, verdict)
    )
    return 0 if verdict.registered else 3
