"""Finds everything about a finished round again, from its files alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dprelease.errors import IntegrityError
from dprelease.extras.federation.folder import RoundFolder, begun_attempt
from dprelease.extras.federation.messages import KEY, KEYS, MASKED, OFFER, SUM, VOID
from dprelease.extras.federation.noise import loss_by_colluders, shares_of_noise, spreads
from dprelease.extras.federation.round import Round
from dprelease.words import phrase


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A round that every site took part in and co-signed."""

    round: Round
    total: NDArray[np.int64] = field(compare=False)
    charges: Mapping[str, str] = field(hash=False)
    """Hash of the event that charged each site's ledger, by site. The ledger's own checkpoint has to show it."""
    recomputed: bool
    """True if the masked vectors were there and add up to the sum; else it rests on the sites' signatures."""
    sigmas: tuple[float, ...]
    """Noise scale σ of one site's share, by part."""
    spreads: tuple[float, ...]
    """The standard deviation of the noise in each cell, by part."""
    losses: tuple[tuple[int, int], ...]
    """Pairs of c colluding sites, for c from `lost_sites` on, and the ρ in 10^-9 that is left then."""


def check(folder: RoundFolder) -> Finished:
    """Raises IntegrityError where anything is missing or is not as it was signed, and where the round is void.

    Of roster, offers, keys, lists, contributions and sums each is there from every site, of one round, with signatures
    that hold; the sum is the one that all co-signed and, where the masked vectors are there, the one that they give.
    """
    federation, plan, attempt = begun_attempt(folder)
    found = Round.begun(federation, plan, attempt, folder.messages(OFFER))
    refuse_void(folder, found)
    keys = found.read_keys(folder.messages(KEY))
    found.check_listed(keys, folder.messages(KEYS))
    masked = found.read_masked(keys, folder.messages(MASKED))
    total = folder.total(plan.cells)
    recomputed = folder.has_vectors(federation)
    if recomputed and not np.array_equal(found.combine(keys, folder.contributions(federation)), total):
        raise IntegrityError(phrase("federation.not_the_sum"))
    found.check_summed(keys, masked, total, folder.messages(SUM))
    return Finished(
        round=found,
        total=total,
        charges={each.message["site"]: each.message["charge"] for each in keys},
        recomputed=recomputed,
        sigmas=tuple(each.scale for each in shares_of_noise(federation, plan)),
        spreads=spreads(federation, plan),
        losses=loss_by_colluders(federation, plan),
    )


def refuse_void(folder: RoundFolder, found: Round) -> None:
    """Raises IntegrityError where a site made the round void; it says so where that site co-signed a sum, too."""
    signers = {each.signer for each in folder.messages(SUM)}
    for message in folder.messages(VOID):
        site = found.read_void(message)
        if message.signer in signers:
            raise IntegrityError(phrase("federation.both", site=site))
        raise IntegrityError(phrase("federation.void", site=site))
