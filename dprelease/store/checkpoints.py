"""Checkpoints of the ledger: taken, signed, kept, and compared with one that was kept outside.

The leaves of their Merkle tree are the hashes of the events; the hashes of whole blocks are kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any

from dprelease.errors import AccessError, InputError
from dprelease.model import merkle
from dprelease.model.actor import WORKSPACE, Actor, Role
from dprelease.model.checkpoint import Checkpoint, SignedCheckpoint, SpentTotals
from dprelease.model.merkle import Subtree
from dprelease.model.population import Population
from dprelease.model.privacy import Currency, PrivacyLoss
from dprelease.store import notices, populations, releases
from dprelease.store.account import spent_before
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.facts import WorkspaceMode, mode_within
from dprelease.store.ledger import append_within
from dprelease.store.registered import all_registered_within
from dprelease.words import Phrase, phrase

Sign = Callable[[Checkpoint], SignedCheckpoint]


LAST_CHARGE = "SELECT max(seq) FROM ledger INDEXED BY ledger_by_kind WHERE kind = 'charge' AND population = ?"
FAN = 32
"""A block holds so many events or smaller blocks. A power of two, so that each is a subtree of every larger tree."""
AT_ONCE = 2**15
"""Events whose hashes are read together where kept ones are not believed."""


@dataclass(frozen=True, slots=True)
class Proofs:
    """Proofs of the tree of a checkpoint, in the transaction that took it."""

    previous: Checkpoint | None
    consistency: list[str]
    """Proof that it continues the checkpoint before it."""
    size: int
    subtree: Subtree = field(repr=False)

    def inclusion(self, seq: int) -> list[bytes]:
        """Return the proof that an event is among those of the checkpoint."""
        return merkle.inclusion(seq - 1, self.size, self.subtree)


def take(database: Database, *, on: str, sign: Sign) -> SignedCheckpoint:
    """Return a signed checkpoint of the ledger as it stands; the one that is there where nothing was added since."""
    with database.writing() as connection:
        return take_within(connection, on=on, sign=sign)[0]


def take_within(connection: Connection, *, on: str, sign: Sign) -> tuple[SignedCheckpoint, Proofs]:
    """Return a signed checkpoint inside a transaction, with the proofs of what its tree holds.

    `on`: a day; where the clock was put back, the last one that anything public is of.
    """
    (size,) = connection.execute("SELECT max(seq) FROM ledger").fetchone()
    first = _workspace(connection)
    keep_blocks_within(connection, size)
    subtree = subtree_within(connection)
    previous = _latest(connection)
    if previous is not None and previous.checkpoint.size == size:
        signed, previous = previous, _latest(connection, below=size)
    else:
        root = merkle.root(size, subtree).hex()
        known = [on, _last_day(connection), previous.checkpoint.on if previous else ""]
        made = Checkpoint(
            workspace=first,
            size=size,
            root=root,
            on=max(known),
            populations=tuple(_standings(connection)),
            notices=notices.digests_within(connection),
        )
        signed = sign(made)
        connection.execute(
            "INSERT INTO checkpoints VALUES (?, ?, ?)",
            [size, root, json.dumps(signed.to_mapping(), ensure_ascii=False)],
        )
    consistency = merkle.consistency(previous.checkpoint.size, size, subtree) if previous else []
    earlier = previous.checkpoint if previous else None
    return signed, Proofs(earlier, [part.hex() for part in consistency], size, subtree)


def _last_day(connection: Connection) -> str:
    """Return the last day of a publication or a notice."""
    (day,) = connection.execute(
        "SELECT max((SELECT coalesce(max(published_on), '') FROM releases),"
        " (SELECT coalesce(max(published_on), '') FROM notices))"
    ).fetchone()
    return str(day)


def _standings(connection: Connection) -> Iterator[SpentTotals]:
    for each in all_registered_within(connection):
        name = each.population.name
        spent, charges = spent_before(connection, name)
        (last,) = connection.execute(LAST_CHARGE, [name]).fetchone()
        yield SpentTotals(each.population, spent, charges, each.cap_seq, last)


def at_within(connection: Connection, size: int) -> SignedCheckpoint | None:
    """Return the checkpoint of so many events that was given out, if there was one."""
    row = connection.execute("SELECT signed FROM checkpoints WHERE size = ?", [size]).fetchone()
    return None if row is None else _read(row[0])


def latest(database: Database) -> SignedCheckpoint | None:
    """Return the last checkpoint that was given out."""
    with database.reading() as connection:
        return _latest(connection)


def difference(database: Database, outside: Checkpoint, *, kept: bool = False) -> Phrase | None:
    """Return what speaks against this ledger beside a checkpoint kept outside; None where it continues that one.

    `kept`: whether to believe the hashes of blocks that are kept, which is quick.
    """
    with database.reading() as connection:
        return _difference(connection, outside, kept=kept)


def accepted(database: Database, outside: Checkpoint) -> bool:
    """Return True if a reviewer accepted going on beside this checkpoint."""
    with database.reading() as connection:
        return _accepted(connection, outside)


def restored(database: Database) -> list[int]:
    """Note that this ledger is a copy made of a backup; return the charges that are lost by it, as `accept` does."""
    with database.writing(durable=True) as connection:
        lost = releases.lose_within(connection)
        append_within(connection, EventKind.LEDGER_RESTORED, actor=WORKSPACE.name, body={"lost": lost})
        return lost


def accept(
    database: Database,
    outside: Checkpoint,
    words: str,
    *,
    shorter: Sequence[str] = (),
    known_signer: bool,
    reason: str,
    actor: Actor,
) -> list[int] | None:
    """Go on with a ledger that a checkpoint kept outside speaks against; `words` say what is different.

    In a team, the first person asks for it (None), and it is carried out once another one, a reviewer, accepts the same
    checkpoint. Raises AccessError to whoever is no reviewer and could not only ask. Returns the charges of this ledger
    that are lost by it: those that it had not drawn for, and another copy may have.

    `shorter`: the digests of others that speak against it, which are accepted as the beginning of this one.

    What the checkpoint says each population had spent counts as spent, whatever the cap: all of it, save what this
    ledger had spent by the time when it was restored from a backup, which both copies have in common. Populations that
    are missing are registered again: with their cap where `known_signer`, else with nothing left. Raises InputError
    where the checkpoint is of another workspace.
    """
    with database.writing(durable=True) as connection:
        if outside.workspace != _workspace(connection):
            raise InputError(
                "checkpoint", found=phrase("store.one_another_workspace"), allowed=phrase("store.one_workspace")
            )
        common = _restored(connection)
        body: dict[str, Any] = {
            "checkpoint": outside.hash,
            "size": outside.size,
            "root": outside.root,
            "reason": reason,
            "difference": words,
            "shorter": list(shorter),
        }
        if mode_within(connection) is WorkspaceMode.TEAM:
            asked = _asked_by_another(connection, outside, actor)
            if asked is None:
                append_within(connection, EventKind.ACCEPTANCE_ASKED, actor=actor.name, body=body)
                return None
            body["asked"] = asked
        if Role.REVIEWER not in actor.roles:
            raise AccessError(phrase("store.reviewer_accepts_ledger", name=actor.name))
        lost = releases.lose_within(connection)
        told = {**body, "lost": lost, **actor.access}
        event = append_within(connection, EventKind.LEDGER_ACCEPTED, actor=actor.name, body=told)
        known = {each.population.name for each in all_registered_within(connection)}
        for standing in outside.populations:
            name = standing.population.name
            if name not in known:
                population = standing.population if known_signer else _exhausted(standing)
                populations.recover_within(connection, population, actor.name)
            before = _spent_by(connection, name, common)
            spent = _positive(standing.spent - before)
            if spent != PrivacyLoss():
                told = {"recovered": True, "accepted": event.seq}
                append_within(connection, EventKind.CHARGE, actor=actor.name, population=name, body=told, loss=spent)
    return lost


def _asked_by_another(connection: Connection, outside: Checkpoint, actor: Actor) -> int | None:
    """Return the last event by which somebody else asked to go on beside this checkpoint."""
    events = connection.execute(
        "SELECT seq, actor, body FROM ledger INDEXED BY ledger_by_kind WHERE kind = ? ORDER BY seq DESC",
        [EventKind.ACCEPTANCE_ASKED.value],
    )
    return next(
        (seq for seq, name, body in events if name != actor.name and json.loads(body)["checkpoint"] == outside.hash),
        None,
    )


def _restored(connection: Connection) -> int:
    """Return the event up to which both copies are one: of this one's restoring, if after the last acceptance."""
    query = "SELECT coalesce(max(seq), 0) FROM ledger INDEXED BY ledger_by_kind WHERE kind = ?"
    (restored,) = connection.execute(query, [EventKind.LEDGER_RESTORED.value]).fetchone()
    (accepted,) = connection.execute(query, [EventKind.LEDGER_ACCEPTED.value]).fetchone()
    return restored if restored > accepted else 0


