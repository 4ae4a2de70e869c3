"""Sums that a federation is asked for, the noise that each site adds, and its cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt, sqrt
from typing import Any

from dprelease.accounting.shared_noise import summed_rho
from dprelease.errors import InputError, PlanError
from dprelease.extras.federation.envelope import HASH
from dprelease.extras.federation.roster import Federation
from dprelease.mechanisms import DiscreteGaussian
from dprelease.model.encoding import digest
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.tally import Sensitivity
from dprelease.words import phrase
from dprelease.words.phrases import Figure

MIN_SIGMA = 2.25
"""Least σ of a share. Sums of shares are then discrete Gaussian up to τ < 10^-20 a share; at 1, up to 10^-3."""
MAX_CELLS = 2**26
MAX_PARTS = 10_000
LONGEST = 40
"""Digits."""
MAX_L2_SQUARED = (2**53 - 1) ** 2
MAX_SIGMA = float(2**50)
"""Largest σ of one share: the noise of a hundred never comes near the ends of 64 bits."""
MAX_RHO_NANO = 10**15
LIMIT = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseShare:
    """Integers that share one scale of noise, as of one mechanism. `l2_squared`: the square of how much one unit's rows

    in one site change that site's integers, in L2. `rho_nano`: what that may cost, in 10^-9. Raises InputError.
    """

    cells: int
    l2_squared: int
    rho_nano: int

    def __post_init__(self) -> None:
        for name, least, most, found in (
            ("cells", 1, MAX_CELLS, self.cells),
            ("l2_squared", 1, MAX_L2_SQUARED, self.l2_squared),
            ("rho_nano", 2, MAX_RHO_NANO, self.rho_nano),
        ):
            if type(found) is not int or not least <= found <= most:
                raise InputError(name, found=found, allowed=phrase("federation.whole_number", least=least, most=most))

    def to_mapping(self) -> dict[str, Any]:
        """Return the fields, the square as a text: JSON holds no whole numbers beyond 2^53."""
        return {"cells": self.cells, "l2_squared": str(self.l2_squared), "rho_nano": self.rho_nano}

    @classmethod
    def from_mapping(cls, value: Mapping[str, Any]) -> NoiseShare:
        """Raises InputError, KeyError, TypeError or ValueError where it is not as `to_mapping` writes it."""
        l2_squared = value["l2_squared"]
        if not (isinstance(l2_squared, str) and len(l2_squared) <= LONGEST and l2_squared.isdecimal()):
            raise TypeError
        return cls(cells=value["cells"], l2_squared=int(l2_squared), rho_nano=value["rho_nano"])


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundPlan:
    """Parts that are added up one after the other, and their loss. Priced before any site reads a row.

    `plan`: the hash of the whole plan (canonical JSON), which every site's people approved. Raises InputError.
    """

    plan: str
    parts: tuple[NoiseShare, ...]

    def __post_init__(self) -> None:
        if not HASH.fullmatch(self.plan):
            raise InputError("plan", found=self.plan, allowed=phrase("federation.hash"))
        for name, found, most in (("parts", len(self.parts), MAX_PARTS), ("cells", self.cells, MAX_CELLS)):
            if not 1 <= found <= most:
                raise InputError(name, found=found, allowed=phrase("federation.whole_number", least=1, most=most))

    @property
    def cells(self) -> int:
        """Number of cells of all parts together."""
        return sum(part.cells for part in self.parts)

    @property
    def rho_nano(self) -> int:
        """Charge to each site's ledger, in 10^-9 of ρ: the whole, since a unit's rows may all be in one site."""
        return sum(part.rho_nano for part in self.parts)

    @property
    def hash(self) -> str:
        return digest(self.to_mapping())

    def to_mapping(self) -> dict[str, Any]:
        return {"plan": self.plan, "parts": [part.to_mapping() for part in self.parts]}

    @classmethod
    def from_mapping(cls, value: Mapping[str, Any]) -> RoundPlan:
        """Raises InputError, KeyError, TypeError or ValueError where it is not as `to_mapping` writes it."""
        return cls(plan=value["plan"], parts=tuple(map(NoiseShare.from_mapping, value["parts"])))


def shares_of_noise(federation: Federation, plan: RoundPlan) -> tuple[DiscreteGaussian, ...]:
    """Return the noise that each site adds, of each part. Raises PlanError as `share_of_noise`."""
    return tuple(share_of_noise(federation, part) for part in plan.parts)


@lru_cache(maxsize=256)
def share_of_noise(federation: Federation, part: NoiseShare) -> DiscreteGaussian:
    """Return the discrete Gaussian noise of each site: variance σ²/(K − t), where σ² alone would cost the part's ρ.

    A unit with rows in r = `max_sites` sites changes the sum by rΔ₂ at most, so noise is made for that. By calibration
    the sum of the K − t shares of honest sites costs at most ρ in the form (√(2ρ′) + τ√cells)²/2, rounded up. `share`
    is what one share by itself protects: (K − t)ρ′. Raises PlanError where a share has σ < 2.25, or above 2^50.
    """
    joint = _joint(federation, part)
    sensitivity = Sensitivity(l1=joint, linf=isqrt(joint), l2_squared=joint, shape=(part.cells,))
    for rho_nano in (part.rho_nano, part.rho_nano - 1):  # from σ = 2.25 on, τ√cells is worth less than 10^-9
        found = DiscreteGaussian.calibrate(sensitivity, PrivacyLoss(rho_nano=federation.honest * rho_nano))
        _check_sigma(found.scale)
        if summed_rho(joint, found.scale, federation.honest, part.cells) <= part.rho_nano:
            return found
    raise PlanError("rho_nano", found=part.rho_nano, allowed=phrase("federation.smaller_rho"))


def loss_by_colluders(federation: Federation, plan: RoundPlan) -> tuple[tuple[int, int], ...]:
    """Return the ρ where c sites collude, for c from t to K − 1, in 10^-9 and rounded up: ρ(K − t)/(K − c).

    Colluding sites know their own shares of noise and take them out. For c = t it is the plan's ρ at most. A unit has
    rows in as many sites as the roster says; the noise of any one honest site by itself is the last line.
    """
    return tuple(
        (
            colluders,
            sum(
                summed_rho(
                    _joint(federation, part),
                    share_of_noise(federation, part).scale,
                    len(federation.sites) - colluders,
                    part.cells,
                )
                for part in plan.parts
            ),
        )
        for colluders in range(federation.lost_sites, len(federation.sites))
    )


def spreads(federation: Federation, plan: RoundPlan) -> tuple[float, ...]:
    """Return the standard deviation of the noise in each cell of the sum, by part: σ√(K/(K − t)); all K add theirs."""
    return tuple(each.scale * sqrt(len(federation.sites)) for each in shares_of_noise(federation, plan))


def most(federation: Federation) -> int:
    """Return the bound ± that a site's integers are clamped to, so that the sum stays within ±2^62."""
    return LIMIT // len(federation.sites)


