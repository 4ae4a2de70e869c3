"""A second factor beside a password: codes of an authenticator (TOTP, RFC 6238), and codes for when that is lost."""

from __future__ import annotations

import base64
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from dprelease.errors import InputError, IntegrityError
from dprelease.model.actor import Actor
from dprelease.store import account_news, tries
from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.facts import second_factor_roles_within
from dprelease.store.ledger import append_within
from dprelease.store.people import end_half_sign_ins_within, end_second_factor_within, token_hash
from dprelease.store.tries import Guesser
from dprelease.words import phrase

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

WINDOW = 1
"""Steps of 30 seconds by which the clocks of server and authenticator may differ."""
RECOVERY_CODES = 10
RECOVERY_BYTES = 10
"""80 random bits each, so a hash of one needs no salt and no costs."""


class FactorKind(StrEnum):
    """Proof that somebody has shown beside their password."""

    CODE = "code"
    RECOVERY = "recovery"


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondFactor:
    """State of somebody's second factor."""

    since: str | None
    """None where there is none."""
    recovery_codes: int
    """Number of recovery codes that are not used yet."""
    required: bool
    """True if one of their roles needs it."""


def of_person(database: Database, actor: Actor) -> SecondFactor:
    """Return the state of the second factor of somebody with the roles they have now."""
    query = (
        "SELECT confirmed, (SELECT count(*) FROM recovery_codes AS codes WHERE codes.person = second_factors.person"
        " AND used IS NULL) FROM second_factors WHERE person = ? AND confirmed IS NOT NULL"
    )
    with database.reading() as connection:
        since, left = connection.execute(query, [actor.name]).fetchone() or (None, 0)
        required = bool(actor.roles & second_factor_roles_within(connection))
    return SecondFactor(since=since, recovery_codes=left, required=required)


def is_on_within(connection: Connection, name: str) -> bool:
    """Return True if somebody has a second factor, which their first code confirmed."""
    query = "SELECT 1 FROM second_factors WHERE person = ? AND confirmed IS NOT NULL"
    return connection.execute(query, [name]).fetchone() is not None


def is_missing_within(connection: Connection, actor: Actor) -> bool:
    """Return True if a role of somebody needs a second factor that they do not have."""
    return bool(actor.roles & second_factor_roles_within(connection)) and not is_on_within(connection, actor.name)


def prepare(database: Database, name: str, key: Fernet) -> str:
    """Return a new secret (160 bits in base32), without effect until a first code confirms it. Raises InputError."""
    import pyotp

    secret = pyotp.random_base32()
    with database.writing() as connection:
        if is_on_within(connection, name):
            raise InputError(
                "second factor",
                found=phrase("store.one"),
                allowed=phrase("statistics.none"),
                remedy=phrase("store.turn_one_off_first"),
            )
        connection.execute("DELETE FROM second_factors WHERE person = ?", [name])
        connection.execute(
            "INSERT INTO second_factors (person, secret, created, last_step) VALUES (?, ?, ?, 0)",
            [name, key.encrypt(secret.encode()).decode(), timestamp()],
        )
    return secret


def turn_on_within(
    connection: Connection, code: str, key: Fernet, *, actor: Actor, now: datetime | None = None
) -> list[str] | None:
    """Recovery codes, once a code of the prepared secret fits; else None. All other sessions end: they gave no code."""
    if check_within(connection, actor.name, code, key, Guesser.within(actor), now, new=True) is None:
        return None
    confirmed = "UPDATE second_factors SET confirmed = ? WHERE person = ?"
    connection.execute(confirmed, [timestamp(now), actor.name])
    made = _make_codes_within(connection, actor.name)
    here = "" if actor.session is None else actor.session.key
    ended = "UPDATE sessions SET revoked = ? WHERE actor = ? AND revoked IS NULL AND token_hash <> ?"
    connection.execute(ended, [timestamp(now), actor.name, here])
    _tell_within(connection, EventKind.SECOND_FACTOR_ON, actor, recovery=len(made))
    return made


def turn_off_within(connection: Connection, code: str, key: Fernet, *, actor: Actor) -> bool:
    """Forget the second factor, once a code fits; return True if it did."""
    if check_within(connection, actor.name, code, key, Guesser.within(actor)) is None:
        return False
    end_second_factor_within(connection, actor.name)
    end_half_sign_ins_within(connection, actor.name)
    _tell_within(connection, EventKind.SECOND_FACTOR_OFF, actor)
    return True


