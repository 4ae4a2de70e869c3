"""Wrong sensitivities in the first implementation: the second one, alone, names the statistic that spends too much."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import Any

import pytest

from dprelease.errors import IntegrityError
from dprelease.mechanisms import (
    PermuteAndFlip,
    RandomizedResponse,
    exponential,
    permute_and_flip,
    sparse_vector,
    thresholded_laplace,
    top_k,
)
from dprelease.model.privacy import Currency, NeighboringRelation, PrivacyLoss
from dprelease.model.tally import Sensitivity
from dprelease.statistics import noisy, sampled
from dprelease.statistics.algebra import moments, sensitivity
from dprelease.statistics.algebra.moments import ends
from dprelease.statistics.algebra.sensitivity import divided, moments_of, once, quotient, simplex, spread
from dprelease.statistics.kinds import cdf, covariance, mean, mode, quantiles, ratio, threshold, units, variance
from dprelease.statistics.kinds.histogram import Histogram
from dprelease.statistics.kinds.top import Top
from dprelease.statistics.tabulated import Measurement, TallyStatistic
from dprelease.statistics.weighted import weight_factors
from dprelease.worstcase import excesses
from tests.worstcase.generated import ONE_QUESTION, WHERE
from tests.worstcase.stated import certificate

pytestmark = pytest.mark.quick

Patch = pytest.MonkeyPatch
ADD, SUB = NeighboringRelation
PURE, ZCDP = Currency
PEOPLE = {"column": "person", "max_rows": 3}


def stating(patch: Patch, cls: type[TallyStatistic], change: Callable[[Sensitivity], Sensitivity]) -> None:
    """A statistic states other sensitivities than it should."""
    real = cls.measurements

    def measurements(self: Any, *given: Any) -> tuple[Measurement, ...]:
        return tuple(replace(item, sensitivity=change(item.sensitivity)) for item in real(self, *given))

    patch.setattr(cls, "measurements", measurements)


def no_second_side(patch: Patch) -> None:
    """Rows may vanish, and not enter another cell."""
    patch.setattr(noisy, "simplex", lambda terms, shape: simplex(replace(terms, neighbors=ADD), shape))


def no_root_of_two(patch: Patch) -> None:
    def flat(*given: Any) -> Sensitivity:
        stated = simplex(*given)
        return replace(stated, l2_squared=stated.linf**2)

    patch.setattr(noisy, "simplex", flat)


def a_step_too_few(patch: Patch) -> None:
    """K as the number of codes less two."""
    patch.setattr(mean, "simplex", lambda terms, shape, size: simplex(terms, shape, size - 1))


def one_row(terms: Any) -> Any:
    return replace(terms, unit=replace(terms.unit, max_rows=1))


def max_rows_ignored(patch: Patch) -> None:
    patch.setattr(noisy, "simplex", lambda terms, shape: simplex(one_row(terms), shape))


def weights_ignored(patch: Patch) -> None:
    patch.setattr(moments, "ends", lambda factors: ends(factors[1:]))


def squares_of_weights_ignored(patch: Patch) -> None:
    patch.setattr(sampled, "_squares", weight_factors)


def groups_ignored(patch: Patch) -> None:
    stating(patch, units.Units, lambda stated: replace(stated, l1=1, l2_squared=1))


def one_cell_of_several(patch: Patch) -> None:
    """Of a unit that counts once in a cell: as if that were once in all, without the square root of its rows."""
    patch.setattr(noisy, "once", lambda terms, shape: once(one_row(terms), shape))


def cells_of_what_is_shown(patch: Patch) -> None:
    """`top` as it was: the values that are shown, taken for the counts that get noise."""

    def measurements(self: Any, schema: Any, terms: Any) -> tuple[Measurement, ...]:
        shape = self.count_query(schema).shape
        return (Measurement(self.noise_for(terms), shape, replace(simplex(terms, (self.k,)), shape=shape)),)

    patch.setattr(Top, "measurements", measurements)


def width_of_the_bounds(patch: Patch) -> None:
    """The textbook's u − l where a row may be added."""

    def narrow(terms: Any, shape: Any, low: int, high: int) -> Sensitivity:
        return spread(terms, shape, 0, high - low)

    patch.setattr(ratio, "spread", narrow)


