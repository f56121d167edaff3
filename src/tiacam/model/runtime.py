"""Running a feature model: uint8 pixels in, whitened unit features out."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiacam.errors import ModelFileError, UsageError
from tiacam.model.card import ModelCard, read_card
from tiacam.model.device import on_gpu, open_session
from tiacam.model.foreseeing import foresee

FILES = Path(__file__).parent / "files"
DEFAULT_MODEL = "anchor-3-int8"
BATCH = 32  # pictures a forward pass: larger ones gain nothing on a CPU and cost memory
GPU_BATCH = 128  # a GPU is busy only with many; still less than 1 GB, for eight processes may share it


class FeatureModel:
    """One loaded ONNX file with its card. Safe to share between threads."""

    def __init__(self, card: ModelCard, session: Any) -> None:
        self.card = card
        self._session = session
        self._batch = GPU_BATCH if on_gpu(session) else BATCH

    @property
    def id(self) -> str:
        return self.card.id

    @property
    def provider(self) -> str:
        """Where onnxruntime runs the graph."""
        return str(self._session.get_providers()[0])

    @property
    def on_gpu(self) -> bool:
        return on_gpu(self._session)

    def extract(self, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(B, S, S, 3) RGB → (B, D) whitened unit features, in batches."""
        size = self.card.input_size
        if pixels.ndim != 4 or pixels.shape[1:] != (size, size, 3) or pixels.dtype != np.uint8:
            raise ValueError(f"pixels are {pixels.dtype} {pixels.shape}, wanted uint8 (B, {size}, {size}, 3)")
        step = self._batch
        raw = [self._forward(pixels[start : start + step]) for start in range(0, len(pixels), step)]
        features = np.concatenate(raw) if raw else np.empty((0, self.card.feature_width), np.float32)
        return self.card.whitening.apply(features)

    def foresee(self, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
        """The features (B, D) under which pictures are registered: near those of all likely photos of them."""
        return foresee(self.extract, pixels)

    def _forward(self, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
        (features,) = self._session.run(None, {"pixels": pixels})
        return np.asarray(features, np.float32)


def model_names() -> list[str]:
    """The models shipped in the package, the default first."""
    names = sorted(path.stem for path in FILES.glob("*.json"))
    return sorted(names, key=lambda name: name != DEFAULT_MODEL)


def card_path(model: str | os.PathLike[str]) -> Path:
    """A shipped model's card by name, or the card of a model outside the package by its path."""
    given = Path(model)
    if given.suffix == ".json":
        return given
    path = FILES / f"{given}.json"
    if not path.is_file():
        raise ModelFileError(
            f"no model {str(model)!r}; shipped: {', '.join(model_names())}, or give the path of a card (.json)"
        )
    return path


def load_model(model: str | os.PathLike[str] = DEFAULT_MODEL, *, threads: int | None = None) -> FeatureModel:
    """Load a model after checking its file against the card's sha256; `threads` limits the CPU threads of a pass."""
    path = card_path(model)
    card = read_card(path)
    content = checked_content(path.parent / card.file, card)
    return FeatureModel(card, _open_session(content, card, threads))


def checked_content(path: Path, card: ModelCard) -> bytes:
    """The model file's bytes, refused unless they are the ones that the card names."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelFileError(
            f"cannot read the model file {path}: {error.strerror}; reinstall tiacam"
        ) from error
    digest = hashlib.sha256(content).hexdigest()
    if digest != card.sha256:
        raise ModelFileError(
            f"{path} is not the file of its card: its sha256 is {digest[:16]}…, "
            f"wanted {card.sha256[:16]}…; reinstall tiacam"
        )
    return content


def _open_session(content: bytes, card: ModelCard, threads: int | None) -> Any:
    import onnxruntime

    options = session_options(onnxruntime, threads)
    try:
        session = open_session(onnxruntime, content, options)
    except Exception as error:  # onnxruntime raises its own unrelated classes
        raise ModelFileError(f"onnxruntime cannot load {card.file}: {error}") from error
    inputs, outputs = session.get_inputs(), session.get_outputs()
    if [entry.name for entry in inputs] != ["pixels"] or outputs[0].shape[-1] != card.feature_width:
        raise ModelFileError(f"{card.file} does not map `pixels` to features of width {card.feature_width}")
    return session


def session_options(onnxruntime: Any, threads: int | None) -> Any:
    """How a network runs here: its threads sleep between passes, for waiting actively costs as much as working."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if threads is not None:
        options.intra_op_num_threads = _check_threads(threads)
    return options


def _check_threads(threads: int) -> int:
    """At most one a core: onnxruntime itself would start any number, and take a negative one for a default."""
    if threads < 1:
        raise UsageError(f"{threads} threads, wanted 1 or more")
    return min(threads, os.cpu_count() or 1)
