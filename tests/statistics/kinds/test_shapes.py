"""Noise is made for the integers that it goes on: their shape is stated, held against the sensitivity, and checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from dprelease.errors import InternalError
from dprelease.model.privacy import Currency, NeighboringRelation, PrivacyUnit, Terms
from dprelease.model.tally import UNDECLARED, Shape
from dprelease.statistics import TallyStatistic, noisy
from dprelease.statistics.algebra.sensitivity import moments_of, quotient, simplex
from dprelease.statistics.answer import draw
from dprelease.statistics.kit.check import RELATIONS, mechanisms_of, of_no_rows, plan_of
from dprelease.statistics.planning.price import Price, price
from tests.statistics.kinds.variants import SUBSTITUTE_ROWS_ONLY, VARIANTS, only_in_rho, statistic
from tests.statistics.ready import ready

PEOPLE = PrivacyUnit("person", 3)


def priced(variant: TallyStatistic, relation: NeighboringRelation, currency: Currency = Currency.PURE) -> Price:
    unit = PrivacyUnit() if variant.kind in SUBSTITUTE_ROWS_ONLY else PEOPLE
    return price(plan_of(variant, neighbors=relation, unit=unit, delta_atto=10**12), currency=currency)


def currency_of(variant: TallyStatistic) -> Currency:
    """One that takes the variant: where ε adds up, to count once in a cell spares little and may be refused."""
    is_cut = getattr(variant, "max_rows_per_cell", None)
    return Currency.ZCDP if is_cut or only_in_rho(variant) else Currency.PURE


@pytest.mark.parametrize(("relation", "currency", "unit"), [*product(RELATIONS, Currency, (PrivacyUnit(), PEOPLE))])
def test_the_one_most_common_value_costs_what_two_cost(
    relation: NeighboringRelation, currency: Currency, unit: PrivacyUnit
) -> None:
    """Noise goes on the counts of all declared values, however few of them are shown."""
    prices = [
        price(
            plan_of(statistic(kind="top", column="g", k=k), neighbors=relation, unit=unit, delta_atto=10**12),
            currency=currency,
        )
        for k in (1, 2)
    ]
    one, two = (item["s"].mechanisms[0] for item in prices)
    assert one.sensitivity == two.sensitivity
    assert one.sensitivity.l1 == unit.max_rows * (2 if relation is NeighboringRelation.SUBSTITUTE else 1)
    assert one.scale == two.scale


@pytest.mark.parametrize("shape", [(1,), (2,), (3, 1), None])
def test_pricing_refuses_a_sensitivity_of_another_shape(shape: Shape, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `top` once took the values that it shows for the counts that noise goes on."""
    wrong = simplex(Terms(PrivacyUnit(), RELATIONS[1]), shape or ())
    monkeypatch.setattr(noisy, "simplex", lambda *_: replace(wrong, shape=shape))
    with pytest.raises(InternalError, match=r"top: a sensitivity for the shape .*, and \(3,\) is measured"):
        priced(statistic(kind="top", column="g", k=1), RELATIONS[1])


def test_no_noise_is_drawn_for_integers_of_another_shape() -> None:
    for variant in (VARIANTS["top 1 of g"], VARIANTS["histogram of unknown"], VARIANTS["mode of g"]):
        item = priced(variant, RELATIONS[1])
        (given,) = of_no_rows(variant)
        assert draw(item, ready(item, [given]))
        with pytest.raises(InternalError, match="priced for the shape"):
            draw(item, ready(item, [np.zeros((7,), dtype=np.int64)]))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", VARIANTS)
def test_a_price_states_the_shape_of_each_mechanism(name: str) -> None:
    """Of a later round the contract kit sees it, which draws."""
    (stated,) = priced(VARIANTS[name], RELATIONS[1], currency_of(VARIANTS[name])).to_mapping()["measurements"]
    first = [mechanism["shape"] for mechanism in stated["mechanisms"] if not mechanism["round"]]
    by = mechanisms_of(VARIANTS[name], Terms(PEOPLE, RELATIONS[1]))[: len(first)]
    given = of_no_rows(VARIANTS[name], by)
    shapes = [list(UNDECLARED if isinstance(each, dict) else np.shape(each)) for each in given]
    assert first == shapes


def moments(codes: Iterable[int], steps: int) -> list[int]:
    """What rows with these codes add to the three moments of a variance."""
    rows = [(code**2, 2 * code * (steps - code), (steps - code) ** 2) for code in codes]
    return [sum(part) for part in zip(*rows, strict=True)]


def test_divided_moments_round_in_each_group_that_a_row_falls_into() -> None:
    """Moments of many steps are divided and rounded down. Two rows of one person in two groups round six entries."""
    steps, groups, code = 100_002, 2, 50_001
    by = quotient(steps**2)
    stated = moments_of(Terms(PrivacyUnit("person", 2), RELATIONS[0]), (groups, 3), steps**2)
    others = combinations_with_replacement(range(8), 7)
    moved = max(
        sum(
            (part + own) // by - part // by
            for part, own in zip(moments(base, steps), moments([code], steps), strict=True)
        )
        for base in others
    )
    assert groups * moved > -(-2 * steps**2 // by) + 3, "the rounding of one group would not do"
    assert groups * moved <= stated.l1
