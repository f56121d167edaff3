"""Tokens: shown once, kept as digests, taken away again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiacam.cli import main
from tiacam.errors import UsageError
from tiacam.service.tokens import Scope, TokenBook, add_token, read_tokens, remove_token


def test_the_file_holds_no_token_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    issued = add_token(path, "camera", [Scope.READ])
    assert issued.text not in path.read_text(encoding="utf-8")
    assert path.stat().st_mode & 0o077 == 0
    found = TokenBook(read_tokens(path)).find(issued.text)
    assert found is not None
    assert (found.name, found.scopes) == ("camera", {Scope.READ})


def test_an_unknown_token_is_not_found_whatever_it_holds() -> None:
    book = TokenBook()
    for text in ("", "tia_", "é", "\udcff", "x" * 100_000):
        assert book.find(text) is None


def test_a_name_is_given_once_and_can_be_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    issued = add_token(path, "camera", [Scope.READ])
    with pytest.raises(UsageError, match="already"):
        add_token(path, "camera", [Scope.ADMIN])
    remove_token(path, "camera")
    assert TokenBook(read_tokens(path)).find(issued.text) is None
    with pytest.raises(UsageError, match="no token called"):
        remove_token(path, "camera")


def test_a_running_service_learns_of_new_and_removed_tokens(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    book = TokenBook(path=path)
    issued = add_token(path, "camera", [Scope.READ])
    assert book.find(issued.text) is not None
    remove_token(path, "camera")
    assert book.find(issued.text) is None


@pytest.mark.parametrize(
    "content", ["", "{}", '{"format": "other", "tokens": []}', '{"format": "tiacam-tokens-1"}']
)
def test_a_damaged_file_is_named_and_not_taken_for_empty(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tokens"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match="no token file"):
        read_tokens(path)


def test_the_command_makes_lists_and_removes_tokens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    registry = ["--registry", str(tmp_path / "r.tiacam")]
    assert main(["serve", *registry, "--new-token", "shop", "--scopes", "read", "register"]) == 0
    text = capsys.readouterr().out.strip()
    assert text.startswith("tia_")
    assert main(["serve", *registry, "--list-tokens"]) == 0
    assert capsys.readouterr().out.startswith("shop\tread register\t")
    assert main(["serve", *registry, "--remove-token", "shop"]) == 0
    assert main(["serve", *registry, "--remove-token", "shop"]) == 2
