"""One round: one plan, one attempt, one list of single-use keys. What each of its messages has to say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.errors import InputError, IntegrityError
from dprelease.extras.federation import masks
from dprelease.extras.federation.envelope import Signed
from dprelease.extras.federation.messages import (
    ACCOUNT,
    KEY,
    KEYS,
    MASKED,
    OFFER,
    ROUND,
    SUM,
    VERSION,
    VOID,
    is_hash,
    read_all,
)
from dprelease.extras.federation.messages import read as read_one
from dprelease.extras.federation.noise import RoundPlan
from dprelease.extras.federation.roster import Federation
from dprelease.model.encoding import digest
from dprelease.words import phrase

MAX_ATTEMPTS = 1_000_000
FAR = 3 * 2**61
"""No sum of honest sites reaches it: their integers stay within ±2^62, and noise with σ <= 2^50 a share far below."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """One site's masked vector, with the signed message that states its hash. By itself it is uniformly random."""

    signed: Signed
    vector: bytes
    """A number modulo 2^64 for each cell, 8 bytes each, the least significant first."""

    @property
    def hash(self) -> str:
        return sha256(self.vector).hexdigest()


def attempted(federation: Federation, plan: RoundPlan, attempt: int) -> dict[str, Any]:
    """The fields of every message of an attempt. Raises InputError where the attempt is no whole number from 1 on."""
    if type(attempt) is not int or not 1 <= attempt <= MAX_ATTEMPTS:
        allowed = phrase("federation.whole_number", least=1, most=MAX_ATTEMPTS)
        raise InputError("attempt", found=attempt, allowed=allowed)
    return {"federation": federation.hash, "plan": plan.hash, "attempt": attempt}


@dataclass(frozen=True, slots=True)
class Round:
    """A round has begun once every site offered a nonce: its id is the hash of plan, roster, attempt and all nonces.

    So a plan that is tried again is another round, with other masks, even where every byte of it is the same.
    """

    federation: Federation
    plan: RoundPlan
    attempt: int
    nonces: tuple[str, ...]
    """Nonces of the sites, in the order of the roster."""

    @classmethod
    def begun(cls, federation: Federation, plan: RoundPlan, attempt: int, offers: Iterable[Signed]) -> Round:
        """Raises IntegrityError where an offer is missing, doubled, or of another roster, plan or attempt."""
        fixed = attempted(federation, plan, attempt)
        found = read_all(offers, federation, OFFER, fixed, {"nonce": is_hash})
        return cls(federation, plan, attempt, tuple(each.message["nonce"] for each in found))

    @property
    def id(self) -> str:
        fields = attempted(self.federation, self.plan, self.attempt)
        return digest({ROUND: VERSION, **fields, "nonces": list(self.nonces)})

    @property
    def fields(self) -> dict[str, Any]:
        """Fields that each message of the round states."""
        return {**attempted(self.federation, self.plan, self.attempt), "round": self.id}

    def read_keys(self, messages: Iterable[Signed]) -> tuple[Signed, ...]:
        """Read each site's signed key. Raises IntegrityError; also where two sites have one key, or name one charge."""
        found = read_all(messages, self.federation, KEY, self.fields, {"key": is_hash, "charge": is_hash})
        if sites := _alike(found, "key"):
            raise IntegrityError(phrase("federation.one_round_key", one=sites[0], other=sites[1]))
        if sites := _alike(found, "charge"):  # one charge pays for the rows of one site
            raise IntegrityError(phrase("federation.one_charge", one=sites[0], other=sites[1]))
        return found

    def listed(self, keys: Iterable[Signed]) -> dict[str, Any]:
        """Return a site's statement on the keys that it saw: the hash of all signed messages, in order."""
        own = [{"message": each.hash, "signature": each.signature} for each in self.read_keys(keys)]
        return {**self.fields, "keys": digest(own)}

    def check_listed(self, keys: Iterable[Signed], agreements: Iterable[Signed]) -> None:
        """Raises IntegrityError unless every site signed that it saw this very list of keys."""
        read_all(agreements, self.federation, KEYS, self.listed(keys), {})

    def masked(self, keys: Iterable[Signed], vector: bytes) -> dict[str, Any]:
        """Return a site's statement on its masked vector."""
        return {**self.listed(keys), "cells": self.plan.cells, "masked": sha256(vector).hexdigest()}

    def read_masked(self, keys: Iterable[Signed], messages: Iterable[Signed]) -> tuple[Signed, ...]:
        """Return each site's statement on its masked vector; the vectors are not needed. Raises IntegrityError."""
        fixed = {**self.listed(keys), "cells": self.plan.cells}
        return read_all(messages, self.federation, MASKED, fixed, {"masked": is_hash})

    def combine(self, keys: Iterable[Signed], contributions: Iterable[Contribution]) -> NDArray[np.int64]:
        """Add up all sites' integers with their noise: the masks cancel. Anyone with all vectors can work it out.

        Raises IntegrityError where a vector is missing, doubled, altered, or of another round, and where the sum is
        beyond what honest sites can reach.
        """
        sent = list(contributions)
        messages = self.read_masked(keys, [each.signed for each in sent])
        vectors = {each.signed.message["site"]: each for each in sent}
        total = np.zeros(self.plan.cells, dtype=np.uint64)
        for each in sent:
            site = each.signed.message["site"]
            if each.hash != each.signed.message["masked"] or len(each.vector) != masks.WORD * self.plan.cells:
                raise IntegrityError(phrase("federation.vector", site=site))
        for message in messages:
            total += masks.from_bytes(vectors[message.message["site"]].vector)
        summed = total.view(np.int64)
        if bool(((summed >= FAR) | (summed <= -FAR)).any()):
            raise IntegrityError(phrase("federation.far"))
        return summed

    def summed(self, masked: Iterable[Signed], total: NDArray[np.int64]) -> dict[str, Any]:
        """Return what a site co-signs: the hashes of all masked vectors, and that of their sum."""
        return {
            **self.fields,
            "cells": self.plan.cells,
            "masked": [each.message["masked"] for each in masked],
            "sum": sha256(masks.to_bytes(total.view(np.uint64))).hexdigest(),
        }

    def check_summed(
        self, keys: Iterable[Signed], masked: Iterable[Signed], total: NDArray[np.int64], sums: Iterable[Signed]
    ) -> None:
        """Raises IntegrityError unless every site co-signed this sum of these vectors."""
        read_all(sums, self.federation, SUM, self.summed(self.read_masked(keys, masked), total), {})

    def read_accounts(self, total: NDArray[np.int64], messages: Iterable[Signed]) -> tuple[Signed, ...]:
        """Return each site's account of where its ledger shows its charge. Raises IntegrityError."""
        is_mapping = {"ledger": lambda value: isinstance(value, dict)}
        return read_all(messages, self.federation, ACCOUNT, self.accounted(total), is_mapping)

    def accounted(self, total: NDArray[np.int64]) -> dict[str, Any]:
        """Return the fields of an account beside the ledger: of which sum it is."""
        return {**self.fields, "sum": sha256(masks.to_bytes(total.view(np.uint64))).hexdigest()}

    def read_void(self, message: Signed) -> str:
        """The site that made the round void. Raises IntegrityError where the message does not say so of this round."""
        return read_one(message, self.federation, VOID, self.fields, {})


def _alike(found: Iterable[Signed], name: str) -> tuple[str, str] | None:
    """Return the names of the first two sites whose messages have the same in a field."""
    seen: dict[str, str] = {}
    for each in found:
        site, value = str(each.message["site"]), str(each.message[name])
        if value in seen:
            return seen[value], site
        seen[value] = site
    return None
