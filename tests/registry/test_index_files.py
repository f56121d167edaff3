"""An index file is derived data: without it, with a damaged one or with another's, the answers stay the same."""

from __future__ import annotations

import json
import logging
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from registry_samples import KEY, MODEL, fill, make_draft

from tiacam.registry import Record, Registry, shelf_file

COUNT = 40


@pytest.fixture(params=["signs", "usearch"], autouse=True)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(shelf_file, "LEAST_FOLD", 8)
    return str(request.param)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "registry"


def look(path: Path, kind: str, records: list[Record]) -> list[bool]:
    """Whether each record is found by its own feature, in a registry opened afresh."""
    with Registry.open(path, index=kind) as registry:
        return [registry.find(record.feature, 1, MODEL)[0].record_id == record.id for record in records]


def folder_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.index")


def description_of(path: Path) -> Path:
    (found,) = folder_of(path).glob("*.json")
    return found


def data_of(path: Path) -> Path:
    return folder_of(path) / json.loads(description_of(path).read_text())["file"]


def change(path: Path, **values: object) -> None:
    file = description_of(path)
    file.write_text(json.dumps(json.loads(file.read_text()) | values))


def flip_a_bit(path: Path) -> None:
    content = bytearray(data_of(path).read_bytes())
    content[len(content) // 2] ^= 16
    data_of(path).write_bytes(content)


def cut_in_half(path: Path) -> None:
    data_of(path).write_bytes(data_of(path).read_bytes()[: data_of(path).stat().st_size // 2])


DAMAGE: dict[str, Callable[[Path], object]] = {
    "a flipped bit": flip_a_bit,
    "half a file": cut_in_half,
    "an empty file": lambda path: data_of(path).write_bytes(b""),
    "no data file": lambda path: data_of(path).unlink(),
    "a description that is no JSON": lambda path: description_of(path).write_text("{"),
    "a description of something else": lambda path: description_of(path).write_text("[1]"),
    "a description with a field missing": lambda path: change(path, format="tiacam-index-1", coverage={}),
    "another model": lambda path: change(path, model="tiny-2"),
    "another width": lambda path: change(path, width=17),
    "other settings": lambda path: change(path, settings="float"),
    "another format": lambda path: change(path, format="tiacam-index-99"),
    "other records": lambda path: change(path, coverage={"records": COUNT, "last": COUNT, "head": "00" * 32}),
    "too few records": lambda path: change(
        path, coverage=json.loads(description_of(path).read_text())["coverage"] | {"records": COUNT - 1}
    ),
}


def test_the_file_is_written_once_and_then_used(path: Path, kind: str) -> None:
    records = fill(path, COUNT)
    assert all(look(path, kind, records))
    before = description_of(path).read_bytes()
    assert all(look(path, kind, records))
    assert description_of(path).read_bytes() == before


def test_a_deleted_index_is_made_again(path: Path, kind: str) -> None:
    records = fill(path, COUNT)
    look(path, kind, records)
    shutil.rmtree(folder_of(path))
    assert all(look(path, kind, records))
    assert data_of(path).exists()


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_file_that_does_not_belong_to_the_ledger_is_noticed_and_made_again(
    path: Path, kind: str, damage: Callable[[Path], object], caplog: pytest.LogCaptureFixture
) -> None:
    records = fill(path, COUNT)
    look(path, kind, records)
    damage(path)
    with caplog.at_level(logging.WARNING):
        assert all(look(path, kind, records))
    assert "is made again" in caplog.text
    caplog.clear()
    assert all(look(path, kind, records))
    assert not caplog.text


def test_the_index_of_another_registry_is_not_taken_for_ones_own(
    tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    records = fill(mine, COUNT)
    look(theirs, kind, fill(theirs, COUNT))
    shutil.copytree(folder_of(theirs), folder_of(mine))
    assert all(look(mine, kind, records))
    assert "other records" in caplog.text


def test_a_ledger_restored_from_an_older_copy_gets_an_index_of_its_own(path: Path, kind: str) -> None:
    records = fill(path, 20)
    copy = path.with_name("copy")
    shutil.copy(path, copy)
    with Registry.open(path) as registry:
        registry.add_many([make_draft(1000 + number) for number in range(20)], KEY)
    look(path, kind, records)
    shutil.copy(copy, path)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    assert all(look(path, kind, records))
    with Registry.open(path, index=kind) as registry:
        assert len(registry.find(records[0].feature, 100, MODEL)) == 20


def test_a_few_new_records_do_not_rewrite_the_file_and_many_do(path: Path, kind: str) -> None:
    records = fill(path, COUNT)
    look(path, kind, records)
    before = description_of(path).read_bytes()
    with Registry.open(path) as registry:
        few = registry.add_many([make_draft(1000 + number) for number in range(5)], KEY)
    assert all(look(path, kind, [*records, *few]))
    assert description_of(path).read_bytes() == before
    with Registry.open(path) as registry:
        many = registry.add_many([make_draft(2000 + number) for number in range(20)], KEY)
    assert all(look(path, kind, [*records, *few, *many]))
    assert json.loads(description_of(path).read_text())["coverage"]["records"] == COUNT + 25


def test_a_long_running_process_folds_its_records_in_beside_its_work(path: Path, kind: str) -> None:
    with Registry.open(path, index=kind) as registry:
        for number in range(60):
            record = registry.add(make_draft(number), KEY)
            assert registry.find(record.feature, 1, MODEL)[0].record_id == record.id
    assert json.loads(description_of(path).read_text())["coverage"]["records"] > 8


def test_where_no_file_can_be_written_the_answers_are_the_same(
    path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    records = fill(path, COUNT)
    folder_of(path).write_text("in the way")
    assert all(look(path, kind, records))
    assert "cannot be written" in caplog.text


def test_several_processes_add_and_search_at_once_and_nothing_is_missed(path: Path, kind: str) -> None:
    records = fill(path, 20)
    script = Path(__file__).with_name("index_child.py")
    command = [sys.executable, str(script), str(path), kind]
    children = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    outputs = [child.communicate(timeout=120)[0] for child in children]
    assert [json.loads(output) for output in outputs] == [{"added": 30, "missed": 0}] * 3
    with Registry.open(path, index=kind) as registry:
        state = registry.index_state(MODEL)
        assert state is not None
        assert len(registry) == 110
        registry.find(records[0].feature, 1, MODEL)
        assert registry.index_state(MODEL) == type(state)(state.kind, state.place, 110, 0)
