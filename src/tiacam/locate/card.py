"""The card of the locator's file: what it is, how it is fed, and which bytes it must have."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tiacam.errors import ModelFileError

CARD_FORMAT = "tiacam-locator-card-1"


@dataclass(frozen=True)
class LocatorCard:
    """What is known about one locator."""

    name: str
    version: str
    summary: str
    file: str
    sha256: str
    input_size: int
    preprocessing: str
    training: Mapping[str, Any]

    @property
    def id(self) -> str:
        return f"{self.name}@{self.sha256[:12]}"

    def to_json(self) -> dict[str, Any]:
        return {"format": CARD_FORMAT, **asdict(self)}


def read_locator_card(path: Path) -> LocatorCard:
    """The card in a JSON file."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        if value.get("format") != CARD_FORMAT:
            raise ValueError(f"format is {value.get('format')!r}, wanted {CARD_FORMAT!r}")
        plain = {
            key: str(value[key]) for key in ("name", "version", "summary", "file", "sha256", "preprocessing")
        }
        return LocatorCard(**plain, input_size=int(value["input_size"]), training=dict(value["training"]))
    except FileNotFoundError:
        raise ModelFileError(f"there is no locator card {path}") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelFileError(f"{path} is no locator card: {type(error).__name__}: {error}") from error
