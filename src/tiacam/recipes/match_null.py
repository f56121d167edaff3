"""How alike unrelated pictures are to a model, measured anew on pictures of one's own choice.

    python -m tiacam.recipes.match_null anchor-3 --unseen FLICKR8K.tar --source Flickr8k --out DIR

The p-values of all readings rest on this part of the card. The model file is left alone, so records that were made
with it stay readable. Cost: a minute for 8,000 pictures. Result: a copy of the card with the new null.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tiacam.data import read_pictures
from tiacam.errors import DataError
from tiacam.model import card_path, load_model
from tiacam.training.calibration import match_null

FEWEST = 1000  # pictures: their pairs reach out just as far as the null is matched


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", help="a shipped model, or the path of a card (.json)")
    parser.add_argument("--unseen", type=Path, required=True, help="tar of pictures that training never saw")
    parser.add_argument("--source", required=True, help="what they are, for the card")
    parser.add_argument("--out", type=Path, required=True, help="folder that the card is written to")
    options = parser.parse_args(arguments)
    model = load_model(options.model)
    pixels = read_pictures([options.unseen], model.card.input_size)
    if len(pixels) < FEWEST:
        raise DataError(f"{options.unseen} has {len(pixels)} pictures, a null needs at least {FEWEST:,}")
    null = match_null(model.foresee(pixels), model.extract(pixels), options.source)
    card = replace(model.card, null_dimensions=null.dimensions, null_evidence=null.evidence)
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / card_path(options.model).name
    path.write_text(json.dumps(card.to_json(), indent=1) + "\n", encoding="utf-8")
    print(f"{card.id}: {null.dimensions} dimensions (before: {model.card.null_dimensions})", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
