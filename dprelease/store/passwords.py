"""Passwords, which are kept as argon2id hashes only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from dprelease.errors import AccessError
from dprelease.model.actor import Actor
from dprelease.store import account_news, tries
from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.ledger import append_within
from dprelease.store.people import end_half_sign_ins_within, end_links_within
from dprelease.store.second_factor import is_on_within
from dprelease.store.sessions import lasts_within
from dprelease.store.tries import REFUSED, Guesser, Try
from dprelease.words import phrase

if TYPE_CHECKING:
    from argon2 import PasswordHasher


def set_password(database: Database, password: str, *, old: str | None, end_tokens: bool, actor: Actor) -> None:
    """Set one's own password, which was checked to be a good one; `old` must fit where there is one already.

    Then every link and session of that person ends but the one they act in: whoever knew the old one is out. A wrong
    `old` counts in that session: a stolen one guesses no faster than a stranger.
    """
    hashed, name, here = _hasher().hash(password), actor.name, actor.session
    with database.reading() as connection:
        first = _password(connection, name) is None
    with database.writing() if first else checked(database, name, old or "", Guesser.within(actor)) as connection:
        if first and _password(connection, name) is not None:
            raise AccessError(phrase("store.there_password_now_given"))
        if here is not None and not lasts_within(connection, here.key):
            raise AccessError(phrase("store.session_ended"))
        connection.execute("UPDATE people SET password = ? WHERE name = ?", [hashed, name])
        if first and here is not None:  # the next sessions have what they may do from the same link
            issued = [here.issued, here.issued_by, name]
            connection.execute("UPDATE people SET issued = ?, issued_by = ? WHERE name = ?", issued)
        if not first:
            ended = "UPDATE sessions SET revoked = ? WHERE actor = ? AND revoked IS NULL AND token_hash <> ?"
            connection.execute(ended, [timestamp(), name, "" if here is None else here.key])
            end_links_within(connection, name)
        end_half_sign_ins_within(connection, name)
        if end_tokens:
            ended = "UPDATE tokens SET revoked = ? WHERE actor = ? AND revoked IS NULL"
            connection.execute(ended, [timestamp(), name])
        append_within(connection, EventKind.PASSWORD_CHANGED, actor=name, body={"name": name})
        account_news.tell_within(connection, name, "password", session=None if here is None else here.key)


@contextmanager
def checked(
    database: Database, name: str, password: str, guesser: Guesser, *, now: datetime | None = None
) -> Iterator[Connection]:
    """Yield a transaction of somebody who has that password: whatever is done in it is done while the password fits.

    After five wrong ones in a row from one session or address each further one doubles its wait, up to an hour. Each
    try counts as a wrong one until it has turned out right, so that many at a time are no more than one after another.
    Where a second factor is on, those before are forgotten once its code has turned out right too. Raises AccessError
    with one text for every reason, after as much work for each.
    """
    known, tried = _take_a_try(database, name, guesser, now or datetime.now(UTC))
    fits = _fits(known or _nobody(), password) and known is not None
    with database.writing() as connection:
        if tried is not None and fits and _password(connection, name) == known:
            if is_on_within(connection, name):
                tries.give_back_within(connection, tried)
            else:
                tries.succeed_within(connection, tried)
            yield connection
            return
        there = _password(connection, name) is not None
        # What nobody is called may be a password that was typed too early.
        tries.fail_within(connection, name if there else "", "password", tried)
    raise AccessError(REFUSED)


def _take_a_try(database: Database, name: str, guesser: Guesser, moment: datetime) -> tuple[str | None, Try | None]:
    """Return the hash to hold a password against, and the try; None where there is none, or somebody has to wait."""
    query = "SELECT password FROM people WHERE name = ? AND subject IS NULL AND disabled IS NULL"
    with database.writing() as connection:
        row = connection.execute(query, [name]).fetchone()
        if row is None or row[0] is None:
            return None, None
        tried = tries.take_within(connection, name, guesser, moment)
        return (None if tried is None else str(row[0])), tried


def _password(connection: Connection, name: str) -> str | None:
    row = connection.execute("SELECT password FROM people WHERE name = ?", [name]).fetchone()
    return None if row is None else row[0]


@cache
def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    return PasswordHasher()


@cache
def _nobody() -> str:
    """Return a hash that no password fits, so that an unknown name takes as long as a known one."""
    return _hasher().hash("nobody has this password")


def _fits(hashed: str, password: str) -> bool:
    from argon2.exceptions import Argon2Error, InvalidHash

    try:
        return bool(_hasher().verify(hashed, password))
    except (Argon2Error, InvalidHash):
        return False
