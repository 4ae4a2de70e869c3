"""The hash chain over the ledger's events: an event's hash covers its public part, which commits to the rest of it."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from json.encoder import encode_basestring as quoted
from typing import Any

from dprelease.model.encoding import canonical

GENESIS = "0" * 64
"""Previous hash of the first event."""
INSERT = """
INSERT INTO ledger (seq, at, actor, population, kind, body, epsilon_nano, rho_nano, delta_atto,
    spent_epsilon_nano, spent_rho_nano, spent_delta_atto, charges, previous_hash, salt, hash)
VALUES (:seq, :at, :actor, :population, :kind, :body, :epsilon_nano, :rho_nano, :delta_atto,
    :spent_epsilon_nano, :spent_rho_nano, :spent_delta_atto, :charges, :previous_hash, :salt, :hash)
"""
"""Statement that inserts an event, by the names of its columns."""
FACTS: Mapping[str, frozenset[str]] = {
    "charge": frozenset(("plan_hash", "cap", "period", "before", "supersedes", "two_people", "round", "run", "due")),
    "edition_begun": frozenset(
        ("run", "edition", "closes", "charge", "charge_hash", "cap", "period", "before", "two_people", "due")
    ),
    "edition_abandoned": frozenset(("run", "edition", "reason", "begun")),
    "run_ended": frozenset(("run", "reason")),
    "published": frozenset(("release", "charge", "charge_hash", "published_on", "signer", "outputs", "version")),
    "superseded": frozenset(("release", "by", "text", "published_on", "moved")),
    "erratum": frozenset(("release", "text", "published_on")),
    "doi": frozenset(("release", "text", "published_on", "doi")),
}
"""Keys of an event's body that may become public, by kind: those of no other kind ever do."""


def new_salt() -> str:
    """Return 256 random bits in hexadecimal: without them nobody can try out what an event may hold."""
    return secrets.token_hex(32)


def parted(kind: str, body: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the body of an event: what may become public of it, and the rest."""
    keys = FACTS.get(kind, frozenset())
    facts = {key: value for key, value in body.items() if key in keys}
    return facts, {key: value for key, value in body.items() if key not in keys}


def commitment(*, salt: str, at: str, actor: str, body: str) -> str:
    """Return SHA-256 of the canonical JSON of what stays private of an event; `body` is canonical JSON already.

    The salt hides it: whoever has the hash cannot try out names and times.
    """
    text = f'{{"actor":{quoted(actor)},"at":{quoted(at)},"body":{body},"salt":{quoted(salt)}}}'
    return hashlib.sha256(text.encode()).hexdigest()


def event_hash(
    *,
    seq: int,
    at: str,
    actor: str,
    population: str | None,
    kind: str,
    body: str,
    epsilon_nano: int,
    rho_nano: int,
    delta_atto: int,
    spent_epsilon_nano: int | None,
    spent_rho_nano: int | None,
    spent_delta_atto: int | None,
    charges: int | None,
    previous_hash: str,
    salt: str,
) -> str:
    """Return SHA-256 of the canonical JSON (RFC 8785) of an event's public part; `body` is canonical JSON already.

    The arguments are the columns of the table. Written out, because a ledger of a million events is checked at the
    speed of this function. It equals `encoding.digest` of `LedgerEvent.public`; a test holds the two together.
    Raises ValueError where the body is not canonical.
    """
    facts, others = "{}", body
    if kind in FACTS:
        whole = json.loads(body)
        if canonical(whole).decode() != body:
            raise ValueError("the body of an event is not canonical JSON")
        facts, others = (canonical(part).decode() for part in parted(kind, whole))
    rest = commitment(salt=salt, at=at, actor=actor, body=others)
    spent = "null"
    if spent_epsilon_nano is not None:
        spent = _amounts(spent_epsilon_nano, spent_rho_nano or 0, spent_delta_atto or 0)
    text = (
        f'{{"charges":{"null" if charges is None else f"{charges:d}"},"day":{quoted(at[:10])},"facts":{facts},'
        f'"kind":{quoted(kind)},"loss":{_amounts(epsilon_nano, rho_nano, delta_atto)},'
        f'"population":{"null" if population is None else quoted(population)},'
        f'"previous_hash":{quoted(previous_hash)},"rest":"{rest}","seq":{seq:d},"spent":{spent}}}'
    )
    return hashlib.sha256(text.encode()).hexdigest()


def _amounts(epsilon_nano: int, rho_nano: int, delta_atto: int) -> str:
    return f'{{"delta_atto":{delta_atto:d},"epsilon_nano":{epsilon_nano:d},"rho_nano":{rho_nano:d}}}'
