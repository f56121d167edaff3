"""`tiacam train` from the command line, on a few pictures."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.features.dual_encoders import save_clip, save_sentence_encoder

import tiacam
from tiacam.cli import main
from tiacam.data import save_embeddings
from tiacam.features.anchor import ImageTower, TextProjection
from tiacam.features.anchor_encoder import AnchorEncoder
from tiacam.features.sentences import SentenceEncoder
from tiacam.training.checkpoint import Checkpoint
from tiacam.training.curves import read_curve

from .pictures import small_pictures, write_tar

SHIPPED = Path(tiacam.__file__).parent / "model" / "files" / "anchor-3.onnx"
SMALL = "--augmentor operators --steps 2 --batch 4 --size 32 --log-every 1 --device cpu --save-every 1"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shard of twelve pictures, captions of ten of them, an anchor and a sentence encoder."""
    folder = tmp_path_factory.mktemp("data")
    write_tar(folder / "shard-00.tar", small_pictures(12, 40))
    lines = [
        {"file": f"{index:06}.webp", "captions": [f"a cat on the bench {index}", f"red bus {index}"]}
        for index in range(10)
    ]
    with gzip.open(folder / "captions.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    torch.manual_seed(0)
    weights = {"averaged": ImageTower().state_dict(), "text": TextProjection(16).state_dict()}
    torch.save(weights, folder / "anchor.pt")
    save_sentence_encoder(folder / "sentences")
    return folder


def test_captions_become_vectors_in_several_styles(data: Path) -> None:
    vectors, source = data / "styles.npz", data / "captions.jsonl.gz"
    words = f"train captions --captions {source} --encoder {data / 'sentences'} --out {vectors} --device cpu"
    assert main(words.split()) == 0
    saved = np.load(vectors)
    assert saved["emb"].shape[1] == 16
    assert sorted(saved["ids"].tolist()).count("000000") == 6  # four styles of one caption, two of the other


def test_a_shipped_backbone_gets_a_text_side_that_the_stage_takes(data: Path, tmp_path: Path) -> None:
    vectors = data / "plain.npz"
    source = data / "captions.jsonl.gz"
    words = f"train captions --captions {source} --encoder {data / 'sentences'} --out {vectors} --device cpu"
    main([*words.split(), "--styles", "plain"])
    words = f"train text --start {SHIPPED} --data {data} --captions {vectors} --out {tmp_path} --size 64"
    assert main([*words.split(), "--steps", "30", "--batch", "8", "--device", "cpu"]) == 0
    encoder = AnchorEncoder.load(tmp_path / "anchor.pt", SentenceEncoder.load(str(data / "sentences")))
    assert encoder.embed_texts(["a cat on the bench"]).shape == (1, encoder.width)
    about = Checkpoint.load(tmp_path / "anchor.pt").state["about"]
    assert about["from"] == "anchor-3.onnx"
    assert about["pictures"] == 10


def test_a_text_side_needs_shards_and_a_backbone_in_fractions(data: Path, tmp_path: Path) -> None:
    vectors = data / "any.npz"
    save_embeddings(vectors, ["000000"], np.ones((1, 16), np.float32))
    base = f"train text --captions {vectors} --out {tmp_path} --size 64"
    assert main([*base.split(), "--data", str(tmp_path), "--start", str(SHIPPED)]) == 1
    whole = SHIPPED.with_name("anchor-3-int8.onnx")
    assert main([*base.split(), "--data", str(data), "--start", str(whole)]) == 1
    assert not (tmp_path / "anchor.pt").exists()


def test_the_stage_trains_on_the_anchor_and_goes_on(data: Path, tmp_path: Path) -> None:
    vectors = data / "vectors.npz"
    main(
        f"train captions --captions {data / 'captions.jsonl.gz'} --encoder {data / 'sentences'} --out {vectors}"
        " --device cpu --styles plain".split()
    )
    words = (
        f"train tiacam --data {data} --captions {vectors} --backbone {data / 'anchor.pt'} --out {tmp_path}"
    )
    assert main([*words.split(), *SMALL.split()]) == 0
    assert main([*words.split(), *SMALL.split(), "--steps", "3"]) == 0
    assert [row["step"] for row in read_curve(tmp_path / "tiacam.csv")] == [1, 2, 3]
    found = Checkpoint.load(tmp_path / "tiacam.pt")
    assert found.step == 3
    assert found.state["about"]["pictures"] == 10  # those without a caption are left out


def test_the_stage_trains_on_a_clip_with_captions_in_words(data: Path, tmp_path: Path) -> None:
    clip = save_clip(tmp_path / "clip")
    captions = data / "captions.jsonl.gz"
    words = f"train tiacam --data {data} --captions {captions} --clip {clip} --out {tmp_path / 'out'}"
    assert main([*words.split(), *SMALL.split()]) == 0
    assert Checkpoint.load(tmp_path / "out" / "tiacam.pt").state["about"]["extractor"]["inputs"] == 24


def test_vectors_of_sentences_are_refused_for_a_clip(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savez(tmp_path / "v.npz", ids=np.array(["000000"]), emb=np.zeros((1, 16), np.float16))
    words = (
        f"train tiacam --data {data} --captions {tmp_path / 'v.npz'} --clip {save_clip(tmp_path / 'clip')}"
    )
    assert main([*words.split(), "--out", str(tmp_path), *SMALL.split()]) == 1
    assert "needs the captions' words" in capsys.readouterr().err


def test_a_recipe_of_ones_own_gets_the_rest_of_the_line(tmp_path: Path) -> None:
    recipe = tmp_path / "mine.py"
    recipe.write_text("def main(arguments):\n    return 0 if arguments == ['--data', 'here'] else 1\n")
    assert main(["train", "tiacam", "--recipe", str(recipe), "--data", "here"]) == 0


@pytest.mark.parametrize("content", ["", None])
def test_what_is_no_recipe_is_refused(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "mine.py"
    if content is not None:
        path.write_text(content)
    assert main(["train", "tiacam", "--recipe", str(path)]) == 2


def test_a_folder_without_shards_is_an_error(data: Path, tmp_path: Path) -> None:
    words = (
        f"train tiacam --data {tmp_path} --captions x.npz --backbone {data / 'anchor.pt'} --out {tmp_path}"
    )
    assert main([*words.split(), *SMALL.split()]) == 1