def largest_value_alone(patch: Patch) -> None:
    """max(|l|, |u|) where a value may become another one."""

    def largest(terms: Any, shape: Any, low: int, high: int) -> Sensitivity:
        most = terms.max_rows * max(-low, high)
        return replace(spread(terms, shape, low, high), l1=most, l2_squared=most**2)

    patch.setattr(mean, "spread", largest)


def one_tail_of_a_quantile(patch: Patch) -> None:
    def narrow(self: Any, alpha: Any, terms: Any, shape: Any) -> Sensitivity:
        p, q = alpha.as_integer_ratio()
        return Sensitivity(l1=0, linf=terms.max_rows * min(p, q - p), shape=shape)

    patch.setattr(quantiles.QuantileTable, "_sensitivity", narrow)


def a_quantile_that_moves_in_one_group(patch: Patch) -> None:
    real = quantiles.QuantileTable._sensitivity

    def within(self: Any, alpha: Any, terms: Any, shape: Any) -> Sensitivity:
        return replace(real(self, alpha, terms, (1, shape[1])), shape=shape)

    patch.setattr(quantiles.QuantileTable, "_sensitivity", within)


def monotone_where_rows_move(patch: Patch) -> None:
    stating(patch, mode.Mode, lambda stated: replace(stated, monotone=True))


def answers_of_a_sparse_vector(patch: Patch) -> None:
    """Noise of questions without c (variant A.4)."""
    patch.setattr(sparse_vector, "_asked", lambda linf, monotone, answers: (1 if monotone else 2) * linf)


def one_choice_of_k(patch: Patch) -> None:
    patch.setattr(top_k.NoisyTopK, "calibrate", partial(_one_choice, top_k.NoisyTopK.calibrate))


def _one_choice(real: Any, stated: Sensitivity, share: PrivacyLoss, *, k: int, **settings: Any) -> Any:
    return replace(real(stated, share, k=1, **settings), k=k)


