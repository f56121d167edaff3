"""Training pictures without those that are near a picture that must not be trained on.

    python -m tiacam.recipes.leave_out --data POSTERS.tar --near COVERS.tar --out SHARD.tar

Film posters, say, may show what is on the covers of the development photos. Near is what a shipped model's features
call near. Cost: 3 minutes for 12,000 pictures on two cores.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tiacam.training.leaving_out import DEFAULT_MODEL, features, nearest_cosines, write_rest


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="tars of training pictures")
    parser.add_argument("--near", type=Path, nargs="+", required=True, help="tars of what to stay away from")
    parser.add_argument("--out", type=Path, required=True, help="tar of those that are left")
    parser.add_argument("--model", default=DEFAULT_MODEL, help="name or card (%(default)s)")
    parser.add_argument("--cosine", type=float, default=0.3, help="from which on it is near (%(default)s)")
    options = parser.parse_args(arguments)

    nearest = nearest_cosines(features(options.model, options.data), features(options.model, options.near))
    kept = write_rest(options.data, nearest < options.cosine, options.out)
    print(json.dumps({"pictures": len(nearest), "kept": kept, "nearest": round(float(nearest.max()), 3)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
