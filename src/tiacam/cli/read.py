"""`tiacam read`: which registered picture does a photo show, and what is its message?"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tiacam.cli.options import add_session, find_files, open_session
from tiacam.cli.output import print_json, verdict_json, verdict_line, with_progress

if TYPE_CHECKING:
    from tiacam import Tiacam, Verdict

    Answer = Verdict | Exception


HELP = "find the registered picture in photos and read its message"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("photos", nargs="+", metavar="PHOTO", help="photos, screenshots, folders or patterns")
    parser.add_argument(
        "--all", action="store_true", help="every registered picture in a photo, a collage or a screenshot"
    )
    drawn = parser.add_mutually_exclusive_group()
    drawn.add_argument(
        "--mirror", action="store_true", help="the photos are mirror images, as front cameras make them"
    )
    drawn.add_argument(
        "--explain", type=Path, metavar="FOLDER", help="also draw what was looked at, one PNG a photo"
    )
    add_session(parser)


def run(options: argparse.Namespace) -> int:
    photos = find_files(options.photos)
    codes = {0}
    with open_session(options) as session:
        for photo, result in with_progress(answers(session, photos, options), len(photos), "reading"):
            codes.add(show(photo, result, options.json))
    return 1 if 1 in codes else max(codes)


def answers(
    session: Tiacam, photos: Sequence[str], options: argparse.Namespace
) -> Iterator[tuple[str, Answer]]:
    """One answer a photo; with --all perhaps several, or one that nothing was found."""
    if options.explain:
        for photo, path in zip(photos, drawings(photos, options.explain), strict=True):
            yield from ((photo, answer) for answer in explained(session, photo, path, every=options.all))
    elif options.all:
        for photo in photos:
            yield from ((photo, answer) for answer in every(session, photo, mirror=options.mirror))
    else:
        yield from zip(photos, session.read_many(photos, mirror=options.mirror), strict=True)


def every(session: Tiacam, photo: str, *, mirror: bool) -> Sequence[Answer]:
    from tiacam.errors import ImageError, WrongKeyError

    try:
        return session.read_all(photo, mirror=mirror) or [session.read(photo, mirror=mirror)]
    except (ImageError, WrongKeyError) as error:
        return [error]


def drawings(photos: Sequence[str], folder: Path) -> Iterator[Path]:
    """A file for each photo's explanation, named after the photo; of the same name, the later ones are numbered."""
    seen: Counter[str] = Counter()
    for photo in photos:
        stem = Path(photo).stem
        seen[stem] += 1
        number = f"-{seen[stem]}" if seen[stem] > 1 else ""
        yield folder / f"{stem}-explained{number}.png"


def explained(session: Tiacam, photo: str, path: Path, *, every: bool) -> Sequence[Answer]:
    from tiacam.cli.explaining import draw_explanation, write_explanation
    from tiacam.errors import ImageError, WrongKeyError

    answers: list[Answer] = []
    try:
        if every:
            picture, verdicts, lookup = session.explain_all(photo)
            answers.extend(verdicts)
        if not answers:
            picture, verdict, lookup = session.explain(photo)
            answers.append(verdict)
    except (ImageError, WrongKeyError) as error:
        return [error]
    write_explanation(draw_explanation(picture, answers, lookup), path)
    print(f"drew {path}", file=sys.stderr)
    return answers


def show(photo: str, result: Answer, as_json: bool) -> int:
    """Print one answer; returns its exit code."""
    if isinstance(result, Exception):
        print_json({"photo": photo, "error": str(result)}) if as_json else print(named(photo, result))
        return 1
    print_json(verdict_json(photo, result)) if as_json else print(verdict_line(photo, result))
    return 0 if result.registered else 3


def named(photo: str, error: Exception) -> str:
    """The error's text with the photo in front, unless it begins with it already."""
    text = str(error)
    return text if text.startswith(photo) else f"{photo}: {text}"
