"""What the sites of a federation round down: of every cell once, so that their sum is less by K - 1 steps at most."""

from __future__ import annotations

from functools import cache
from itertools import cycle, islice
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dprelease.errors import PlanError
from dprelease.extras.federation.round_plans import round_plan
from dprelease.model.privacy import Currency, NeighboringRelation, PrivacyUnit
from dprelease.statistics.answer import exact, queries
from dprelease.statistics.kit.check import plan_of
from dprelease.statistics.kit.pool import engine
from dprelease.statistics.kit.rows import PALETTE, Row, stored_table
from dprelease.statistics.planning.price import Price, price
from tests.statistics.kinds.variants import VARIANTS

pytestmark = pytest.mark.full
SITES = 5
DIVIDE = ("components", "linear", "logistic")
"""The kinds that divide by more than 1 on these columns. Variances and their like do where a column has many steps."""


def sites() -> list[list[Row]]:
    """Of unlike sizes, the last without rows."""
    rows = iter([{**row, "trial": 0, "person": number} for number, row in enumerate(islice(cycle(PALETTE), 120))])
    return [list(islice(rows, size)) for size in (17, 31, 5, 67, 0)]


@cache
def stored() -> tuple[Any, ...]:
    """The table of each site, and at last that of all."""
    parts = sites()
    return tuple(engine().hold(stored_table(part)) for part in [*parts, [row for part in parts for row in part]])


def integers(priced: Price, table: Any) -> NDArray[Any]:
    """What a site is asked for."""
    plan = priced.plan
    tallies = engine().answer(table, queries(priced), schema=plan.schema, where=plan.where, unit=plan.unit)
    inputs = exact(priced, tallies)
    given = [np.ravel(values) for each in priced.measurements for values in inputs[each.id].first]
    return np.concatenate(given).astype(object)


@cache
def federated(name: str) -> Price | None:
    """The price of a variant, where its mechanisms federate; else it is refused by an error of its plan."""
    try:
        plan = plan_of(
            VARIANTS[name],
            epsilon=0.5,
            unit=PrivacyUnit("person", 2),
            neighbors=NeighboringRelation.ADD_REMOVE,
            delta_atto=10**12,
        )
        priced = price(plan, currency=Currency.ZCDP)
        round_plan(priced, {"plan": "any"})
    except PlanError:
        return None
    return priced


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", VARIANTS)
def test_a_cell_is_rounded_down_once_by_each_site(name: str) -> None:
    """Of every variant that federates; how many do is asserted below."""
    priced, (*parts, whole) = federated(name), stored()
    if priced is None:
        return
    less = integers(priced, whole) - sum(integers(priced, part) for part in parts)
    assert min(less) >= 0
    assert max(less) <= (SITES - 1 if VARIANTS[name].kind in DIVIDE else 0)


def test_kinds_that_divide_are_among_them_and_reach_some_of_the_bound() -> None:
    *parts, whole = stored()
    for kind in DIVIDE:
        named = [priced for name, each in VARIANTS.items() if each.kind == kind and (priced := federated(name))]
        less = [integers(priced, whole) - sum(integers(priced, part) for part in parts) for priced in named]
        assert max(max(each) for each in less) >= 1
    assert sum(federated(name) is not None for name in VARIANTS) > 60
