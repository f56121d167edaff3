"""`tiacam train`: one of the training recipes."""

from __future__ import annotations

import argparse
from importlib import import_module

from tiacam.cli.extras import require_extra

HELP = "run a training recipe (needs the extra `train`)"
RECIPES = {
    "augmentor": "the auto-augmentor's six networks, on synthetic pairs",
    "anchor": "the backbone, on pictures, simulated captures and captions",
}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "recipe", choices=list(RECIPES), help="; ".join(f"{name}: {text}" for name, text in RECIPES.items())
    )
    # a recipe knows its own options; reading them here would import torch for every `tiacam --help`
    parser.add_argument(
        "options", nargs=argparse.REMAINDER, help="the recipe's own: `tiacam train RECIPE --help`"
    )


def run(options: argparse.Namespace) -> int:
    require_extra("torch", "train")
    recipe = import_module(f"tiacam.recipes.{options.recipe}")
    return int(recipe.main(options.options))
