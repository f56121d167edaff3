"""Other ways to say a caption (S1): in the template of region phrases, with its parts reordered, or cut short."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from tiacam.data.visual_genome import phrase_sentence

# Where a caption's last circumstance begins; the longest come first, so that "in front of" is not read as "in".
_JOINTS = (
    "in front of|on top of|next to|close to|underneath|alongside|through|against|beside|behind|around|across|above"
    "|under|along|inside|near|over|with|into|from|in|on|at|by"
)
_CIRCUMSTANCE = re.compile(
    rf"^(?P<what>.+\w)\s+(?P<where>(?:{_JOINTS})\s+(?:(?!\b(?:{_JOINTS})\b).)+)$", re.I
)


class Style(StrEnum):
    """How a caption is said."""

    PLAIN = "plain"
    TEMPLATE = "template"
    REORDERED = "reordered"
    SHORTENED = "shortened"


def rephrase(caption: str, style: Style) -> str | None:
    """The caption in this style, or None where it has no such form."""
    text = " ".join(caption.split()).rstrip(" .")
    if not text:
        return None
    if style is Style.PLAIN:
        return f"{text}."
    if style is Style.TEMPLATE:
        return phrase_sentence(_lower_first(text))
    found = _CIRCUMSTANCE.match(text)
    if found is None:
        return None
    what, where = found["what"], found["where"]
    if style is Style.SHORTENED:
        return f"{what}."
    return f"{where[0].upper()}{where[1:]}, {_lower_first(what)}."


def rephrase_all(captions: Iterable[str], styles: Iterable[Style]) -> list[str]:
    """All captions in all styles that they have, each sentence once."""
    chosen = list(styles)
    said = (rephrase(caption, style) for caption in captions for style in chosen)
    return list(dict.fromkeys(sentence for sentence in said if sentence))


def _lower_first(text: str) -> str:
    """Without the capital of a sentence's first word; names in capitals stay as they are."""
    return text if len(text) > 1 and text[1].isupper() else text[0].lower() + text[1:]
