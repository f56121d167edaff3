"""`tiacam read`: which registered picture does a photo show, and what is its message?"""

from __future__ import annotations

import argparse

from tiacam.cli.options import add_session, find_files, open_session
from tiacam.cli.output import print_json, verdict_json, verdict_line, with_progress

HELP = "find the registered picture in photos and read its message"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("photos", nargs="+", metavar="PHOTO", help="photos, screenshots, folders or patterns")
    add_session(parser)


def run(options: argparse.Namespace) -> int:
    photos = find_files(options.photos)
    codes = {0}
    with open_session(options) as session:
        paired = zip(photos, session.read_many(photos), strict=True)
        for photo, result in with_progress(paired, len(photos), "reading"):
            if isinstance(result, Exception):
                codes.add(1)
                print_json({"photo": photo, "error": str(result)}) if options.json else print(
                    named(photo, result)
                )
            else:
                codes.add(0 if result.registered else 3)
                print_json(verdict_json(photo, result)) if options.json else print(
                    verdict_line(photo, result)
                )
    return 1 if 1 in codes else max(codes)


def named(photo: str, error: Exception) -> str:
    """The error's text with the photo in front, unless it begins with it already."""
    text = str(error)
    return text if text.startswith(photo) else f"{photo}: {text}"
