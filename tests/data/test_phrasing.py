"""Captions said in other ways."""

from __future__ import annotations

import pytest

from tiacam.data.phrasing import Style, rephrase, rephrase_all

SENTENCE = "A man riding a horse on a beach"


@pytest.mark.parametrize(
    ("style", "wanted"),
    [
        (Style.PLAIN, "A man riding a horse on a beach."),
        (Style.TEMPLATE, "This is an image of a man riding a horse on a beach."),
        (Style.REORDERED, "On a beach, a man riding a horse."),
        (Style.SHORTENED, "A man riding a horse."),
    ],
)
def test_a_caption_in_each_style(style: Style, wanted: str) -> None:
    assert rephrase(SENTENCE, style) == wanted


def test_the_words_of_a_region_become_the_papers_sentence() -> None:
    assert rephrase("person wearing fedora", Style.TEMPLATE) == "This is an image of a person wearing fedora."


def test_only_the_last_circumstance_is_moved_and_a_long_one_stays_whole() -> None:
    caption = "a cat sitting on a chair in front of a window."
    assert rephrase(caption, Style.REORDERED) == "In front of a window, a cat sitting on a chair."


@pytest.mark.parametrize("style", [Style.REORDERED, Style.SHORTENED])
def test_a_caption_of_one_part_has_no_other_order(style: Style) -> None:
    assert rephrase("Two zebras grazing", style) is None


@pytest.mark.parametrize("style", list(Style))
def test_nothing_is_made_of_nothing(style: Style) -> None:
    assert rephrase("  . ", style) is None


def test_each_sentence_comes_once_and_names_keep_their_capitals() -> None:
    said = rephrase_all([SENTENCE, SENTENCE + "."], [Style.PLAIN, Style.SHORTENED])
    assert said == ["A man riding a horse on a beach.", "A man riding a horse."]
    assert rephrase("TV on a wall", Style.REORDERED) == "On a wall, TV."
