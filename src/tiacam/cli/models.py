"""`tiacam models`: what is shipped."""

from __future__ import annotations

import argparse

from tiacam.cli.options import add_json
from tiacam.cli.output import print_json

HELP = "list the shipped feature models, and where they run here"


def configure(parser: argparse.ArgumentParser) -> None:
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from tiacam.model import DEFAULT_MODEL, card_path, load_model, model_names, read_card

    provider = load_model().provider
    for name in model_names():
        card = read_card(card_path(name))
        if options.json:
            fields = {
                "name": name,
                "id": card.id,
                "default": name == DEFAULT_MODEL,
                "input_size": card.input_size,
            }
            print_json(
                fields
                | {"feature_width": card.feature_width, "summary": card.summary, "sha256": card.sha256}
                | {"provider": provider}
            )
        else:
            print(f"{card.id}{' (default)' if name == DEFAULT_MODEL else ''}\n    {card.summary}")
    if not options.json:
        print(f"they run here by onnxruntime's {provider}")
    return 0
