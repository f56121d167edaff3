"""Identification: smaller galleries, rates at stated false accepts, and histograms that add up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tiacam.evaluate import TABLES, open_bench
from tiacam.evaluate.identification import gallery_sizes, histogram_rows, roc_rows, shrink
from tiacam.model import FeatureModel

COSINES = np.random.default_rng(0).uniform(-0.3, 0.3, (5, 40))
NUMBERS = np.array([3, 0, 7, 7, 39])


def test_a_smaller_gallery_keeps_the_own_record_and_draws_the_others() -> None:
    smaller, own = shrink(COSINES, NUMBERS, 10, seed=1)
    assert smaller.shape == (5, 10)
    assert own.tolist() == [0] * 5
    assert np.array_equal(smaller[:, 0], COSINES[np.arange(5), NUMBERS])
    assert all(set(row) <= set(whole) for row, whole in zip(smaller, COSINES, strict=True))
    assert gallery_sizes(40) == [10, 40]
    assert gallery_sizes(1000) == [10, 100, 1000]


def test_histograms_add_up_on_both_sides() -> None:
    rows = list(histogram_rows("photos", COSINES, NUMBERS))
    for side in ("genuine", "impostor"):
        assert sum(row.value for row in rows if row.metric.startswith(side)) == pytest.approx(1)


def test_rates_are_stated_only_as_far_as_the_comparisons_go() -> None:
    assert [row.metric for row in roc_rows("photos", COSINES, NUMBERS)] == [
        "accepted at 0.1 false a comparison",
        "accepted at 0.01 false a comparison",
    ]


def test_the_table_states_sizes_claims_bytes_and_time(model: FeatureModel, samples: Path) -> None:
    bench = open_bench(model, samples, 12, 0)
    part = "Screenshots, simulated typical, rectified"
    rows = {(row.name, row.metric): row.value for row in TABLES["identification"].measure(bench, part)}
    bench.close()
    assert rows[f"{part}, 10 records", "top-1"] >= rows[f"{part}, 12 records", "top-1"] > 0.5
    assert rows[f"{part}, 12 records", "bytes a record"] > 1000
    assert rows[f"{part}, 12 records", "milliseconds a look-up"] > 1
    assert (f"{part}, 12 records", "unregistered keyed claims") in rows


@pytest.mark.parametrize("broken", [1, 2])
def test_broken_photos_are_counted_even_if_none_is_left(
    model: FeatureModel, printed: Path, broken: int
) -> None:
    for number in range(broken):
        (printed / f"photo{number}.jpg").write_bytes(b"\xff\xd8\xff\xe0 no photo")
    bench = open_bench(model, printed, None, 0)
    measured = TABLES["identification"].measure(bench, "Print Camera, real, raw")
    rows = {row.metric: row.value for row in measured}
    bench.close()
    assert rows["unreadable photos"] == broken
    assert ("top-1" in rows) == (broken == 1)
