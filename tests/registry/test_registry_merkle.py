"""The hash tree: against published values, against the plain definition, and every proof against every wrong one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiacam.registry.log.merkle import (
    EMPTY,
    GrowingTree,
    StoredTree,
    hash_leaf,
    is_consistent,
    root_from_inclusion,
    root_of,
)

# The eight leaves of Certificate Transparency's reference tree, and the roots over the first n of them.
DATA = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
LEAVES = [hash_leaf(number.to_bytes(4, "big")) for number in range(1500)]
sizes = st.integers(1, 1500)


def tree_of(leaves: list[bytes]) -> StoredTree:
    return StoredTree(lambda start, end: leaves[start:end])


@pytest.mark.parametrize("size", range(9))
def test_the_roots_are_the_published_ones(size: int) -> None:
    leaves = [hash_leaf(bytes.fromhex(text)) for text in DATA[:size]]
    growing = GrowingTree()
    for leaf in leaves:
        growing.append(leaf)
    assert root_of(leaves).hex() == growing.root.hex() == tree_of(leaves).root(0, size).hex() == ROOTS[size]


@given(size=sizes)
def test_growing_leaf_by_leaf_and_reading_by_blocks_give_the_same_root(size: int) -> None:
    growing = GrowingTree()
    for leaf in LEAVES[:size]:
        growing.append(leaf)
    assert growing.root == tree_of(LEAVES).root(0, size) == root_of(LEAVES[:size])


@given(size=sizes, data=st.data())
def test_every_leaf_is_proven_and_no_other_leaf_by_its_path(size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size - 1))
    path = tree_of(LEAVES).inclusion(index, 0, size)
    root = root_of(LEAVES[:size])
    assert root_from_inclusion(LEAVES[index], index, size, path) == root
    assert root_from_inclusion(hash_leaf(b"other"), index, size, path) != root
    if path:
        bent = [*path[:-1], bytes(32)]
        assert root_from_inclusion(LEAVES[index], index, size, bent) != root


@pytest.mark.parametrize("path", [[], [bytes(32)] * 9])
def test_a_path_of_the_wrong_length_is_refused(path: list[bytes]) -> None:
    with pytest.raises(ValueError, match="path"):
        root_from_inclusion(LEAVES[0], 0, 7, path)
    assert not is_consistent(3, root_of(LEAVES[:3]), 7, root_of(LEAVES[:7]), path)


@given(first=sizes, data=st.data())
def test_growth_is_proven_and_a_changed_beginning_is_not(first: int, data: st.DataObject) -> None:
    second = data.draw(st.integers(first, 1500))
    path = tree_of(LEAVES).consistency(first, 0, second)
    old, new = root_of(LEAVES[:first]), root_of(LEAVES[:second])
    assert is_consistent(first, old, second, new, path)
    assert not is_consistent(first, hash_leaf(b"other"), second, new, path)
    changed = data.draw(st.integers(0, first - 1))
    rewritten = [*LEAVES[:changed], hash_leaf(b"rewritten"), *LEAVES[changed + 1 : second]]
    forged = tree_of(rewritten).consistency(first, 0, second)
    assert not is_consistent(first, old, second, root_of(rewritten), forged)


def test_everything_continues_the_empty_tree_and_nothing_shrinks() -> None:
    assert is_consistent(0, EMPTY, 5, root_of(LEAVES[:5]), [])
    assert not is_consistent(5, root_of(LEAVES[:5]), 3, root_of(LEAVES[:3]), [])
