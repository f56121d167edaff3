"""Several records, keys, models and openings of one registry."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tiacam.app import Submission, Tiacam, key_path
from tiacam.errors import ImageError, KeyFileError, ModelMismatchError, WrongKeyError
from tiacam.model import DEFAULT_MODEL, card_path
from tiacam.registry import OwnerKey, Record
from tiacam.watermark import Message, Verdict

Pixels = NDArray[np.uint8]
Open = Callable[..., Tiacam]
NAME = "pictures.tiacam"


@pytest.fixture
def other_model(tmp_path: Path) -> str:
    """The shipped model under another name: to a registry, another model."""
    source = card_path(DEFAULT_MODEL)
    value = json.loads(source.read_text(encoding="utf-8"))
    shutil.copy(source.parent / value["file"], tmp_path / value["file"])
    (tmp_path / "other.json").write_text(json.dumps(value | {"name": "other"}), encoding="utf-8")
    return str(tmp_path / "other.json")


def test_two_openings_of_one_registry_see_each_others_records(
    open_tiacam: Open, pictures: dict[str, Pixels]
) -> None:
    one, two = open_tiacam(), open_tiacam()
    first = one.register(pictures["cat"], "from one")
    assert two.read(pictures["cat"]).record_id == first.id
    second = two.register(pictures["coffee"], "from two")
    assert str(one.read(pictures["coffee"]).message) == "from two"
    assert one.registry.verify_chain().records == 2
    assert second.previous == first.hash


@pytest.mark.parametrize("between", [0, 1, 2, 4, 5, 7, 9])
def test_of_two_equal_records_the_older_is_claimed(
    open_tiacam: Open, pictures: dict[str, Pixels], between: int
) -> None:
    tiacam = open_tiacam()
    older = tiacam.register(pictures["cat"], "first")
    noise = np.random.default_rng(between).integers(0, 256, (between, 64, 64, 3), dtype=np.uint8)
    list(tiacam.register_many(Submission(pixels, Message.from_text("noise")) for pixels in noise))
    tiacam.register(pictures["cat"], "second")
    for photo in (pictures["cat"], pictures["cat"][20:-20, 20:-20]):
        verdict = tiacam.read(photo)
        assert (verdict.record_id, str(verdict.message)) == (older.id, "first")


def test_one_bad_file_among_many_does_not_stop_the_others(
    open_tiacam: Open, photo_files: dict[str, Path], tmp_path: Path
) -> None:
    bad = tmp_path / "bad.jpg"
    bad.write_text("this is no picture")
    files = [photo_files["cat"], bad, photo_files["coffee"], tmp_path / "absent.jpg"]
    tiacam = open_tiacam()
    submissions = [Submission(file, Message.from_text(file.name)) for file in files]
    assert [type(result) for result in tiacam.register_many(submissions)][::2] == [Record, Record]
    found = list(tiacam.read_many(files))
    assert [isinstance(result, ImageError) for result in found] == [False, True, False, True]
    assert "bad.jpg" in str(found[1])
    assert "absent.jpg" in str(found[3])
    verdicts = [result for result in found if isinstance(result, Verdict)]
    assert [str(verdict.message) for verdict in verdicts] == ["cat.jpg", "coffee.jpg"]


def test_more_photos_than_a_batch_are_answered_in_order(
    open_tiacam: Open, pictures: dict[str, Pixels]
) -> None:
    tiacam = open_tiacam()
    small = {
        name: np.asarray(Image.fromarray(pixels).resize((224, 224))) for name, pixels in pictures.items()
    }
    for name, pixels in small.items():
        tiacam.register(pixels, name)
    order = [*small, *reversed(small)] * 2
    verdicts = list(tiacam.read_many(small[name] for name in order))
    assert [str(verdict.message) for verdict in verdicts if isinstance(verdict, Verdict)] == order


def test_a_bad_picture_alone_raises_its_error(open_tiacam: Open) -> None:
    tiacam = open_tiacam()
    with pytest.raises(ImageError, match="NaN"):
        tiacam.register(np.full((64, 64, 3), np.nan), "none")
    with pytest.raises(ImageError, match="empty"):
        tiacam.read(b"")
    assert len(tiacam.registry) == 0


def test_records_of_another_model_are_never_compared(
    open_tiacam: Open, pictures: dict[str, Pixels], other_model: str
) -> None:
    record = open_tiacam().register(pictures["cat"], "first model")
    with pytest.raises(ModelMismatchError, match="another model"):
        open_tiacam(model=other_model)
    assert open_tiacam().read(pictures["cat"]).record_id == record.id


def test_a_registry_that_another_model_wrote_to_meanwhile_is_refused(
    open_tiacam: Open, pictures: dict[str, Pixels], other_model: str
) -> None:
    ours, theirs = open_tiacam(), open_tiacam(model=other_model)
    record = theirs.register(pictures["cat"], "other model")
    with pytest.raises(ModelMismatchError, match="other@"):
        ours.read(pictures["cat"])
    with pytest.raises(ModelMismatchError, match="other@"):
        ours.register(pictures["coffee"], "mixed")
    with pytest.raises(ModelMismatchError, match="other@"):
        ours.verify(pictures["cat"], record.id)


def test_a_registry_of_an_unshipped_model_opens_with_its_card_alone(
    open_tiacam: Open, pictures: dict[str, Pixels], other_model: str
) -> None:
    record = open_tiacam(model=other_model).register(pictures["cat"], "other model")
    with pytest.raises(ModelMismatchError, match="other@"):
        open_tiacam()
    assert open_tiacam(model=other_model).read(pictures["cat"]).record_id == record.id


@pytest.fixture
def other_key(tmp_path: Path) -> Path:
    path = tmp_path / "other.key"
    OwnerKey.generate().save(path)
    return path


def test_another_owners_record_is_named_but_not_read(
    open_tiacam: Open, pictures: dict[str, Pixels], other_key: Path
) -> None:
    record = open_tiacam().register(pictures["cat"], "secret")
    stranger = open_tiacam(key=other_key)
    with pytest.raises(WrongKeyError, match=record.id):
        stranger.read(pictures["cat"])
    with pytest.raises(WrongKeyError, match=record.id):
        stranger.verify(pictures["cat"], record.id)
    assert not stranger.read(pictures["galaxies"]).registered


def test_another_owners_picture_among_many_does_not_stop_the_others(
    open_tiacam: Open, pictures: dict[str, Pixels], other_key: Path
) -> None:
    open_tiacam().register(pictures["cat"], "secret")
    stranger = open_tiacam(key=other_key)
    own = stranger.register(pictures["coffee"], "mine")
    foreign, mine = stranger.read_many([pictures["cat"], pictures["coffee"]])
    assert isinstance(foreign, WrongKeyError)
    assert isinstance(mine, Verdict)
    assert mine.record_id == own.id


def test_an_owner_reads_the_own_record_of_a_picture_that_others_registered_too(
    open_tiacam: Open, pictures: dict[str, Pixels], other_key: Path
) -> None:
    open_tiacam().register(pictures["cat"], "theirs")
    owner = open_tiacam(key=other_key)
    record = owner.register(pictures["cat"], "ours")
    verdict = owner.read(pictures["cat"])
    assert (verdict.record_id, str(verdict.message)) == (record.id, "ours")


def test_without_its_key_a_registry_with_records_does_not_open(
    open_tiacam: Open, pictures: dict[str, Pixels], tmp_path: Path
) -> None:
    open_tiacam().register(pictures["cat"], "locked")
    key_path(tmp_path / NAME).rename(tmp_path / "moved.key")
    with pytest.raises(KeyFileError, match="restore it"):
        open_tiacam()
    assert not key_path(tmp_path / NAME).exists()
    assert open_tiacam(key=tmp_path / "moved.key").read(pictures["cat"]).registered


def test_the_key_is_made_once_beside_a_new_registry(open_tiacam: Open, tmp_path: Path) -> None:
    one, two = open_tiacam(), open_tiacam()
    assert one.key_file.created
    assert not two.key_file.created
    assert one.key == two.key
    assert one.key_file.path == tmp_path / f"{NAME}.key"
    assert one.key_file.path.stat().st_mode & 0o777 == 0o600


def test_a_false_claim_rate_that_is_none_is_refused(open_tiacam: Open) -> None:
    with pytest.raises(ValueError, match="false-claim rate"):
        open_tiacam(false_claim_rate=2.0)


def test_a_stricter_rate_refuses_what_a_looser_one_accepts(
    open_tiacam: Open, pictures: dict[str, Pixels]
) -> None:
    loose = open_tiacam()
    loose.register(pictures["cat"], "cat")
    crop = pictures["cat"][30:-30, 30:-30]
    assert loose.read(crop).p_value <= 1e-6
    assert not open_tiacam(false_claim_rate=1e-300).read(crop).registered


def test_copies_by_other_owners_do_not_crowd_out_ones_own_record(
    open_tiacam: Open, pictures: dict[str, Pixels], other_key: Path
) -> None:
    stranger = open_tiacam(key=None)
    for number in range(8):
        stranger.register(pictures["cat"], f"copy {number}")
    mine = open_tiacam(key=other_key)
    own = mine.register(pictures["cat"], "mine")
    assert mine.read(pictures["cat"]).record_id == own.id
