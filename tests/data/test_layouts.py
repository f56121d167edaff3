"""The loaders read the layouts that the data sets are published in, and say what is missing."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tiacam.data import (
    read_caltech256,
    read_cifar100,
    read_flickr30k,
    read_layout,
    read_visual_genome,
)
from tiacam.errors import DataError


def write_picture(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (140, 130), (90, 60, 30)).save(path)


def test_visual_genome_gives_sentences_of_the_largest_regions_first(tmp_path: Path) -> None:
    write_picture(tmp_path / "VG_100K" / "7.jpg")
    write_picture(tmp_path / "VG_100K_2" / "8.jpg")
    small = {"phrase": "person wearing fedora", "width": 2, "height": 3}
    large = {"phrase": "the green tree.", "width": 20, "height": 30}
    entries = [{"id": 7, "regions": [small, large]}, {"id": 8, "regions": []}, {"id": 9, "regions": []}]
    (tmp_path / "region_descriptions.json").write_text(json.dumps(entries), encoding="utf-8")
    found = read_visual_genome(tmp_path)
    assert [example.name for example in found.examples] == ["VG_100K/7.jpg", "VG_100K_2/8.jpg"]
    assert found.examples[0].captions == (
        "This is an image of the green tree.",
        "This is an image of a person wearing fedora.",
    )
    layout = read_layout(tmp_path)
    assert layout is not None
    assert layout.name == "Visual Genome"
    assert len(read_visual_genome(tmp_path, most_regions=1).examples[0].captions) == 1


def test_flickr30k_gives_five_captions_a_photo(tmp_path: Path) -> None:
    write_picture(tmp_path / "flickr30k-images" / "1000092795.jpg")
    lines = [f"1000092795.jpg#{number}\tTwo men , number {number} ." for number in range(5)]
    lines.append("999.jpg#0\tA photo that is not there .")
    (tmp_path / "results_20130124.token").write_text("\n".join(lines), encoding="utf-8")
    (example,) = read_flickr30k(tmp_path).examples
    assert (example.name, len(example.captions)) == ("1000092795.jpg", 5)
    assert example.captions[3] == "Two men , number 3 ."
    layout = read_layout(tmp_path)
    assert layout is not None
    assert layout.name == "Flickr30k"


def test_caltech256_gives_classes_without_the_clutter(tmp_path: Path) -> None:
    root = tmp_path / "256_ObjectCategories"
    for name in ("001.ak47/001_0002.jpg", "001.ak47/001_0001.jpg", "002.american-flag/002_0001.jpg"):
        write_picture(root / name)
    write_picture(root / "257.clutter" / "257_0001.jpg")
    found = read_caltech256(tmp_path)
    assert found.classes == ("ak47", "american-flag")
    assert [(example.name, example.label) for example in found.examples] == [
        ("001.ak47/001_0001.jpg", 0),
        ("001.ak47/001_0002.jpg", 0),
        ("002.american-flag/002_0001.jpg", 1),
    ]
    assert len(read_caltech256(root, clutter=True).classes) == 3


PIXELS = np.arange(3 * 3072, dtype=np.uint32).astype(np.uint8).reshape(3, 3072)
NAMES = ["apple", "aquarium_fish"]


def test_cifar100_is_the_same_in_both_published_forms(tmp_path: Path) -> None:
    python, binary = tmp_path / "cifar-100-python", tmp_path / "cifar-100-binary"
    python.mkdir()
    content = {b"data": PIXELS, b"fine_labels": [1, 0, 1], b"coarse_labels": [0, 0, 0]}
    (python / "test").write_bytes(pickle.dumps(content, protocol=2))
    (python / "meta").write_bytes(
        pickle.dumps({b"fine_label_names": [n.encode() for n in NAMES]}, protocol=2)
    )
    first = read_cifar100(tmp_path)
    binary.mkdir()
    labels = np.array([[0, 1], [0, 0], [0, 1]], np.uint8)
    np.hstack([labels, PIXELS]).tofile(binary / "test.bin")
    (binary / "fine_label_names.txt").write_text("\n".join(NAMES) + "\n", encoding="utf-8")
    second = read_cifar100(tmp_path)
    for found in (first, second):
        assert found.classes == tuple(NAMES)
        assert [example.label for example in found.examples] == [1, 0, 1]
        picture = found.examples[0].picture
        assert isinstance(picture, np.ndarray)
        assert picture.shape == (32, 32, 3)
        assert picture[0, 1].tolist() == [PIXELS[0, 1], PIXELS[0, 1025], PIXELS[0, 2049]]


def test_a_pickle_that_would_run_something_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "cifar-100-python"
    folder.mkdir()
    (folder / "test").write_bytes(b"cos\nsystem\n(S'true'\ntR.")
    with pytest.raises(DataError, match=r"os\.system|posix\.system"):
        read_cifar100(tmp_path)


def test_what_is_missing_or_malformed_is_named(tmp_path: Path) -> None:
    assert read_layout(tmp_path) is None
    for read, message in (
        (read_visual_genome, "region_descriptions"),
        (read_flickr30k, "results_20130124"),
        (read_cifar100, "cifar-100-binary"),
        (read_caltech256, "256_ObjectCategories"),
    ):
        with pytest.raises(DataError, match=message):
            read(tmp_path)
    (tmp_path / "results_20130124.token").write_text("no caption here", encoding="utf-8")
    with pytest.raises(DataError, match="line 1 is no caption"):
        read_flickr30k(tmp_path)
    (tmp_path / "region_descriptions.json").write_text('[{"id": 1}]', encoding="utf-8")
    with pytest.raises(DataError, match="malformed: KeyError"):
        read_visual_genome(tmp_path)
    (tmp_path / "cifar-100-binary").mkdir()
    (tmp_path / "cifar-100-binary" / "test.bin").write_bytes(b"123")
    with pytest.raises(DataError, match="a multiple of 3074"):
        read_cifar100(tmp_path)
