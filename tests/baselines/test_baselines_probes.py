"""Linear probes and captions: class folders, a separable set, exchanged words, retrieval by hand."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from benchmarks.baselines.class_folders import SIDE, read_classes
from benchmarks.baselines.paper import S4_DIGITAL, TABLE_2
from benchmarks.baselines.reported import main as write_reported
from benchmarks.baselines.results import hide_places
from benchmarks.captions import change_rows, choose_changes, exchange_word, message_rows, retrieval_rows
from benchmarks.probes import choose, hits, join, score, write_records
from PIL import Image

from tiacam.errors import DataError
from tiacam.evaluate import read_result


def fill(folder: Path, splits: tuple[str, ...]) -> None:
    for number, label in enumerate(("ant", "bee", "cat")):
        for split in splits:
            for index in range(4):
                path = folder / split / label / f"{index}.png"
                path.parent.mkdir(parents=True, exist_ok=True)
                Image.new("RGB", (20, 30), (80 * number, index, 0)).save(path)


@pytest.mark.parametrize("splits", [("train", "val"), ("",)])
def test_class_folders_give_even_classes_and_no_picture_twice(
    tmp_path: Path, splits: tuple[str, ...]
) -> None:
    fill(tmp_path, splits)
    found = read_classes(tmp_path, 6, 3, seed=0)
    assert found.classes == ("ant", "bee", "cat")
    assert found.train.shape == (6, SIDE, SIDE, 3)
    assert len(found.test_labels) == 3
    for pictures, labels in ((found.train, found.train_labels), (found.test, found.test_labels)):
        assert np.array_equal(np.round(pictures[:, 0, 0, 0] / 80), labels)
    if splits == ("train", "val"):
        assert sorted(found.train_labels.tolist()) == [0, 0, 1, 1, 2, 2]


def test_a_tar_archive_reads_like_its_folder(tmp_path: Path) -> None:
    fill(tmp_path / "set", ("train", "test"))
    with tarfile.open(tmp_path / "set.tar", "w") as archive:
        archive.add(tmp_path / "set", arcname=".")
    folder, tar = (read_classes(tmp_path / name, 6, 3, seed=1) for name in ("set", "set.tar"))
    assert np.array_equal(folder.train, tar.train)
    assert np.array_equal(folder.test_labels, tar.test_labels)


def test_a_place_without_class_folders_is_refused(tmp_path: Path) -> None:
    content = io.BytesIO()
    Image.new("RGB", (8, 8)).save(content, "PNG")
    (tmp_path / "lonely.png").write_bytes(content.getvalue())
    with pytest.raises(DataError, match="no pictures in class folders"):
        read_classes(tmp_path, 2, 2, seed=0)


def test_a_probe_separates_what_a_line_can_separate() -> None:
    labels = torch.arange(60) % 3
    features = torch.nn.functional.one_hot(labels, 3).float() + 0.05 * torch.randn(
        60, 3, generator=torch.Generator().manual_seed(0)
    )
    found = hits(score(features, choose(features, labels, 3)), labels)
    assert found["Top-1"] == [1] * 60
    assert found["Top-5"] == [1] * 60


def test_a_word_is_exchanged_for_its_partner_and_nothing_else() -> None:
    assert exchange_word("A photo of a cat, a child and a park bench") == (
        "A photo of a dog, a child and a park bench"
    )
    assert exchange_word("Concatenated category labels") is None
    assert choose_changes([["nothing here"], ["plain", "a man walks"]]) == [
        (1, "a man walks", "a woman walks")
    ]


def test_retrieval_counts_nearer_strangers_by_hand() -> None:
    images = np.eye(3, dtype=np.float32)
    texts = np.array(
        [[1, 0, 0], [0, 0.6, 0.8], [0, 0, 1]], np.float32
    )  # the second is nearer to the third picture
    rows = {(row.name, row.metric): row.value for row in retrieval_rows(images, texts, np.arange(3))}
    assert rows["text to image", "R@1"] == pytest.approx(2 / 3)
    assert rows["text to image", "R@5"] == 1
    assert rows["image to text", "R@1"] == 1  # each picture's own caption is the nearest of all captions


def test_changed_captions_are_told_from_true_ones() -> None:
    images = np.eye(2, dtype=np.float32)
    rows = {row.metric: row.value for row in change_rows(images, images, images[::-1].copy(), 0)}
    assert rows["cosine with the caption"] == 1
    assert rows["cosine with the changed caption"] == 0
    assert rows["nearer to the true caption"] == 1


def test_the_papers_head_reads_a_pictures_message_from_any_caption_and_ours_from_none() -> None:
    images, texts = np.random.default_rng(0).standard_normal((2, 4, 64)).astype(np.float32)
    images /= np.linalg.norm(images, axis=1, keepdims=True)
    texts /= np.linalg.norm(texts, axis=1, keepdims=True)
    rows = {(row.name, row.metric): row.value for row in message_rows(images, texts, 0)}
    assert rows["bits from the picture", "reference bit accuracy"] == 1
    assert rows["bits from the picture", "keyed exact"] == 1
    assert rows["bits from the text", "keyed exact"] == 0
    assert rows["bits from another picture's text", "reference bit accuracy"] > 0.9


def test_a_recorded_command_names_no_place_of_a_machine() -> None:
    command = "python -m x /data/runs/a.pt --sets one=/data/sets/one.tar; python -m y --out results"
    assert hide_places(command) == "python -m x runs/a.pt --sets one=sets/one.tar; python -m y --out results"


def test_runs_on_different_sets_are_joined_by_model() -> None:
    runs = [
        {"command": name, "seed": 0, "sets": {name: [2, 1, 2]}, "models": {"m@1": {name: {}}}}
        for name in "ab"
    ]
    joined = join(runs)
    assert joined["models"] == {"m@1": {"a": {}, "b": {}}}
    assert joined["command"] == "a; b"


def test_a_further_set_joins_the_record_of_the_same_model_and_no_other(tmp_path: Path) -> None:
    def content(name: str, model: str = "m@1", hit: int = 1) -> dict[str, Any]:
        found = {name: {"Clean": {"Top-1": [hit, 1]}}}
        return {"seed": 0, "sets": {name: [4, 2, 2]}, "models": {model: found}}

    path = tmp_path / "probes--m.json"
    write_records(content("a"), "first", tmp_path)
    write_records(content("b"), "second", tmp_path)
    write_records(content("b", hit=0), "third", tmp_path)
    result = read_result(path, table="probes")
    assert [(row.name.split()[0], row.value) for row in result.rows] == [("a", 1.0), ("b", 0.5)]
    assert result.command == "first; second; third"
    write_records(content("b", model="m@2"), "fourth", tmp_path)
    assert [row.name.split()[0] for row in read_result(path, table="probes").rows] == ["b"]


def test_quoted_numbers_are_kept_as_reported(tmp_path: Path) -> None:
    write_reported(["--out", str(tmp_path)])
    result = read_result(tmp_path / "reported--wofa.json", table="reported")
    assert result.n == 0
    assert {row.metric for row in result.rows} == {"reported bit accuracy"}
    assert result.rows[0].value == TABLE_2["wofa"]["screen"][0]
    assert S4_DIGITAL["zbw"]["Crop (0.1)"] < 0.5  # no share of right bits can be
