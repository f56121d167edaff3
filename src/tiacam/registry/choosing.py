"""Which index a registry is searched with: named by its user, or chosen by size."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from tiacam.errors import UsageError
from tiacam.registry.following import ModelFeatures
from tiacam.registry.index_file import Engine
from tiacam.registry.place import beside, is_url
from tiacam.registry.search import FeatureSearch
from tiacam.registry.shelves import ExactShelf, Shelf
from tiacam.registry.store import Search, Store

AUTO, EXACT = "auto", "exact"
IN_FILES = ("signs", "usearch")
# Up to here all features are read within a quarter of a second and take 60 MB; beyond, signs are read from a file.
MOST_EXACT = 20_000
CHOICES = "auto, exact, signs, usearch or milvus://host:port"


def choose_search(place: str | os.PathLike[str], index: str) -> Callable[[Store], Search] | None:
    """How to search the registry at a place; None where the database server does it by itself.

    Refuses an index that does not exist, or that cannot go with this registry, before anything is opened.
    """
    if index.startswith("milvus"):
        make = milvus_maker(index)
        return lambda store: FeatureSearch(store, make, eager=True)
    if index not in (AUTO, EXACT, *IN_FILES):
        raise UsageError(f"there is no index {index!r}, wanted {CHOICES}")
    if is_url(place) and index in IN_FILES:
        raise UsageError(
            f"the index {index!r} lies beside a registry that is a file, and this one is no file"
        )
    if is_url(place) and index == AUTO:
        return None
    folder = beside(Path(place).absolute(), ".index")
    return lambda store: FeatureSearch(store, ExactShelf if index == EXACT else file_maker(index, folder))


def file_maker(choice: str, folder: Path) -> Callable[[ModelFeatures], Shelf]:
    def make(features: ModelFeatures) -> Shelf:
        if choice == AUTO and features.total() <= MOST_EXACT:
            return ExactShelf(features)
        from tiacam.registry.shelf_file import FileShelf

        return FileShelf(features, folder, engine_named("signs" if choice == AUTO else choice))

    return make


def milvus_maker(address: str) -> Callable[[ModelFeatures], Shelf]:
    from tiacam.registry.shelf_milvus import MilvusAddress, MilvusShelf

    parsed = MilvusAddress.parse(address)
    return lambda features: MilvusShelf(features, parsed)


def engine_named(kind: str) -> type[Engine]:
    if kind == "usearch":
        from tiacam.registry.index_usearch import UsearchIndex

        return UsearchIndex
    from tiacam.registry.index_signs import SignsIndex

    return SignsIndex
