"""From what a call names to a bench: pictures, archives, folders of photos, captions beside them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tiacam.data import read_captions, read_layout
from tiacam.errors import DataError
from tiacam.evaluate.bench import Bench
from tiacam.evaluate.captures import Darkroom
from tiacam.evaluate.pairs import Pair, holds_pairs, read_pairs
from tiacam.evaluate.record import make_folder
from tiacam.evaluate.shelf import FEWEST, Shelf, Source, check_all, open_shelf
from tiacam.model import FeatureModel


def open_bench(
    model: FeatureModel,
    data: Path | Sequence[Path],
    n: int | None,
    seed: int,
    *,
    default: int = 200,
    captures: Path | None = None,
) -> Bench:
    """A bench on the first `n` pictures of each place; of photos all, or the first `n` if they are all there is."""
    if captures is not None:
        make_folder(captures, "captures")
    places = [data] if isinstance(data, Path) else list(data)
    lists = [place for place in places if holds_pairs(place)]
    others = [place for place in places if place not in lists]
    pairs = [pair for place in lists for pair in read_pairs(place, None if others else n)]
    fewest = (
        1 if others else FEWEST
    )  # with pictures beside it, one photographed picture has others to be told from
    shelf, usable = open_photos(pairs, fewest) if pairs else (Shelf((), "", ()), ())
    if others:
        pictures = open_shelf(others, default if n is None else n)
        shelf = replace(
            pictures, digest=pictures.digest + shelf.digest, refused=pictures.refused + shelf.refused
        )
    captions = {name: text for place in others for name, text in find_captions(place).items()}
    return Bench(model, shelf, seed, usable, captions, Darkroom(captures))


def open_photos(pairs: Sequence[Pair], fewest: int) -> tuple[Shelf, tuple[Pair, ...]]:
    """The pictures that photos show, and the pairs whose picture can be used; their digest covers the photos too."""
    originals = dict.fromkeys(pair.original for pair in pairs)
    shelf = check_all([Source(path.name, path) for path in originals])
    if len(shelf) < fewest:
        raise DataError(f"the photos show {len(shelf)} usable pictures, wanted at least {fewest}")
    known = {source.place for source in shelf.sources}
    digest = hashlib.sha256(shelf.digest.encode())
    for pair in pairs:
        digest.update(hashlib.sha256(pair.captured.read_bytes()).digest())
    return replace(shelf, digest=digest.hexdigest()), tuple(pair for pair in pairs if pair.original in known)


def find_captions(place: Path) -> Mapping[str, tuple[str, ...]]:
    """Captions by the picture's name: those of a known layout, or of NAME_captions.jsonl beside NAME.tar."""
    known = read_layout(place) if place.is_dir() else None
    if known is not None:
        return {Path(example.name).stem: example.captions for example in known.examples if example.captions}
    beside = (
        [place / "captions.jsonl"] if place.is_dir() else [place.with_name(f"{place.stem}_captions.jsonl")]
    )
    found = [path for path in beside if path.is_file()]
    return {name: tuple(text) for path in found for name, text in read_captions(path)}
