"""Proofs that travel alone: that a record is in the log, and that a log has only grown. Checked without a registry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiacam.errors import DamagedRegistryError
from tiacam.registry.log.heads import TreeHead, read_json
from tiacam.registry.log.merkle import hash_leaf, is_consistent, root_from_inclusion
from tiacam.registry.record import Record, describe

RECORD_FORMAT = "tiacam-record-proof-1"
GROWTH_FORMAT = "tiacam-growth-proof-1"


@dataclass(frozen=True, kw_only=True)
class RecordProof:
    """A record, its number (from 1), the head of a tree that holds it, and the path between them."""

    record: Record
    number: int
    head: TreeHead
    path: tuple[bytes, ...]

    def verify(self) -> None:
        """Refuse a record that is not its owner's or not in the tree; heads are checked when they are read."""
        if not self.record.is_signed():
            raise DamagedRegistryError(
                f"record {self.record.id} was edited: its owner's signature does not match"
            )
        try:
            root = root_from_inclusion(
                hash_leaf(self.record.hash), self.number - 1, self.head.size, self.path
            )
        except ValueError as error:
            raise DamagedRegistryError(
                f"the proof of record {self.record.id} is malformed: {error}"
            ) from error
        if root != self.head.root:
            raise DamagedRegistryError(
                f"record {self.record.id} is not number {self.number} of the log with the root "
                f"{self.head.root.hex()}: the record, the proof or the tree head belongs elsewhere"
            )

    def to_json(self) -> dict[str, Any]:
        return {
            "format": RECORD_FORMAT,
            "number": self.number,
            "path": [node.hex() for node in self.path],
            "head": self.head.to_json(),
            "record": self.record.to_json(),
        }


@dataclass(frozen=True, kw_only=True)
class GrowthProof:
    """That the log of the first head is the beginning of the log of the second."""

    first: TreeHead
    second: TreeHead
    path: tuple[bytes, ...]

    def verify(self) -> None:
        first, second = self.first, self.second
        if not is_consistent(first.size, first.root, second.size, second.root, self.path):
            raise DamagedRegistryError(
                f"the log of {second.size} records is no continuation of the log of {first.size}: "
                "records were edited, deleted, inserted or reordered in between"
            )
        if first.events > second.events or first.created_at > second.created_at:
            raise DamagedRegistryError("the second tree head is older than the first, or has lost key events")

    def to_json(self) -> dict[str, Any]:
        return {
            "format": GROWTH_FORMAT,
            "path": [node.hex() for node in self.path],
            "first": self.first.to_json(),
            "second": self.second.to_json(),
        }


def read_proof(path: Path) -> RecordProof | GrowthProof:
    """A proof from its file; its form and its tree heads' signatures are checked, `verify` checks the rest."""
    return parse_proof(read_json(path))


def parse_proof(value: Mapping[str, Any]) -> RecordProof | GrowthProof:
    try:
        nodes = parse_path(value["path"])
        if value["format"] == RECORD_FORMAT:
            return RecordProof(
                record=Record.from_json(value["record"]),
                number=int(value["number"]),
                head=TreeHead.from_json(value["head"]),
                path=nodes,
            )
        if value["format"] == GROWTH_FORMAT:
            first, second = TreeHead.from_json(value["first"]), TreeHead.from_json(value["second"])
            return GrowthProof(first=first, second=second, path=nodes)
        raise ValueError(f"its format is {value['format']!r}, wanted {RECORD_FORMAT!r} or {GROWTH_FORMAT!r}")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DamagedRegistryError(f"no valid proof: {describe(error)}") from error


def parse_path(nodes: Sequence[str]) -> tuple[bytes, ...]:
    path = tuple(bytes.fromhex(node) for node in nodes)
    if len(path) > 64 or any(len(node) != 32 for node in path):
        raise ValueError("the path must be at most 64 nodes of 32 bytes")
    return path
