"""How a variant's features do on the exam: genuine and impostor cosines, top-1, effective rank; plain and whitened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from benchmarks.ablation_exam import read_exam
from torch import Tensor
from torch.nn import functional

from tiacam.features.dual import DualEncoder
from tiacam.training.tiacam_data import embed_pixels
from tiacam.training.vitals import effective_rank

WHITE_AXES = 512  # the bottleneck of S5's head: its 1024 outputs have no more directions
RANK_PICTURES = 2048
DISTORTIONS = ("additive", "photometric", "perspective", "jpeg", "moire", "filtering", "all")

Row = dict[str, Any]
Head = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Exam:
    """The frozen encoder's embeddings (N, D) of all exam pictures, and which original each photo shows."""

    heldout: Mapping[str, Tensor]  # clean and each distortion, in one order
    originals: Tensor
    photos: Mapping[str, Tensor]  # raw and rectified
    shown: Mapping[str, Tensor]  # (N,) the original of each photo


def embed_exam(encoder: DualEncoder, path: Path, size: int, device: torch.device) -> Exam:
    """Through the encoder once, for every variant: it is frozen."""
    pictures = read_exam(path, size)
    embedded = {
        folder: embed_pixels(encoder, torch.from_numpy(np.stack(list(named.values()))).to(device))
        for folder, named in pictures.items()
    }
    kinds = [kind for kind in ("raw", "rectified") if f"photos/{kind}" in embedded]
    width = next(iter(embedded.values())).shape[1]
    return Exam(
        heldout={name: embedded[f"heldout/{name}"] for name in ("clean", *DISTORTIONS)},
        originals=embedded.get("photos/original", torch.zeros(0, width, device=device)),
        photos={kind: embedded[f"photos/{kind}"] for kind in kinds},
        shown={
            kind: torch.tensor([int(name[:4]) for name in pictures[f"photos/{kind}"]], device=device)
            for kind in kinds
        },
    )


@dataclass(frozen=True)
class Whitening:
    """Centre and scaled principal axes, measured on training pictures, as in a model's card."""

    mean: Tensor
    axes: Tensor  # (D, d)

    @classmethod
    def of(cls, features: Tensor) -> Whitening:
        mean = features.mean(0)
        values, vectors = torch.linalg.eigh(torch.cov((features - mean).T.double()))
        kept = min(WHITE_AXES, features.shape[1])
        scale = values[-kept:].clamp_min(1e-12).rsqrt()
        return cls(mean, (vectors[:, -kept:] * scale).float())

    def apply(self, features: Tensor) -> Tensor:
        return functional.normalize((features - self.mean) @ self.axes)


@torch.no_grad()
def score(head: Head, exam: Exam, training: Tensor) -> list[Row]:
    """All rows of one variant; `training` are the encoder's embeddings (N, D) of training pictures."""
    known = functional.normalize(head(training))
    rank = effective_rank(known[:RANK_PICTURES])
    white = Whitening.of(known)
    spaces: dict[str, Head] = {
        "plain": lambda embedding: functional.normalize(head(embedding)),
        "whitened": lambda embedding: white.apply(functional.normalize(head(embedding))),
    }
    return [
        {"space": name, "rank": round(rank, 1)} | row
        for name, space in spaces.items()
        for row in (*heldout_rows(space, exam), *photo_rows(space, exam))
    ]


def heldout_rows(space: Head, exam: Exam) -> list[Row]:
    """Each distortion of Table 1: the picture itself against all other held-out pictures."""
    clean = space(exam.heldout["clean"])
    own = torch.arange(len(clean), device=clean.device)
    return [compare(name, space(exam.heldout[name]), clean, own) for name in DISTORTIONS]


def photo_rows(space: Head, exam: Exam) -> list[Row]:
    """Real photos against the originals, with the held-out pictures as distractors."""
    gallery = space(torch.cat([exam.originals, exam.heldout["clean"]]))
    return [
        compare(f"photos {kind}", space(embedded), gallery, exam.shown[kind])
        for kind, embedded in exam.photos.items()
    ]


def compare(name: str, queries: Tensor, gallery: Tensor, own: Tensor) -> Row:
    """Genuine and impostor cosines, top-1, and the share above every impostor of the row."""
    cosines = queries @ gallery.T  # (Q, G)
    place = torch.arange(len(queries), device=queries.device)
    genuine = cosines[place, own]
    others = cosines.clone()
    others[place, own] = -2.0
    impostor = others[others > -2.0]
    some = impostor[torch.randperm(len(impostor), generator=torch.Generator().manual_seed(0))[:1_000_000]]
    values = {
        "genuine": genuine.mean(),
        "genuine_p5": torch.quantile(genuine, 0.05),
        "impostor": impostor.mean(),
        "impostor_p999": torch.quantile(some, 0.999),
        "impostor_max": impostor.max(),
        "top1": (genuine > others.max(1).values).float().mean(),
        "above_all_impostors": (genuine > impostor.max()).float().mean(),
    }
    return {"what": name, "n": len(queries)} | {key: round(float(value), 4) for key, value in values.items()}
