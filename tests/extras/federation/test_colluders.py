"""The whole of a round as colluding sites and the coordinator see it: no more than is charged, and what would be more.

Colluders hold their round keys, their integers and every message. They take out the masks that they share and their
own noise. Every cell of a round is one draw: a unit changes one honest site's integers by Δ in each of them. A bound on
ρ claims too much with a chance of 2e-8 (`tests.privacy.evidence`), a test of bytes or of a variance at most once in
5·10^8: all here together less than once in 10^6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dprelease.extras.federation import masks, own_round
from dprelease.extras.federation.masks import RoundKey, Words64
from dprelease.extras.federation.noise import loss_by_colluders, share_of_noise
from dprelease.extras.federation.own_round import SECRET
from dprelease.mechanisms import DiscreteGaussian
from tests.extras.federation.sites import Sites, planned
from tests.extras.federation.test_masks import uniform
from tests.privacy.evidence import rho_bound

DRAWS = 60_000
CHANGE = 10
"""What a unit changes: with ρ = ½ the shares of noise stay wide enough."""
RHO_NANO, NANO = 500_000_000, 10**9
REACH = 6.0
"""Standard errors."""
SEEN = 0.75
"""Of the ρ that is charged, so much is seen at least: noise is no wider than it has to be. What is seen is 0.86 of it
with a standard deviation of 0.011."""


def federation(root: Path, lost: int = 1, count: int = 4, draws: int = DRAWS) -> Sites:
    plan = planned(cells=draws, l2_squared=CHANGE**2, rho_nano=RHO_NANO)
    return Sites(root, count=count, lost=lost, plan=plan)


def seen(sites: Sites, values: Sequence[Any], colluders: Sequence[int]) -> dict[int, Words64]:
    """Each honest site's vector without the masks that colluders share with it, through a whole round."""
    keys = sites.round_keys()
    secrets = {place: RoundKey.from_bytes(sites.own(place).keep.read(SECRET) or b"") for place in colluders}
    public = {place: str(each.message["key"]) for place, each in enumerate(sites.round().read_keys(keys))}
    sent = sites.contributions(values)
    found = {}
    for place in set(range(sites.count)) - set(colluders):
        vector = masks.from_bytes(sent[place].vector).copy()
        for other, secret in secrets.items():
            mask = secret.mask(public[place], sites.round().id, vector.size)
            vector = vector - mask if other > place else vector + mask
        found[place] = vector
    return found


def added(vectors: Mapping[int, Words64]) -> NDArray[np.int64]:
    return np.sum(list(vectors.values()), axis=0, dtype=np.uint64).view(np.int64)


def counts(sites: Sites, change: int) -> list[NDArray[np.int64]]:
    """The first site's may have one unit more, in each cell; colluders know all others."""
    cells = sites.plan.cells
    return [np.full(cells, change if place == 0 else 7 * place, dtype=np.int64) for place in range(sites.count)]


def observed(folder: Path, lost: int, colluders: Sequence[int], draws: int = DRAWS) -> float:
    """At least so much ρ is spent on a unit, by what colluders are left with on either table.

    They weigh it as the difference of two normal distributions with the variance that is stated.
    """
    told = []
    for name, change in (("here", CHANGE), ("there", 0)):
        sites = federation(folder / name, lost, draws=draws)
        left = added(seen(sites, counts(sites, change), colluders))
        told.append(left - 7 * sum(place for place in range(1, sites.count) if place not in colluders))
    (share,) = (share_of_noise(sites.federation, part) for part in sites.plan.parts)
    spread = share.scale**2 * (sites.count - len(colluders))
    here, there = ((CHANGE * (each - CHANGE / 2)) / spread for each in told)
    return rho_bound(here, there)


@pytest.mark.full
@pytest.mark.parametrize("lost", [1, 0, 2])
def test_colluders_as_many_as_are_allowed_see_no_more_than_is_charged(tmp_path: Path, lost: int) -> None:
    found = observed(tmp_path, lost, range(4 - lost, 4))
    assert SEEN * RHO_NANO / NANO < found <= RHO_NANO / NANO


@pytest.mark.full
@pytest.mark.parametrize(("lost", "colluders"), [(0, 0), (1, 1), (2, 2), (2, 0), (3, 3)])
def test_colluders_see_no_more_in_a_million_draws(tmp_path: Path, lost: int, colluders: int) -> None:
    assert observed(tmp_path, lost, range(4 - colluders, 4), 10**6) <= RHO_NANO / NANO


