"""Going on from a shipped file: the restored tower computes what the file computes, and can be trained."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from numpy.typing import NDArray
from PIL import Image

import tiacam
from tiacam.errors import ModelFileError
from tiacam.features.anchor import EMBEDDING as EMBEDDING_WIDTH
from tiacam.features.efficientnet import with_repeats
from tiacam.features.locator import ShippedLocator
from tiacam.training.export import export_graph
from tiacam.training.precision import Precision
from tiacam.training.restoring import restore_locator, restore_tower
from tiacam.training.shipping import ShippedModel

SHIPPED = Path(tiacam.__file__).parent / "model" / "files" / "anchor-3.onnx"
LOCATOR = Path(tiacam.__file__).parent / "locate" / "files" / "locator-1.onnx"
EMBEDDING = "/tower/project/Gemm_output_0"


def samples(side: int) -> NDArray[np.uint8]:
    folder = Path(tiacam.__file__).parent / "cli" / "pictures"
    small = [Image.open(path).convert("RGB").resize((side, side)) for path in sorted(folder.glob("*.jpg"))]
    return np.stack([np.asarray(picture) for picture in small])


@pytest.fixture(scope="module")
def shown() -> NDArray[np.uint8]:
    """In the size that the shipped model takes."""
    return samples(192)


def embed_by_file(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """What the file's tower gives before whitening."""
    model = onnx.load(str(SHIPPED))
    model.graph.output.append(onnx.helper.make_tensor_value_info(EMBEDDING, onnx.TensorProto.FLOAT, None))
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (found,) = session.run([EMBEDDING], {session.get_inputs()[0].name: pixels})
    return np.asarray(found, np.float32)


def test_the_restored_tower_computes_what_the_file_computes(shown: NDArray[np.uint8]) -> None:
    tower = restore_tower(SHIPPED, shown)
    with torch.no_grad():
        found = tower.eval()(torch.from_numpy(shown).permute(0, 3, 1, 2) / 255).numpy()
    expected = embed_by_file(shown)
    cosines = (
        (found * expected).sum(axis=1) / np.linalg.norm(found, axis=1) / np.linalg.norm(expected, axis=1)
    )
    assert cosines.min() > 0.9999


def test_a_deeper_tower_comes_back_from_its_file(tmp_path: Path, shown: NDArray[np.uint8]) -> None:
    shallow = restore_tower(SHIPPED, shown)
    deeper = shallow.deepened(with_repeats((1, 2, 2, 3, 4, 6, 1))).eval()
    with torch.no_grad():
        for block in deeper.backbone.blocks:
            block.project_norm.weight.clamp_(min=0.05)  # new blocks that do something
    model = ShippedModel(deeper).eval()
    model.axes = torch.eye(EMBEDDING_WIDTH)
    export_graph(model, shown.shape[1], tmp_path / "deep.onnx", Precision.FP16, shown)
    restored = restore_tower(tmp_path / "deep.onnx", shown).eval()
    pictures = torch.from_numpy(shown).permute(0, 3, 1, 2) / 255
    with torch.no_grad():
        assert torch.nn.functional.cosine_similarity(restored(pictures), deeper(pictures)).min() > 0.999


def test_the_restored_locator_computes_what_its_file_computes() -> None:
    shown = samples(224)
    network = restore_locator(LOCATOR, shown)
    with torch.no_grad():
        found = ShippedLocator(network.eval())(torch.from_numpy(shown)).numpy()
    session = onnxruntime.InferenceSession(str(LOCATOR), providers=["CPUExecutionProvider"])
    (expected,) = session.run(None, {session.get_inputs()[0].name: shown})
    assert np.abs(found - expected).max() < 0.01


def test_in_training_it_begins_near_the_file(shown: NDArray[np.uint8]) -> None:
    """Batch statistics replace the fitted ones; on the pictures that they were fitted on these are the same."""
    tower = restore_tower(SHIPPED, shown)
    tower.norm.eval()  # its statistics are those of many pictures, not of twelve
    found = tower(torch.from_numpy(shown).permute(0, 3, 1, 2) / 255)
    found.square().mean().backward()
    assert all(weight.grad is not None for weight in tower.backbone.parameters())
    expected = torch.from_numpy(embed_by_file(shown))
    assert torch.nn.functional.cosine_similarity(found, expected).min() > 0.99


def test_other_files_are_refused(tmp_path: Path, shown: NDArray[np.uint8]) -> None:
    (tmp_path / "broken.onnx").write_bytes(b"\x00\x01 no model")
    with pytest.raises(ModelFileError):
        restore_tower(tmp_path / "broken.onnx", shown)
    with pytest.raises(ModelFileError, match="not an exported anchor model"):
        restore_tower(SHIPPED.with_name("bootstrap-0.onnx"), shown)
    with pytest.raises(ModelFileError, match="not an exported locator"):
        restore_locator(SHIPPED, shown)
