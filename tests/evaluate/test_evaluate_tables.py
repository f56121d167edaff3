"""Each table measures what it says on real pictures, with the other side beside it."""

from __future__ import annotations

import numpy as np
import pytest

from tiacam.capture.attacks import ATTACKS
from tiacam.evaluate import TABLES, Bench, Row
from tiacam.evaluate.paper import BIT_ACCURACY, COSINE, DISTORTED_BITS


def measure(bench: Bench, table: str, part: str) -> dict[str, Row]:
    return {row.metric: row for row in TABLES[table].measure(bench, part)}


def test_the_parts_of_the_papers_tables_are_the_papers_rows() -> None:
    assert set(TABLES["table1"].parts) == set(COSINE)
    assert set(TABLES["digital"].parts) | set(TABLES["geometric"].parts) == set(BIT_ACCURACY)
    assert len(TABLES["occlusion"].parts) == 9


def test_table_one_shows_genuine_and_impostor_cosines_beside_the_papers(bench: Bench) -> None:
    rows = measure(bench, "table1", "JPEG")
    assert rows["cosine mean"].paper == 0.98
    assert rows["cosine p5"].value <= rows["cosine mean"].value <= 1
    assert rows["impostor cosine mean"].value < rows["impostor cosine max"].value
    assert rows["impostor cosine max"].value < rows["cosine mean"].value


def test_untouched_pictures_are_recovered_exactly_by_both_heads(bench: Bench) -> None:
    rows = measure(bench, "digital", "Identity")
    assert rows["keyed exact"].value == 1
    assert rows["reference bit accuracy"].value == 1
    assert rows["reference bit accuracy"].paper == 1
    assert rows["unregistered keyed claims"].value == 0
    assert rows["unregistered keyed claims"].high == pytest.approx(1 - 0.05 ** (1 / 6))


def test_the_papers_head_reads_its_message_from_unrelated_pictures_too(bench: Bench) -> None:
    rows = measure(bench, "digital", "Identity")
    assert rows["unrelated reference bit accuracy"].value > 0.9
    assert rows["unrelated reference bit accuracy"].paper is None


def test_messages_of_three_lengths_are_read_under_one_of_six_distortions(bench: Bench) -> None:
    rows = measure(bench, "distorted", "One of six")
    for bits, printed in DISTORTED_BITS.items():
        assert rows[f"keyed exact, {bits} bits"].high is not None
        assert rows[f"reference bit accuracy, {bits} bits"].paper == printed
        assert f"unrelated reference bit accuracy, {bits} bits" in rows
    everything = measure(bench, "distorted", "All")
    assert everything["cosine mean"].value < rows["cosine mean"].value
    assert everything["reference bit accuracy, 100 bits"].paper is None


def test_a_scaling_row_is_the_mean_of_larger_and_smaller(bench: Bench) -> None:
    rows = measure(bench, "geometric", "Scaling ±10%")
    assert rows["keyed exact"].value * 2 * bench.n == pytest.approx(round(rows["keyed exact"].value * 12))
    assert rows["reference bit accuracy"].paper == 0.974


def test_more_occlusion_leaves_less_cosine(bench: Bench) -> None:
    little, much = (measure(bench, "occlusion", f"occlusion-{share}") for share in (10, 90))
    assert much["cosine mean"].value < little["cosine mean"].value
    assert much["keyed exact"].value <= little["keyed exact"].value


def test_every_attack_belongs_to_a_table() -> None:
    tables = (TABLES[name] for name in ("table1", "digital", "geometric", "occlusion", "field"))
    measured = {part for table in tables for part in table.parts}
    assert {attack.paper or attack.name for attack in ATTACKS.values()} == measured


def test_what_others_report_is_measured_with_the_other_side(bench: Bench) -> None:
    rows = measure(bench, "field", "webp-30")
    assert rows["keyed exact"].value == 1
    assert rows["cosine mean"].value > rows["impostor cosine max"].value
    assert {"unregistered keyed claims", "look-alike keyed claims", "reference exact"} <= set(rows)


def test_the_same_seed_measures_the_same(bench: Bench) -> None:
    again = Bench(bench.model, bench.shelf, bench.seed)
    other = Bench(bench.model, bench.shelf, bench.seed + 1)
    assert measure(bench, "table1", "Additive") == measure(again, "table1", "Additive")
    assert np.array_equal(bench.references().messages, again.references().messages)
    assert not np.array_equal(bench.references().messages, other.references().messages)


def test_the_look_alike_side_stands_beside_every_message(bench: Bench) -> None:
    rows = measure(bench, "digital", "JPEG (50)")
    for metric in ("look-alike keyed claims", "look-alike reference bit accuracy", "another record claimed"):
        assert metric in rows
    assert rows["look-alike keyed claims"].value == 0
