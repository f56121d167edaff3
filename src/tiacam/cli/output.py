"""Printing results: data to stdout, talk and progress to stderr."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from tiacam.cli.options import FEW_FILES

if TYPE_CHECKING:
    from tiacam.watermark import Verdict

T = TypeVar("T")


def print_json(value: Mapping[str, Any]) -> None:
    """One object a line in plain ASCII: valid JSON whatever encoding the terminal or the file's name has."""
    print(json.dumps(value), flush=True)


def with_progress(items: Iterable[T], total: int, what: str) -> Iterator[T]:
    """The items, with a bar or lines on stderr when there are more than a few."""
    if total <= FEW_FILES:
        yield from items
        return
    from tiacam.progress import progress_bar

    yield from progress_bar(items, what, total, unit="file")


def plain(text: str) -> str:
    """Others' text for a terminal: no line ends, no control characters, nothing that could pass for our own words."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text
    )


def verdict_json(photo: str, verdict: Verdict) -> dict[str, Any]:
    """The stable form of a verdict: null where there is nothing to say."""
    message = verdict.message
    return {
        "photo": photo,
        "registered": verdict.registered,
        "id": verdict.record_id,
        "hex": message.hex if message else None,
        "text": message.text if message else None,
        "bits": message.length if message else None,
        "p_value": verdict.p_value,
        "cosine": round(verdict.cosine, 4),
        "view": verdict.view,
        "corners": [[round(x, 5), round(y, 5)] for x, y in verdict.corners] if verdict.corners else None,
        "inliers": verdict.inliers,
        "ms": round(verdict.milliseconds, 1),
    }


def verdict_line(photo: str, verdict: Verdict) -> str:
    if not verdict.registered:
        return f"{photo}: not registered (nearest record has cosine {verdict.cosine:.2f})"
    return (
        f"{photo}: {plain(str(verdict.message))}\n"
        f"    record {verdict.record_id}, {odds(verdict.p_value)}, cosine {verdict.cosine:.2f}, "
        f"read from the {verdict.view} view in {verdict.milliseconds:.0f} ms"
    )


def odds(p_value: float) -> str:
    """How likely an unrelated picture would have given this reading."""
    return "false claim: less than 1 in 10^300" if p_value < 1e-300 else f"false claim: {p_value:.0e}"
