"""What the command says about itself: help, version, models, selftest, demo."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_samples import Outcome, environment
from PIL import Image

from tiacam import __version__
from tiacam.cli import COMMANDS
from tiacam.model import DEFAULT_MODEL, model_names

Command = Callable[..., Outcome]

ASK_FOR_HELP = """
import sys
from tiacam.cli import COMMANDS, main

for command in ([], *([name] for name in COMMANDS)):
    try:
        main([*command, "--help"])
    except SystemExit as stop:
        assert not stop.code
print(*sys.modules, file=sys.stderr)
"""


def test_help_loads_nothing_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASK_FOR_HELP], capture_output=True, text=True, check=True, env=environment()
    )
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert loaded & {"numpy", "onnxruntime", "PIL", "cryptography", "tqdm", "torch", "matplotlib"} == set()
    assert "tiacam" in loaded


def test_importing_the_package_loads_nothing_heavy() -> None:
    question = "import sys, tiacam; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", question], capture_output=True, text=True, check=True)
    assert {name.partition(".")[0] for name in done.stdout.split()} & {"numpy", "onnxruntime", "PIL"} == set()


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_explains_itself(tiacam: Command, command: str) -> None:
    outcome = tiacam(command, "--help")
    assert outcome.code == 0
    assert f"usage: tiacam {command}" in outcome.out
    assert "--json" in outcome.out or command == "train"  # a recipe writes files


def test_the_version_is_the_packages(tiacam: Command) -> None:
    assert tiacam("--version").out == f"tiacam {__version__}\n"


def test_models_lists_what_is_shipped_the_default_first(tiacam: Command) -> None:
    models = tiacam("models", "--json").objects
    assert [model["name"] for model in models] == model_names()
    assert [model["default"] for model in models] == [name == DEFAULT_MODEL for name in model_names()]
    keys = ["name", "id", "default", "input_size", "feature_width", "summary", "sha256", "provider"]
    assert list(models[0]) == keys
    assert models[0]["provider"] in tiacam("models").out.splitlines()[-1]
    assert "(default)" in tiacam("models").out.splitlines()[0]


def test_selftest_passes_and_says_what_it_checked(tiacam: Command) -> None:
    outcome = tiacam("selftest", "--json")
    assert outcome.code == 0
    assert [(check["check"], check["passed"]) for check in outcome.objects] == [
        ("models", True),
        ("codecs", True),
        ("reading", True),
    ]


def test_selftest_reports_what_does_not_work(tiacam: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiacam.cli.selftest.PICTURES", Path("/nowhere"))
    outcome = tiacam("selftest")
    assert outcome.code == 1
    assert "ok      models" in outcome.out
    assert "FAILED  codecs: FileNotFoundError" in outcome.out


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    out = tmp_path_factory.mktemp("demo") / "new" / "folder"
    done = subprocess.run(
        [sys.executable, "-m", "tiacam.cli", "demo", "--out", str(out), "--json"],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
    return out, Outcome(done.returncode, done.stdout, done.stderr)


def test_the_demo_reads_every_capture_and_unrelated_picture(demo: tuple[Path, Outcome]) -> None:
    _, outcome = demo
    genuine = [row for row in outcome.objects if row["expected_hex"]]
    unrelated = [row for row in outcome.objects if not row["expected_hex"]]
    assert outcome.code == 0
    assert (len(genuine), len(unrelated)) == (8 * 6, 4)
    assert not any(row["registered"] for row in unrelated)
    for row in genuine:
        assert row["hex"] in (None, row["expected_hex"])
        assert row["right"] == (row["hex"] == row["expected_hex"])
    untouched = [row for row in genuine if row["photo"].endswith(("JPEG 50", "resize 50%"))]
    assert all(row["right"] and row["bits"] == 100 for row in untouched)


def test_the_demo_writes_a_page_that_needs_no_other_file_and_a_contact_sheet(
    demo: tuple[Path, Outcome],
) -> None:
    out, outcome = demo
    page = (out / "report.html").read_text(encoding="utf-8")
    assert page.count("<tr>") == 1 + 8 * 6 + 4
    assert page.count("data:image/jpeg;base64,") == 2 * (8 * 6 + 4)
    assert "http" not in page
    assert str(out / "report.html") in outcome.err
    with Image.open(out / "contact-sheet.jpg") as sheet:
        assert sheet.width > 1000
