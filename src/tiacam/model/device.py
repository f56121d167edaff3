"""Where a network runs: on the GPU if onnxruntime gets one to work, and said aloud if it has CUDA and does not."""

from __future__ import annotations

import io
import warnings
from contextlib import redirect_stdout
from typing import Any

CPU, CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"
NO_GPU = "the GPU is not used"


def has_cuda(onnxruntime: Any) -> bool:
    """Whether this onnxruntime is one for CUDA; a GPU that works is another matter, which only a session tells."""
    return CUDA in onnxruntime.get_available_providers()


def open_session(onnxruntime: Any, content: bytes, options: Any) -> Any:
    """A session on the GPU where that works, on the CPU elsewhere."""
    if not has_cuda(onnxruntime):
        return onnxruntime.InferenceSession(content, options, providers=[CPU])
    talk = io.StringIO()  # onnxruntime prints what goes wrong on stdout, which is for data
    with redirect_stdout(talk):
        load_libraries(onnxruntime)
        session = onnxruntime.InferenceSession(content, options, providers=[CUDA, CPU])
    if not on_gpu(session):
        warn_of_cpu(talk.getvalue())
    return session


def load_libraries(onnxruntime: Any) -> None:
    """CUDA and cuDNN often come as wheels (nvidia-*, or torch's), where the loader does not look (since 1.21)."""
    if hasattr(onnxruntime, "preload_dlls"):
        onnxruntime.preload_dlls()


def on_gpu(session: Any) -> bool:
    return CUDA in session.get_providers()


def warn_of_cpu(talk: str) -> None:
    """Python shows the same warning once."""
    reasons = [line.strip() for line in talk.splitlines() if "Error" in line or "Failed" in line]
    warnings.warn(
        f"{NO_GPU}: onnxruntime has CUDA, but could not start it"
        + (f" ({reasons[0]})" if reasons else "")
        + "; install its CUDA and cuDNN libraries (pip install 'onnxruntime-gpu[cuda,cudnn]') and see whether "
        "`nvidia-smi` shows the GPU",
        RuntimeWarning,
        stacklevel=2,
    )
