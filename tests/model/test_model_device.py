"""Where a network runs. No machine of the tests has a GPU: what a library lists, and what it gives, is a stand-in's."""

from __future__ import annotations

import sys
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnxruntime
import pytest

import tiacam.bulk.engines as engines
from tiacam.bulk.lanes import cores
from tiacam.model import DEFAULT_MODEL, load_model
from tiacam.model.device import CPU, CUDA, open_session
from tiacam.model.runtime import BATCH, GPU_BATCH, FeatureModel

WIDTH = load_model(threads=1).card.input_size


class ClaimsCuda:
    """A session of the real library that says of itself that it runs on a GPU, and notes how much it was given."""

    def __init__(self, session: Any) -> None:
        self.session, self.batches = session, list[int]()

    def get_providers(self) -> list[str]:
        return [CUDA, CPU]

    def run(self, _: None, inputs: dict[str, Any]) -> Any:
        self.batches.append(len(inputs["pixels"]))
        return [np.ones((len(inputs["pixels"]), load_model(threads=1).card.feature_width), np.float32)]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.session, name)


def library(*, works: bool, calls: list[str]) -> SimpleNamespace:
    """onnxruntime as it is built for CUDA: it lists it, and gets it to work or not."""

    def preload_dlls() -> None:
        calls.append("preload")
        if not works:
            print("Failed to load libcudnn.so.9: no such file")

    def open_real(content: bytes, options: Any, providers: list[str]) -> Any:
        calls.append(" ".join(providers))
        session = onnxruntime.InferenceSession(content, options, providers=[CPU])
        return ClaimsCuda(session) if works else session

    return SimpleNamespace(
        get_available_providers=lambda: [CUDA, CPU],
        preload_dlls=preload_dlls,
        InferenceSession=open_real,
        SessionOptions=onnxruntime.SessionOptions,
    )


@pytest.fixture
def model_content() -> bytes:
    from tiacam.model.runtime import FILES

    return (FILES / f"{DEFAULT_MODEL}.onnx").read_bytes()


def test_the_libraries_of_cuda_are_loaded_before_the_session_is_opened(model_content: bytes) -> None:
    calls: list[str] = []
    options = onnxruntime.SessionOptions()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        session = open_session(library(works=True, calls=calls), model_content, options)
    assert calls == ["preload", f"{CUDA} {CPU}"]
    assert session.get_providers()[0] == CUDA


def test_an_older_library_that_cannot_preload_is_used_as_it_is(model_content: bytes) -> None:
    calls: list[str] = []
    older = library(works=True, calls=calls)
    del older.preload_dlls
    open_session(older, model_content, onnxruntime.SessionOptions())
    assert calls == [f"{CUDA} {CPU}"]


def test_a_gpu_that_is_listed_and_not_used_is_said_with_the_reason_and_nothing_is_put_on_stdout(
    model_content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.warns(RuntimeWarning, match=r"the GPU is not used.*libcudnn.*onnxruntime-gpu\[cuda,cudnn\]"):
        session = open_session(library(works=False, calls=[]), model_content, onnxruntime.SessionOptions())
    assert session.get_providers() == [CPU]
    assert capsys.readouterr().out == ""


def test_a_library_without_cuda_says_nothing(model_content: bytes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        session = open_session(onnxruntime, model_content, onnxruntime.SessionOptions())
    assert session.get_providers() == [CPU]


@pytest.mark.parametrize("works", [True, False])
@pytest.mark.filterwarnings("ignore:the GPU is not used")
def test_as_many_processes_are_started_as_what_a_session_gets_can_feed(
    monkeypatch: pytest.MonkeyPatch, works: bool
) -> None:
    stand_in = library(works=works, calls=[])
    monkeypatch.setitem(sys.modules, "onnxruntime", stand_in)
    monkeypatch.setattr(engines, "MOST_A_GPU", 1)
    assert engines.has_gpu(DEFAULT_MODEL) is works
    assert engines.default_workers(DEFAULT_MODEL) == (1 if works else cores())


@pytest.mark.parametrize("on_gpu", [True, False])
def test_a_gpu_is_given_more_pictures_at_once(on_gpu: bool) -> None:
    model = load_model(threads=1)
    session = ClaimsCuda(model._session)
    if not on_gpu:
        session.get_providers = lambda: [CPU]  # type: ignore[method-assign]
    FeatureModel(model.card, session).extract(np.zeros((GPU_BATCH + 1, WIDTH, WIDTH, 3), np.uint8))
    step = GPU_BATCH if on_gpu else BATCH
    assert session.batches[0] == step
    assert sum(session.batches) == GPU_BATCH + 1
