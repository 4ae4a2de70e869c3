"""Checkpoints that were given out, compared with the events that they are of."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Protocol

from dprelease.errors import DPReleaseError, IntegrityError
from dprelease.model.checkpoint import SignedCheckpoint
from dprelease.model.merkle import leaf_hash, node_hash
from dprelease.store.connection import Connection
from dprelease.words import phrase


class Spender(Protocol):
    """A population, as far as the events tell of it."""

    spent: list[int]
    """ε and ρ in nano, δ in atto, and the number of charges."""


class Given:
    """The kept checkpoints, while the events are gone through in their order; memory grows with log of their number."""

    def __init__(self, connection: Connection) -> None:
        query = "SELECT size, root, signed FROM checkpoints ORDER BY size"
        self._kept: dict[int, tuple[str, str]] = {size: (root, text) for size, root, text in connection.execute(query)}
        self._first = ""
        self._peaks: list[tuple[int, bytes]] = []
        """The roots of full trees, the largest first, each with its height."""

    def add(self, seq: int, hash_: str, populations: Mapping[str, Spender]) -> None:
        """The next event; `populations` as they stand after it."""
        self._first = self._first or hash_
        height, node = 0, leaf_hash(bytes.fromhex(hash_))
        while self._peaks and self._peaks[-1][0] == height:
            height, node = height + 1, node_hash(self._peaks.pop()[1], node)
        self._peaks.append((height, node))
        if seq in self._kept:
            self._compare(seq, populations)

    def _compare(self, size: int, populations: Mapping[str, Spender]) -> None:
        root, text = self._kept[size]
        try:
            told = SignedCheckpoint.from_mapping(json.loads(text)).checkpoint
        except (ValueError, KeyError, TypeError, DPReleaseError) as cause:
            raise _different(size) from cause
        spent = {each.population.name: (each.spent, each.charges) for each in told.populations}
        stated = {name: [a.epsilon_nano, a.rho_nano, a.delta_atto, n] for name, (a, n) in spent.items()}
        if (told.workspace, told.size, told.root, root) != (self._first, size, self._root(), self._root()):
            raise _different(size)
        if stated != {name: each.spent for name, each in populations.items()}:
            raise _different(size)

    def _root(self) -> str:
        node = self._peaks[-1][1]
        for _, peak in reversed(self._peaks[:-1]):
            node = node_hash(peak, node)
        return node.hex()

    def check(self, events: int, made: Collection[int]) -> None:
        """Raises IntegrityError where one is of more events than there are, or one is gone that a release came with."""
        last = max(self._kept, default=0)
        if last > events:
            raise IntegrityError(phrase("store.ledger_events_checkpoint_was", events=events, last=last))
        if not self._kept.keys() >= set(made):
            raise IntegrityError(phrase("store.checkpoints_what_stands_there"))


def _different(size: int) -> IntegrityError:
    return IntegrityError(phrase("store.checkpoint_first_events_one", size=size))
