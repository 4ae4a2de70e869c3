"""No statistic is seen to spend more than it is charged, and noise that is too small would be seen.

False alarms: each bound claims too much with a chance of at most 4e-8 (both directions); there are 6 in `make test`,
so less than 3e-7 in all, and fewer than 1000 in the full run, so less than 4e-5. The power is computed for each case
and asserted: at least 99 %.
"""

from __future__ import annotations

import pytest

from dprelease.statistics import STATISTICS
from tests.privacy.audit import DRAWS, POWER, Finding, audit
from tests.privacy.cases import Case, cases
from tests.privacy.publishing import pair, without_sharing

CASES = {str(case): case for case in cases()}
ORDINARY = {
    "count - substitute - people - pure": (1500, 0.6),
    "answered - substitute - people - pure": (1500, 0.5),
    "units by g - add_remove - people - pure": (1500, 0.65),
    "sum - substitute - rows - zcdp": (5000, 0.55),
    "mean - add_remove - people - pure": (1500, 0.55),
    "ratio by h - add_remove - rows - pure": (1500, 0.55),
    "proportion - substitute - people - pure": (1500, 0.5),
    "rate - add_remove - rows - pure": (1500, 0.65),
    "rate per far by h - add_remove - rows - pure": (1500, 0.6),
    "variance - add_remove - people - pure": (1500, 0.55),
    "std - add_remove - rows - pure": (1500, 0.6),
    "histogram - substitute - people - pure": (1500, 0.5),
    "histogram, discovered - add_remove - people - pure": (1500, 0.6),
    "crosstab - add_remove - people - pure": (1500, 0.65),
    "histogram, once a cell - add_remove - people - zcdp": (5000, 0.55),
    "histogram, once a cell - substitute - people - zcdp": (5000, 0.55),
    "histogram, once a cell, all in one - add_remove - people - zcdp": (1500, 0),  # a fifth of its ρ: see the mutants
    "histogram, once a cell, all in one - substitute - people - zcdp": (1500, 0),
    "crosstab, once a cell, of fewer cells than rows - substitute - people - pure": (1500, 0.55),
    "workload - substitute - people - zcdp": (5000, 0.55),
    "workload, order 1 - add_remove - people - pure": (2500, 0.6),
    "naive_bayes, one bin - add_remove - people - pure": (1500, 0.6),
    "naive_bayes, normal - add_remove - people - pure": (1500, 0.55),
    "scorecard - substitute - people - zcdp": (5000, 0.5),
    "synthetic - substitute - people - zcdp": (5000, 0.55),
    "cdf - substitute - rows - pure": (1500, 0.55),
    "cdf, at several levels - substitute - people - zcdp": (2500, 0.5),
    "quantiles - substitute - people - pure": (3000, 0.5),
    "median - add_remove - rows - pure": (1500, 0.55),
    "five_numbers - substitute - rows - pure": (500, 0),  # five choices with a fifth of ε each: none is seen in counts
    "mode - substitute - rows - zcdp": (2500, 0.5),
    "top - substitute - rows - pure": (1500, 0.55),
    "top, selected - substitute - rows - pure": (5000, 0.4),
    "threshold - add_remove - rows - pure": (1500, 0.5),
    "covariance - add_remove - rows - pure": (1500, 0.55),
    "correlation - add_remove - people - pure": (1500, 0.5),
    "survey - substitute - rows - pure": (1500, 0.65),
    "survey by subset - substitute - rows - pure": (1500, 0.5),
    "survey by unary - substitute - rows - pure": (1500, 0.5),
    "bounds - add_remove - people - pure": (1500, 0.6),
    "linear - add_remove - people - zcdp": (5000, 0.55),
    "linear, functional - substitute - people - zcdp": (5000, 0.5),
    "components - add_remove - people - zcdp": (5000, 0.55),
    "logistic - add_remove - people - zcdp": (5000, 0.55),
    "clusters - add_remove - people - pure": (1500, 0.6),
    "top, one shown - substitute - rows - pure": (1500, 0.55),
    "top, one shown - substitute - people - zcdp": (5000, 0.55),
    "histogram of one bin - substitute - people - pure": (1500, 0.6),
    "median of two values - substitute - people - pure": (1500, 0.6),
}
"""Draws of each table, and the factor of noise that they see: all but two see what a forgotten factor of 2 does.

The full run has 50,000 of each table, and sees smaller mistakes.
"""

SAMPLE = (
    "count - substitute - people - pure",
    "mode - substitute - rows - zcdp",
    "histogram, discovered - add_remove - people - pure",
    "survey - substitute - rows - pure",
)
"""One for each way of drawing, in `make test`. The others are in the full run: here the contracts and the second
implementation hold their sensitivities, and tests/mechanisms the laws.
"""


def check(case: Case, findings: list[Finding], least: float = POWER) -> None:
    """Nothing is refuted, and something would have been."""
    assert [item for item in findings if item.refuted] == []
    assert max(item.power for item in findings) >= least, f"{case} would not be seen"


def test_each_kind_is_audited() -> None:
    kinds = {statistic.kind for statistic in STATISTICS}
    assert {CASES[name].statistic["kind"] for name in ORDINARY} == kinds
    for kind in kinds - {"survey"}:
        among = {
            (case.relation, case.people, case.currency) for case in CASES.values() if case.statistic["kind"] == kind
        }
        assert len(among) == 8, kind
    assert len(CASES) == len(list(cases()))


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in SAMPLE else pytest.mark.full) for name in ORDINARY]
)
def test_no_statistic_spends_more_than_it_is_charged(name: str) -> None:
    draws, factor = ORDINARY[name]
    check(CASES[name], audit(CASES[name], draws, copies=500, factor=factor or 0.5), POWER if factor else 0.0)


@pytest.mark.full
@pytest.mark.parametrize("name", CASES)
def test_no_statistic_spends_more_than_it_is_charged_in_100000_draws(name: str) -> None:
    case = CASES[name]
    check(case, audit(case, DRAWS * case.times, copies=1000, factor=case.seen or 0.5), POWER if case.seen else 0.0)


@pytest.mark.parametrize(
    "name",
    ["count - substitute - people - pure", "mean - add_remove - people - zcdp", "survey - substitute - rows - zcdp"],
)
def test_a_draw_is_charged_what_was_asked_for(name: str) -> None:
    """Not less, and not twice; the same on both tables."""
    case = CASES[name]
    with without_sharing():
        both = pair(case, 5)
        both.draws(15)
        assert both.charged_as_asked()