def rho_text(rho_nano: int) -> Figure:
    """Return a ρ as a decimal number."""
    return Figure(str(PrivacyLoss(rho_nano=rho_nano).rho.normalize()))


def _joint(federation: Federation, part: NoiseShare) -> int:
    """Return (rΔ₂)²."""
    joint = part.l2_squared * federation.max_sites**2
    if joint > MAX_L2_SQUARED:
        most = MAX_L2_SQUARED // federation.max_sites**2
        raise PlanError(
            "l2_squared", found=part.l2_squared, allowed=phrase("federation.whole_number", least=1, most=most)
        )
    return joint


def _check_sigma(sigma: float) -> None:
    if sigma < MIN_SIGMA:
        raise PlanError(
            "rho_nano",
            found=phrase("federation.sigma", sigma=Figure(f"{sigma:.4g}")),
            allowed=phrase("federation.least_sigma", least=Figure(str(MIN_SIGMA))),
            remedy=phrase("federation.more_noise"),
        )
    if sigma > MAX_SIGMA:
        raise PlanError(
            "rho_nano",
            found=phrase("federation.sigma", sigma=Figure(f"{sigma:.4g}")),
            allowed=phrase("federation.most_sigma", most=Figure(f"{MAX_SIGMA:.4g}")),
            remedy=phrase("federation.less_noise"),
        )
