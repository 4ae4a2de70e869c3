"""Who may sign in: people with their roles, and passwords that are kept as argon2id hashes only."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from dprelease.errors import AccessError, InputError
from dprelease.model.actor import OWNER, Actor, Role
from dprelease.model.report import nearest
from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.ledger import append_within

if TYPE_CHECKING:
    from argon2 import PasswordHasher

FREE_FAILURES = 5
"""Wrong passwords in a row before somebody has to wait."""
LONGEST_WAIT = timedelta(hours=1)
REFUSED = "This name and password do not fit, or the account has to wait after several wrong ones. Try again later."
"""One text for every reason, so that it tells nothing of who has an account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who may sign in, unless disabled."""

    name: str
    roles: frozenset[Role]
    created: str
    has_password: bool
    subject: str | None
    """Issuer and subject at an identity provider."""
    disabled: str | None
    """When; None while they may sign in."""


def all(database: Database) -> list[Person]:
    """By name."""
    with database.reading() as connection:
        return [_read(row) for row in connection.query("SELECT * FROM people ORDER BY name")]


def get(database: Database, name: str) -> Person:
    """Raises InputError where there is nobody of that name."""
    with database.reading() as connection:
        return get_within(connection, name)


def get_within(connection: Connection, name: str) -> Person:
    for row in connection.query("SELECT * FROM people WHERE name = ?", [name]):
        return _read(row)
    names = [known for (known,) in connection.execute("SELECT name FROM people")]
    raise InputError("person", found=name, allowed="somebody who was invited", remedy=nearest(name, names))


def actor_within(connection: Connection, name: str) -> Actor | None:
    """A person as they act now; None where they are unknown or disabled."""
    row = connection.execute("SELECT roles FROM people WHERE name = ? AND disabled IS NULL", [name]).fetchone()
    return None if row is None else Actor(name, frozenset(map(Role, json.loads(row[0]))))


def invite_within(connection: Connection, actor: Actor) -> None:
    """Makes sure that there is such a person with these roles, who may sign in again if they were disabled."""
    connection.execute(
        "INSERT INTO people (name, roles, created) VALUES (?, ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET roles = excluded.roles, disabled = NULL",
        [actor.name, roles_text(actor.roles), timestamp()],
    )


def set_roles(database: Database, name: str, roles: frozenset[Role], *, actor: Actor) -> Person:
    """Changes what somebody may do, in every session and with every token at once."""
    _check_owner(name)
    with database.writing() as connection:
        person = get_within(connection, name)
        if person.roles != roles:
            connection.execute("UPDATE people SET roles = ? WHERE name = ?", [roles_text(roles), name])
            body = {"name": name, "roles": sorted(roles), "before": sorted(person.roles)}
            append_within(connection, EventKind.ROLES_CHANGED, actor=actor.name, body=body)
        return get_within(connection, name)


def disable(database: Database, name: str, *, actor: Actor) -> Person:
    """Ends every session, token and link of somebody, who can be invited again."""
    _check_owner(name)
    with database.writing() as connection:
        if get_within(connection, name).disabled is None:
            now = timestamp()
            connection.execute("UPDATE people SET disabled = ?, password = NULL WHERE name = ?", [now, name])
            connection.execute("UPDATE sessions SET revoked = ? WHERE actor = ? AND revoked IS NULL", [now, name])
            connection.execute("UPDATE tokens SET revoked = ? WHERE actor = ? AND revoked IS NULL", [now, name])
            connection.execute(
                "UPDATE sign_in_links SET redeemed = ? WHERE actor = ? AND redeemed IS NULL", [now, name]
            )
            append_within(connection, EventKind.PERSON_DISABLED, actor=actor.name, body={"name": name})
        return get_within(connection, name)


def set_password(
    database: Database, name: str, password: str, *, old: str | None, actor: Actor, kept: str | None = None
) -> None:
    """Sets a password that was checked to be long enough; `old` must fit where there is one already.

    Then every session of that person ends but the one with the token `kept`: whoever knew the old one is out.
    """
    hashed = _hasher().hash(password)
    with database.writing() as connection:
        known = _password(connection, name)
        if known is not None and not _fits(known, old or ""):
            raise AccessError("the present password is another one")
        connection.execute(
            "UPDATE people SET password = ?, failures = 0, locked_until = NULL WHERE name = ?", [hashed, name]
        )
        if known is not None:
            ended = "UPDATE sessions SET revoked = ? WHERE actor = ? AND revoked IS NULL AND token_hash <> ?"
            connection.execute(ended, [timestamp(), name, token_hash(kept or "")])
        append_within(connection, EventKind.PASSWORD_CHANGED, actor=actor.name, body={"name": name})


def check_password(database: Database, name: str, password: str, *, now: datetime | None = None) -> Actor:
    """Who signs in with a password. After five wrong ones in a row each further one doubles the wait, up to an hour.

    Raises AccessError with one text for every reason, after as much work for each.
    """
    moment = now or datetime.now(UTC)
    with database.reading() as connection:
        known, wait = _password(connection, name), _locked_until(connection, name)
        actor = actor_within(connection, name)
    fits = _fits(known or _nobody(), password) and known is not None
    locked = wait is not None and timestamp(moment) < wait
    with database.writing() as connection:
        if fits and not locked and actor is not None:
            connection.execute("UPDATE people SET failures = 0, locked_until = NULL WHERE name = ?", [name])
            return actor
        if known is not None and not locked:
            _note_failure(connection, name, moment)
        body = {"name": name} if known is not None else {}  # what nobody is called may be a password typed too early
        append_within(connection, EventKind.SIGN_IN_FAILED, actor="public", body=body)
    raise AccessError(REFUSED)


def of_subject(database: Database, subject: str, name: str, roles: frozenset[Role]) -> Actor:
    """The person whom an identity provider vouches for, with the roles of their groups there.

    Without a role there they have none here either, at once. Raises AccessError then, where they are disabled, or where
    the name is somebody else's here.
    """
    with database.writing() as connection:
        row = connection.execute("SELECT name, disabled FROM people WHERE subject = ?", [subject]).fetchone()
        if row is None and roles:
            if connection.execute("SELECT 1 FROM people WHERE name = ?", [name]).fetchone():
                raise AccessError(f"{name} is the name of somebody else here")
            connection.execute(
                "INSERT INTO people (name, roles, subject, created) VALUES (?, ?, ?, ?)",
                [name, roles_text(roles), subject, timestamp()],
            )
            body = {"name": name, "roles": sorted(roles)}
            append_within(connection, EventKind.INVITED, actor="workspace", body=body)
        elif row is not None and row[1] is not None:
            raise AccessError("this account is disabled")
        elif row is not None:
            name = row[0]
            before = get_within(connection, name).roles
            if before != roles:
                connection.execute("UPDATE people SET roles = ? WHERE name = ?", [roles_text(roles), name])
                told = {"name": name, "roles": sorted(roles), "before": sorted(before)}
                append_within(connection, EventKind.ROLES_CHANGED, actor="workspace", body=told)
    if not roles:
        raise AccessError("no role")
    return Actor(name, roles)


def token_hash(token: str) -> str:
    """What is stored of a token. It is random, so it needs no salt and no costs."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def roles_text(roles: frozenset[Role]) -> str:
    return json.dumps(sorted(roles))


