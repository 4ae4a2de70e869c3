"""People who may sign in, with their roles."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from dprelease.errors import AccessError, InputError
from dprelease.model.actor import OWNER, Actor, Role
from dprelease.model.report import nearest
from dprelease.store import account_news, tries
from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.ledger import append_within
from dprelease.words import phrase

SELECT = (
    "SELECT people.*, EXISTS (SELECT 1 FROM second_factors WHERE person = name AND confirmed IS NOT NULL)"
    " AS second_factor FROM people"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who may sign in, unless disabled."""

    name: str
    roles: frozenset[Role]
    created: str
    has_password: bool
    has_second_factor: bool
    subject: str | None
    """Issuer and subject at an identity provider."""
    disabled: str | None
    """Time when they were disabled; None while they may sign in."""


def every(database: Database) -> list[Person]:
    """Return all people, by name."""
    with database.reading() as connection:
        return [_read(row) for row in connection.query(f"{SELECT} ORDER BY name")]


def get(database: Database, name: str) -> Person:
    """Return a person. Raises InputError where there is nobody of that name."""
    with database.reading() as connection:
        return get_within(connection, name)


def get_within(connection: Connection, name: str) -> Person:
    for row in connection.query(f"{SELECT} WHERE name = ?", [name]):
        return _read(row)
    names = [known for (known,) in connection.execute("SELECT name FROM people")]
    raise InputError(
        "person", found=name, allowed=phrase("store.somebody_who_was_invited"), remedy=nearest(name, names)
    )


def actor_within(connection: Connection, name: str) -> Actor | None:
    """Return a person as they act now; None where they are unknown or disabled."""
    row = connection.execute("SELECT roles FROM people WHERE name = ? AND disabled IS NULL", [name]).fetchone()
    return None if row is None else Actor(name, frozenset(map(Role, json.loads(row[0]))))


def add_within(connection: Connection, actor: Actor) -> bool:
    """Add somebody unless the name is known; return True if it was not. Nothing of who was there changes."""
    done = connection.execute(
        "INSERT INTO people (name, roles, created) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING",
        [actor.name, roles_text(actor.roles), timestamp()],
    )
    return done.rowcount == 1


def invite_within(connection: Connection, person: Actor, *, by: Actor) -> None:
    """Add somebody. Raises InputError where the name is known: an invitation changes nobody who is there."""
    if not add_within(connection, person):
        raise InputError(
            "name",
            found=phrase("store.who_was_invited_before", person=person.name),
            allowed=phrase("store.name_nobody_had"),
            remedy=phrase("store.change_roles_person_reset"),
        )
    body = {"name": person.name, "roles": sorted(person.roles)}
    append_within(connection, EventKind.INVITED, actor=by.name, body=body)


def reset_within(connection: Connection, name: str, *, by: Actor) -> Person:
    """End every session, token and link, the password and the second factor of somebody, who is told so.

    The owner is reset by the owner alone, in the terminal. Raises InputError.
    """
    if by.session is not None or by.name != OWNER.name:
        check_not_owner(name)
    person = get_within(connection, name)
    if person.disabled is not None or person.subject is not None:
        found = "who is disabled" if person.disabled else "who signs in at the identity provider"
        allowed = phrase("store.somebody_who_signs_here")
        raise InputError("person", found=f"{name}, {found}", allowed=allowed)
    connection.execute("UPDATE people SET password = NULL, issued = NULL, issued_by = NULL WHERE name = ?", [name])
    tries.forget_within(connection, name)
    end_within(connection, name)
    end_second_factor_within(connection, name)
    append_within(connection, EventKind.PERSON_RESET, actor=by.name, body={"name": name})
    account_news.tell_within(connection, name, account_news.RESET, by=by.name)
    return person


def end_within(connection: Connection, name: str) -> None:
    """End every session, token and link of somebody."""
    now = timestamp()
    for table in ("sessions", "tokens"):
        connection.execute(f"UPDATE {table} SET revoked = ? WHERE actor = ? AND revoked IS NULL", [now, name])  # noqa: S608 (one of two names)
    end_links_within(connection, name)
    end_half_sign_ins_within(connection, name)


def end_second_factor_within(connection: Connection, name: str) -> None:
    """Forget the second factor of somebody, and its recovery codes."""
    connection.execute("DELETE FROM second_factors WHERE person = ?", [name])


def end_half_sign_ins_within(connection: Connection, name: str) -> None:
    """End the sign-ins of which the code is still to come."""
    connection.execute("DELETE FROM half_sign_ins WHERE actor = ?", [name])


