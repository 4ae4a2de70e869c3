"""The Merkle tree against its definition in RFC 6962 and the roots that certificate transparency logs test with."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprelease.model import merkle

pytestmark = pytest.mark.quick

DATA = [
    bytes.fromhex(text)
    for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "60616263646566676869 6a6b6c6d6e6f")
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
"""Of the first 1 to 8 of them, from the tests of Google's certificate transparency log."""
LEAVES = [merkle.leaf_hash(number.to_bytes(2)) for number in range(130)]


def by_definition(leaves: Sequence[bytes]) -> bytes:
    """MTH of RFC 6962, word for word, from leaf hashes."""
    if not leaves:
        return hashlib.sha256().digest()
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return hashlib.sha256(b"\x01" + by_definition(leaves[:k]) + by_definition(leaves[k:])).digest()


def test_roots_are_those_of_certificate_transparency() -> None:
    leaves = [merkle.leaf_hash(data) for data in DATA]
    for size, expected in enumerate(ROOTS, start=1):
        assert merkle.root(size, merkle.over(leaves[:size])).hex() == expected
    assert merkle.root(0, merkle.over([])).hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_every_leaf_of_every_small_tree_is_proven_and_no_other() -> None:
    for size in range(1, 70):
        subtree = merkle.over(LEAVES[:size])
        tree = by_definition(LEAVES[:size])
        assert merkle.root(size, subtree) == tree
        for index in range(size):
            proof = merkle.inclusion(index, size, subtree)
            assert len(proof) <= (size - 1).bit_length()
            assert merkle.includes(LEAVES[index], index, size, proof, tree)
            assert not merkle.includes(LEAVES[index], (index + 1) % size, size, proof, tree) or size == 1
            assert not merkle.includes(LEAVES[index + 1], index, size, proof, tree)
            assert not merkle.includes(LEAVES[index], index, size, [*proof, tree], tree)
            assert not proof or not merkle.includes(LEAVES[index], index, size, proof[:-1], tree)


def test_every_beginning_of_every_small_tree_is_proven_and_no_other() -> None:
    for new in range(1, 40):
        subtree = merkle.over(LEAVES[:new])
        tree = by_definition(LEAVES[:new])
        for old in range(new + 1):
            proof = merkle.consistency(old, new, subtree)
            before = by_definition(LEAVES[:old])
            assert merkle.extends(old, before, new, tree, proof)
            assert not merkle.extends(old, by_definition(LEAVES[1 : old + 1]), new, tree, proof) or old == 0
            assert not merkle.extends(old, before, new, by_definition(LEAVES[1 : new + 1]), proof) or old == 0
            assert not merkle.extends(old, before, new, tree, [*proof, tree])


@settings(deadline=None)
@given(st.integers(1, 130), st.data())
def test_a_changed_proof_shows_nothing(size: int, data: st.DataObject) -> None:
    subtree = merkle.over(LEAVES[:size])
    index, old = data.draw(st.integers(0, size - 1)), data.draw(st.integers(1, size))
    proof, tree = merkle.inclusion(index, size, subtree), merkle.root(size, subtree)
    if proof:
        place = data.draw(st.integers(0, len(proof) - 1))
        changed = [*proof[:place], merkle.leaf_hash(proof[place]), *proof[place + 1 :]]
        assert not merkle.includes(LEAVES[index], index, size, changed, tree)
    proof, before = merkle.consistency(old, size, subtree), merkle.root(old, subtree)
    if proof:
        place = data.draw(st.integers(0, len(proof) - 1))
        changed = [*proof[:place], merkle.leaf_hash(proof[place]), *proof[place + 1 :]]
        assert not merkle.extends(old, before, size, tree, changed)
