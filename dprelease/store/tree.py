"""The Merkle tree over the ledger: its leaves are the hashes of the events, the hashes of whole blocks are kept."""

from __future__ import annotations

from dprelease.model import merkle
from dprelease.model.merkle import Subtree
from dprelease.store.connection import Connection

FAN = 32
"""A block holds so many events or smaller blocks. A power of two, so that each is a subtree of every larger tree."""
AT_ONCE = 2**15
"""Events whose hashes are read together where kept ones are not believed."""


def leaf(event_hash: str) -> bytes:
    """The leaf of an event: that of the 32 bytes of its hash."""
    return merkle.leaf_hash(bytes.fromhex(event_hash))


def subtree_within(connection: Connection, *, kept: bool = True) -> Subtree:
    """Leaf i is event i + 1. `kept`: whether to believe the hashes of blocks that are kept."""

    def subtree(first: int, last: int) -> bytes:
        size = last - first
        if size < FAN or (not kept and size <= AT_ONCE):
            return _hashed(connection, first, last)
        level = (size.bit_length() - 1) // (FAN.bit_length() - 1)
        if kept and size == FAN**level and first % size == 0:
            query = "SELECT hash FROM tree_blocks WHERE level = ? AND number = ?"
            row = connection.execute(query, [level, first // size]).fetchone()
            if row:
                return bytes(row[0])
        middle = merkle.split(first, last)
        return merkle.node_hash(subtree(first, middle), subtree(middle, last))

    return subtree


def keep_blocks_within(connection: Connection, size: int) -> None:
    """Keeps the hashes of the whole blocks among the first `size` events."""
    level, span = 1, FAN
    while span <= size:
        query = "SELECT coalesce(max(number) + 1, 0) FROM tree_blocks WHERE level = ?"
        (there,) = connection.execute(query, [level]).fetchone()
        for number in range(there, size // span):
            hash_ = _block(connection, level, number)
            connection.execute("INSERT INTO tree_blocks VALUES (?, ?, ?)", [level, number, hash_])
        level, span = level + 1, span * FAN


def _block(connection: Connection, level: int, number: int) -> bytes:
    if level == 1:
        return _hashed(connection, number * FAN, (number + 1) * FAN)
    query = "SELECT hash FROM tree_blocks WHERE level = ? AND number >= ? AND number < ? ORDER BY number"
    rows = connection.execute(query, [level - 1, number * FAN, (number + 1) * FAN])
    return merkle.root(FAN, merkle.over([bytes(hash_) for (hash_,) in rows]))


def _hashed(connection: Connection, first: int, last: int) -> bytes:
    rows = connection.execute("SELECT hash FROM ledger WHERE seq > ? AND seq <= ? ORDER BY seq", [first, last])
    return merkle.root(last - first, merkle.over([leaf(hash_) for (hash_,) in rows]))
