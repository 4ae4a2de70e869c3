"""A Merkle tree over the ledger (RFC 6962, section 2.1): one hash for all events, short proofs about them.

A tree is given as `subtree(first, last)`: the hash over the leaves first <= i < last. That is all that proofs need, so
whoever keeps the leaves can keep the hashes of large blocks too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

Subtree = Callable[[int, int], bytes]
EMPTY = hashlib.sha256().digest()


def leaf_hash(data: bytes) -> bytes:
    """Return SHA-256 of 0x00 and the data."""
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return SHA-256 of 0x01 and both children."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def split(first: int, last: int) -> int:
    """Return the split of a tree of two or more leaves: after the largest power of two below their number."""
    return first + (1 << (last - first - 1).bit_length() - 1)


def over(leaves: Sequence[bytes]) -> Subtree:
    """Return the tree over leaf hashes held in memory."""

    def subtree(first: int, last: int) -> bytes:
        if last - first == 1:
            return leaves[first]
        middle = split(first, last)
        return node_hash(subtree(first, middle), subtree(middle, last))

    return subtree


def root(size: int, subtree: Subtree) -> bytes:
    """Return the hash of the whole tree; of no leaves, SHA-256 of nothing."""
    return subtree(0, size) if size else EMPTY


def inclusion(index: int, size: int, subtree: Subtree) -> list[bytes]:
    """Return the proof that leaf `index` is in the tree, from the leaf up: at most ⌈log₂ size⌉ hashes."""
    first, last = 0, size
    path = []
    while last - first > 1:
        middle = split(first, last)
        if index < middle:
            path.append(subtree(middle, last))
            last = middle
        else:
            path.append(subtree(first, middle))
            first = middle
    return path[::-1]


def consistency(old: int, new: int, subtree: Subtree) -> list[bytes]:
    """Return the proof that the tree of the first `old` leaves begins the tree of `new`; none for 0 or all."""
    if old in (0, new):
        return []
    first, last = 0, new
    path = []
    while last != old:
        middle = split(first, last)
        if old <= middle:
            path.append(subtree(middle, last))
            last = middle
        else:
            path.append(subtree(first, middle))
            first = middle
    if first:
        path.append(subtree(first, last))
    return path[::-1]


def includes(leaf: bytes, index: int, size: int, proof: Sequence[bytes], tree: bytes) -> bool:
    """Return True if a proof shows that a leaf hash is in a tree at that place (RFC 9162, section 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    node, last, found = index, size - 1, leaf
    for other in proof:
        if last == 0:
            return False
        if node & 1 or node == last:
            found = node_hash(other, found)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            found = node_hash(found, other)
        node, last = node >> 1, last >> 1
    return last == 0 and found == tree


def extends(old: int, old_tree: bytes, new: int, new_tree: bytes, proof: Sequence[bytes]) -> bool:
    """Return True if a proof shows that one tree begins with all of an older one (RFC 9162, section 2.1.4.2)."""
    if not 0 <= old <= new:
        return False
    if old in (0, new):
        return not proof and (old_tree == new_tree if old == new else old_tree == EMPTY)
    path = list(proof) if old & (old - 1) else [old_tree, *proof]
    if not path:
        return False
    node, last = old - 1, new - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    before = after = path[0]
    for other in path[1:]:
        if last == 0:
            return False
        if node & 1 or node == last:
            before, after = node_hash(other, before), node_hash(other, after)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            after = node_hash(after, other)
        node, last = node >> 1, last >> 1
    return last == 0 and before == old_tree and after == new_tree
