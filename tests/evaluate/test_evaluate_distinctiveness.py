"""Pictures that are alike: found by captions, by Flickr's numbers and by features."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tiacam.errors import DataError
from tiacam.evaluate import TABLES, Bench, Row, open_bench, run_table
from tiacam.evaluate.captioned import alike_captions
from tiacam.evaluate.distinctiveness import consecutive
from tiacam.evaluate.shelf import Source
from tiacam.evaluate.table import Table
from tiacam.model import FeatureModel


def test_captions_that_say_the_same_make_a_pair_and_no_picture_is_in_two() -> None:
    captions = [
        ["a brown dog on a beach", "an animal"],
        ["two red buses"],
        ["the dog on the beach, brown"],
        ["a brown dog on the beach"],
        [],
    ]
    pairs = alike_captions(captions, 10)
    assert len(pairs) == 1
    assert set(pairs[0]) < {0, 2, 3}
    assert alike_captions(captions, 0) == []
    assert alike_captions([["alone"], []], 5) == []


@pytest.fixture
def named(model: FeatureModel, samples: Path, tmp_path: Path) -> Bench:
    """Four pictures under Flickr's names, two of them uploaded one after the other, with captions."""
    names = [
        "1000268201_693b08cb0e",
        "1000268233_0123456789",
        "2000268233_0123456789",
        "3000000000_0123456789",
    ]
    pictures = sorted(samples.glob("*.jpg"))
    for name, picture in zip(names, pictures, strict=False):
        shutil.copy(picture, tmp_path / f"{name}.jpg")
    texts = ["a red cup of coffee", "a rocket", "a cup of red coffee", "a cat"]
    lines = [json.dumps({"file": f"{n}.jpg", "captions": [t]}) for n, t in zip(names, texts, strict=True)]
    (tmp_path / "captions.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return open_bench(model, tmp_path, 4, 0)


def test_every_kind_of_likeness_is_measured_with_both_heads(named: Bench) -> None:
    table = TABLES["distinctiveness"]
    assert consecutive(named) == [(0, 1)]
    for part in table.parts:
        assert table.obstacle(named, part) is None
        rows = {row.metric: row for row in table.measure(named, part)}
        if part == "the picture itself":
            assert rows["keyed exact"].value == 1
            assert rows["cosine mean"].value == pytest.approx(1, abs=1e-3)
        else:
            assert rows["keyed claims"].value == 0
    assert {row.metric: row.paper for row in table.measure(named, "same caption")}["cosine mean"] == 0.73
    named.close()


@pytest.mark.parametrize(
    ("names", "pairs"),
    [
        (["1000092795", "998845445", "1000092801"], [(0, 2)]),  # Flickr30k
        (["2407890", "2407891", "2407892"], []),  # Visual Genome
        (["000000101420", "000000101421", "000000101430"], []),  # COCO
    ],
)
def test_bare_numbers_are_flickrs_only_where_they_are_long_enough(
    bench: Bench, names: list[str], pairs: list[tuple[int, int]]
) -> None:
    sources = tuple(Source(f"{name}.jpg", b"") for name in names)
    assert consecutive(replace(bench, shelf=replace(bench.shelf, sources=sources))) == pairs


def test_captions_that_are_there_but_all_differ_are_not_called_missing(named: Bench) -> None:
    texts = {source.stem: (text,) for source, text in zip(named.shelf.sources, "abcd", strict=True)}
    reason = TABLES["distinctiveness"].obstacle(replace(named, captions=texts), "same caption")
    assert reason is not None
    assert "say the same" in reason


def test_parts_that_the_data_do_not_allow_are_named_and_left_out(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = TABLES["distinctiveness"]
    refused = {part: table.obstacle(bench, part) for part in table.parts}
    assert "no captions" in str(refused["same caption"])
    assert "Flickr" in str(refused["consecutive shots"])
    small = Table(
        "distinctiveness",
        "",
        ("same caption", "other"),
        lambda _bench, part: iter([Row(part, "x", 1.0, None, None)]),
        obstacle=lambda bench, part: table.obstacle(bench, part) if part == "same caption" else None,
    )
    run_table(small, bench, tmp_path, "command")
    assert "left out: same caption: no captions" in capsys.readouterr().err
    with pytest.raises(DataError, match="allow no part"):
        run_table(
            Table("distinctiveness", "", ("x",), small.measure, obstacle=lambda *_: "why"),
            bench,
            tmp_path,
            "c",
        )
