"""Merkle hash trees as RFC 6962 defines them: roots, inclusion paths, consistency paths, and checking both.

A leaf is SHA-256(0x00 + data), an inner node SHA-256(0x01 + left + right). A tree of n leaves has a left half of k,
the largest power of two below n. The functions below are those recursive definitions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

EMPTY = hashlib.sha256(b"").digest()
BLOCK = 256  # leaves under one remembered node


def hash_leaf(data: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + data).digest()


def hash_node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def split(size: int) -> int:
    """The largest power of two below `size`."""
    return 1 << (size - 1).bit_length() - 1


def root_of(leaves: Sequence[bytes]) -> bytes:
    if not leaves:
        return EMPTY
    if len(leaves) == 1:
        return leaves[0]
    middle = split(len(leaves))
    return hash_node(root_of(leaves[:middle]), root_of(leaves[middle:]))


class GrowingTree:
    """A tree that leaves are appended to and whose root can be asked for at any time; it keeps log2(n) nodes."""

    def __init__(self) -> None:
        self.size = 0
        self._whole: list[bytes] = []  # roots of perfect trees, the largest first: the bits of `size`

    def append(self, leaf: bytes) -> None:
        node, size = leaf, self.size
        while size & 1:
            node = hash_node(self._whole.pop(), node)
            size >>= 1
        self._whole.append(node)
        self.size += 1

    @property
    def root(self) -> bytes:
        if not self._whole:
            return EMPTY
        node = self._whole[-1]
        for left in reversed(self._whole[:-1]):
            node = hash_node(left, node)
        return node


class StoredTree:
    """The tree over leaves that are stored elsewhere; `fetch(start, end)` reads the hashes of some of them.

    Leaves never change, so the roots of whole blocks are remembered: a proof reads one or two blocks.
    """

    def __init__(self, fetch: Callable[[int, int], list[bytes]]) -> None:
        self._fetch = fetch
        self._blocks: dict[tuple[int, int], bytes] = {}

    def root(self, start: int, end: int) -> bytes:
        """The root over the leaves from `start` to before `end`, as they would stand in one tree."""
        if end - start < BLOCK:
            return root_of(self._fetch(start, end))
        known = self._blocks.get((start, end))
        if known is not None:
            return known
        if end - start == BLOCK:
            node = root_of(self._fetch(start, end))
        else:
            middle = start + split(end - start)
            node = hash_node(self.root(start, middle), self.root(middle, end))
        if (end - start).bit_count() == 1:
            self._blocks[start, end] = node
        return node

    def inclusion(self, index: int, start: int, end: int) -> list[bytes]:
        """The siblings that lead from leaf `index` up to the root, the lowest first."""
        if end - start <= 1:
            return []
        middle = start + split(end - start)
        if index < middle:
            return [*self.inclusion(index, start, middle), self.root(middle, end)]
        return [*self.inclusion(index, middle, end), self.root(start, middle)]

    def consistency(self, first: int, start: int, end: int, *, whole: bool = True) -> list[bytes]:
        """What shows that the tree of the leaves before `first` is the beginning of the tree before `end`."""
        if first == end:
            return [] if whole else [self.root(start, end)]
        middle = start + split(end - start)
        if first <= middle:
            return [*self.consistency(first, start, middle, whole=whole), self.root(middle, end)]
        return [*self.consistency(first, middle, end, whole=False), self.root(start, middle)]


def root_from_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes:
    """The root that a leaf and its path lead to; a ValueError for a path that cannot belong to them."""
    if not 0 <= index < size or (size == 1) != (not path):
        raise ValueError("the path does not fit the size of the tree")
    if size == 1:
        return leaf
    middle = split(size)
    if index < middle:
        return hash_node(root_from_inclusion(leaf, index, middle, path[:-1]), path[-1])
    return hash_node(path[-1], root_from_inclusion(leaf, index - middle, size - middle, path[:-1]))


def is_consistent(
    first: int, first_root: bytes, second: int, second_root: bytes, path: Sequence[bytes]
) -> bool:
    """Whether the tree of `first` leaves is the beginning of the tree of `second`."""
    if first == 0:
        return first_root == EMPTY and not path
    if first > second:
        return False
    try:
        found = roots_from_consistency(first, second, path, first_root)
    except ValueError:
        return False
    return found == (first_root, second_root)


def roots_from_consistency(
    first: int, second: int, path: Sequence[bytes], known: bytes | None
) -> tuple[bytes, bytes]:
    """Both roots as the path leads to them; `known` is the older one while it may stand in for itself."""
    if first == second:
        rest = list(path) if known is None else [known, *path]
        if len(rest) != 1:
            raise ValueError("the path does not fit the sizes of the trees")
        return rest[0], rest[0]
    if not path:
        raise ValueError("the path is too short")
    middle, last = split(second), path[-1]
    if first <= middle:
        old, new = roots_from_consistency(first, middle, path[:-1], known)
        return old, hash_node(new, last)
    old, new = roots_from_consistency(first - middle, second - middle, path[:-1], None)
    return hash_node(last, old), hash_node(last, new)
