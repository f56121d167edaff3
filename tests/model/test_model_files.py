"""Loading a model: the file that its card names, or an error that says what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from model_files import copy_model, read_value, replace_file, write_card
from onnx import TensorProto, helper

from tiacam.errors import ModelFileError
from tiacam.model import DEFAULT_MODEL, Whitening, card_path, load_model, model_names, read_card

WIDTH = read_card(card_path(DEFAULT_MODEL)).feature_width


def test_a_copy_of_the_shipped_model_loads(tmp_path: Path) -> None:
    loaded = load_model(copy_model(tmp_path), threads=1)
    assert loaded.id == read_card(card_path(DEFAULT_MODEL)).id


def test_the_default_model_is_listed_first() -> None:
    assert model_names()[0] == DEFAULT_MODEL


@pytest.mark.parametrize("name", model_names())
def test_a_shipped_card_is_written_as_it_is_read(name: str) -> None:
    path = card_path(name)
    card = read_card(path)
    assert card.to_json() == read_value(path)
    assert card.id == f"{name}@{card.sha256[:12]}"


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ModelFileError, match=DEFAULT_MODEL):
        load_model("no-such-model")


def test_a_missing_card_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"there is no model card .*absent"):
        load_model(tmp_path / "absent.json")


def test_a_missing_model_file_is_named(tmp_path: Path) -> None:
    card = copy_model(tmp_path, file="absent.onnx")
    with pytest.raises(ModelFileError, match=r"absent\.onnx"):
        load_model(card)


def test_another_file_than_the_card_names_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="sha256"):
        load_model(copy_model(tmp_path, sha256="0" * 64))


def test_a_single_changed_bit_is_noticed(tmp_path: Path) -> None:
    card = copy_model(tmp_path)
    path = tmp_path / read_value(card)["file"]
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(ModelFileError, match="is not the file of its card"):
        load_model(card)


@pytest.mark.parametrize("content", [b"", b"no model at all", bytes(1000)])
def test_what_is_no_onnx_file_is_refused_though_its_sha256_is_right(tmp_path: Path, content: bytes) -> None:
    card = copy_model(tmp_path)
    replace_file(card, content)
    with pytest.raises(ModelFileError, match="cannot load"):
        load_model(card)


def test_a_graph_that_takes_or_gives_something_else_is_refused(tmp_path: Path) -> None:
    card = copy_model(tmp_path)
    replace_file(card, small_graph("picture", WIDTH))
    with pytest.raises(ModelFileError, match="pixels"):
        load_model(card)
    replace_file(card, small_graph("pixels", WIDTH + 1))
    with pytest.raises(ModelFileError, match=f"width {WIDTH}"):
        load_model(card)


def small_graph(name: str, width: int) -> bytes:
    """A graph that returns its input: (B, width) floats."""
    shape: list[str | int | None] = ["batch", width]
    graph = helper.make_graph(
        [helper.make_node("Identity", [name], ["features"])],
        "small",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, shape)],
    )
    made: onnx.ModelProto = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9
    )
    return bytes(made.SerializeToString())


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b'"card"', b"{}", b"\xff\xfe\x00"])
def test_what_is_no_card_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match="no model card"):
        load_model(path)


@pytest.mark.parametrize(
    "field", ["name", "sha256", "file", "input_size", "feature_width", "whitening", "null", "training"]
)
def test_a_card_without_a_field_is_refused(tmp_path: Path, field: str) -> None:
    value = read_value(copy_model(tmp_path))
    del value[field]
    with pytest.raises(ModelFileError, match=field):
        load_model(write_card(tmp_path, value))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"format": "tiacam-model-card-9"}, "tiacam-model-card-9"),
        ({"input_size": "large"}, "large"),
        ({"feature_width": WIDTH - 1}, "whitening"),
        ({"whitening": {"mean": [0.0] * WIDTH, "scale": [1.0] * (WIDTH - 1)}}, "whitening"),
        ({"whitening": {"mean": [0.0] * (WIDTH + 1), "scale": [1.0] * (WIDTH + 1)}}, "whitening"),
        ({"whitening": {"mean": [[0.0]] * WIDTH, "scale": [1.0] * WIDTH}}, "whitening"),
        ({"whitening": {"mean": [0.0] * WIDTH, "scale": [0.0] * WIDTH}}, "positive"),
        ({"whitening": {"mean": [float("nan")] * WIDTH, "scale": [1.0] * WIDTH}}, "finite"),
        ({"whitening": {"mean": "none", "scale": []}}, "no model card"),
        ({"null": {"dimensions": 1}}, "dimensions"),
        ({"null": {"dimensions": "many"}}, "many"),
    ],
)
def test_a_card_with_a_senseless_field_is_refused(
    tmp_path: Path, changes: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ModelFileError, match=reason):
        load_model(copy_model(tmp_path, **changes))


def test_whitening_centres_scales_and_gives_unit_vectors() -> None:
    whitening = Whitening(np.array([1, 1], np.float32), np.array([2, 0.5], np.float32))
    white = whitening.apply(np.array([[4, 17], [1, 1]], np.float32))
    assert white[0] == pytest.approx([0.6, 0.8], abs=1e-6)  # (6, 8) / 10
    assert np.isfinite(white).all()
