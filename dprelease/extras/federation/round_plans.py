"""Sums that a federation makes for a plan, and the statistics published from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
from msgspec.structs import replace

from dprelease.accounting.shares import split
from dprelease.errors import IntegrityError, PlanError
from dprelease.extras.federation.check import Finished
from dprelease.extras.federation.noise import NoiseShare, RoundPlan, spreads
from dprelease.extras.federation.roster import Federation
from dprelease.mechanisms import DiscreteGaussian, Mechanism, ResidualGaussian
from dprelease.model.encoding import digest
from dprelease.model.privacy import Currency
from dprelease.model.release import Output
from dprelease.statistics.answer import Draw, answers
from dprelease.statistics.planning.price import Price
from dprelease.statistics.planning.stated import as_stated
from dprelease.words import phrase


def round_plan(price: Price, mapping: Mapping[str, Any]) -> RoundPlan:
    """Return the sums for a plan: a part for each mechanism. `mapping`: the plan as it is stored.

    The name of the dataset is each site's own, and no part of it. Raises PlanError where a statistic is no sum.
    """
    if price.plan.accept:
        raise PlanError(
            "accept",
            found=phrase("workspace.criteria"),
            allowed=phrase("workspace.no_criteria"),
            remedy=phrase("workspace.no_judge"),
        )
    parts: list[NoiseShare] = []
    for number, each in enumerate(price.measurements):
        for mechanism in each.mechanisms:
            made = parts_of(mechanism) if each.rounds == 1 else ()
            if not made:
                raise PlanError(
                    f"statistics[{number}]",
                    found=phrase("workspace.no_sum", id=each.id, kind=each.statistic.kind, mechanism=mechanism.name),
                    allowed=phrase("workspace.sums_only"),
                    remedy=phrase(
                        "workspace.count_in_zcdp" if price.currency is Currency.PURE else "workspace.count_instead"
                    ),
                )
            parts += made
    return RoundPlan(plan=digest({**mapping, "dataset": ""}), parts=tuple(parts))


def parts_of(mechanism: Mechanism) -> tuple[NoiseShare, ...]:
    """Return the parts that a mechanism adds noise to, one for each scale; none without discrete Gaussian noise.

    Residuals of each set B of axes change by rows · √(Π d(d − 1)) in L2 where a unit comes or goes, and their losses
    add up to the mechanism's; where rows may move from cell to cell they do not, and there are no parts.
    """
    shape, share = mechanism.sensitivity.shape, mechanism.share.rho_nano
    if isinstance(mechanism, DiscreteGaussian) and shape is not None:
        return (NoiseShare(cells=prod(shape), l2_squared=mechanism.sensitivity.l2_squared, rho_nano=share),)
    if isinstance(mechanism, ResidualGaussian) and not mechanism.moves:
        axes = [int(size) for size in mechanism.cells.split()]
        sets = [[axes[place] for place in places] for places in mechanism.by_set]
        squares = [mechanism.rows**2 * prod(size * (size - 1) for size in sizes) for sizes in sets]
        weights = [square / Fraction(s) ** 2 for square, s in zip(squares, mechanism.by_set.values(), strict=True)]
        each = zip(sets, squares, split(share, weights), strict=True)
        return tuple(NoiseShare(cells=prod(sizes), l2_squared=square, rho_nano=rho) for sizes, square, rho in each)
    return ()


def check_reached(price: Price, federation: Federation, plan: RoundPlan) -> Price:
    """Return a plan's price with the noise of all sites together: how far off their sum is expected to be.

    Raises PlanError, before anything is charged, where that is more than the plan asks for.
    """
    try:
        return noisier(price, spreads(federation, plan))
    except IntegrityError as cause:
        allowed, remedy = phrase("workspace.noise_of_all_sites"), phrase("workspace.larger_target")
        raise PlanError("statistics", found=cause, allowed=allowed, remedy=remedy) from None


def noisier(price: Price, deviations: Sequence[float]) -> Price:
    """Return the price of a plan with the noise of all sites together, whose deviations are given part by part.

    The losses stay those that each site is charged. Raises IntegrityError where a target error is not reached.
    """
    given, measurements = iter(deviations), []
    for each in price.measurements:
        stated, noisy = each.stated(), []
        for mechanism, about in zip(each.mechanisms, stated.mechanisms, strict=True):
            scales = [next(given) for _ in parts_of(mechanism)]
            told = {"scales": " ".join(map(repr, scales))} if "scales" in about.settings else {}
            noisy.append(replace(about, scale=min(scales), settings={**about.settings, **told}))
        measurements.append(replace(stated, mechanisms=tuple(noisy)))
    schema = price.plan.schema
    return as_stated(
        price.plan,
        measurements,
        [item.stated(schema) for item in price.statistics],
        currency=price.currency,
        discovers=price.discovers,
    )


def drawn_of(price: Price, finished: Finished) -> Draw:
    """Return the integers of the sum by statistic and mechanism, each in its shape."""
    drawn: dict[str, Any] = {}
    start = 0
    for each in price.measurements:
        drawn[each.id] = []
        for about in each.stated().mechanisms:
            end = start + prod(about.shape)
            drawn[each.id].append(np.reshape(finished.total[start:end], about.shape).tolist())
            start = end
    return drawn


def answered(price: Price, finished: Finished) -> Mapping[str, Output]:
    """Return the answers of a plan's statistics from the sum, whose noise is that of all sites together."""
    return answers(noisier(price, finished.spreads), drawn_of(price, finished))
