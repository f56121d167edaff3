"""The report and the generated documents: paper, ours and the difference, and a place for what was not run."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks.report import render
from benchmarks.report_claims import FINDINGS, TITLE, findings
from benchmarks.report_document import document
from benchmarks.report_paper import ELSEWHERE, sections
from benchmarks.report_records import Results

from tiacam.evaluate.paper import BIT_ACCURACY, CAMERA_BITS, COSINE
from tiacam.model import DEFAULT_MODEL, model_names


def row(name: str, metric: str, value: float, **more: float) -> dict[str, Any]:
    return {"name": name, "metric": metric, "value": value, "low": value - 0.01, "high": value + 0.01, **more}


def write(folder: Path, table: str, rows: list[dict[str, Any]], model: str = DEFAULT_MODEL) -> None:
    content = {
        "table": table,
        "model": f"{model}@0123",
        "command": "c",
        "commit": "x",
        "seed": 0,
        "n": 9,
        "rows": rows,
    }
    (folder / f"{table}--{model}.json").write_text(json.dumps(content), encoding="utf-8")


@pytest.fixture
def results(tmp_path: Path) -> Path:
    write(tmp_path, "table1", [row(part, "cosine mean", 0.5, paper=value) for part, value in COSINE.items()])
    write(
        tmp_path,
        "occlusion",
        [row(f"occlusion-{share}", "cosine mean", 1 - share / 100) for share in (10, 50, 90)],
    )
    parts = [f"Print Camera, simulated {strength}, raw" for strength in ("mild", "typical", "severe")]
    camera = [row(part, "keyed exact, 100 bits", 0.4) for part in parts]
    camera += [row(parts[1], "reference bit accuracy, 100 bits", 0.99), row(parts[1], "cosine mean", 0.6)]
    write(tmp_path, "camera", camera)
    part = "Print Camera, real, raw"
    identification = [row(f"{part}, {size} records", "top-1", 0.9) for size in (10, 100)]
    identification += [row(part, f"accepted at {rate} false a comparison", 0.8) for rate in ("0.1", "0.01")]
    identification += [
        row(part, f"{side} share from +0.{place}5", 1.0) for side, place in (("genuine", 6), ("impostor", 0))
    ]
    write(tmp_path, "identification", identification)
    write(
        tmp_path,
        "peers",
        [row("PDQ, JPEG (50)", "accepted at 1% false a look-up", 0.9), row("PDQ", "bytes a record", 32.0)],
    )
    write(tmp_path, "ssl", [row("All", "plain cosine mean", 0.8)], model="simclr")
    return tmp_path


def test_the_page_has_the_papers_tables_and_all_plots(results: Path) -> None:
    page = render(results)
    assert page.count("data:image/png;base64,") == 7
    for text in (
        "-0.470",
        "Not in these tables",
        "not run: no real photos of this kind",
        "SimCLR, All",
        "+0.060",
    ):
        assert text in page


def test_the_document_keeps_a_place_for_every_row_of_the_paper(results: Path) -> None:
    text = document(Results(results))
    assert "| TIACam, All | 0.940 | 0.500 (0.490 to 0.510) | -0.440 |" in text
    for name in BIT_ACCURACY:
        assert (
            f"| {name} | {BIT_ACCURACY[name]:.3f} | not run: not in the records yet; `tiacam evaluate" in text
        )
    assert text.count("| TIACam, Screen Camera") == 4 * 3
    for place, *_ in ELSEWHERE:
        assert f"| {place} |" in text


def test_what_the_paper_only_reports_is_never_called_ours(results: Path) -> None:
    write(results, "reported", [row("Rotation 15°", "reported bit accuracy", 0.5, paper=0.5)], model="must")
    line = "| MuST, Rotation 15° | 0.498 | not run: the paper's own number for it; its weights are in no package |"
    text = document(Results(results))
    assert line in text
    assert "reported bit accuracy" not in text


def test_a_number_of_another_model_than_the_default_says_so(results: Path) -> None:
    other = next(name for name in model_names() if name != DEFAULT_MODEL)
    write(results, "digital", [row("Identity", "keyed exact", 0.75)], model=other)
    assert f"| Identity [{other}] | 1.000 | 0.750" in document(Results(results))


def test_the_first_table_says_what_was_run_by_which_commit(results: Path) -> None:
    text = document(Results(results))
    assert f"| table1 | {DEFAULT_MODEL} | 9 | x |" in text
    assert "| distorted | not run yet |" in text
    assert f"<td>table1--{DEFAULT_MODEL}.json</td>" in render(results)


def test_captures_that_were_not_read_stand_with_their_reasons(results: Path) -> None:
    rows = [
        {"kind": kind, "strength": "severe", "reason": reason}
        for kind, reason in (("screen", "read"), ("print", "not located well enough"))
    ]
    content = {"n": 2, "model": "m@0", "records": 12, "rows": rows}
    (results / "failures.json").write_text(json.dumps(content), encoding="utf-8")
    assert "| not located well enough | 0 | 1 | 0 |" in document(Results(results))
    assert "2 severe simulated captures" in render(results)


def test_rows_that_are_left_out_of_a_long_table_are_counted(results: Path) -> None:
    write(results, "new", [row(str(index), "m", 0.5) for index in range(61)], model="other")
    assert "n = 9, the first 60 of 61 rows" in document(Results(results))


def test_every_number_of_the_paper_s_tables_has_a_line() -> None:
    printed = [line.paper for section in sections() for line in section.lines if line.paper is not None]
    for values in (COSINE.values(), BIT_ACCURACY.values(), *(bits.values() for bits in CAMERA_BITS.values())):
        assert set(values) <= set(printed)


def test_an_empty_folder_makes_a_page_without_tables(tmp_path: Path) -> None:
    assert "no records yet" in render(tmp_path)


def test_claims_that_did_not_hold_stand_with_their_numbers_or_say_that_none_are_there(results: Path) -> None:
    write(results, "distinctiveness", [
        row("same caption", metric, value)
        for metric, value in (
            ("cosine mean", 0.0417), ("cosine max", 0.3), ("reference bit accuracy", 1.0), ("keyed claims", 0.0),
        )
    ])  # fmt: skip
    told = {claim: found for claim, found, _ in findings(Results(results))}
    assert len(told) == len(FINDINGS)
    assert any("0.042 here" in found for found in told.values())
    assert "Not measured yet." in told.values()
    page = render(results)
    assert html.escape(TITLE) in page
    assert "](decisions" not in page


def test_a_watermark_stands_with_its_budget_its_cost_and_what_it_says_of_unmarked_pictures(
    results: Path,
) -> None:
    budget = [
        {**row("training", what, value), "low": None, "high": None}
        for what, value in (("seconds", 150.2), ("steps", 1878.0))
    ]
    sides = [
        row("screen raw", "bit accuracy", 0.51),
        row("screen rectified", "detected at 1e-6", 0.25),
        row("Identity", "unmarked detected at 1e-6", 0.0),
        row("Identity", "bit accuracy", 0.97),
        row("Identity", "detected at 1e-6", 0.9),
        row("marked picture", "PSNR", 33.6),
    ]
    rows = [*budget, *sides, row("screen rectified", "bit accuracy", 0.8)]
    write(results, "watermark", rows, model="hidden-30")
    text = document(Results(results))
    line = "| HiDDeN, Screen Camera, 30 bits (150 s, 1,878 steps) | 0.706 | 0.800 (0.790 to 0.810) | +0.094 |"
    assert f"{line} 0.510 | 0.250 | 0.000 (at most 0.010) | 33.6 dB |" in text
    assert "| HiDDeN, Screen Camera, 100 bits | 0.688 | not run: not trained yet" in text
    assert "| Identity | 0.970 (0.90) |" in text
    assert "0.970 (0.90)" in render(results)
