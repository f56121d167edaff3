"""The comparison with RootSIFT: votes, made-up records and rows, each on something small enough to count by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("faiss")

from benchmarks import against_rootsift
from benchmarks.against_contest import Answer, Question, decode_grey, message_of
from benchmarks.against_parts import Chapter, spread
from benchmarks.against_report import ratio_lines
from benchmarks.against_rows import Row, differing, ratio_at, rows_of, split
from benchmarks.against_scale import Crowd, mix
from benchmarks.peers.rootsift import describe_grey
from benchmarks.peers.rootsift_ivf import SLOTS, RootSiftIndex, choose, to_codes
from skimage import data

from tiacam.cli.demo import PICTURES

OURS, THEIRS = "TIACam", "RootSIFT + RANSAC"
QUESTIONS = [Question(f"photo {n}", b"", picture, "print") for n, picture in enumerate((0, 0, 1, 2))]


def answer(picture: int, accepted: bool, milliseconds: float = 100.0, unneeded: float = 0.0) -> Answer:
    return Answer(picture, accepted, accepted, milliseconds, milliseconds, unneeded=unneeded)


def sheet_rows(registered: bool, ours: list[Answer], theirs: list[Answer]) -> dict[tuple[str, str], Row]:
    (sheet,) = split("photos", 1000, registered, QUESTIONS, {OURS: ours, THEIRS: theirs})
    return {(row["system"], row["metric"]): row for row in rows_of(sheet)}


def test_a_keypoint_votes_where_its_nearest_is_clearly_nearer_than_any_other_pictures() -> None:
    distances = np.array([[1, 1.1, 9], [1, 1.2, 9], [5, 5.1, 5.2], [1, np.inf, np.inf]], np.float32)
    owners = np.array([[7, 7, 3], [7, 7, 3], [3, 7, 5], [5, -1, -1]])
    assert choose(distances, owners, 10).tolist() == [7, 5, 3]
    assert choose(distances[:, :1], np.full((4, 1), -1), 10).tolist() == []


def test_pictures_are_found_in_an_inverted_file_and_textureless_ones_are_not() -> None:
    index = RootSiftIndex(cells=8, probes=4)
    pictures = [
        np.ascontiguousarray(grey, np.uint8)
        for grey in (data.camera(), data.coins(), data.page(), data.moon())
    ]
    described = [describe_grey(grey, 500) for grey in pictures]
    index.train(np.concatenate([descriptors for _, descriptors in described]))
    for number, (points, descriptors) in enumerate(described):
        index.add(number, points, descriptors)
    match = index.look_up(np.ascontiguousarray(np.rot90(pictures[1])))
    assert match.picture == 1
    assert match.inliers > 100
    assert index.look_up(np.full((200, 200), 128, np.uint8)).picture == -1
    assert index.bytes_a_record == pytest.approx(132 * index.ivf.ntotal / 4)


def test_made_up_records_let_every_cell_grow_in_proportion() -> None:
    rng = np.random.default_rng(0)
    index = RootSiftIndex(cells=4, probes=4)
    descriptors = rng.random((400, 128), np.float32) / 4
    index.train(descriptors)
    for number in range(10):
        index.add(number, np.zeros((40, 2), np.float32), descriptors[40 * number : 40 * number + 40])
    before = np.array([index.ivf.invlists.list_size(cell) for cell in range(4)])
    Crowd(index).fill(100)
    after = np.array([index.ivf.invlists.list_size(cell) for cell in range(4)])
    assert abs(after - 10 * before).max() <= 1
    assert (index.records, index.made_up, index.ivf.ntotal) == (100, 90, after.sum())
    _, found = index.ivf.search(to_codes(descriptors[:1]), 50)
    assert set((found // SLOTS).ravel().tolist()) <= set(range(100))


def test_a_mixture_lies_between_two_codes() -> None:
    codes = np.array([[0, 100], [200, 100]], np.uint8)
    mixed = mix(codes, 50, np.random.default_rng(0))
    assert mixed.shape == (50, 2)
    assert mixed[:, 0].max() <= 200
    assert len(set(mixed[:, 0].tolist())) > 10
    assert (mixed[:, 1] == 100).all()


def test_rates_are_of_photos_and_a_wrong_record_is_no_success() -> None:
    ours = [answer(0, True), answer(0, True), answer(1, True), answer(2, False)]
    theirs = [answer(0, True), answer(1, True), answer(1, True), answer(0, False)]
    rows = sheet_rows(True, ours, theirs)
    assert [rows[OURS, m]["hits"] for m in ("top-1", "accepted", "exact messages")] == [4, 3, 3]
    assert (rows[THEIRS, "top-1"]["value"], rows[THEIRS, "accepted"]["hits"]) == (0.5, 2)
    assert rows[THEIRS, "another record accepted"]["hits"] == 1
    assert rows[OURS, "top-1"]["pictures"] == 3
    assert rows[OURS, "accepted"]["low"] < 0.75 < rows[OURS, "accepted"]["high"]


def test_whatever_is_accepted_is_false_where_nothing_is_registered() -> None:
    rows = sheet_rows(False, [answer(-1, False)] * 4, [answer(5, True)] + [answer(-1, False)] * 3)
    assert rows[OURS, "accepted though not registered"]["hits"] == 0
    assert rows[OURS, "accepted though not registered"]["high"] > 0.5
    assert rows[THEIRS, "accepted though not registered"]["value"] == 0.25
    assert (OURS, "top-1") not in rows


def test_the_ratio_of_times_says_who_is_faster() -> None:
    rows = sheet_rows(True, [answer(0, True, 50.0)] * 4, [answer(0, True, 200.0, unneeded=175.0)] * 4)
    assert rows[f"{OURS} / {THEIRS}", "milliseconds, p50"]["value"] == 0.25
    assert rows[f"{OURS} / {THEIRS}", "milliseconds to the first accepted, p50"]["value"] == 2
    assert ratio_at(50, np.array([[1.0, 2.0], [3.0, 6.0]])) == 0.5


def test_the_photos_on_which_the_systems_differ_are_named() -> None:
    ours = [answer(0, True), answer(0, False), answer(1, False), answer(2, True)]
    theirs = [answer(0, True), answer(0, True), answer(1, False), answer(0, True)]
    (sheet,) = split("photos", 1000, True, QUESTIONS, {OURS: ours, THEIRS: theirs})
    assert differing(sheet) == {
        f"missed by {OURS}": ["photo 1"],
        f"missed by {OURS} and by {THEIRS}": ["photo 2"],
        f"missed by {THEIRS}": ["photo 3"],
        f"claimed wrongly by {THEIRS}": ["photo 3"],
    }


def test_several_groups_get_a_sheet_each_and_one_of_all() -> None:
    questions = [Question(kind, b"", n, kind) for n, kind in enumerate(("screen", "print", "screen"))]
    sheets = list(split("x", 9, True, questions, {OURS: [answer(n, True) for n in range(3)]}))
    assert [(sheet.group, len(sheet.questions)) for sheet in sheets] == [
        ("screen", 2),
        ("print", 1),
        ("all", 3),
    ]


def test_a_chapter_replaces_its_earlier_self_and_no_other(tmp_path: Path) -> None:
    out = tmp_path / "record.json"
    for name, value in (("photos", 1), ("scale 10", 2), ("photos", 3)):
        row = {"part": name, "photos": "print", "n": 5, "value": value}
        against_rootsift.save(out, Chapter(name, [row], {"memory": value}), "--part x")
    record = json.loads(out.read_text(encoding="utf-8"))
    assert [(row["part"], row["value"]) for row in record["rows"]] == [("scale 10", 2), ("photos", 3)]
    assert record["n"] == 10
    assert record["parts"]["photos"]["memory"] == 3
    assert {"command", "commit", "seed", "versions", "device", "n", "rows"} <= set(record)


def test_messages_follow_from_the_number_and_photos_are_chosen_evenly() -> None:
    assert message_of(3) == message_of(3) != message_of(4)
    assert message_of(3).length == 100
    assert [one.name for one in spread(QUESTIONS, 2)] == ["photo 0", "photo 3"]
    assert len(spread(QUESTIONS, 9)) == 4


def test_files_and_bytes_decode_to_the_same_grey_levels() -> None:
    path = PICTURES / "coffee.jpg"
    assert np.array_equal(decode_grey(path), decode_grey(path.read_bytes()))


def test_the_page_holds_ours_by_theirs_with_the_machine_of_each_part() -> None:
    found = sheet_rows(
        True, [answer(n, True) for n in (0, 0, 1, 2)], [answer(n, True, 200.0) for n in (0, 0, 1, 2)]
    )
    others = sheet_rows(False, [answer(-1, False, 300.0)] * 4, [answer(-1, False)] * 4)
    rows = [*found.values(), *({**row, "records": 996} for row in others.values())]
    (cells,) = ratio_lines(rows, {"photos": {"model": "anchor-2", "device": "a machine"}})
    assert cells[:2] == ["photos: print", "1,000"]
    assert [cell.partition(" ")[0] for cell in cells[2:6]] == ["0.50", "0.50", "0.50", "3.00"]
    assert cells[-1] == "anchor-2; a machine"
