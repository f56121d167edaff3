"""A run keeps what is finished, goes on where it stopped, and starts anew when anything differs."""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from tiacam.errors import DataError
from tiacam.evaluate import Bench, Row, Table, open_bench, partial_path, read_result, run_table
from tiacam.evaluate.shelf import open_shelf
from tiacam.model import DEFAULT_MODEL, FeatureModel


class Interrupted:
    """A table of three parts that remembers what it measured; Ctrl-C arrives in the second one, once."""

    def __init__(self) -> None:
        self.measured: list[str] = []
        self.table = Table("table1", "for the test", ("a", "b", "c"), self.measure)

    def measure(self, bench: Bench, part: str) -> Iterator[Row]:
        self.measured.append(part)
        if self.measured.count("b") == 1 and part == "b":
            raise KeyboardInterrupt
        yield Row(part, "pictures", bench.n, None, None)

    def run_until_interrupted(self, bench: Bench, folder: Path) -> Path:
        with pytest.raises(KeyboardInterrupt):
            run_table(self.table, bench, folder, "command")
        return partial_path(folder, "table1", bench.model.id)


def test_an_interrupted_run_keeps_finished_rows_and_goes_on(bench: Bench, tmp_path: Path) -> None:
    stopped = Interrupted()
    partial = stopped.run_until_interrupted(bench, tmp_path)
    assert partial.exists()
    path = run_table(stopped.table, bench, tmp_path, "command")
    assert stopped.measured == ["a", "b", "b", "c"]
    assert [row.name for row in read_result(path, table="table1", model=bench.model.id).rows] == [
        "a",
        "b",
        "c",
    ]
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_another_seed_or_number_of_pictures_starts_anew(bench: Bench, samples: Path, tmp_path: Path) -> None:
    fewer = open_bench(bench.model, samples, bench.n - 1, bench.seed)
    for number, other in enumerate([replace(bench, seed=bench.seed + 1), fewer]):
        stopped = Interrupted()
        stopped.run_until_interrupted(bench, tmp_path / str(number))
        path = run_table(stopped.table, other, tmp_path / str(number), "command")
        assert stopped.measured == ["a", "b", "a", "b", "c"]
        assert {row.value for row in read_result(path).rows} == {other.n}


def test_other_pictures_of_the_same_number_start_anew(bench: Bench, samples: Path, tmp_path: Path) -> None:
    for path in sorted(samples.glob("*.jpg"))[-bench.n :]:
        shutil.copy(path, tmp_path)
    stopped = Interrupted()
    stopped.run_until_interrupted(bench, tmp_path / "results")
    run_table(stopped.table, open_bench(bench.model, tmp_path, bench.n, 3), tmp_path / "results", "command")
    assert stopped.measured == ["a", "b", "a", "b", "c"]


@pytest.mark.parametrize("content", ["", "[]", '{"parts": []}'])
def test_a_damaged_partial_record_starts_anew(bench: Bench, tmp_path: Path, content: str) -> None:
    stopped = Interrupted()
    stopped.run_until_interrupted(bench, tmp_path).write_text(content, encoding="utf-8")
    run_table(stopped.table, bench, tmp_path, "command")
    assert stopped.measured == ["a", "b", "a", "b", "c"]


def test_a_foreign_file_in_the_results_place_is_not_overwritten(bench: Bench, tmp_path: Path) -> None:
    place = tmp_path / f"table1--{DEFAULT_MODEL}.json"
    place.write_text('{"precious": 1}', encoding="utf-8")
    stopped = Interrupted()
    with pytest.raises(DataError, match="move it away"):
        run_table(stopped.table, bench, tmp_path, "command")
    assert stopped.measured == []
    assert place.read_text(encoding="utf-8") == '{"precious": 1}'


def test_a_place_that_can_hold_no_records_is_refused_before_anything_is_measured(
    bench: Bench, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("precious", encoding="utf-8")
    stopped = Interrupted()
    with pytest.raises(DataError, match=r"records cannot be kept in .*file: File exists"):
        run_table(stopped.table, bench, tmp_path / "file", "command")
    assert stopped.measured == []


def test_a_place_that_can_hold_no_captures_is_refused_at_once(
    model: FeatureModel, samples: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("precious", encoding="utf-8")
    with pytest.raises(DataError, match=r"captures cannot be kept in .*file: File exists"):
        open_bench(model, samples, 3, 0, captures=tmp_path / "file")


def test_an_unreadable_and_a_tiny_picture_are_counted_and_the_run_goes_on(
    model: FeatureModel, samples: Path, tmp_path: Path
) -> None:
    shutil.copy(samples / "coffee.jpg", tmp_path / "a.jpg")
    (tmp_path / "b.jpg").write_bytes((samples / "rocket.jpg").read_bytes()[:500])
    (tmp_path / "c.png").write_bytes(b"")
    shutil.copy(samples / "rocket.jpg", tmp_path / "d.jpg")
    Image.new("RGB", (100, 300)).save(tmp_path / "e.png")
    bench = open_bench(model, tmp_path, 10, 0)
    assert [source.name for source in bench.shelf.sources] == ["a.jpg", "d.jpg"]
    assert [reason.partition(":")[0] for reason in bench.shelf.refused] == ["b.jpg", "c.png", "e.png"]
    table = Table("table1", "", ("a",), lambda _bench, part: iter([Row(part, "x", 1.0, None, None)]))
    result = read_result(run_table(table, bench, tmp_path / "results", "command"))
    assert (result.n, result.rows[-1]) == (2, Row("pictures", "refused", 3.0, None, None))


def test_a_tar_archive_gives_the_same_pictures_as_its_folder(samples: Path, tmp_path: Path) -> None:
    archive = tmp_path / "pictures.tar"
    with tarfile.open(archive, "w") as tar:
        for path in sorted(samples.glob("*.jpg"))[:4]:
            tar.add(path, path.name)
    from_folder, from_tar = open_shelf([samples], 4), open_shelf([archive], 4)
    assert from_tar.digest == from_folder.digest
    assert len(from_tar) == 4


def test_missing_empty_and_unfit_data_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.tar").write_text("no archive", encoding="utf-8")
    for name, message in [("none", "there is no"), ("empty", "0 usable"), ("text.tar", "no readable tar")]:
        with pytest.raises(DataError, match=message):
            open_shelf([tmp_path / name], 5)
