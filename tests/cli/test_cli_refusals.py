"""Wrong calls and bad input: the exit code, the words, and that nothing was changed."""

from __future__ import annotations

import sqlite3
import struct
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from cli_samples import COFFEE, Outcome
from PIL import Image

Command = Callable[..., Outcome]
LOOKING = [("list",), ("audit",), ("export",), ("show", "tiaabcdef"), ("read", COFFEE)]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("paint",),
        ("read",),
        ("verify", COFFEE),
        ("register", COFFEE, "--hex", "a", "--bits", "1"),
        ("read", COFFEE, "--threads", "0"),
        ("read", COFFEE, "--threads", "many"),
    ],
)
def test_a_wrong_call_exits_with_2_and_shows_the_usage(
    tiacam: Command, arguments: tuple[object, ...]
) -> None:
    outcome = tiacam(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert "usage: tiacam" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("register", COFFEE), "exactly one of message, hex and bits"),
        (("register", "--hex", "ab"), "no picture named"),
        (("register", COFFEE, "--hex", "xyz"), "not a hexadecimal number"),
        (("register", COFFEE, "--bits", "012"), "not a string of the bits 0 and 1"),
        (("register", COFFEE, "--message", ""), "message has 0 bits"),
        (("register", COFFEE, "--message", "x" * 129), "message has 1032 bits, a picture carries 1 to 1024"),
        (("register", COFFEE, "--message", "\udcff"), "surrogates not allowed"),
        (("register", "nothing-*.jpg", "--hex", "ab"), "no file matches nothing-*.jpg"),
    ],
)
def test_a_senseless_registration_exits_with_2_and_makes_no_registry(
    tiacam: Command, registry: Path, arguments: tuple[object, ...], reason: str
) -> None:
    outcome = tiacam(*arguments, "--registry", registry)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("tiacam: ")
    assert reason in outcome.err
    assert not registry.exists()


def test_a_folder_without_pictures_is_a_usage_error(tiacam: Command, filled: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    outcome = tiacam("read", tmp_path / "empty", "--registry", filled)
    assert outcome.code == 2
    assert "holds no pictures" in outcome.err


@pytest.mark.parametrize("arguments", LOOKING)
def test_a_registry_that_does_not_exist_is_not_made_by_looking_into_it(
    tiacam: Command, registry: Path, arguments: tuple[object, ...]
) -> None:
    outcome = tiacam(*arguments, "--registry", registry)
    assert outcome.code == 2
    assert f"there is no registry {registry}" in outcome.err
    assert list(registry.parent.iterdir()) == []


@pytest.mark.parametrize("command", ["show", "verify"])
@pytest.mark.parametrize("record_id", ["tiazzzzzzzz", "tia", "ünbekannt", "%"])
def test_an_unknown_record_exits_with_3(tiacam: Command, filled: Path, command: str, record_id: str) -> None:
    arguments = ("show", record_id) if command == "show" else ("verify", COFFEE, "--id", record_id)
    outcome = tiacam(*arguments, "--registry", filled)
    assert (outcome.code, outcome.out) == (3, "")
    assert f"no record has the id {record_id!r}" in outcome.err


@pytest.mark.parametrize("arguments", LOOKING)
def test_a_damaged_registry_is_named_and_left_as_it_is(
    tiacam: Command, filled: Path, arguments: tuple[object, ...]
) -> None:
    with filled.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * 4096 * 20)
    content = filled.read_bytes()
    outcome = tiacam(*arguments, "--registry", filled)
    assert (outcome.code, outcome.out) == (1, "")
    assert "damaged" in outcome.err
    assert filled.read_bytes() == content


def test_a_file_that_is_no_database_is_not_taken_for_a_registry(tiacam: Command, registry: Path) -> None:
    registry.write_text("my diary\n" * 100)
    outcome = tiacam("register", COFFEE, "--hex", "ab", "--registry", registry)
    assert outcome.code == 1
    assert "not an SQLite database" in outcome.err
    assert registry.read_text() == "my diary\n" * 100