def names_of_one_side(patch: Patch) -> None:
    """As if only one of two units had names of its own."""
    stating(patch, Top, lambda stated: replace(stated, l0=stated.l0 // 2))


def rho_of_the_exponential_mechanism(patch: Patch) -> None:
    """ε²/8 for permute-and-flip."""

    class Flattered(PermuteAndFlip):
        @classmethod
        def calibrate(cls, sensitivity: Sensitivity, share: PrivacyLoss, **settings: Any) -> Any:
            scale = exponential.ExponentialMechanism.calibrate(sensitivity, share).scale
            return PermuteAndFlip(sensitivity=sensitivity, share=share, scale=scale)

    patch.setattr(mode, "SELECTION", dict.fromkeys(Currency, Flattered))


def moments_of_one_column(patch: Patch) -> None:
    """Kᵢ² for two columns of Kᵢ and Kⱼ steps."""
    real = moments_of
    patch.setattr(covariance, "moments_of", lambda terms, shape, size: real(terms, shape, size if shape == (3,) else 9))


def rounding_of_one_group(patch: Patch) -> None:
    """Of divided moments, as it was: too small by one part in 10^9."""

    def one_group(terms: Any, shape: Any, size: int) -> Sensitivity:
        return divided(simplex(terms, shape, size), quotient(size), 3)

    patch.setattr(variance, "moments_of", one_group)


def two_answers_of_three(patch: Patch) -> None:
    real = RandomizedResponse.calibrate

    def calibrate(stated: Sensitivity, share: PrivacyLoss, *, answers: int, **settings: Any) -> Any:
        return replace(real(stated, share, answers=answers), truth=real(stated, share, answers=2).truth)

    patch.setattr(RandomizedResponse, "calibrate", calibrate)


def questions_that_only_rise(patch: Patch) -> None:
    stating(patch, threshold.Threshold, lambda stated: replace(stated, monotone=True))


def rows_of_discovered_names(patch: Patch) -> None:
    stating(patch, Histogram, lambda stated: replace(stated, l1=1))


def runs_that_nobody_leaves(patch: Patch) -> None:
    """As if a row that moves to another bin stayed in its run of bins."""
    real = cdf.simplex

    def within(terms: Any, shape: Any) -> Sensitivity:
        return replace(real(replace(terms, neighbors=ADD) if shape[0] < MANY_BINS else terms, shape), shape=shape)

    patch.setattr(cdf, "simplex", within)


def runs_of_one_row(patch: Patch) -> None:
    """Of the rows of a unit, one in each run of bins."""
    real = cdf.simplex
    patch.setattr(cdf, "simplex", lambda terms, shape: real(terms if shape[0] == MANY_BINS else one_row(terms), shape))


def a_single_cell(patch: Patch) -> None:
    """Any shape taken for one cell."""
    patch.setattr(sensitivity, "prod", lambda shape: min(1, prod(shape)))


ONCE = {"kind": "crosstab", "max_rows_per_cell": 1}
MANY_BINS = 1001
SHARES = {"kind": "cdf", "column": "odd", "bins": MANY_BINS}
WEIGHTED = {"kind": "crosstab", "columns": ["g", "h"], "survey_weights": "far"}
TWO_QUESTIONS = [*ONE_QUESTION, {"label": "two", "where": [{"column": "h", "equals": "u"}]}]


@dataclass(frozen=True)
class Mutant:
    make: Callable[[Patch], None]
    statistic: dict[str, Any]
    relation: NeighboringRelation = SUB
    unit: Any = "row"
    currency: Currency = PURE
    symbol: str = "ε"
    times: float | None = None
    """How many times what was charged it spends."""


MUTANTS = (
    Mutant(no_second_side, {"kind": "histogram", "column": "g"}, times=2),
    Mutant(no_root_of_two, {"kind": "crosstab", "columns": ["g", "h"]}, currency=ZCDP, symbol="ρ", times=2),
    Mutant(a_step_too_few, {"kind": "mean", "column": "k"}, ADD, times=1.5),
    Mutant(max_rows_ignored, {"kind": "count", "by": ["g"]}, ADD, PEOPLE, times=3),
    Mutant(weights_ignored, {"kind": "sum", "column": "k", "survey_weights": "far"}, ADD, times=8),
    Mutant(weights_ignored, WEIGHTED, currency=ZCDP, symbol="ρ", times=64),
    Mutant(weights_ignored, {"kind": "histogram", "column": "g", "survey_weights": "far"}, times=8),
    Mutant(weights_ignored, {"kind": "proportion", "where": WHERE, "survey_weights": "far"}, ADD, PEOPLE, times=8),
    Mutant(
        squares_of_weights_ignored,
        {"kind": "mean", "column": "k", "survey_weights": "far", "sampling": True},
        ADD,
        times=2.4,
    ),
    Mutant(groups_ignored, {"kind": "units", "by": ["k"]}, ADD, PEOPLE, times=3),
    Mutant(one_cell_of_several, {**ONCE, "columns": ["g", "k"]}, ADD, PEOPLE, ZCDP, "ρ", times=3),
    Mutant(one_cell_of_several, {**ONCE, "columns": ["only", "k"]}, SUB, PEOPLE, ZCDP, "ρ", times=2),
    Mutant(one_cell_of_several, {**ONCE, "columns": ["only", "h"]}, ADD, PEOPLE, times=2),
    Mutant(cells_of_what_is_shown, {"kind": "top", "column": "g", "k": 1}, times=2),
    Mutant(cells_of_what_is_shown, {"kind": "top", "column": "g", "k": 1}, SUB, PEOPLE, ZCDP, "ρ", times=2),
    Mutant(width_of_the_bounds, {"kind": "ratio", "numerator": "low", "denominator": "far"}, ADD),
    Mutant(largest_value_alone, {"kind": "mean", "column": "x", "method": "sum_and_count"}),
    Mutant(one_tail_of_a_quantile, {"kind": "quantiles", "column": "k", "probs": [0.25]}, ADD, times=3),
    Mutant(a_quantile_that_moves_in_one_group, {"kind": "quantiles", "column": "k", "probs": [0.25], "by": ["h"]}),
    Mutant(monotone_where_rows_move, {"kind": "mode", "column": "g"}, times=2),
    Mutant(answers_of_a_sparse_vector, {"kind": "threshold", "questions": TWO_QUESTIONS, "threshold": 3, "answers": 2}),
    Mutant(questions_that_only_rise, {"kind": "threshold", "questions": TWO_QUESTIONS, "threshold": 3}),
    Mutant(one_choice_of_k, {"kind": "top", "column": "k", "k": 2, "method": "noisy_top_k"}, times=2),
    Mutant(names_of_one_side, {"kind": "top", "column": "name"}, symbol="εδ"),
    Mutant(rows_of_discovered_names, {"kind": "histogram", "column": "name"}, ADD, PEOPLE, symbol="εδ", times=3),
    Mutant(rho_of_the_exponential_mechanism, {"kind": "mode", "column": "g"}, currency=ZCDP, symbol="ρ", times=4),
    Mutant(moments_of_one_column, {"kind": "covariance", "columns": ["k", "x"]}, ADD),
    Mutant(rounding_of_one_group, {"kind": "variance", "column": "odd", "by": ["g"]}, ADD, PEOPLE),
    Mutant(two_answers_of_three, {"kind": "survey", "column": "answer"}),
    Mutant(runs_that_nobody_leaves, SHARES, times=1.5),
    Mutant(runs_that_nobody_leaves, SHARES, SUB, PEOPLE, ZCDP, "ρ", times=1.75),
    Mutant(runs_of_one_row, SHARES, ADD, PEOPLE, times=2),
    Mutant(runs_of_one_row, SHARES, ADD, PEOPLE, ZCDP, "ρ", times=7),
    Mutant(a_single_cell, {"kind": "proportion", "where": WHERE}, times=2),
)


KEPT = (sparse_vector._scales, thresholded_laplace._scale, permute_and_flip._scale, top_k._scale)
"""Scales are kept by sensitivity and share: a mutant's are neither to be those from before nor to be used again."""


@pytest.fixture
def planted(monkeypatch: Patch) -> Iterator[Callable[[Mutant], None]]:
    def plant(mutant: Mutant) -> None:
        for each in KEPT:
            each.cache_clear()
        mutant.make(monkeypatch)

    yield plant
    for each in KEPT:
        each.cache_clear()


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.make.__name__}-{mutant.statistic['kind']}")
def test_a_wrong_sensitivity_is_named(mutant: Mutant, planted: Callable[[Mutant], None]) -> None:
    world = (mutant.statistic, mutant.relation, mutant.unit, mutant.currency)
    assert excesses(certificate(*world)) == ()
    planted(mutant)
    found = excesses(certificate(*world))
    assert [(each.measurement, each.symbol) for each in found] == [("s", symbol) for symbol in mutant.symbol]
    assert all(each.true > each.charged > 0 for each in found)
    if mutant.times is not None:
        assert found[0].true == pytest.approx(mutant.times * found[0].charged, rel=0.01)


def test_there_are_many_of_them() -> None:
    assert len({mutant.make for mutant in MUTANTS}) >= 12


@pytest.mark.parametrize(
    "shapes", [(1001, 1001), (1001, 1), (1001, 200, 200), (1000, 200), (200, 1001), (1001, (7, 2))]
)
def test_levels_that_are_none_are_refused(shapes: tuple[Any, ...]) -> None:
    """Each level has fewer cells than the one below, and two at least: else its noise would be for something else."""
    given = certificate(SHARES, ADD, "row", ZCDP)
    (item,) = given["measurements"]
    item["mechanisms"] = [
        item["mechanisms"][0] | {"shape": [shape] if isinstance(shape, int) else list(shape)} for shape in shapes
    ]
    with pytest.raises(IntegrityError):
        excesses(given)
