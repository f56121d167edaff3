"""Training pictures without those that are near a picture that must not be trained on.

    python -m tiacam.recipes.leave_out --data POSTERS.tar --near COVERS.tar --out SHARD.tar

Film posters, say, may show what is on the covers of the development photos. Near is what a shipped model's features
call near. Cost: 3 minutes for 12,000 pictures on two cores.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tiacam.data.shards import members, read_names, read_pictures
from tiacam.model import DEFAULT_MODEL, FeatureModel, load_model


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="tars of training pictures")
    parser.add_argument("--near", type=Path, nargs="+", required=True, help="tars of what to stay away from")
    parser.add_argument("--out", type=Path, required=True, help="tar of those that are left")
    parser.add_argument("--model", default=DEFAULT_MODEL)
    parser.add_argument("--cosine", type=float, default=0.3, help="from which on it is near (%(default)s)")
    options = parser.parse_args(arguments)

    model = load_model(options.model)
    nearest = nearest_cosines(features(model, options.data), features(model, options.near))
    kept = write_rest(options.data, nearest < options.cosine, options.out)
    print(json.dumps({"pictures": len(nearest), "kept": kept, "nearest": round(float(nearest.max()), 3)}))
    return 0


def features(model: FeatureModel, archives: list[Path]) -> NDArray[np.float32]:
    return model.extract(read_pictures(archives, model.card.input_size))


def nearest_cosines(pictures: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float32]:
    """How near the nearest of the others is to each picture, all of them unit vectors."""
    return np.asarray((pictures @ others.T).max(axis=1))


def write_rest(archives: list[Path], wanted: NDArray[np.bool_], out: Path) -> int:
    """The wanted ones of all archives' pictures, in one tar; their number."""
    contents = (content for path in archives for content in members(path))
    with tarfile.open(out, "w") as archive:
        for name, content, keep in zip(read_names(archives), contents, wanted, strict=True):
            if keep:
                info = tarfile.TarInfo(f"{name}.webp")
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return int(wanted.sum())


if __name__ == "__main__":
    sys.exit(main())