def _spent_by(connection: Connection, name: str, seq: int) -> PrivacyLoss:
    """Return the loss that a population had spent by an event."""
    row = connection.execute(
        "SELECT spent_epsilon_nano, spent_rho_nano, spent_delta_atto FROM ledger"
        " WHERE population = ? AND seq <= ? ORDER BY seq DESC LIMIT 1",
        [name, seq],
    ).fetchone() or (0, 0, 0)
    return PrivacyLoss(epsilon_nano=row[0], rho_nano=row[1], delta_atto=row[2])


def _positive(loss: PrivacyLoss) -> PrivacyLoss:
    return PrivacyLoss(
        epsilon_nano=max(0, loss.epsilon_nano), rho_nano=max(0, loss.rho_nano), delta_atto=max(0, loss.delta_atto)
    )


def _exhausted(standing: SpentTotals) -> Population:
    """Return a population whose cap is what it is said to have spent: a stranger's word opens no budget."""
    population, spent = standing.population, standing.spent
    if population.currency is Currency.PURE:
        cap = PrivacyLoss(epsilon_nano=max(1, spent.epsilon_nano), delta_atto=spent.delta_atto)
        return replace(population, cap=cap, period=None)
    return replace(population, rho_nano=1, period=None)


def _difference(connection: Connection, outside: Checkpoint, *, kept: bool) -> Phrase | None:
    (size,) = connection.execute("SELECT max(seq) FROM ledger").fetchone()
    if outside.workspace != _workspace(connection):
        return phrase("store.checkpoint_another_workspace_ledger")
    if size < outside.size:
        return phrase("store.ledger_events_checkpoint_older", size=size, size_2=outside.size)
    if merkle.root(outside.size, subtree_within(connection, kept=kept)).hex() != outside.root:
        return phrase("store.first_events_those_checkpoint", size=outside.size)
    return None


