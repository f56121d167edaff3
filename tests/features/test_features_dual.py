"""Both dual encoders: one contract, and what is particular to each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from tiacam.errors import ModelFileError, UsageError
from tiacam.features.anchor import ImageTower, TextProjection
from tiacam.features.anchor_encoder import AnchorEncoder
from tiacam.features.clip import ClipEncoder, Preprocessing
from tiacam.features.dual import DualEncoder, embed_in_batches
from tiacam.features.sentences import SentenceEncoder

from .dual_encoders import preprocessing, save_clip, save_sentence_encoder


@pytest.fixture(scope="module")
def encoders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, DualEncoder]:
    folder = tmp_path_factory.mktemp("encoders")
    torch.manual_seed(0)
    tower, text = ImageTower(), TextProjection(16)
    weights = {"averaged": tower.state_dict(), "text": text.state_dict()}
    torch.save({"step": 1, "state": weights}, folder / "anchor.pt")
    sentences = SentenceEncoder.load(str(save_sentence_encoder(folder / "sentences")))
    return {
        "clip": ClipEncoder.load(str(save_clip(folder / "clip"))),
        "anchor": AnchorEncoder.load(folder / "anchor.pt", sentences),
    }


@pytest.mark.parametrize("name", ["clip", "anchor"])
def test_pictures_and_captions_land_in_one_space(encoders: dict[str, DualEncoder], name: str) -> None:
    encoder = encoders[name]
    texts = encoder.embed_texts(["a cat on the bench", "red bus"])
    assert encoder.embed_images(torch.rand(2, 3, 40, 40)).shape == texts.shape == (2, encoder.width)
    assert torch.allclose(texts.norm(dim=1), torch.ones(2), atol=1e-5)


@pytest.mark.parametrize("name", ["clip", "anchor"])
def test_layers_have_no_place_left_in_them(encoders: dict[str, DualEncoder], name: str) -> None:
    layers = encoders[name].look(torch.rand(2, 3, 64, 64)).layers
    assert len(layers) >= 2
    assert all(layer.ndim == 2 and len(layer) == 2 for layer in layers)


@pytest.mark.parametrize("name", ["clip", "anchor"])
def test_a_gradient_reaches_the_pictures_and_no_parameter(
    encoders: dict[str, DualEncoder], name: str
) -> None:
    image = torch.rand(2, 3, 64, 64, requires_grad=True)
    encoder = encoders[name]
    seen = encoder.look(image)
    (seen.embedding.sum() + sum(layer.sum() for layer in seen.layers)).backward()
    assert image.grad is not None
    assert image.grad.abs().sum() > 0
    assert all(parameter.grad is None for parameter in encoder.parameters())


@pytest.mark.parametrize("name", ["clip", "anchor"])
def test_training_mode_leaves_an_encoder_as_it_is(encoders: dict[str, DualEncoder], name: str) -> None:
    encoder = encoders[name]
    before = {key: value.clone() for key, value in encoder.state_dict().items()}
    encoder.train()
    encoder.embed_images(torch.rand(4, 3, 64, 64))
    assert all(torch.equal(value, before[key]) for key, value in encoder.state_dict().items())


@pytest.mark.parametrize("name", ["clip", "anchor"])
def test_batches_of_captions_keep_their_order(encoders: dict[str, DualEncoder], name: str) -> None:
    texts = ["a man riding a wave", "dog", "red bus on the street", "cat"]
    one_by_one = torch.cat([encoders[name].embed_texts([text]) for text in texts])
    assert torch.allclose(embed_in_batches(encoders[name], texts, 2), one_by_one, atol=1e-5)


def test_clip_prepares_pictures_as_its_own_processor_does() -> None:
    from transformers import CLIPImageProcessorPil

    y, x = np.mgrid[0:48, 0:64] / 64
    waves = [np.cos(5 * x + phase) * np.sin(4 * y + phase) for phase in range(3)]
    smooth = np.asarray(127 + 120 * np.stack(waves, -1), np.uint8)
    theirs = CLIPImageProcessorPil(**preprocessing(32))(smooth, return_tensors="pt")["pixel_values"]
    ours = Preprocessing.of(preprocessing(32)).apply(torch.from_numpy(smooth).permute(2, 0, 1)[None] / 255)
    assert ours.shape == theirs.shape == (1, 3, 32, 32)
    assert (ours - theirs).abs().max() < 0.05  # theirs is rounded to bytes after resizing


def test_clip_of_another_width_works_alike(tmp_path: Path) -> None:
    assert ClipEncoder.load(str(save_clip(tmp_path, width=40))).width == 40


def test_the_anchor_gives_what_its_tower_gives(encoders: dict[str, DualEncoder]) -> None:
    encoder = encoders["anchor"]
    assert isinstance(encoder, AnchorEncoder)
    image = torch.rand(2, 3, 64, 64)
    assert torch.allclose(encoder.embed_images(image), encoder.tower(image), atol=1e-5)
    vectors = encoder.sentences(["dog"])  # type: ignore[misc]
    assert torch.allclose(encoder.embed_sentences(vectors), encoder.embed_texts(["dog"]), atol=1e-6)


def test_an_anchor_without_a_sentence_encoder_says_so() -> None:
    with pytest.raises(UsageError, match="sentence encoder"):
        AnchorEncoder(ImageTower(), TextProjection()).embed_texts(["a cat"])


def test_folders_and_files_without_a_model_are_errors(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    torch.save({"averaged": {}}, tmp_path / "weights.pt")
    (tmp_path / "broken.pt").write_bytes(b"no weights")
    with pytest.raises(ModelFileError, match="CLIP"):
        ClipEncoder.load(str(tmp_path))
    with pytest.raises(ModelFileError, match="anchor"):
        AnchorEncoder.load(tmp_path / "weights.pt")
    with pytest.raises(ModelFileError, match="weights"):
        AnchorEncoder.load(tmp_path / "broken.pt")
    with pytest.raises(ModelFileError, match="sentence encoder"):
        SentenceEncoder.load(str(tmp_path / "nothing"))
