"""The documents say what is there: links lead somewhere, named code and tests exist, the README's code runs."""

from __future__ import annotations

import argparse
import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.headline import lines

from tiacam.cli import COMMANDS, build_parser
from tiacam.cli.demo import PICTURES
from tiacam.evaluate.tables import OUTSIDE, TABLES
from tiacam.model import DEFAULT_MODEL, model_names

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
README = (ROOT / "README.md").read_text(encoding="utf-8")


def links(path: Path) -> list[str]:
    found = re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8"))
    return [link.partition("#")[0] for link in found if "://" not in link and not link.startswith("#")]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_to_a_file(path: Path) -> None:
    assert [link for link in links(path) if not (path.parent / link).exists()] == []


def names_in(path: Path) -> set[str]:
    """Everything that a module defines, methods as Class.method."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
            if isinstance(node, ast.ClassDef):
                methods = (child.name for child in node.body if isinstance(child, ast.FunctionDef))
                found.update(f"{node.name}.{method}" for method in methods)
    return found


def test_the_paper_map_names_code_and_tests_and_results_that_exist() -> None:
    text = (ROOT / "docs" / "paper-map.md").read_text(encoding="utf-8")
    code = re.findall(r"`([a-z_.]+):([A-Za-z_.]+)`", text)
    tests = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
    results = re.findall(r"`(results/[\w./-]+)`", text)
    assert len(code) > 20
    for module, name in code:
        assert name in names_in(ROOT / "src" / "tiacam" / f"{module.replace('.', '/')}.py"), (module, name)
    for file, name in tests:
        assert name in names_in(ROOT / file), (file, name)
    assert [result for result in results if not (ROOT / result).is_file()] == []


def rows_of(document: str, section: str) -> list[list[str]]:
    """The cells of a section's table without its head."""
    text = (
        (ROOT / "docs" / document)
        .read_text(encoding="utf-8")
        .partition(f"## {section}\n")[2]
        .partition("\n## ")[0]
    )
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in lines[2:]]


@pytest.mark.parametrize("section", ["Equations", "Architectures and settings", "Tables", "Figures"])
def test_everything_on_the_paper_map_has_its_code_and_its_test(section: str) -> None:
    for what, code, test, _result in rows_of("paper-map.md", section):
        assert code, what
        assert "::" in test or code.startswith(("a principle", "the diagram")), what


def test_every_table_of_the_harness_is_on_the_paper_map_and_explained() -> None:
    for document in ("paper-map.md", "evaluate.md"):
        text = (ROOT / "docs" / document).read_text(encoding="utf-8")
        assert [
            name for name in (*TABLES, *OUTSIDE) if not re.search(rf"`(tiacam evaluate )?{name}`", text)
        ] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_named_record_exists_and_every_model_in_a_command_is_shipped(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    named = re.findall(r"`(results/[\w.-]+\.(?:json|csv|png))`", text)
    patterns = {"results/TABLE--MODEL.json"}
    assert [record for record in named if record not in patterns and not (ROOT / record).is_file()] == []
    models = re.findall(r"^    .*--model ([a-z][\w.-]*)", text, re.MULTILINE)
    assert set(models) <= set(model_names())


def test_the_first_command_of_the_readme_stands_on_the_first_screen() -> None:
    first = README[: README.index("tiacam register")].count("\n") + 1
    assert first <= 25
    assert README.index("docs/demo.jpg") < README.index("tiacam register")


def test_the_readme_names_only_commands_that_exist() -> None:
    named = set(re.findall(r"`tiacam ([a-z0-9]+)", README))
    assert named <= set(COMMANDS)
    assert {"register", "read", "verify", "audit", "demo"} <= named


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    """All options of a command, those of its parts included."""
    found = set(parser._option_string_actions)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found.update(*(options_of(part) for part in action.choices.values()))
    return found


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_in_documents_have_the_options_that_they_are_shown_with(path: Path) -> None:
    (commands,) = (a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction))
    named = re.findall(
        r"(?:^ {4}|`)tiacam ([a-z0-9]+)([^`\n]*)", path.read_text(encoding="utf-8"), re.MULTILINE
    )
    for command, rest in named:
        known = options_of(commands.choices[command])
        if command != "train":  # a recipe has options of its own
            assert set(re.findall(r"--[a-z][a-z0-9-]*", rest)) <= known, (command, rest)


def test_the_readmes_python_runs(tmp_path: Path) -> None:
    (snippet,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert snippet.count("\n") == 6
    shutil.copy(PICTURES / "coffee.jpg", tmp_path / "picture.jpg")
    shutil.copy(PICTURES / "coffee.jpg", tmp_path / "photo.jpg")
    done = subprocess.run(
        [sys.executable, "-c", snippet], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("True owner 4711 "), done.stderr


def test_the_readmes_table_is_what_the_records_say() -> None:
    command = [sys.executable, "-m", "benchmarks.headline", "--check"]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def test_the_page_on_false_claims_says_what_the_records_say() -> None:
    page = (ROOT / "docs" / "decisions" / "0004-null-and-false-claims.md").read_text(encoding="utf-8")
    unrelated, alike = (
        json.loads((ROOT / "results" / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("different-pictures", "look-alikes")
    )
    for row in unrelated["rows"]:
        if row["part"] == "statistic" and row["stated_rate"] < 0.01:
            stated, measured = round(1 / row["stated_rate"]), round(row["trials"] / row["count"])
            assert f"| 1 in {stated:,} | {row['threshold']:.3f} | 1 in {measured:,} |" in page
    (row,) = (row for row in alike["rows"] if row["part"] == "look-up, claimed")
    text = page.replace("\n", " ")
    assert (
        f"With {row['records']:,} Flickr8k photos registered and the other {row['trials']:,} looked up"
        in text
    )
    assert f"{row['count']} were claimed, {row['rate']:.2%}" in text
    assert f"`{unrelated['model'].partition('@')[0]}`" in page


@pytest.mark.parametrize(("model", "named"), [(f"{DEFAULT_MODEL}@0123", False), ("other-0@4567", True)])
def test_a_number_of_another_model_than_the_default_names_it(tmp_path: Path, model: str, named: bool) -> None:
    row = {"part": "look-up, claimed", "records": 5, "count": 0, "trials": 9, "low": 0.0, "high": 0.3}
    (tmp_path / "look-alikes.json").write_text(json.dumps({"model": model, "rows": [row]}))
    (line,) = lines(tmp_path)
    assert ("`other-0`" in line.what) is named


def test_the_report_shows_every_record_and_picture(tmp_path: Path) -> None:
    results = tmp_path / "results"
    results.mkdir()
    (results / "a.json").write_text(
        '{"n": 3, "rows": [{"x": 0.5, "y": "<b>"}, {"x": 1e-9, "y": null}, {"z": [1]}]}'
    )
    (results / "b.png").write_bytes(b"\x89PNG")
    out = tmp_path / "new" / "report.html"
    command = [sys.executable, "-m", "benchmarks.report", "--results", str(results), "--out", str(out)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    page = out.read_text(encoding="utf-8")
    assert page.count("<table") == 3  # the record's facts, and two kinds of rows
    for part in ("a.json", "&lt;b&gt;", "1e-09", "data:image/png;base64,"):
        assert part in page


def test_the_readme_begins_its_results_with_five_lines() -> None:
    from benchmarks.headline_five import five_lines

    told = list(five_lines(ROOT / "results"))
    assert len(told) == 5
    assert all(line in (ROOT / "README.md").read_text(encoding="utf-8") for line in told)