def _check_owner(name: str) -> None:
    if name == OWNER.name:
        raise InputError("person", found=name, allowed="somebody else: the owner stays, with every role")


def _note_failure(connection: Connection, name: str, moment: datetime) -> None:
    connection.execute("UPDATE people SET failures = failures + 1 WHERE name = ?", [name])
    (failures,) = connection.execute("SELECT failures FROM people WHERE name = ?", [name]).fetchone()
    if failures >= FREE_FAILURES:
        wait = min(timedelta(minutes=2 ** min(failures - FREE_FAILURES, 10)), LONGEST_WAIT)
        until = timestamp(moment + wait)
        connection.execute("UPDATE people SET locked_until = ? WHERE name = ?", [until, name])


def _password(connection: Connection, name: str) -> str | None:
    row = connection.execute("SELECT password FROM people WHERE name = ?", [name]).fetchone()
    return None if row is None else row[0]


def _locked_until(connection: Connection, name: str) -> str | None:
    row = connection.execute("SELECT locked_until FROM people WHERE name = ?", [name]).fetchone()
    return None if row is None else row[0]


@cache
def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    return PasswordHasher()


@cache
def _nobody() -> str:
    """A hash that no password fits, so that an unknown name takes as long as a known one."""
    return _hasher().hash("nobody has this password")


def _fits(hashed: str, password: str) -> bool:
    from argon2.exceptions import Argon2Error, InvalidHash

    try:
        return bool(_hasher().verify(hashed, password))
    except (Argon2Error, InvalidHash):
        return False


def _read(row: dict[str, object]) -> Person:
    return Person(
        name=str(row["name"]),
        roles=frozenset(map(Role, json.loads(str(row["roles"])))),
        created=str(row["created"]),
        has_password=row["password"] is not None,
        subject=None if row["subject"] is None else str(row["subject"]),
        disabled=None if row["disabled"] is None else str(row["disabled"]),
    )
