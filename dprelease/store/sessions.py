"""One-time sign-in links and the sessions they open. Tokens are random and stored only as hashes."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from dprelease.errors import AccessError, InputError
from dprelease.model.actor import OWNER, Actor, Presence
from dprelease.store import account_news, second_factor, sign_ins
from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.ledger import append_within
from dprelease.store.people import (
    actor_within,
    add_within,
    end_links_within,
    get_within,
    invite_within,
    reset_within,
    roles_text,
    token_hash,
)
from dprelease.store.second_factor import FactorKind
from dprelease.store.sign_ins import TOKEN_BYTES, Issued
from dprelease.store.tries import REFUSED, Guesser
from dprelease.words import phrase

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

LINK_LIFETIME = timedelta(hours=1)
SESSION_LIFETIME = timedelta(hours=12)
IDLE = timedelta(hours=2)
"""A session that nobody used for so long is over."""
A_MINUTE = timedelta(minutes=1)
"""Precision with which it is noted when a session was used."""
SHOWN_FOR = timedelta(minutes=5)
"""Time for which it counts that somebody has shown who they are."""

INSERT_LINK = (
    "INSERT INTO sign_in_links (token_hash, actor, roles, created, expires, issued, issued_by)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
INSERT_SESSION = (
    "INSERT INTO sessions (token_hash, actor, roles, created, expires, way, shown, used, issued, issued_by)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
TERMINAL = "workspace"
"""Issuer of the links of the terminal."""
NEVER = datetime.fromtimestamp(0, UTC)
"""Time at which somebody showed who they are, where nobody says when."""


def create_link(database: Database, actor: Actor, *, now: datetime | None = None) -> str:
    """Return the token of a link that signs the actor in, once, within an hour, for the one who started the server.

    Raises InputError where they are disabled.
    """
    with database.writing() as connection:
        if add_within(connection, actor):
            body = {"name": actor.name, "roles": sorted(actor.roles)}
            append_within(connection, EventKind.INVITED, actor=TERMINAL, body=body)
        person = get_within(connection, actor.name)
        if person.disabled is not None:
            raise InputError(
                "person",
                found=phrase("store.who_disabled", actor=actor.name),
                allowed=phrase("store.somebody_who_may_sign"),
            )
        issued: Issued = (None, None) if actor.name == OWNER.name else ("terminal", TERMINAL)
        return _link(connection, replace(actor, roles=person.roles), issued, now)


def invite(database: Database, person: Actor, *, by: Actor) -> str:
    """Return the token of a link for somebody new. Raises InputError where the name is known."""
    with database.writing() as connection:
        invite_within(connection, person, by=by)
        return _link(connection, person, ("invitation", by.name), None)


def reset(database: Database, name: str, *, by: Actor) -> str:
    """Return the token of a link for somebody whose sign-in is reset. Raises InputError."""
    with database.writing() as connection:
        person = reset_within(connection, name, by=by)
        return _link(connection, Actor(name, person.roles), ("reset", by.name), None)


def person_of_link(database: Database, token: str, *, now: datetime | None = None) -> str | None:
    """Return whom a link signs in, without using it up; None where it does not work (any more)."""
    with database.reading() as connection:
        row = _find_link(connection, token, timestamp(now))
        return None if row is None else str(row[0])


def redeem_link(database: Database, token: str, *, now: datetime | None = None) -> str:
    """Use a link up; return the token of the session it opens, or of half a sign-in where a second factor is on.

    Raises AccessError where the link does not work (any more).
    """
    moment = timestamp(now)
    with database.writing() as connection:
        row = _find_link(connection, token, moment)
        if row is None:
            raise AccessError(phrase("store.sign_link_does_work"))
        connection.execute("UPDATE sign_in_links SET redeemed = ? WHERE token_hash = ?", [moment, token_hash(token)])
        return _begin(connection, row[0], "link", (row[2], row[3]), now)


def begin_by_password(connection: Connection, name: str) -> str:
    """Return the token of a new session of somebody whose password fits, in the transaction in which it does.

    Where a second factor is on, a password is half a sign-in, whose token opens nothing: `finish` takes the code.
    """
    issued = connection.execute("SELECT issued, issued_by FROM people WHERE name = ?", [name]).fetchone()
    return _begin(connection, name, "password", issued)


def begin_by_provider(database: Database, name: str, shown: datetime | None) -> str:
    """Return the token of a new session of somebody whom a provider vouches for; `shown`: when they signed in there."""
    with database.writing() as connection:
        return _begin(connection, name, "provider", (None, None), shown=shown or NEVER)


def finish(
    database: Database, token: str, code: str, key: Fernet, *, address: str = "", now: datetime | None = None
) -> str:
    """The token of a session, for that of half a sign-in and a code. Raises AccessError: one text for every reason."""
    session, guesser = None, Guesser.at(address)
    with database.writing() as connection:
        half = sign_ins.find_within(connection, token, now)
        how = None if half is None else second_factor.check_within(connection, half.name, code, key, guesser, now)
        actor = None if half is None or how is None else actor_within(connection, half.name)
        if half is not None and actor is not None:
            sign_ins.end_within(connection, half)
            session = _open(connection, actor, half.way, half.issued, now, second=how)
    if session is None:
        raise AccessError(REFUSED)
    return session


def person_of_half(database: Database, token: str, *, now: datetime | None = None) -> str | None:
    """Return who showed a link or a password and has to give a code; None where no half sign-in is open."""
    with database.reading() as connection:
        half = sign_ins.find_within(connection, token, now)
        return None if half is None else half.name


def actor_of(database: Database, token: str, *, now: datetime | None = None) -> Actor | None:
    """Return whose session this is, with the roles they have now; None where it is unknown, expired, unused or revoked.

    Without any role where one of them needs a second factor, and there is none yet.
    """
    moment, key = now or datetime.now(UTC), token_hash(token)
    query = (
        "SELECT actor, way, issued, issued_by, used FROM sessions"
        " WHERE token_hash = ? AND revoked IS NULL AND expires > ? AND used > ?"
    )
    with database.reading() as connection:
        row = connection.execute(query, [key, timestamp(moment), timestamp(moment - IDLE)]).fetchone()
        actor = actor_within(connection, row[0]) if row else None
        by_provider = row is not None and row[1] == "provider"
        incomplete = actor is not None and not by_provider and second_factor.is_missing_within(connection, actor)
    if actor is None:
        return None
    if row[4] < timestamp(moment - A_MINUTE):
        with database.writing() as connection:
            connection.execute("UPDATE sessions SET used = ? WHERE token_hash = ?", [timestamp(moment), key])
    here = Presence(key=key, way=row[1], issued=row[2], issued_by=row[3], incomplete=incomplete)
    return replace(actor, roles=frozenset() if incomplete else actor.roles, session=here)


def has_shown(database: Database, key: str, *, within: timedelta = SHOWN_FOR, now: datetime | None = None) -> bool:
    """Return True if the person of a session has shown who they are so lately."""
    since = timestamp((now or datetime.now(UTC)) - within)
    with database.reading() as connection:
        query = "SELECT 1 FROM sessions WHERE token_hash = ? AND revoked IS NULL AND shown > ?"
        return connection.execute(query, [key, since]).fetchone() is not None


def lasts_within(connection: Connection, key: str) -> bool:
    """Return True if a session was not ended."""
    query = "SELECT 1 FROM sessions WHERE token_hash = ? AND revoked IS NULL"
    return connection.execute(query, [key]).fetchone() is not None


def show_within(connection: Connection, key: str) -> None:
    """Note that the person of a session has shown anew who they are."""
    connection.execute("UPDATE sessions SET shown = ? WHERE token_hash = ?", [timestamp(), key])


def show(database: Database, key: str) -> None:
    """Do the same as `show_within` in a transaction of its own."""
    with database.writing() as connection:
        show_within(connection, key)


def revoke(database: Database, token: str, *, now: datetime | None = None) -> None:
    """End a session, at once and for good: its person signs out."""
    with database.writing() as connection:
        row = connection.execute(
            "UPDATE sessions SET revoked = ? WHERE token_hash = ? AND revoked IS NULL RETURNING actor",
            [timestamp(now), token_hash(token)],
        ).fetchone()
        if row is not None:
            append_within(connection, EventKind.SIGN_OUT, actor=row[0], body={})


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedInSession:
    """Facts of a session; its token is known to its browser alone."""

    id: str
    actor: str
    way: str
    """link, password or provider."""
    created: str
    expires: str


def of_person(database: Database, name: str, *, now: datetime | None = None) -> list[SignedInSession]:
    """Return the sessions that last, the newest first."""
    moment = now or datetime.now(UTC)
    query = (
        "SELECT substr(token_hash, 1, 12) AS id, actor, way, created, expires FROM sessions"
        " WHERE actor = ? AND revoked IS NULL AND expires > ? AND used > ? ORDER BY created DESC"
    )
    with database.reading() as connection:
        return [
            SignedInSession(**row)
            for row in connection.query(query, [name, timestamp(moment), timestamp(moment - IDLE)])
        ]


def revoke_one(database: Database, session_id: str, *, actor: Actor, of: str | None = None) -> None:
    """End a session by its id, of one person or of anybody. Raises InputError where there is none that lasts."""
    query = (
        "UPDATE sessions SET revoked = :now WHERE substr(token_hash, 1, 12) = :id AND revoked IS NULL"
        " AND (:of IS NULL OR actor = :of) RETURNING actor"
    )
    with database.writing() as connection:
        row = connection.execute(query, {"now": timestamp(), "id": session_id, "of": of}).fetchone()
        if row is None:
            raise InputError("session", found=session_id, allowed=phrase("store.id_session_lasts"))
        append_within(connection, EventKind.SESSION_REVOKED, actor=actor.name, body={"name": row[0]})


def _find_link(connection: Connection, token: str, moment: str) -> tuple[Any, ...] | None:
    query = (
        "SELECT actor, roles, issued, issued_by FROM sign_in_links"
        " WHERE token_hash = ? AND redeemed IS NULL AND created <= ? AND expires > ?"
    )
    row: tuple[Any, ...] | None = connection.execute(query, [token_hash(token), moment, moment]).fetchone()
    return row


def _link(connection: Connection, person: Actor, issued: Issued, now: datetime | None) -> str:
    """Return a new link; those before it end."""
    end_links_within(connection, person.name)
    created, token = now or datetime.now(UTC), secrets.token_urlsafe(TOKEN_BYTES)
    times = (timestamp(created), timestamp(created + LINK_LIFETIME))
    values = [token_hash(token), person.name, roles_text(person.roles), *times, *issued]
    connection.execute(INSERT_LINK, values)
    return token


def _begin(
    connection: Connection,
    name: str,
    way: str,
    issued: Issued,
    now: datetime | None = None,
    shown: datetime | None = None,
) -> str:
    actor = actor_within(connection, name)
    if actor is None:
        raise AccessError(phrase("store.account_disabled"))
    if way != "provider" and second_factor.is_on_within(connection, name):
        return sign_ins.begin_within(connection, name, way, issued, now)
    return _open(connection, actor, way, issued, now, shown=shown)


def _open(
    connection: Connection,
    actor: Actor,
    way: str,
    issued: Issued,
    now: datetime | None,
    *,
    shown: datetime | None = None,
    second: FactorKind | None = None,
) -> str:
    name = actor.name
    told = {"way": None if way == "link" else way, "second": second}
    body = {key: value for key, value in told.items() if value is not None}
    append_within(connection, EventKind.SIGN_IN, actor=name, body=body)
    created, token = now or datetime.now(UTC), secrets.token_urlsafe(TOKEN_BYTES)
    at, key = timestamp(created), token_hash(token)
    seen = timestamp(min(shown or created, created))
    values = [key, name, roles_text(actor.roles), at, timestamp(created + SESSION_LIFETIME), way, seen, at, *issued]
    connection.execute(INSERT_SESSION, values)
    account_news.tell_within(connection, name, "sign_in", detail=way, session=key)
    return token
