"""The noise of a sum of several institutions, what it costs, and that the tables follow from the sum.

Worked out from docs/privacy.md and what the certificate states, by no code of those who drew it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from decimal import ROUND_FLOOR, Decimal, localcontext
from itertools import islice
from math import isclose, prod, sqrt
from typing import Any

from dprelease.errors import IntegrityError
from dprelease.model.certificate import Certificate
from dprelease.model.release import Estimates, FittedOutput, MeasuredTables, Output, SyntheticRows
from dprelease.model.stated import StatedMechanism, StatedRound, StatedShare
from dprelease.statistics.answer import answers, unrepeatable
from dprelease.verdict.recompute import stated_price
from dprelease.words import phrase
from dprelease.worstcase import excesses

MIN_SIGMA = 2.25
"""Least σ of one share. Below it a sum of shares may be far from discrete Gaussian."""
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")
NANO = 10**9
ROUNDED = 3
"""So many 10^-9 of ρ may be lost where losses are rounded up."""
NEARLY = 1e-6
FEDERATES = ("discrete_gaussian", "residual_gaussian")


def check_noise(certificate: Certificate, several: StatedRound) -> None:
    """Raises IntegrityError unless the noise is what roster and plan come to, and all that is stated of it follows.

    Of K sites t may be dishonest: each adds discrete Gaussian noise of one σ, of which the K − t honest shares cost
    what is stated: (rΔ₂/(√(K − t)·σ) + τ√cells)²/2, τ = 10 Σ exp(−2π²σ²k/(k + 1)) over k from 1 to K − t − 1. σ is
    the least that does, and the noise in the sum has the deviation σ√K.
    """
    count, honest = len(several.sites), len(several.sites) - several.lost_sites
    for number, share in enumerate(several.shares, start=1):
        wrong = IntegrityError(phrase("verdict.masked_noise", number=number))
        sigma = Decimal(share.sigma)
        if not MIN_SIGMA <= share.sigma <= 2**50 or not isclose(share.deviation, share.sigma * sqrt(count)):
            raise wrong
        less = sigma * (1 - Decimal(NEARLY))
        if not _rho(several, share, sigma, honest) <= share.rho_nano <= _rho(several, share, less, honest) + ROUNDED:
            raise wrong
    _check_rest(several)
    shares = iter(several.shares)
    for measurement in certificate.measurements:
        for mechanism in measurement.mechanisms:
            _check_mechanism(measurement.id, mechanism, shares)
    if next(shares, None) is not None:
        raise IntegrityError(phrase("verdict.masked_plan"))
    _check_worst_case(certificate, several)


def _rho(several: StatedRound, share: StatedShare, sigma: Decimal, shares: int) -> Decimal:
    """Return the ρ of so many shares, in 10^-9."""
    with localcontext(prec=60):
        rate = 2 * PI * PI * sigma * sigma
        apart = 10 * sum(((-rate * k / (k + 1)).exp() for k in range(1, shares)), Decimal(0))
        joint = Decimal(several.max_sites) * Decimal(int(share.l2_squared)).sqrt()
        root = joint / (sigma * Decimal(shares).sqrt()) + apart * Decimal(share.cells).sqrt()
        return root * root / 2 * NANO * (1 - Decimal("1e-40"))


def _check_rest(several: StatedRound) -> None:
    """Check the ρ that is left with c dishonest sites, for c from t to K − 1."""
    count = len(several.sites)
    expected = range(several.lost_sites, count)
    if [each.sites for each in several.losses] != [*expected]:
        raise IntegrityError(phrase("verdict.masked_rest", sites=several.lost_sites))
    for each in several.losses:
        parts = [_rho(several, share, Decimal(share.sigma), count - each.sites) for share in several.shares]
        least = sum((part.to_integral_value(ROUND_FLOOR) for part in parts), Decimal(0))
        if not least <= each.rho_nano <= least + ROUNDED * len(parts):
            raise IntegrityError(phrase("verdict.masked_rest", sites=each.sites))
    if several.losses[0].rho_nano > sum(share.rho_nano for share in several.shares):
        raise IntegrityError(phrase("verdict.masked_rest", sites=several.lost_sites))


def _check_mechanism(name: str, mechanism: StatedMechanism, shares: Iterator[StatedShare]) -> None:
    """Raises IntegrityError unless the noise stated for a mechanism is that of the next shares."""
    if mechanism.name not in FEDERATES or mechanism.round:
        raise IntegrityError(phrase("verdict.masked_kind", item=name, mechanism=mechanism.name))
    told = str(mechanism.settings.get("scales", mechanism.scale)).split()
    own = list(islice(shares, len(told)))
    scales = [float(each) for each in told]
    same = len(own) == len(scales) and all(
        isclose(share.deviation, scale, rel_tol=1e-12) for share, scale in zip(own, scales, strict=True)
    )
    cells, rho = sum(share.cells for share in own), sum(share.rho_nano for share in own)
    if not same or (cells, rho) != (prod(mechanism.shape), mechanism.loss.rho_nano):
        raise IntegrityError(phrase("verdict.masked_scale", item=name))
    l2 = mechanism.sensitivity.l2
    if l2 is not None and len(own) == 1 and not isclose(int(own[0].l2_squared), float(l2) ** 2, rel_tol=1e-9):
        raise IntegrityError(phrase("verdict.masked_scale", item=name))


def _check_worst_case(certificate: Certificate, several: StatedRound) -> None:
    """Check the loss by the second implementation: the noise of the honest shares alone, for a unit in r sites.

    Noise of σ√(K − t) for a change of rΔ costs what noise of σ√(K − t)/r costs for one of Δ.
    """
    factor = sqrt(1 - several.lost_sites / len(several.sites)) / several.max_sites * (1 + 1e-9)
    told: Any = deepcopy(certificate.to_mapping())
    for measurement in told["measurements"]:
        for mechanism in measurement["mechanisms"]:
            mechanism["scale"] = mechanism["scale"] * factor
            settings = mechanism["settings"]
            if "scales" in settings:
                settings["scales"] = " ".join(repr(float(each) * factor) for each in settings["scales"].split())
    if found := excesses(told):
        raise IntegrityError(phrase("verdict.masked_spends", found="; ".join(map(str, found))))


def check_follows(certificate: Certificate, outputs: Mapping[str, Output], integers: Sequence[int]) -> None:
    """Raises IntegrityError unless every table is what its statistic publishes of these integers."""
    price, left, drawn = stated_price(certificate), iter(integers), {}
    for measurement in certificate.measurements:
        drawn[measurement.id] = [
            _shaped(list(islice(left, prod(each.shape))), each.shape) for each in measurement.mechanisms
        ]
    again, inexact = answers(price, drawn), {item.id for item in unrepeatable(price)}
    if {*outputs} != {item.id for item in price.statistics}:
        raise IntegrityError(phrase("verdict.tables_there_one_each"))
    for name, found in outputs.items():
        if not _same(found, again[name], name, nearly=name in inexact):
            raise IntegrityError(phrase("verdict.masked_tables", item=name))


def _shaped(values: list[Any], shape: Sequence[int]) -> list[Any]:
    """Return values in row-major order, in lists of lists."""
    for size in reversed(shape[1:]):
        values = [values[at : at + size] for at in range(0, len(values), size)]
    return values


def _same(found: Output, own: Output, name: str, *, nearly: bool) -> bool:
    """Return True if two answers agree; `nearly`: but for last digits, and rows, which `follows` holds to integers."""
    if type(found) is not type(own):
        return False
    if (
        isinstance(found, MeasuredTables | SyntheticRows)
        and isinstance(own, MeasuredTables | SyntheticRows)
        and found.integers
    ):
        if [list(map(int, each)) for each in found.integers] != [list(map(int, each)) for each in own.integers]:
            return False
        if nearly:
            return True
    if isinstance(found, SyntheticRows) and isinstance(own, SyntheticRows) and found.columns != own.columns:
        return False
    if (
        isinstance(found, FittedOutput)
        and isinstance(own, FittedOutput)
        and not _alike(found.facts, own.facts, nearly=nearly)
    ):
        return False
    tables, others = found.named(name), own.named(name)
    return tables.keys() == others.keys() and all(
        _same_table(table, others[each], nearly=nearly) for each, table in tables.items()
    )


def _same_table(found: Estimates, own: Estimates, *, nearly: bool) -> bool:
    columns = [
        [*(list(column) for column in (each.value, each.lower95, each.upper95)), *map(list, each.extra.values())]
        for each in (found, own)
    ]
    return list(found.extra) == list(own.extra) and _alike(*columns, nearly=nearly)


def _alike(found: Any, own: Any, *, nearly: bool) -> bool:
    """Return True if two structures have the same numbers and texts."""
    if isinstance(found, Mapping) and isinstance(own, Mapping):
        return found.keys() == own.keys() and all(_alike(found[key], own[key], nearly=nearly) for key in found)
    if isinstance(found, list | tuple) and isinstance(own, list | tuple):
        pairs = zip(found, own, strict=False)
        return len(found) == len(own) and all(_alike(one, other, nearly=nearly) for one, other in pairs)
    if nearly and isinstance(found, int | float) and isinstance(own, int | float):
        return isclose(found, own, rel_tol=NEARLY, abs_tol=1e-9)
    return bool(found == own)
