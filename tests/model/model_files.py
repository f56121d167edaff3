"""Copies of the shipped model with something changed: what a model file and its card can have wrong."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

from tiacam.model import DEFAULT_MODEL, card_path


def copy_model(folder: Path, **changes: Any) -> Path:
    """The shipped model and its card in another folder, fields of the card changed; returns the card."""
    source = card_path(DEFAULT_MODEL)
    value = json.loads(source.read_text(encoding="utf-8"))
    shutil.copy(source.parent / value["file"], folder / value["file"])
    return write_card(folder, value | changes)


def write_card(folder: Path, value: Any) -> Path:
    path = folder / "model.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def read_value(card: Path) -> Any:
    return json.loads(card.read_text(encoding="utf-8"))


def replace_file(card: Path, content: bytes) -> None:
    """Another content for the model file, which the card then vouches for."""
    value = read_value(card)
    (card.parent / value["file"]).write_bytes(content)
    write_card(card.parent, value | {"sha256": hashlib.sha256(content).hexdigest()})
