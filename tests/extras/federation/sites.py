"""Federations of a few sites, each with a folder of its own, and whole rounds of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dprelease.bundle.signing import SigningKey
from dprelease.extras.federation.envelope import Signed
from dprelease.extras.federation.folder import RoundFolder
from dprelease.extras.federation.noise import NoiseShare, RoundPlan
from dprelease.extras.federation.own_round import OwnRound
from dprelease.extras.federation.roster import Federation, Site
from dprelease.extras.federation.round import Contribution, Round
from dprelease.mechanisms import DiscreteGaussian
from dprelease.mechanisms.mechanism import clamped

PART = NoiseShare(cells=6, l2_squared=1, rho_nano=5_000_000)
PLAN = RoundPlan(plan=sha256(b"the plan").hexdigest(), parts=(PART,))


def planned(**changes: int) -> RoundPlan:
    """A plan of one part, which differs so from the usual one."""
    return replace(PLAN, parts=(replace(PART, **changes),))


def a_charge(label: object = "") -> str:
    return sha256(f"event {label}".encode()).hexdigest()


@dataclass
class Sites:
    """K sites on one machine. Objects are made anew at each access: whatever they know stands in the folders."""

    root: Path
    count: int = 3
    lost: int = 1
    max_sites: int = 1
    plan: RoundPlan = PLAN
    attempt: int = 1
    keys: list[SigningKey] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.keys = self.keys or [SigningKey.in_memory() for _ in range(self.count)]

    @cached_property
    def federation(self) -> Federation:
        sites = tuple(Site(f"Hospital {number}", key.fingerprint) for number, key in enumerate(self.keys))
        return Federation(name="Hospitals", sites=sites, lost_sites=self.lost, max_sites=self.max_sites)

    def own(self, number: int) -> OwnRound:
        folder = self.root / f"site {number}"
        return OwnRound(self.keys[number], folder, self.federation, self.plan, self.attempt)

    @property
    def all(self) -> list[OwnRound]:
        return [self.own(number) for number in range(self.count)]

    def again(self, attempt: int) -> Sites:
        """The same sites, at another attempt."""
        return Sites(self.root, self.count, self.lost, self.max_sites, self.plan, attempt, self.keys)

    @property
    def rosters(self) -> list[Signed]:
        return [self.federation.signed(key) for key in self.keys]

    def offers(self) -> list[Signed]:
        return [own.offer(self.rosters) for own in self.all]

    def round(self) -> Round:
        return Round.begun(self.federation, self.plan, self.attempt, self.offers())

    def charge(self, number: int) -> str:
        return a_charge((number, self.attempt))

    def round_keys(self) -> list[Signed]:
        offers = self.offers()
        return [own.give_key(offers, self.charge(number)) for number, own in enumerate(self.all)]

    def agreements(self) -> list[Signed]:
        keys = self.round_keys()
        return [own.agree(keys) for own in self.all]

    def contributions(self, values: Sequence[Any]) -> list[Contribution]:
        keys, agreed = self.round_keys(), self.agreements()
        return [own.contribute(each, keys, agreed) for own, each in zip(self.all, values, strict=True)]

    def total(self, values: Sequence[Any]) -> Any:
        sent = self.contributions(values)
        return self.round().combine(self.round_keys(), sent)

    def finish(self, folder: Path, values: Sequence[Any]) -> RoundFolder:
        """A whole round over a folder, co-signed."""
        shared = RoundFolder(folder)
        shared.put_plan(self.plan, self.attempt)
        sent = self.contributions(values)
        for message in (*self.rosters, *self.offers(), *self.round_keys(), *self.agreements()):
            shared.put(self.federation, message)
        for each in sent:
            shared.put_contribution(self.federation, each)
        for own in self.all:
            message, total = own.cosign(self.round_keys(), shared.contributions(self.federation))
            shared.put_total(total)
            shared.put(self.federation, message)
        return shared


def forged(signer: SigningKey, message: Signed, /, **changes: Any) -> Signed:
    """A message with some fields changed, and signed anew: what a dishonest site may send."""
    return Signed.by(signer, {**message.message, **changes})


def altered(message: Signed, **changes: Any) -> Signed:
    """A message with some fields changed on the way: whoever does so cannot sign it."""
    return replace(message, message={**message.message, **changes})


def values(count: int, cells: int = PLAN.cells) -> list[Any]:
    return [np.arange(cells, dtype=np.int64) * (number + 1) - 2 for number in range(count)]


def without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the sum would be before noise; nothing else changes."""
    monkeypatch.setattr(DiscreteGaussian, "release", lambda self, integers: clamped(integers))
