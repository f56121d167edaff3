"""`register --manifest`: a message of its own for every picture, and bad lines named by their number."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_samples import COFFEE, HORSE, ROCKET, Outcome

Command = Callable[..., Outcome]


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    folder = tmp_path / "collection"
    folder.mkdir()
    for picture in (COFFEE, ROCKET, HORSE):
        shutil.copy(picture, folder)
    return folder / "manifest.jsonl"


def write(manifest: Path, *lines: object) -> None:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    manifest.write_text("\n".join(texts) + "\n", encoding="utf-8")


def test_every_picture_gets_its_own_message_and_note(tiacam: Command, registry: Path, manifest: Path) -> None:
    write(
        manifest,
        {"file": "coffee.jpg", "message": "first", "note": "a cup"},
        "",
        {"file": "rocket.jpg", "hex": "0123", "note": None},
        {"file": str(manifest.parent / "horse.jpg"), "bits": "101"},
    )
    registered = tiacam("register", "--manifest", manifest, "--registry", registry, "--json")
    assert registered.code == 0
    assert [answer["bits"] for answer in registered.objects] == [40, 16, 3]
    notes = [record["note"] for record in tiacam("list", "--registry", registry, "--json").objects]
    assert notes == ["a cup", "", ""]
    read = tiacam("read", manifest.parent, "--registry", registry, "--json").objects
    assert {Path(answer["photo"]).name: answer["hex"] for answer in read} == {
        "coffee.jpg": b"first".hex(),
        "horse.jpg": "5",
        "rocket.jpg": "0123",
    }


def test_a_note_on_the_command_line_is_for_lines_without_one(
    tiacam: Command, registry: Path, manifest: Path
) -> None:
    write(manifest, {"file": "coffee.jpg", "hex": "a"}, {"file": "horse.jpg", "hex": "b", "note": "mine"})
    tiacam("register", "--manifest", manifest, "--note", "spring", "--registry", registry)
    notes = [record["note"] for record in tiacam("list", "--registry", registry, "--json").objects]
    assert notes == ["spring", "mine"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "no JSON object"),
        ("[1, 2]", 'wanted an object with "file"'),
        ('{"message": "no file"}', 'wanted an object with "file"'),
        ('{"file": 7, "message": "x"}', 'wanted an object with "file"'),
        ('{"file": "coffee.jpg"}', "exactly one of message, hex and bits, got none"),
        ('{"file": "coffee.jpg", "message": "x", "hex": "aa"}', "got message and hex"),
        ('{"file": "coffee.jpg", "hex": 12}', "hex is 12, wanted text in quotes"),
        ('{"file": "coffee.jpg", "hex": "xyz"}', "not a hexadecimal number"),
        ('{"file": "coffee.jpg", "message": ""}', "message has 0 bits"),
        ('{"file": "coffee.jpg", "message": "%s"}' % ("x" * 129), "message has 1032 bits"),
        ('{"file": "coffee.jpg", "message": "\\ud800"}', "surrogates not allowed"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_registered(
    tiacam: Command, registry: Path, manifest: Path, line: str, reason: str
) -> None:
    write(manifest, {"file": "coffee.jpg", "message": "good"}, line)
    outcome = tiacam("register", "--manifest", manifest, "--registry", registry, "--json")
    assert (outcome.code, outcome.out) == (2, "")
    assert f"{manifest}, line 2: " in outcome.err
    assert reason in outcome.err
    assert not registry.exists()


def test_a_picture_that_is_missing_is_reported_in_its_place(
    tiacam: Command, registry: Path, manifest: Path
) -> None:
    write(manifest, {"file": "gone.jpg", "hex": "a"}, {"file": "coffee.jpg", "hex": "b"})
    outcome = tiacam("register", "--manifest", manifest, "--registry", registry, "--json")
    assert outcome.code == 1
    assert [list(answer)[1] for answer in outcome.objects] == ["error", "id"]


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xff\xfe\x00"])
def test_a_manifest_without_lines_is_a_usage_error(
    tiacam: Command, registry: Path, manifest: Path, content: bytes
) -> None:
    manifest.write_bytes(content)
    outcome = tiacam("register", "--manifest", manifest, "--registry", registry)
    assert outcome.code == 2
    assert str(manifest) in outcome.err


def test_a_missing_manifest_and_files_beside_a_manifest_are_usage_errors(
    tiacam: Command, registry: Path, manifest: Path
) -> None:
    assert tiacam("register", "--manifest", manifest, "--registry", registry).code == 2
    write(manifest, {"file": "coffee.jpg", "hex": "a"})
    outcome = tiacam("register", COFFEE, "--manifest", manifest, "--registry", registry)
    assert outcome.code == 2
    assert "not both" in outcome.err
