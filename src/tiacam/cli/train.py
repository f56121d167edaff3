"""`tiacam train`: one of the training stages, by its recipe or by one of your own."""

from __future__ import annotations

import argparse
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from tiacam.cli.extras import require_extra
from tiacam.errors import UsageError

HELP = "run a training recipe (needs the extra `train`)"
STAGES = {
    "augmentor": "the auto-augmentor's six networks, on synthetic pairs",
    "captions": "sentence vectors of captions, for the two stages below",
    "anchor": "the backbone, on pictures, simulated captures and captions",
    "text": "the text side of a shipped backbone, which stays as it is",
    "locator": "the locator, on drawn photos with known corners",
    "tiacam": "the text-anchored stage on a frozen backbone",
}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "stage", choices=list(STAGES), help="; ".join(f"{name}: {text}" for name, text in STAGES.items())
    )
    # a recipe knows its own options; reading them here would import torch for every `tiacam --help`
    parser.add_argument(
        "options",
        nargs=argparse.REMAINDER,
        metavar="...",
        help="--recipe FILE.py to run another recipe than the package's, then the recipe's own options:"
        " `tiacam train STAGE --help`",
    )


def run(options: argparse.Namespace) -> int:
    require_extra("torch", "train")
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--recipe", type=Path)
    own, rest = parser.parse_known_args(options.options)
    recipe = load_recipe(own.recipe) if own.recipe else import_module(f"tiacam.recipes.{options.stage}")
    return int(recipe.main(rest))


def load_recipe(path: Path) -> ModuleType:
    """A Python file with a function `main(arguments)`, like those in `tiacam/recipes`."""
    spec = spec_from_file_location("recipe", path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise UsageError(f"{path} is no recipe: a Python file is wanted")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    if not hasattr(module, "main"):
        raise UsageError(f"{path} is no recipe: it has no function main(arguments)")
    return module
