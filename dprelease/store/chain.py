"""The hash chain over the ledger's events."""

from __future__ import annotations

import hashlib
from json.encoder import encode_basestring as quoted

GENESIS = "0" * 64
"""What stands as previous hash in the first event."""


def event_hash(
    *,
    seq: int,
    at: str,
    actor: str,
    population: str | None,
    kind: str,
    body: str,
    epsilon_nano: int,
    delta_atto: int,
    previous_hash: str,
    rho_nano: int = 0,
) -> str:
    """SHA-256 of the canonical JSON (RFC 8785) of one event, where `body` is canonical JSON already.

    ρ is a part of it only where it is not 0: an event that spends none is hashed as it was before there was ρ.
    Written out, because a ledger of a million events is checked at the speed of this function. It equals
    `encoding.digest` of the same fields; a test holds the two together.
    """
    rho = f'"rho_nano":{rho_nano:d},' if rho_nano else ""
    text = (
        f'{{"actor":{quoted(actor)},"at":{quoted(at)},"body":{body},"delta_atto":{delta_atto:d},'
        f'"epsilon_nano":{epsilon_nano:d},"kind":{quoted(kind)},'
        f'"population":{"null" if population is None else quoted(population)},'
        f'"previous_hash":{quoted(previous_hash)},{rho}"seq":{seq:d}}}'
    )
    return hashlib.sha256(text.encode()).hexdigest()
