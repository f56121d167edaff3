"""COCO's photos by the object that their captions name, and S6's table from the records of probes."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from pathlib import Path

import pytest
from benchmarks.baselines.class_folders import read_classes
from benchmarks.coco_objects import main, object_of, objects_in
from benchmarks.report_probes import HEADS, probe_rows
from benchmarks.report_records import Results
from PIL import Image

from tiacam.errors import DataError
from tiacam.model import DEFAULT_MODEL


def test_longer_names_and_other_words_name_the_right_object() -> None:
    assert objects_in("A teddy bear beside two hot dogs") == {"teddy_bear", "hot_dog"}
    assert objects_in("Women on bikes, scattered") == {"person", "bicycle"}


def test_a_photo_has_a_class_where_enough_captions_agree_on_one_object() -> None:
    assert object_of(["a cat", "a kitten", "two cats on a bed", "fur", "grey"]) == "cat"
    assert object_of(["a cat", "a cat", "grey fur"]) is None
    assert object_of(["a dog and a cat"] * 3) is None


def pack(archive: Path, count: int) -> list[str]:
    names = [f"{index:06}.png" for index in range(count)]
    with tarfile.open(archive, "w") as tar:
        for index, name in enumerate(names):
            content = io.BytesIO()
            Image.new("RGB", (8, 8), (index, 0, 0)).save(content, "PNG")
            entry = tarfile.TarInfo(name)
            entry.size = content.tell()
            content.seek(0)
            tar.addfile(entry, content)
    return names


def test_archives_and_captions_become_class_folders(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shard, held = tmp_path / "shard-00.tar", tmp_path / "held.tar"
    lines = [
        {
            "shard": shard.name,
            "file": name,
            "captions": ["a cat" if index < 8 else "a bus"] * 5,
            "caption_type": "human",
        }
        for index, name in enumerate(pack(shard, 12))
    ]
    (tmp_path / "captions.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))
    asked = [{"file": name, "captions": ["the cat"] * 5} for name in pack(held, 3)]
    beside = tmp_path / "held_captions.jsonl"
    arguments = ["--train", str(shard), "--test", str(held), "--out", str(tmp_path / "out")]
    with pytest.raises(DataError, match="held_captions"):
        main(arguments)
    beside.write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    assert main(arguments) == 0
    assert "1 objects, 8 photos to learn from, 3 to ask about" in capsys.readouterr().out
    assert read_classes(tmp_path / "out", 8, 3, seed=0).classes == ("cat",)


def test_s6_keeps_a_row_for_every_set_method_and_condition(tmp_path: Path) -> None:
    rows = [
        {"name": f"cifar10 (10 classes, 300 train, 100 test): {condition}", "metric": metric,
         "value": 0.9, "low": 0.8, "high": 0.95}
        for condition in ("Clean", "Additive", "Photometric", "Perspective", "JPEG", "Moiré", "Filtering")
        for metric in ("Top-1", "Top-5")
    ]  # fmt: skip
    content = {"table": "probes", "model": f"{DEFAULT_MODEL}@0", "n": 100, "rows": rows}
    (tmp_path / f"probes--{DEFAULT_MODEL}.json").write_text(json.dumps(content), encoding="utf-8")
    table = list(probe_rows(Results(tmp_path)))
    assert len(table) == 4 * 8 * 7
    assert {len(row) for row in table} == {len(HEADS)}
    measured = next(row for row in table if row[0].endswith("TIACam, Additive"))
    assert measured[0] == "CIFAR-100 (here cifar10), 300 + 100 pictures: TIACam, Additive"
    assert measured[1:5] == ["0.815", "0.951", "0.900 (0.800 to 0.950)", "+0.085"]
    assert sum("not run: the weights" in row[3] for row in table) == 4 * 6 * 7
