"""Visual Genome as published: VG_100K and VG_100K_2 with NUMBER.jpg, and region_descriptions.json.

The paper turns the words of a region into a sentence, "This is an image of a person wearing a fedora."
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tiacam.data.dataset import Dataset, Example
from tiacam.errors import DataError

FOLDERS = ("VG_100K", "VG_100K_2")
REGIONS = "region_descriptions.json"


def read_visual_genome(folder: Path, *, most_regions: int | None = None) -> Dataset:
    """The pictures that are there, with their regions' phrases as sentences, the largest regions first."""
    path = folder / REGIONS
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
        found = [read_entry(entry, folder, most_regions) for entry in entries]
    except OSError as error:
        raise DataError(f"{folder} is no Visual Genome: cannot read {REGIONS}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{path} is malformed: {type(error).__name__}: {error}") from error
    examples = tuple(example for example in found if example is not None)
    if not examples:
        raise DataError(f"none of the pictures of {path} is in {' or '.join(FOLDERS)}")
    return Dataset("Visual Genome", examples)


def read_entry(entry: Mapping[str, Any], folder: Path, most: int | None) -> Example | None:
    regions = sorted(entry["regions"], key=lambda region: -region["width"] * region["height"])
    number = entry.get("id", entry.get("image_id"))
    for place in FOLDERS:
        picture = folder / place / f"{number}.jpg"
        if picture.is_file():
            captions = tuple(phrase_sentence(region["phrase"]) for region in regions[:most])
            return Example(f"{place}/{picture.name}", picture, captions=captions)
    return None


def phrase_sentence(phrase: str) -> str:
    """A region's phrase in the paper's template, with an article where it has none."""
    words = phrase.strip().rstrip(".").split()
    if words and words[0].lower() not in {"a", "an", "the", "two", "three", "some", "people"}:
        words.insert(0, "an" if words[0][0].lower() in "aeiou" else "a")
    return f"This is an image of {' '.join(words)}."
