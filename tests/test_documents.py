"""The documents say what is there: links lead somewhere, named code and tests exist, the README's code runs."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tiacam.cli import COMMANDS
from tiacam.cli.demo import PICTURES

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


def test_the_first_command_of_the_readme_stands_on_the_first_screen() -> None:
    first = README[: README.index("tiacam register")].count("\n") + 1
    assert first <= 25
    assert README.index("docs/demo.jpg") < README.index("tiacam register")


def test_the_readme_names_only_commands_that_exist() -> None:
    named = set(re.findall(r"`tiacam ([a-z0-9]+)", README))
    assert named <= set(COMMANDS)
    assert {"register", "read", "verify", "audit", "demo"} <= named


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
    assert page.count("<table>") == 3  # the record's facts, and two kinds of rows
    for part in ("a.json", "&lt;b&gt;", "1e-09", "data:image/png;base64,"):
        assert part in page
