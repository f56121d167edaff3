"""Registering and reading through the command: the round trip, its JSON forms and its exit codes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_samples import COFFEE, HORSE, ROCKET, Outcome
from PIL import Image

from tiacam.model import DEFAULT_MODEL, card_path, read_card

Command = Callable[..., Outcome]
READ_KEYS = [
    "photo",
    "registered",
    "id",
    "hex",
    "text",
    "bits",
    "p_value",
    "cosine",
    "view",
    "corners",
    "inliers",
    "ms",
]


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """Coffee as a small, strongly compressed screenshot."""
    path = tmp_path / "photo.jpg"
    Image.open(COFFEE).convert("RGB").reduce(2).save(path, quality=40)
    return path


def test_a_picture_is_registered_and_read_back_from_a_worse_copy(
    tiacam: Command, registry: Path, photo: Path
) -> None:
    registered = tiacam("register", COFFEE, "--message", "owner 4711", "--registry", registry)
    assert registered.code == 0
    assert "80 bits" in registered.out
    read = tiacam("read", photo, "--registry", registry)
    assert read.code == 0
    assert f"{photo}: owner 4711\n" in read.out
    assert "false claim:" in read.out


def test_a_picture_with_almost_nothing_in_it_is_registered_with_a_warning(
    tiacam: Command, registry: Path, tmp_path: Path
) -> None:
    plain = tmp_path / "plain.png"
    Image.new("RGB", (300, 200), (200, 40, 40)).save(plain)
    registered = tiacam("register", plain, COFFEE, "--message", "x", "--registry", registry, "--json")
    assert [answer.get("few_details") for answer in registered.objects] == [True, None]
    (warning,) = [line for line in registered.err.splitlines() if "warning" in line]
    assert warning.startswith(f"tiacam: warning: {plain}: has almost no details")


def test_register_answers_with_file_id_bits_and_model(tiacam: Command, registry: Path) -> None:
    (answer,) = tiacam("register", COFFEE, "--message", "hello", "--registry", registry, "--json").objects
    assert list(answer) == ["file", "id", "bits", "model"]
    assert answer["file"] == str(COFFEE)
    assert answer["id"].startswith("tia")
    assert answer["bits"] == 40
    assert answer["model"] == read_card(card_path(DEFAULT_MODEL)).id


def test_read_answers_for_a_registered_picture(tiacam: Command, filled: Path, photo: Path) -> None:
    outcome = tiacam("read", photo, "--registry", filled, "--json")
    (answer,) = outcome.objects
    assert outcome.code == 0
    assert list(answer) == READ_KEYS
    assert (answer["photo"], answer["registered"]) == (str(photo), True)
    assert (answer["hex"], answer["text"], answer["bits"]) == (b"owner 4711".hex(), "owner 4711", 80)
    assert 0 <= answer["p_value"] <= 1e-6
    assert 0.5 < answer["cosine"] <= 1
    assert isinstance(answer["view"], str)
    assert answer["ms"] > 0


def test_read_answers_for_a_picture_that_is_not_registered(tiacam: Command, filled: Path) -> None:
    outcome = tiacam("read", HORSE, "--registry", filled, "--json")
    (answer,) = outcome.objects
    assert outcome.code == 3
    assert list(answer) == READ_KEYS
    assert answer["registered"] is False
    assert (answer["id"], answer["hex"], answer["text"]) == (None, None, None)
    assert answer["p_value"] > 1e-6


def test_a_message_that_is_no_text_has_hex_alone(tiacam: Command, filled: Path) -> None:
    (answer,) = tiacam("read", ROCKET, "--registry", filled, "--json").objects
    assert (answer["hex"], answer["text"], answer["bits"]) == ("0beef", None, 20)


@pytest.mark.parametrize(
    ("option", "given", "digits", "bits"),
    [
        ("--hex", "0x00ff", "00ff", 16),
        ("--bits", "0000 0000 101", "005", 11),
        ("--bits", "1", "1", 1),
        ("--message", "naïve 🦜", "naïve 🦜".encode().hex(), 88),
        ("--hex", "f" * 256, "f" * 256, 1024),
    ],
)
def test_every_notation_comes_back_exactly(
    tiacam: Command, registry: Path, option: str, given: str, digits: str, bits: int
) -> None:
    assert tiacam("register", COFFEE, option, given, "--registry", registry).code == 0
    (answer,) = tiacam("read", COFFEE, "--registry", registry, "--json").objects
    assert (answer["hex"], answer["bits"]) == (digits, bits)
    assert answer["text"] == (given if option == "--message" else None)


def test_an_unreadable_photo_among_good_ones_is_an_answer_of_its_own(
    tiacam: Command, filled: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.jpg"
    broken.write_text("no picture")
    outcome = tiacam("read", COFFEE, broken, HORSE, "--registry", filled, "--json")
    good, bad, unknown = outcome.objects
    assert outcome.code == 1
    assert (good["registered"], unknown["registered"]) == (True, False)
    assert list(bad) == ["photo", "error"]
    assert bad["photo"] == str(broken)
    assert "not a picture" in bad["error"]


def test_an_unreadable_picture_does_not_keep_the_others_from_being_registered(
    tiacam: Command, registry: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.jpg"
    broken.write_bytes(b"")
    outcome = tiacam("register", broken, COFFEE, "--bits", "101", "--registry", registry, "--json")
    bad, good = outcome.objects
    assert outcome.code == 1
    assert list(bad) == ["file", "error"]
    assert "empty" in bad["error"]
    assert good["file"] == str(COFFEE)
    assert len(tiacam("list", "--registry", registry).out.splitlines()) == 1


def test_folders_and_patterns_stand_for_the_pictures_in_them(
    tiacam: Command, registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "pictures"
    (folder / "deeper").mkdir(parents=True)
    shutil.copy(COFFEE, folder / "a.JPG")
    shutil.copy(ROCKET, folder / "deeper" / "b.jpeg")
    (folder / "notes.txt").write_text("no picture, and not named like one")
    found = tiacam("register", folder, "--hex", "ab", "--registry", registry, "--json").objects
    assert [answer["file"] for answer in found] == [str(folder / "a.JPG"), str(folder / "deeper" / "b.jpeg")]
    read = tiacam("read", folder / "*" / "*.jp*g", "--registry", registry, "--json").objects
    assert [answer["photo"] for answer in read] == [str(folder / "deeper" / "b.jpeg")]
    monkeypatch.chdir(folder)
    assert [a["photo"] for a in tiacam("read", "*.JPG", "--registry", registry, "--json").objects] == [
        "a.JPG"
    ]


def test_many_photos_are_read_in_batches_and_answered_in_order(
    tiacam: Command, filled: Path, tmp_path: Path
) -> None:
    photos = [tmp_path / f"{number:02}.jpg" for number in range(20)]  # more than one batch
    for number, photo in enumerate(photos):
        shutil.copy(COFFEE if number % 2 else ROCKET, photo)
    outcome = tiacam("read", *photos, "--registry", filled, "--json")
    assert outcome.code == 0
    assert [answer["photo"] for answer in outcome.objects] == [str(photo) for photo in photos]
    assert [answer["bits"] for answer in outcome.objects] == [20, 80] * 10


def test_of_two_registrations_of_one_picture_the_first_is_read(tiacam: Command, filled: Path) -> None:
    assert tiacam("register", COFFEE, "--message", "I was second", "--registry", filled).code == 0
    (answer,) = tiacam("read", COFFEE, "--registry", filled, "--json").objects
    assert answer["text"] == "owner 4711"


def test_verify_accepts_the_photo_of_a_record_and_rejects_another(tiacam: Command, filled: Path) -> None:
    records = tiacam("list", "--registry", filled, "--json").objects
    coffee, rocket = (record["id"] for record in records)
    accepted = tiacam("verify", COFFEE, "--id", coffee, "--registry", filled, "--json")
    rejected = tiacam("verify", COFFEE, "--id", rocket[:12], "--registry", filled, "--json")
    assert (accepted.code, rejected.code) == (0, 3)
    assert list(accepted.objects[0]) == list(rejected.objects[0]) == READ_KEYS
    assert (accepted.objects[0]["id"], rejected.objects[0]["id"]) == (coffee, None)
    assert "not registered" in tiacam("verify", HORSE, "--id", coffee, "--registry", filled).out


def test_explaining_draws_what_was_looked_at(
    tiacam: Command, registry: Path, photo: Path, tmp_path: Path
) -> None:
    tiacam("register", COFFEE, "--message", "hello", "--registry", registry)
    done = tiacam("read", photo, "--registry", registry, "--explain", tmp_path / "out", "--json")
    assert done.code == 0
    (drawn,) = (tmp_path / "out").glob("*-explained.png")
    with Image.open(drawn) as sheet:
        assert sheet.width > sheet.height > 100


def test_every_picture_of_a_collage_is_explained_and_photos_of_one_name_have_a_drawing_each(
    tiacam: Command, filled: Path, tmp_path: Path
) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        page = Image.new("RGB", (1000, 420), (236, 236, 236))
        for left, file in ((20, COFFEE), (510, ROCKET)):
            with Image.open(file) as picture:
                page.paste(picture.convert("RGB").resize((470, 360)), (left, 30))
        page.save(tmp_path / name / "page.png")
    pages = sorted(tmp_path.glob("*/page.png"))
    folder = tmp_path / "out"
    done = tiacam("read", *pages, "--registry", filled, "--all", "--explain", folder, "--json")
    assert [(answer["photo"], answer["registered"]) for answer in done.objects] == [
        (str(page), True) for page in pages for _ in range(2)
    ]
    assert {drawn.name for drawn in folder.iterdir()} == {"page-explained.png", "page-explained-2.png"}


def test_reading_all_pictures_answers_once_for_a_photo_of_one(
    tiacam: Command, registry: Path, photo: Path
) -> None:
    tiacam("register", COFFEE, "--message", "hello", "--registry", registry)
    (answer,) = tiacam("read", photo, "--registry", registry, "--all", "--json").objects
    assert answer["registered"]
    (other,) = tiacam("read", HORSE, "--registry", registry, "--all", "--json").objects
    assert not other["registered"]


def test_failures_are_listed_where_that_is_asked_for_and_a_list_that_is_outdated_is_emptied(
    tiacam: Command, registry: Path, tmp_path: Path
) -> None:
    broken, failures = tmp_path / "broken.jpg", tmp_path / "failures.jsonl"
    broken.write_bytes(b"no picture")
    rest = ("--message", "owner", "--registry", registry, "--failures", failures)
    assert tiacam("register", COFFEE, broken, *rest).code == 1
    (failure,) = failures.read_text().splitlines()
    assert json.loads(failure)["file"] == str(broken)
    assert tiacam("register", COFFEE, *rest).code == 0
    assert failures.read_text() == ""
