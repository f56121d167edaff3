"""Choosing the index from the command line, and what happens when Milvus is not there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cli_samples import COFFEE, HORSE, Outcome

Command = Callable[..., Outcome]
NOBODY = "milvus://127.0.0.1:9"  # the port of the discard service, where nothing listens


def test_an_index_that_does_not_exist_is_a_wrong_call(tiacam: Command, filled: Path) -> None:
    outcome = tiacam("read", COFFEE, "--registry", filled, "--index", "faiss")
    assert outcome.code == 2
    assert "signs" in outcome.err


@pytest.mark.parametrize("index", ["exact", "signs", "usearch"])
def test_a_picture_is_read_with_any_index(tiacam: Command, filled: Path, index: str) -> None:
    (verdict,) = tiacam("read", COFFEE, "--registry", filled, "--index", index, "--json").objects
    assert verdict["registered"]


def test_without_milvus_registering_works_and_reading_names_the_address(
    tiacam: Command, filled: Path
) -> None:
    registered = tiacam("register", HORSE, "--message", "hello", "--registry", filled, "--index", NOBODY)
    assert registered.code == 0
    read = tiacam("read", HORSE, "--registry", filled, "--index", NOBODY)
    assert read.code == 1
    assert NOBODY in read.err
    assert tiacam("read", HORSE, "--registry", filled).code == 0
