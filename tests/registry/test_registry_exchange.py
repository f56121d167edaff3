"""Export and import: the chain travels whole, is checked on arrival, and nothing is ever half there."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from registry_samples import KEY, Place, fill, make_draft

from tiacam.errors import DamagedRegistryError, DataError, RegistryError
from tiacam.registry import ImportReport, OwnerKey, Registry

COUNT = 5


@pytest.fixture
def lines(place: Place) -> list[str]:
    """The export of a ledger with five records, line by line."""
    fill(place, COUNT)
    text = io.StringIO()
    with Registry.open(place) as registry:
        assert registry.export(text) == COUNT
    return text.getvalue().splitlines(keepends=True)


@pytest.fixture
def empty(tmp_path: Path) -> Registry:
    return Registry.open(tmp_path / "empty.sqlite")


def test_an_export_is_one_json_object_a_line_in_plain_ascii(place: Place) -> None:
    text = io.StringIO()
    with Registry.open(place) as registry:
        record = registry.add(make_draft(note="日没\n\u2028"), KEY)
        registry.export(text)
    assert text.getvalue().isascii()
    assert json.loads(text.getvalue()) == record.to_json()


def test_importing_into_an_empty_registry_keeps_the_chain_exactly(
    place: Place, lines: list[str], tmp_path: Path
) -> None:
    with Registry.open(place) as source, Registry.open(tmp_path / "copy.sqlite") as copy:
        source.export(tmp_path / "export.jsonl")
        assert copy.import_(tmp_path / "export.jsonl") == ImportReport(added=COUNT, present=0)
        assert copy.verify_chain() == source.verify_chain()
        assert list(copy.records()) == list(source.records())
    assert (tmp_path / "export.jsonl").read_text() == "".join(lines)


def test_importing_again_adds_only_what_is_new(lines: list[str], empty: Registry) -> None:
    with empty:
        assert empty.import_(lines[:2]) == ImportReport(added=2, present=0)
        assert empty.import_(lines) == ImportReport(added=COUNT - 2, present=2)
        assert empty.import_(lines[:3]) == ImportReport(added=0, present=3)
        assert empty.verify_chain().records == COUNT
        empty.add(make_draft(), KEY)
        assert empty.verify_chain().records == COUNT + 1


def test_another_history_is_refused_and_leaves_the_registry_as_it_was(
    lines: list[str], empty: Registry
) -> None:
    with empty:
        own = empty.add(make_draft(), KEY)
        with pytest.raises(RegistryError, match="another history") as caught:
            empty.import_(lines)
        assert own.id in str(caught.value)
        assert list(empty.records()) == [own]


def test_a_registry_that_went_on_by_itself_is_not_merged(lines: list[str], empty: Registry) -> None:
    with empty:
        empty.import_(lines[:3])
        empty.add(make_draft(), KEY)
        with pytest.raises(RegistryError, match="number 4"):
            empty.import_(lines)
        assert len(empty) == 4


@pytest.mark.parametrize(
    "fault", ["cut", "edited", "deleted", "swapped", "headless", "text", "binary", "list", "deep"]
)
def test_a_bad_export_is_refused_with_its_line_before_anything_is_written(
    lines: list[str], empty: Registry, fault: str
) -> None:
    bad: dict[str, list[str | bytes]] = {
        "cut": [*lines[:4], lines[4][:200]],
        "edited": [*lines[:4], lines[4].replace('"note":"4"', '"note":"5"')],
        "deleted": [*lines[:2], *lines[3:]],
        "swapped": [lines[0], lines[2], lines[1], *lines[3:]],
        "headless": list(lines[1:]),
        "text": [*lines, "hello\n"],
        "binary": [*lines, b"\xff\xfe\n"],
        "list": [*lines, "[1]\n"],
        "deep": [*lines, "[" * 100_000],
    }
    with empty:
        with pytest.raises(DamagedRegistryError, match=r"line \d"):
            empty.import_(bad[fault])
        assert len(empty) == 0


def test_a_record_signed_anew_by_another_key_breaks_the_chain(lines: list[str], empty: Registry) -> None:
    thief = OwnerKey.generate()
    value = json.loads(lines[0])
    with empty, pytest.raises(DamagedRegistryError):
        empty.import_([json.dumps(value | {"owner": thief.public.hex()}), *lines[1:]])


def test_an_empty_export_and_empty_lines_are_fine(lines: list[str], empty: Registry) -> None:
    with empty:
        assert empty.import_([]) == ImportReport(0, 0)
        assert empty.import_(["\n", *lines, "\n"]) == ImportReport(COUNT, 0)


def test_a_missing_export_and_an_unwritable_target_are_errors_that_name_the_file(
    empty: Registry, tmp_path: Path
) -> None:
    with empty:
        with pytest.raises(DataError, match=r"nothing\.jsonl"):
            empty.import_(tmp_path / "nothing.jsonl")
        with pytest.raises(DataError, match=r"nowhere"):
            empty.export(tmp_path / "nowhere" / "export.jsonl")