@pytest.mark.parametrize("arguments", [*LOOKING, ("register", COFFEE, "--hex", "ab")])
def test_a_registry_of_a_newer_tiacam_is_left_alone(
    tiacam: Command, filled: Path, arguments: tuple[object, ...]
) -> None:
    with closing(sqlite3.connect(filled)) as connection:
        connection.execute("PRAGMA user_version = 99")
    outcome = tiacam(*arguments, "--registry", filled)
    assert (outcome.code, outcome.out) == (1, "")
    assert "schema version 99" in outcome.err
    assert "upgrade tiacam" in outcome.err


def test_a_model_that_is_not_there_or_not_the_registrys_is_refused(tiacam: Command, filled: Path) -> None:
    for name in ("no-such-model", "/nowhere/card.json"):
        outcome = tiacam("read", COFFEE, "--model", name, "--registry", filled)
        assert outcome.code == 1
        assert name in outcome.err


def bomb(side: int) -> bytes:
    """A small PNG file that claims to hold side × side pixels, all black."""
    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    packed = zlib.compress(bytes(side * (1 + -(-side // 8))), 1)
    chunks = [(b"IHDR", header), (b"IDAT", packed), (b"IEND", b"")]
    coded = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(coded)


def spoiled(folder: Path) -> dict[str, Path]:
    """One file for every way in which a picture can be none."""
    whole = COFFEE.read_bytes()
    contents = {
        "is empty": ("empty.jpg", b""),
        "is a text": ("text.jpg", b"Dear diary, today I was renamed."),
        "is cut off": ("cut.jpg", whole[: len(whole) // 2]),
    }
    files = {}
    for reason, (name, content) in contents.items():
        files[reason] = folder / name
        files[reason].write_bytes(content)
    files["has one pixel"] = folder / "pixel.png"
    Image.new("RGB", (1, 1)).save(files["has one pixel"])
    files["is a bomb"] = folder / "bomb.png"
    files["is a bomb"].write_bytes(bomb(30_000))
    files["is missing"] = folder / "missing.jpg"
    files["is a registry"] = folder / "registry.tiacam"
    return files


def test_each_kind_of_file_that_is_no_picture_is_named_with_its_reason(
    tiacam: Command, filled: Path, tmp_path: Path
) -> None:
    files = spoiled(tmp_path)
    outcome = tiacam("read", *files.values(), "--registry", filled, "--json")
    assert outcome.code == 1
    assert [answer["photo"] for answer in outcome.objects] == [str(file) for file in files.values()]
    wanted = ["empty", "not a picture", "truncated", "at least 32", "megapixels", "No such file", "SQLite"]
    for answer, words in zip(outcome.objects, wanted, strict=True):
        assert list(answer) == ["photo", "error"]
        assert answer["error"].startswith(answer["photo"])
        assert words in answer["error"]
    registered = tiacam("register", *files.values(), "--hex", "ab", "--registry", filled)
    assert registered.code == 1
    assert len(tiacam("list", "--registry", filled).out.splitlines()) == 2


def test_verify_says_in_json_what_is_wrong_with_a_photo_or_an_id(
    tiacam: Command, filled: Path, tmp_path: Path
) -> None:
    text = spoiled(tmp_path)["is a text"]
    record_id = tiacam("list", "--registry", filled, "--json").objects[0]["id"]
    for photo, wanted, code, words in (
        (text, record_id, 1, "not a picture"),
        (COFFEE, "tiazzzzzzzz", 3, "no record has the id"),
    ):
        outcome = tiacam("verify", photo, "--id", wanted, "--registry", filled, "--json")
        (answer,) = outcome.objects
        assert (outcome.code, list(answer)) == (code, ["photo", "error"])
        assert words in answer["error"]


def test_an_animation_is_read_with_one_line_of_warning(tiacam: Command, filled: Path, tmp_path: Path) -> None:
    animation = tmp_path / "moving.gif"
    with Image.open(COFFEE) as first, Image.new("RGB", first.size) as second:
        first.convert("P").save(animation, save_all=True, append_images=[second])
    outcome = tiacam("read", animation, "--registry", filled, "--json")
    assert (outcome.code, outcome.objects[0]["text"]) == (0, "owner 4711")
    assert (
        outcome.err
        == f"tiacam: warning: {animation}: holds several frames or pages, only the first is read\n"
    )
