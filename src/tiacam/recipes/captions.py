"""Captions → sentence vectors for the backbone's training and the text-anchored stage, once for all runs.

    tiacam train captions --captions FILE.jsonl.gz --encoder SENTENCE_ENCODER --out EMBEDDINGS.npz

SENTENCE_ENCODER is a folder or hub name of MiniLM or its like. Each caption is said in several styles (S1): as it is,
in the template "This is an image of ...", with its parts reordered, and cut short. Cost: 11 seconds for 75,250
sentences on one H200.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from tiacam.data import read_captions, save_embeddings
from tiacam.data.phrasing import Style, rephrase_all
from tiacam.features.sentences import SentenceEncoder
from tiacam.progress import progress_bar
from tiacam.training.devices import pick_device

BATCH = 256


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="tiacam train captions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--captions", type=Path, required=True, nargs="+", help="files of JSON lines")
    parser.add_argument("--encoder", required=True, help="folder or hub name of the sentence encoder")
    parser.add_argument("--out", type=Path, required=True, help="where to: .npz")
    parser.add_argument("--styles", nargs="+", type=Style, choices=list(Style), default=list(Style))
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda")
    options = parser.parse_args(arguments)
    encoder = SentenceEncoder.load(options.encoder).to(pick_device(options.device))
    said = [
        (name, sentence)
        for path in options.captions
        for name, captions in read_captions(path)
        for sentence in rephrase_all(captions, options.styles)
    ]
    said.sort(key=lambda pair: len(pair[1]))  # sentences of one length together: little is padded
    vectors = [
        encoder([sentence for _, sentence in said[start : start + BATCH]]).cpu()
        for start in progress_bar(range(0, len(said), BATCH), "captions")
    ]
    embedded = torch.cat(vectors).numpy().astype(np.float32)
    save_embeddings(options.out, [name for name, _ in said], embedded)
    return 0


if __name__ == "__main__":
    sys.exit(main())
