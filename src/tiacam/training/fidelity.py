"""What exporting costs: a shipped graph against the module that it was made from, on pictures and their captures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from tiacam.model import Whitening
from tiacam.progress import progress_bar
from tiacam.training.captures import CaptureSimulator
from tiacam.training.seeds import torch_generator

BATCH = 16

Pixels = NDArray[np.uint8]
Features = NDArray[np.float32]


@dataclass(frozen=True)
class Fidelity:
    """Torch beside ONNX. Cosines are of whitened features; captures are simulated, the gallery is the pictures."""

    largest_difference: float  # of any output, over the largest output
    cosine_mean: float  # of a picture's two features
    cosine_least: float
    pictures: int
    top1_torch: float
    top1_onnx: float
    genuine_torch: float
    genuine_onnx: float

    def as_card(self) -> dict[str, float | int]:
        return {name: round(value, 6) for name, value in asdict(self).items()}


def compare(module: nn.Module, path: Path, pixels: Pixels, whitening: Whitening, seed: int = 0) -> Fidelity:
    """Both on the same pictures (N, S, S, 3) and on one simulated capture of each."""
    captures = simulate(pixels, seed)
    torch_pass, onnx_pass = run_torch(module), run_onnx(path)
    wanted, got = torch_pass(pixels), onnx_pass(pixels)
    ours, theirs = whitening.apply(wanted), whitening.apply(got)
    captured_ours, captured_theirs = (whitening.apply(run(captures)) for run in (torch_pass, onnx_pass))
    agreement = np.einsum("nd,nd->n", ours, theirs)
    return Fidelity(
        largest_difference=float(np.abs(got - wanted).max() / np.abs(wanted).max()),
        cosine_mean=float(agreement.mean()),
        cosine_least=float(agreement.min()),
        pictures=len(pixels),
        top1_torch=top1(ours, captured_ours),
        top1_onnx=top1(theirs, captured_theirs),
        genuine_torch=float(np.einsum("nd,nd->n", ours, captured_ours).mean()),
        genuine_onnx=float(np.einsum("nd,nd->n", theirs, captured_theirs).mean()),
    )


def simulate(pixels: Pixels, seed: int) -> Pixels:
    """One capture of each picture, by the simulator of training."""
    generator = torch_generator(seed, "fidelity")
    pictures = torch.from_numpy(pixels).permute(0, 3, 1, 2).float() / 255
    captured = [CaptureSimulator().capture(part, generator) for part in pictures.split(BATCH)]
    rounded = (torch.cat(captured) * 255).round().clamp(0, 255).to(torch.uint8)
    return rounded.permute(0, 2, 3, 1).contiguous().numpy()


def run_torch(module: nn.Module) -> Callable[[Pixels], Features]:
    @torch.no_grad()
    def run(pixels: Pixels) -> Features:
        parts = torch.from_numpy(pixels).split(BATCH)
        return np.concatenate([module.eval()(part).numpy() for part in parts])

    return run


def run_onnx(path: Path) -> Callable[[Pixels], Features]:
    import onnxruntime

    session = onnxruntime.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])

    def run(pixels: Pixels) -> Features:
        starts = progress_bar(range(0, len(pixels), BATCH), desc="features of the graph")
        return np.concatenate(
            [session.run(None, {"pixels": pixels[start : start + BATCH]})[0] for start in starts]
        )

    return run


def top1(gallery: Features, queries: Features) -> float:
    """Share of captures that are nearest to their own picture."""
    return float(((queries @ gallery.T).argmax(axis=1) == np.arange(len(queries))).mean())
