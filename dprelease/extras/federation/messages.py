"""Messages between the sites of a round, and their checks. One kind of message for each step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dprelease.bundle.signing import SigningKey
from dprelease.errors import IntegrityError
from dprelease.extras.federation.envelope import HASH, Signed
from dprelease.extras.federation.roster import Federation
from dprelease.words import phrase

VERSION = 1
OFFER, KEY, KEYS, MASKED, SUM, VOID = "offer", "key", "keys", "masked", "sum", "void"
ACCOUNT = "account"
"""After the sum: where its ledger shows what a site was charged."""
ROUND = "dprelease_round"


def is_hash(value: object) -> bool:
    """Return True if a value is 32 bytes in hexadecimal."""
    return isinstance(value, str) and HASH.fullmatch(value) is not None


def sign(key: SigningKey, federation: Federation, kind: str, fields: Mapping[str, Any]) -> Signed:
    """Sign one site's message of a kind. Raises IntegrityError where the key is of no site."""
    site = federation.of_key(key.fingerprint).name
    return Signed.by(key, {ROUND: VERSION, "kind": kind, "site": site, **fields})


def read(
    signed: Signed,
    federation: Federation,
    kind: str,
    fixed: Mapping[str, Any],
    free: Mapping[str, Callable[[object], bool]],
) -> str:
    """Return the site that sent a message, after checking everything about it.

    `fixed`: fields that have to be as they are here. `free`: the others, with what each has to pass. Raises
    IntegrityError, which names the first that is not so: whose it is, then of which roster, plan, attempt and round.
    """
    signed.check(kind)
    site, found = federation.of_key(signed.signer).name, signed.message
    if found.get(ROUND) != VERSION or type(found.get(ROUND)) is not int or found.get("kind") != kind:
        raise IntegrityError(phrase("federation.other_kind", site=site, kind=kind))
    if found.get("site") != site:
        raise IntegrityError(phrase("federation.other_site", site=site, kind=kind))
    for name, value in fixed.items():
        if found.get(name) != value or type(found.get(name)) is not type(value):
            raise IntegrityError(phrase(f"federation.other_{name}", site=site, kind=kind))
    odd = found.keys() ^ {ROUND, "kind", "site", *fixed, *free}
    odd |= {name for name, passes in free.items() if name in found and not passes(found[name])}
    if odd:
        raise IntegrityError(phrase("federation.fields", site=site, kind=kind, fields=tuple(sorted(odd))))
    return site


def read_all(
    messages: Iterable[Signed],
    federation: Federation,
    kind: str,
    fixed: Mapping[str, Any],
    free: Mapping[str, Callable[[object], bool]],
) -> tuple[Signed, ...]:
    """Return one message of each site, in the order of the roster; a resend of the same bytes counts once.

    Raises IntegrityError where one is not as it has to be, a site sent two that differ, or one has not sent any.
    """
    found: dict[str, Signed] = {}
    for each in messages:
        site = read(each, federation, kind, fixed, free)
        if found.setdefault(site, each).to_bytes() != each.to_bytes():
            raise IntegrityError(phrase("federation.doubled", site=site, kind=kind))
    missing = tuple(site.name for site in federation.sites if site.name not in found)
    if missing:
        raise IntegrityError(phrase("federation.missing", kind=kind, sites=missing))
    return tuple(found[site.name] for site in federation.sites)
