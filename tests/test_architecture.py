"""The arrows of docs/architecture.md: which package may import which, function-level imports included."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "tiacam"

# package → what it may import from tiacam besides itself, `errors`, `progress` and `workers`
ARROWS: dict[str, set[str]] = {
    "errors": set(),
    "progress": set(),
    "workers": set(),
    "provenance": set(),
    "products": set(),
    "image": set(),
    "locate": {"image", "model"},
    "model": set(),
    "align": {"image", "products"},
    "watermark": set(),
    "registry": {"products", "watermark"},
    "pipeline": {"align", "image", "locate", "model", "watermark"},
    "app": {"align", "image", "locate", "model", "pipeline", "registry", "watermark"},
    "bulk": {"app", "model", "registry", "watermark"},
    "augment": set(),
    "features": set(),
    "data": {"image"},
    "capture": set(),
    # locate and model: the cards that they write
    "training": {"augment", "data", "features", "locate", "model", "provenance"},
    "recipes": {"augment", "data", "features", "locate", "model", "training"},
    "evaluate": {
        "app",
        "capture",
        "data",
        "image",
        "locate",
        "model",
        "pipeline",
        "provenance",
        "registry",
        "watermark",
    },
    "cli": {"*"},
    "service": {"*"},
}
# run time stays free of torch: only these may import it
TORCH_USERS = {"augment", "features", "training", "recipes"}
HEAVY_DEVELOPMENT = {"torch", "transformers", "onnx"}


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def package_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return parts[0]


def imports(path: Path) -> Iterator[str]:
    """Absolute dotted names of everything that the file imports, at any depth."""
    here = ("tiacam", *path.relative_to(SOURCE).with_suffix("").parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = list(here[: -node.level]) if node.level else []
            stem = ".".join(base + ([node.module] if node.module else []))
            yield stem
            yield from (f"{stem}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func):
            yield from (arg.value for arg in node.args if isinstance(arg, ast.Constant))


def tiacam_packages(path: Path) -> set[str]:
    names = {name.split(".")[1] for name in imports(path) if name.startswith("tiacam.")}
    return {name for name in names if (SOURCE / name).is_dir() or (SOURCE / f"{name}.py").is_file()}


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_module_imports_only_along_the_arrows(path: Path) -> None:
    package = package_of(path)
    if package == "__init__":
        return
    allowed = ARROWS[package] | {package, "errors", "progress", "workers"}
    if "*" not in allowed:
        assert tiacam_packages(path) - allowed == set()


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_nobody_imports_the_command_line_or_the_service(path: Path) -> None:
    if package_of(path) not in {"cli", "service"}:
        assert tiacam_packages(path) & {"cli", "service"} == set()


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_run_time_packages_never_import_torch(path: Path) -> None:
    if package_of(path) not in TORCH_USERS:
        assert {name.split(".")[0] for name in imports(path)} & HEAVY_DEVELOPMENT == set()


def test_every_package_has_its_arrows_written_down() -> None:
    packages = {p.name for p in SOURCE.iterdir() if p.is_dir() and (p / "__init__.py").exists()}
    assert packages <= set(ARROWS)
