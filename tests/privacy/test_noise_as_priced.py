"""Published noise is of its distribution, and errs by what the price says of every kind that is priced by it alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dprelease.errors import PlanError
from dprelease.model.plan import Expected
from dprelease.model.privacy import Currency
from dprelease.model.release import Output
from dprelease.model.tally import TallyQuery
from dprelease.statistics.answer import Inputs, draw_many
from dprelease.statistics.kit.check import plan_of
from dprelease.statistics.planning.price import Price, price
from tests.privacy.cases import cases
from tests.privacy.fit import fits
from tests.statistics.kinds.variants import VARIANTS

CASES = {str(case): case for case in cases()}
NUMBERS = 40_000
EPSILON = "0.02"
"""So little that a step is less than a hundredth of the error."""


KINDS = ("answered", "count", "crosstab", "histogram", "sum", "units", "workload")
"""The tables of synthetic rows are those of a workload; shares come beside the same counts."""


def priced(name: str, currency: Currency) -> Price | None:
    """None of what is refused without people, without a δ to discover with, or in this currency."""
    delta = {"delta_atto": 10**12} if currency is Currency.ZCDP else {}
    try:
        return price(plan_of(VARIANTS[name], epsilon=EPSILON, expected=Expected(1000), **delta), currency=currency)
    except PlanError:
        return None


def numbers(output: Output, name: str, half: float) -> np.ndarray[Any, Any]:
    """Those of a table without rows whose interval is as wide as is priced: not totals, nor what is more precise."""
    tables = output.named(name).values()
    values = [np.array([table.value, table.lower95, table.upper95], dtype=float) for table in tables if len(table)]
    every = np.concatenate(values, axis=1)
    return np.asarray(every[0][np.isclose((every[2] - every[1]) / 2, half, rtol=0.01)])


@pytest.mark.full
@pytest.mark.parametrize("name", ["sum - add_remove - rows - pure", "sum - add_remove - rows - zcdp"])
def test_published_noise_is_of_its_distribution(name: str) -> None:
    """6,000 draws. False alarms: 1e-7 each. A scale that is wrong by 20 % is rejected, but for a chance of 1e-5."""
    stated, larger, smaller = fits(CASES[name], 3000, [1, 1.2, 0.8])
    assert stated > 1e-7
    assert larger < 1e-7
    assert smaller < 1e-7


@pytest.mark.full
@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize("name", [name for name in VARIANTS if VARIANTS[name].kind in KINDS and "shares" not in name])
def test_numbers_of_nobody_are_off_as_much_as_was_priced(name: str, currency: Currency) -> None:
    """The 95 % point of 40,000 errors within 5 % of the price: 7 of its deviations. False alarms: 1e-11 a case.

    Numbers of one draw may be dependent, as those of a workload are, of which as many draws are taken.
    """
    bill = priced(name, currency)
    if bill is None or not bill.statistics[0].size:
        pytest.skip("it takes people, or a δ to discover with")
    (item,) = bill.statistics
    assert item.basis == "mechanism"
    measurement = item.derivation.measurement
    queries = item.statistic.queries(bill.plan.schema)
    tallies = [np.zeros(query.shape, dtype=np.int64) for query in queries if isinstance(query, TallyQuery)]
    inputs = Inputs.of(measurement, bill.plan.schema, tallies)
    errors: list[float] = []
    while len(errors) < NUMBERS:
        for part in draw_many(inputs, 500):
            drawn = {measurement.id: [np.array(each, dtype=np.int64) for each in part]}
            found = numbers(item.answered(bill.plan.schema, drawn), item.id, item.error95 or 0)
            assert len(found)
            errors += np.abs(found).tolist()
    assert float(np.quantile(errors, 0.95)) == pytest.approx(item.error95, rel=0.05)
