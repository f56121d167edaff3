"""The text side of a shipped backbone, which stays as it is: what its captions are is learned beside it.

    tiacam train text --start anchor-3.onnx --data SHARDS --captions EMBEDDINGS.npz --out runs/text

SHARDS and EMBEDDINGS.npz are those of the backbone's own recipe. Left in OUT is anchor.pt, which the text-anchored
stage (`tiacam train tiacam --backbone`) and `benchmarks/captions.py` take. Cost and result: docs/log.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tiacam.errors import DataError
from tiacam.progress import progress_bar
from tiacam.training.checkpoint import Checkpoint
from tiacam.training.devices import pick_device
from tiacam.training.record import current_commit
from tiacam.training.restoring import restore_tower
from tiacam.training.text_fitting import Sentences, TextSettings, fit_text
from tiacam.training.tiacam_sources import read_with_vectors

SIZE = 192
FITTED = 256  # pictures on which the normalisations of the exported backbone are fitted
BATCH = 64
SETTINGS = TextSettings()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="tiacam train text", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--start", type=Path, required=True, help="exported backbone (.onnx), in fractions")
    parser.add_argument("--data", type=Path, required=True, help="folder with shard-*.tar")
    parser.add_argument("--captions", type=Path, required=True, help="sentence vectors (.npz)")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--size", type=int, default=SIZE, help="of the pictures (default %(default)s)")
    parser.add_argument("--limit", type=int, help="read so many pictures of the shards")
    parser.add_argument("--steps", type=int, default=SETTINGS.steps)
    parser.add_argument("--batch", type=int, default=SETTINGS.batch)
    parser.add_argument("--seed", type=int, default=SETTINGS.seed)
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda")
    options = parser.parse_args(arguments)

    archives = sorted(options.data.glob("shard-*.tar"))
    if not archives:
        raise DataError(f"{options.data} holds no shard-*.tar")
    found = read_with_vectors(archives, options.captions, options.size, options.limit)
    assert found.vectors is not None
    tower = restore_tower(options.start, found.pixels[:FITTED]).eval()
    images = embed_all(tower.to(pick_device(options.device)), found.pixels)
    settings = TextSettings(steps=options.steps, batch=options.batch, seed=options.seed)
    text = fit_text(images, Sentences(found.vectors, found.first, found.count), settings)
    about = {
        "from": options.start.name,
        "pictures": len(images),
        "shown": options.size,
        "commit": current_commit(),
    }
    state = {"averaged": tower.cpu().state_dict(), "text": text.state_dict(), "about": about}
    Checkpoint(settings.steps, state).save(options.out / "anchor.pt")
    print(f"{options.out / 'anchor.pt'}: the text side of {options.start.name}", file=sys.stderr)
    return 0


@torch.no_grad()
def embed_all(tower: nn.Module, pixels: NDArray[np.uint8]) -> Tensor:
    """What the tower makes of pictures (N, S, S, 3): (N, 768)."""
    device = next(tower.parameters()).device
    parts = []
    for start in progress_bar(range(0, len(pixels), BATCH), desc="pictures"):
        shown = torch.from_numpy(pixels[start : start + BATCH]).to(device)
        parts.append(tower(shown.permute(0, 3, 1, 2).float() / 255).cpu())
    return torch.cat(parts)


if __name__ == "__main__":
    raise SystemExit(main())