def renew_codes_within(connection: Connection, code: str, key: Fernet, *, actor: Actor) -> list[str] | None:
    """Return new recovery codes, once a code fits; else None. Those before do not work any more."""
    if check_within(connection, actor.name, code, key, Guesser.within(actor)) is None:
        return None
    made = _make_codes_within(connection, actor.name)
    _tell_within(connection, EventKind.RECOVERY_CODES_MADE, actor, recovery=len(made))
    return made


def check_within(
    connection: Connection,
    name: str,
    code: str,
    key: Fernet,
    guesser: Guesser,
    now: datetime | None = None,
    *,
    new: bool = False,
) -> FactorKind | None:
    """Take a code, once; None where it does not fit. What is wrong counts as a wrong password does.

    `new`: of a secret that no code has confirmed yet. It raises nothing for a wrong one: the transaction around it has
    to keep that it was tried.
    """
    moment, how = now or datetime.now(UTC), None
    tried = tries.take_within(connection, name, guesser, moment)
    if tried is not None:
        how = _fitting_within(connection, name, "".join(code.split()).replace("-", "").lower(), key, moment, new)
    if tried is None or how is None:
        tries.fail_within(connection, name, "code", tried)
    else:
        tries.succeed_within(connection, tried)
    return how


def _fitting_within(
    connection: Connection, name: str, code: str, key: Fernet, moment: datetime, new: bool
) -> FactorKind | None:
    query = "SELECT secret, last_step FROM second_factors WHERE person = ? AND (confirmed IS NULL) = ?"
    row = connection.execute(query, [name, new]).fetchone()
    if row is None:
        return None
    if not (code.isascii() and code.isdecimal()):
        return None if new else _recover_within(connection, name, code, moment)
    step = _step(_opened(row[0], key), code, moment)
    if step is None or step <= row[1]:
        return None
    connection.execute("UPDATE second_factors SET last_step = ? WHERE person = ?", [step, name])
    return FactorKind.CODE


def _recover_within(connection: Connection, name: str, code: str, moment: datetime) -> FactorKind | None:
    """Use a recovery code up, of which its person is told."""
    used = "UPDATE recovery_codes SET used = ? WHERE code_hash = ? AND person = ? AND used IS NULL"
    if connection.execute(used, [timestamp(moment), token_hash(code), name]).rowcount != 1:
        return None
    count = "SELECT count(*) FROM recovery_codes WHERE person = ? AND used IS NULL"
    left: int = connection.execute(count, [name]).fetchone()[0]
    body = {"name": name, "left": left}
    append_within(connection, EventKind.RECOVERY_CODE_USED, actor=name, body=body)
    account_news.tell_within(connection, name, EventKind.RECOVERY_CODE_USED, detail=str(left))
    return FactorKind.RECOVERY


def _make_codes_within(connection: Connection, name: str) -> list[str]:
    """Return new recovery codes, in groups of four; hashes of them are stored alone."""
    connection.execute("DELETE FROM recovery_codes WHERE person = ?", [name])
    made = [base64.b32encode(secrets.token_bytes(RECOVERY_BYTES)).decode().lower() for _ in range(RECOVERY_CODES)]
    for code in made:
        insert = "INSERT INTO recovery_codes (code_hash, person) VALUES (?, ?)"
        connection.execute(insert, [token_hash(code), name])
    return ["-".join(code[place : place + 4] for place in range(0, len(code), 4)) for code in made]


def _tell_within(connection: Connection, kind: EventKind, actor: Actor, **more: int) -> None:
    append_within(connection, kind, actor=actor.name, body={"name": actor.name, **more})
    here = None if actor.session is None else actor.session.key
    account_news.tell_within(connection, actor.name, kind, session=here)


def _step(secret: str, code: str, moment: datetime) -> int | None:
    """Return the time step that a code is of, compared in constant time; None where it is of none near this moment."""
    import pyotp

    try:
        return pyotp.TOTP(secret).verify_and_get_timecode(code, for_time=moment, valid_window=WINDOW)
    except pyotp.OTPVerificationError:
        return None


def _opened(secret: str, key: Fernet) -> str:
    from cryptography.fernet import InvalidToken

    try:
        return key.decrypt(secret.encode()).decode()
    except InvalidToken:
        raise IntegrityError(phrase("store.private_keys_second_factor")) from None
