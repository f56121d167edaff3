"""Looking at records, moving them, and checking the chain: list, show, export, import, audit."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_samples import COFFEE, Outcome

from tiacam.registry import Record

Command = Callable[..., Outcome]


def test_list_shows_the_records_oldest_first(tiacam: Command, filled: Path) -> None:
    outcome = tiacam("list", "--registry", filled)
    coffee, rocket = outcome.out.splitlines()
    assert outcome.code == 0
    assert re.fullmatch(r"tia[a-z2-7]{32}  \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ    80 bits  [0-9a-f]{16}", coffee)
    assert rocket.endswith("lift-off")


def test_list_answers_with_one_object_a_record(tiacam: Command, filled: Path) -> None:
    coffee, rocket = tiacam("list", "--registry", filled, "--json").objects
    assert list(coffee) == ["id", "created_at", "bits", "model", "owner", "note", "sha256"]
    assert coffee["created_at"] <= rocket["created_at"]
    assert coffee["owner"] == rocket["owner"]
    assert (rocket["bits"], rocket["note"]) == (20, "lift-off")


def test_show_tells_everything_but_the_message(tiacam: Command, filled: Path) -> None:
    record_id = tiacam("list", "--registry", filled, "--json").objects[0]["id"]
    outcome = tiacam("show", record_id[:10], "--registry", filled)
    assert outcome.code == 0
    for part in (record_id, "80 bits, sealed", "image/jpeg", "keyed-1", "signature  valid"):
        assert part in outcome.out
    assert "4711" not in outcome.out


def test_show_answers_with_the_record_as_it_is_exported(tiacam: Command, filled: Path) -> None:
    exported = tiacam("export", "--registry", filled).objects[1]
    (shown,) = tiacam("show", exported["id"], "--registry", filled, "--json").objects
    assert shown == exported
    assert Record.from_json(shown).is_signed()


def test_an_export_is_imported_whole_and_read_with_the_owners_key(
    tiacam: Command, filled: Path, tmp_path: Path
) -> None:
    file, copy = tmp_path / "records.jsonl", tmp_path / "copy.tiacam"
    assert tiacam("export", file, "--registry", filled, "--json").objects == [
        {"file": str(file), "records": 2}
    ]
    assert tiacam("import", file, "--registry", copy, "--json").objects == [{"added": 2, "present": 0}]
    assert tiacam("import", file, "--registry", copy, "--json").objects == [{"added": 0, "present": 2}]
    read = tiacam("read", COFFEE, "--registry", copy, "--key", f"{filled}.key", "--json")
    assert read.objects[0]["text"] == "owner 4711"
    assert tiacam("audit", "--registry", copy).out == tiacam("audit", "--registry", filled).out


def test_records_travel_through_pipes(
    tiacam: Command, filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exported = tiacam("export", "--registry", filled)
    assert exported.err == "exported 2 records\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(exported.out))
    assert "imported 2 records" in tiacam("import", "-", "--registry", tmp_path / "copy.tiacam").out


def test_an_import_with_one_edited_record_is_refused_whole(
    tiacam: Command, filled: Path, tmp_path: Path
) -> None:
    first, second = tiacam("export", "--registry", filled).objects
    file, copy = tmp_path / "records.jsonl", tmp_path / "copy.tiacam"
    file.write_text("\n".join(json.dumps(record) for record in (first, second | {"note": "mine"})))
    outcome = tiacam("import", file, "--registry", copy)
    assert outcome.code == 1
    assert "line 2 of the import" in outcome.err
    assert tiacam("list", "--registry", copy).out == ""


def test_an_import_of_another_history_or_of_nothing_is_an_error(
    tiacam: Command, filled: Path, tmp_path: Path
) -> None:
    other, file = tmp_path / "other.tiacam", tmp_path / "other.jsonl"
    tiacam("register", COFFEE, "--hex", "aa", "--registry", other)
    tiacam("export", file, "--registry", other)
    outcome = tiacam("import", file, "--registry", filled)
    assert outcome.code == 1
    assert "another history" in outcome.err
    assert tiacam("import", tmp_path / "gone.jsonl", "--registry", filled).code == 1


def test_audit_prints_a_head_that_a_later_audit_must_still_find(tiacam: Command, filled: Path) -> None:
    (report,) = tiacam("audit", "--registry", filled, "--json").objects
    assert list(report)[:3] == ["records", "head", "owners"]
    assert (report["records"], report["owners"]) == (2, 1)
    tiacam("register", COFFEE, "--hex", "aa", "--registry", filled)
    assert tiacam("audit", "--registry", filled, "--head", report["head"]).code == 0


def test_audit_refuses_a_head_that_is_not_in_the_chain(tiacam: Command, filled: Path) -> None:
    cut_off = tiacam("audit", "--registry", filled, "--head", "ab" * 32)
    assert cut_off.code == 1
    assert "does not contain the noted head" in cut_off.err
    assert tiacam("audit", "--registry", filled, "--head", "xyz").code == 2


def test_a_note_cannot_pass_for_a_line_of_ours_or_command_the_terminal(
    tiacam: Command, registry: Path
) -> None:
    note = "harmless\ntiaaaaaaaa  2020-01-01\x1b[2J\x9b31m"
    tiacam("register", COFFEE, "--message", "a\nb", "--note", note, "--registry", registry)
    (line,) = tiacam("list", "--registry", registry).out.splitlines()
    assert line.endswith(r"harmless\ntiaaaaaaaa  2020-01-01\x1b[2J\x9b31m")
    (listed,) = tiacam("list", "--registry", registry, "--json").objects
    assert listed["note"] == note
    assert tiacam("read", COFFEE, "--registry", registry).out.splitlines()[0].endswith(r": a\nb")
    shown = tiacam("show", listed["id"], "--registry", registry).out
    assert "\x1b" not in shown