def end_links_within(connection: Connection, name: str) -> None:
    """End the links that nobody used yet."""
    connection.execute(
        "UPDATE sign_in_links SET redeemed = ? WHERE actor = ? AND redeemed IS NULL", [timestamp(), name]
    )


def set_roles(database: Database, name: str, roles: frozenset[Role], *, actor: Actor) -> Person:
    """Change what somebody may do, in every session and with every token at once."""
    check_not_owner(name)
    with database.writing() as connection:
        person = get_within(connection, name)
        if person.roles != roles:
            _set_roles_within(connection, person, roles, actor.name)
        return get_within(connection, name)


def disable(database: Database, name: str, *, actor: Actor) -> Person:
    """End all by which somebody signs in, and every session and token; they cannot sign in until they are enabled."""
    check_not_owner(name)
    with database.writing() as connection:
        if get_within(connection, name).disabled is None:
            now = timestamp()
            connection.execute("UPDATE people SET disabled = ?, password = NULL WHERE name = ?", [now, name])
            end_within(connection, name)
            end_second_factor_within(connection, name)
            append_within(connection, EventKind.PERSON_DISABLED, actor=actor.name, body={"name": name})
        return get_within(connection, name)


def enable(database: Database, name: str, *, actor: Actor) -> Person:
    """Let somebody sign in again who was disabled, with the roles they had; it takes a new link, or the provider."""
    with database.writing() as connection:
        if get_within(connection, name).disabled is not None:
            connection.execute("UPDATE people SET disabled = NULL WHERE name = ?", [name])
            append_within(connection, EventKind.PERSON_ENABLED, actor=actor.name, body={"name": name})
            account_news.tell_within(connection, name, "enabled", by=actor.name)
        return get_within(connection, name)


def of_subject(database: Database, subject: str, name: str, roles: frozenset[Role]) -> Actor:
    """Return the person whom an identity provider vouches for, with the roles of their groups there.

    Without a role there they have none here either, at once. Raises AccessError then, where they are disabled, or where
    the name is somebody else's here.
    """
    with database.writing() as connection:
        row = connection.execute("SELECT name, disabled FROM people WHERE subject = ?", [subject]).fetchone()
        if row is None and roles:
            if connection.execute("SELECT 1 FROM people WHERE name = ?", [name]).fetchone():
                raise AccessError(phrase("store.name_somebody_else_here", name=name))
            connection.execute(
                "INSERT INTO people (name, roles, subject, created) VALUES (?, ?, ?, ?)",
                [name, roles_text(roles), subject, timestamp()],
            )
            body = {"name": name, "roles": sorted(roles)}
            append_within(connection, EventKind.INVITED, actor="workspace", body=body)
        elif row is not None and row[1] is not None:
            raise AccessError(phrase("store.account_disabled"))
        elif row is not None:
            name = row[0]
            person = get_within(connection, name)
            if person.roles != roles:
                _set_roles_within(connection, person, roles, "workspace")
    if not roles:
        raise AccessError(phrase("store.no_role"))
    return Actor(name, roles)


def token_hash(token: str) -> str:
    """Return the hash that is stored of a token. A token is random, so it needs no salt and no costs."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def roles_text(roles: frozenset[Role]) -> str:
    return json.dumps(sorted(roles))


def _set_roles_within(connection: Connection, person: Person, roles: frozenset[Role], by: str) -> None:
    connection.execute("UPDATE people SET roles = ? WHERE name = ?", [roles_text(roles), person.name])
    body = {"name": person.name, "roles": sorted(roles), "before": sorted(person.roles)}
    append_within(connection, EventKind.ROLES_CHANGED, actor=by, body=body)
    account_news.tell_within(connection, person.name, "roles", by=by, detail=", ".join(sorted(roles)))


def check_not_owner(name: str) -> None:
    """Raise InputError for the owner."""
    if name == OWNER.name:
        raise InputError("person", found=name, allowed=phrase("store.somebody_else_owner_stays"))


def _read(row: dict[str, object]) -> Person:
    return Person(
        name=str(row["name"]),
        roles=frozenset(map(Role, json.loads(str(row["roles"])))),
        created=str(row["created"]),
        has_password=row["password"] is not None,
        has_second_factor=bool(row["second_factor"]),
        subject=None if row["subject"] is None else str(row["subject"]),
        disabled=None if row["disabled"] is None else str(row["disabled"]),
    )