def _accepted(connection: Connection, outside: Checkpoint) -> bool:
    bodies = connection.execute(
        "SELECT body FROM ledger INDEXED BY ledger_by_kind WHERE kind = ?", [EventKind.LEDGER_ACCEPTED.value]
    )
    told = (json.loads(body) for (body,) in bodies)
    return any(outside.hash in (body["checkpoint"], *body["shorter"]) for body in told)


def _workspace(connection: Connection) -> str:
    return str(connection.execute("SELECT hash FROM ledger WHERE seq = 1").fetchone()[0])


def _latest(connection: Connection, below: int | None = None) -> SignedCheckpoint | None:
    row = connection.execute(
        "SELECT signed FROM checkpoints WHERE size < ? ORDER BY size DESC LIMIT 1", [below or 2**62]
    ).fetchone()
    return None if row is None else _read(row[0])


@lru_cache(maxsize=8)
def _read(signed: str) -> SignedCheckpoint:
    """Read a signed checkpoint, cached: every release reads the last one, before it and by what follows it."""
    return SignedCheckpoint.from_mapping(json.loads(signed))


def leaf(event_hash: str) -> bytes:
    """Return the leaf of an event: that of the 32 bytes of its hash."""
    return merkle.leaf_hash(bytes.fromhex(event_hash))


def subtree_within(connection: Connection, *, kept: bool = True) -> Subtree:
    """Return the tree's hashes: leaf i is event i + 1. `kept`: whether to believe the hashes of blocks that are kept.

    To be used in one transaction: what was asked for once is not read again.
    """

    @cache
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
    """Keep the hashes of the whole blocks among the first `size` events."""
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
