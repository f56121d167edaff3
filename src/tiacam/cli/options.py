"""Options and input that several commands share."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tiacam.errors import UsageError

if TYPE_CHECKING:
    from tiacam.app import Tiacam
    from tiacam.registry import KeyRing, Registry

ENVIRONMENT = "TIACAM_REGISTRY"
INDEX_ENVIRONMENT = "TIACAM_INDEX"
FEW_FILES = 4  # more than this get a progress bar
SUFFIXES = frozenset(
    [
        ".jpg",
        ".jpeg",
        ".jpe",
        ".jfif",
        ".png",
        ".webp",
        ".avif",
        ".tif",
        ".tiff",
        ".gif",
        ".bmp",
        ".heic",
        ".heif",
        ".hif",
    ]
)


def add_registry(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--registry",
        metavar="FILE|URL",
        help="the registry: a file or a postgresql:// URL "
        f"(default: ${ENVIRONMENT}, or registry.tiacam in your data folder)",
    )
    add_json(parser)


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON object a line on stdout")


def add_key(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument(
        "--key",
        type=Path,
        action="append",
        metavar="FILE|FOLDER",
        help=f"{what}; may be given several times: the first signs, the others read what they registered "
        "(default: REGISTRY.key and those in REGISTRY.keys, for a URL in your data folder)",
    )


def add_session(parser: argparse.ArgumentParser) -> None:
    """What opening a registry together with a model and a key needs."""
    add_registry(parser)
    add_key(parser, "the owner's key")
    parser.add_argument(
        "--model", metavar="NAME", help="a shipped model or the path of a card (default: the registry's)"
    )
    parser.add_argument(
        "--threads", type=positive, metavar="N", help="CPU threads of a model pass (default: all cores)"
    )
    parser.add_argument(
        "--index",
        default=os.environ.get(INDEX_ENVIRONMENT, "auto"),
        metavar="KIND",
        help="how near records are found: exact, signs, usearch or milvus://host:port "
        f"(default: ${INDEX_ENVIRONMENT}, or by the number of records)",
    )


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is not a positive number")
    return value


def registry_path(options: argparse.Namespace) -> str | Path:
    """The registry that a command is about: a path, or a URL as it was written."""
    from tiacam.registry.place import parse_place

    if options.registry is not None:
        return parse_place(str(options.registry))
    if named := os.environ.get(ENVIRONMENT):
        return parse_place(named)
    import platformdirs

    return platformdirs.user_data_path("tiacam", appauthor=False) / "registry.tiacam"


def open_session(options: argparse.Namespace, *, create: bool = False) -> Tiacam:
    """The registry with model and key; says where a key was made, because losing it loses the messages."""
    path = registry_path(options)
    if not create:
        _require(path)
    from tiacam.app import Tiacam

    session = Tiacam.open(
        path, key=options.key, model=options.model, threads=options.threads, index=options.index
    )
    if session.key_file.created:
        print(
            f"made the key {session.key_file.path}: back it up, without it no message can be read",
            file=sys.stderr,
        )
    return session


def load_ring(options: argparse.Namespace, registry: Registry) -> KeyRing:
    """The keys that a command without a model was given, or those of the registry."""
    from tiacam.registry import default_places, open_ring

    return open_ring(options.key or default_places(registry_path(options)), registry.log.history())


def open_registry(options: argparse.Namespace, *, create: bool = False) -> Registry:
    path = registry_path(options)
    if not create:
        _require(path)
    from tiacam.registry import Registry

    return Registry.open(path, create=create)


def _require(place: str | Path) -> None:
    """Refuse a file that is not there; what a server holds shows when it is opened."""
    if isinstance(place, Path) and not place.exists():
        raise UsageError(
            f"there is no registry {place}: `tiacam register` makes one, or name it with --registry FILE"
        )


def find_files(patterns: Sequence[str]) -> list[str]:
    """Files as named; folders give the pictures below them, patterns that no file is called are expanded."""
    found: list[str] = []
    for pattern in patterns:
        for match in expand(pattern):
            found.extend(_pictures_below(match) if Path(match).is_dir() else [match])
    return found


def expand(pattern: str) -> list[str]:
    """What a pattern matches; a plain name stands for itself, so that a missing file is reported as such."""
    if os.path.lexists(pattern) or not any(character in pattern for character in "*?["):
        return [pattern]
    path = Path(pattern)
    matches = sorted(
        str(match) for match in Path(path.anchor or ".").glob(str(path.relative_to(path.anchor)))
    )
    if not matches:
        raise UsageError(f"no file matches {pattern}")
    return matches


def _pictures_below(folder: str) -> Iterable[str]:
    pictures = sorted(
        str(path) for path in Path(folder).rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file()
    )
    if not pictures:
        raise UsageError(f"the folder {folder} holds no pictures")
    return pictures