@pytest.mark.full
def test_more_colluders_than_allowed_see_no_more_than_is_said_of_them(tmp_path: Path) -> None:
    sites = federation(tmp_path / "none")
    said = dict(loss_by_colluders(sites.federation, sites.plan))[2] / NANO
    found = observed(tmp_path, 1, (2, 3))
    assert RHO_NANO / NANO < found <= said


@pytest.mark.one_in(2)
@pytest.mark.parametrize("colluders", [(3,), (1, 3)])
def test_nothing_less_than_the_sum_of_all_honest_sites_is_told(tmp_path: Path, colluders: tuple[int, ...]) -> None:
    sites = federation(tmp_path, draws=20_000)
    left = seen(sites, counts(sites, CHANGE), colluders)
    assert np.abs(added(left)).max() < 2**20
    for size in range(1, len(left)):
        for some in combinations(left, size):
            assert uniform([masks.to_bytes(np.sum([left[place] for place in some], axis=0, dtype=np.uint64))])


@pytest.mark.full
def test_another_attempt_after_a_void_round_has_noise_of_its_own(tmp_path: Path) -> None:
    """What was sent before the round was void is known to the coordinator; so is what comes after."""
    assert fresh(tmp_path)


def fresh(folder: Path) -> bool:
    """Whether the sums of two attempts differ as those of two draws do."""
    sites = federation(folder, draws=20_000)
    first = added(seen(sites, counts(sites, 0), (3,)))
    for own in sites.all:
        own.make_void()
    later = sites.again(2)
    second = added(seen(later, counts(sites, 0), (3,)))
    (share,) = (share_of_noise(sites.federation, part) for part in sites.plan.parts)
    ratio = float(((second - first).astype(float) ** 2).mean()) / (2 * 3 * share.scale**2)
    return abs(ratio - 1) < REACH * sqrt(2 / 20_000)


# What the tests above would see


@pytest.mark.full
def test_a_share_that_an_honest_site_leaves_out_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, asked = DiscreteGaussian.release, []

    def lazy(self: DiscreteGaussian, integers: Any) -> Any:
        asked.append(1)
        return integers if len(asked) % 4 == 2 else real(self, integers)

    monkeypatch.setattr(DiscreteGaussian, "release", lazy)
    assert observed(tmp_path, 1, (3,)) > RHO_NANO / NANO


@pytest.mark.full
def test_shares_made_for_all_sites_instead_of_the_honest_ones_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = own_round.shares_of_noise

    def narrow(federation: Any, plan: Any) -> Any:
        return [replace(each, scale=each.scale * sqrt(2 / 4)) for each in real(federation, plan)]

    monkeypatch.setattr(own_round, "shares_of_noise", narrow)
    assert observed(tmp_path, 2, (2, 3)) > RHO_NANO / NANO


@pytest.mark.full
def test_masks_of_neighbours_alone_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two colluders a site stands bare."""
    real = masks.masked

    def ring(values: Any, own: RoundKey, place: int, keys: Mapping[int, str], round_id: str) -> Words64:
        beside = {(place - 1) % len(keys), (place + 1) % len(keys)}
        return real(values, own, place, {other: key for other, key in keys.items() if other in beside}, round_id)

    monkeypatch.setattr(masks, "masked", ring)
    sites = federation(tmp_path, draws=20_000)
    left = seen(sites, counts(sites, CHANGE), (0, 2))
    assert not all(uniform([masks.to_bytes(vector)]) for vector in left.values())


@pytest.mark.full
def test_a_mask_that_serves_two_rounds_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one stream for two attempts, what one site's vectors differ by is its noise alone."""

    def differs(folder: Path) -> bool:
        sites = federation(folder, draws=20_000)
        first = seen(sites, counts(sites, 0), (3,))[0]
        second = seen(sites.again(2), counts(sites, CHANGE), (3,))[0]
        return uniform([masks.to_bytes(second - first)])

    assert differs(tmp_path / "own")
    stream = RoundKey().mask(RoundKey().public, "00" * 32, 20_000)
    monkeypatch.setattr(RoundKey, "mask", lambda *_: stream)
    assert not differs(tmp_path / "one")


@pytest.mark.full
def test_noise_that_is_kept_for_another_attempt_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, kept = DiscreteGaussian.release, []

    def again(self: DiscreteGaussian, integers: Any) -> Any:
        kept.append(kept[len(kept) - 4] if len(kept) >= 4 else real(self, np.zeros_like(integers)))
        return integers + kept[-1]

    monkeypatch.setattr(DiscreteGaussian, "release", again)
    assert not fresh(tmp_path)
