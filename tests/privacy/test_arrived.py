"""The audit of answers that arrive changed: collected here as somebody's page would, then published by the product."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dprelease
from dprelease.mechanisms import RandomizedResponse
from dprelease.model.privacy import Currency, PrivacyLoss
from dprelease.model.tally import Sensitivity
from tests.privacy.evidence import FALSE_ALARM, epsilon_bound
from tests.privacy.publishing import without_sharing

ANSWERS = ["yes", "no", "none"]
COLUMNS = 500
"""Of one table: as many collections of one person's answer, each independent of the others."""
DRAWS = 2000
DECLARED = 1


def collected(answer: int, epsilon: float) -> pd.DataFrame:
    """One person's true answer, changed as it would be before it is sent: a column a time."""
    one_of_three = Sensitivity(l1=2, linf=1, l2_squared=2, shape=(3,))
    share = PrivacyLoss(epsilon_nano=round(epsilon * 10**9))
    coin = RandomizedResponse.calibrate(one_of_three, share, answers=3)
    true = np.eye(3, dtype=np.int64)[answer]
    sent = [ANSWERS[int(np.argmax(coin.release(true)))] for _ in range(COLUMNS)]
    return pd.DataFrame({f"c{place}": [told] for place, told in enumerate(sent)})


def told(answer: int, epsilon: float, currency: Currency) -> int:
    """How often the published table of that person's one row tells the first answer."""
    column = {
        "type": "category",
        "categories": ANSWERS,
        "count_missing_as": "none",
        "randomized": {"method": "response", "epsilon": DECLARED},
    }
    found = 0
    for _ in range(DRAWS // COLUMNS):
        workspace = dprelease.Workspace.in_memory()
        workspace.add_population(
            "people", unit="person", neighbors="substitute", epsilon=1_000_000, delta=0.001, currency=currency
        )
        columns = {f"c{place}": column for place in range(COLUMNS)}
        workspace.add_dataset("d", collected(answer, epsilon), population="people", columns=columns)
        plan = dprelease.Plan.parse(
            {
                "dprelease": 1,
                "dataset": "d",
                "privacy": {
                    "unit": "row",
                    "neighbors": "substitute",
                    "epsilon": 2 * COLUMNS,
                    "delta": 0 if currency is Currency.PURE else 1e-6,
                },
                "statistics": [{"id": name, "kind": "survey", "column": name} for name in columns],
            }
        )
        plan_id = workspace.plans.submit(plan)
        workspace.plans.approve(plan_id)
        with without_sharing():
            release = workspace.publish(plan_id)
        assert workspace.populations.budget("people").spent == PrivacyLoss.of(
            currency, COLUMNS * 10**9 // (1 if currency is Currency.PURE else 2)
        )
        found += sum(table.extra["perturbed"][0] for table in release.tables.values())
    return found


@pytest.mark.full
@pytest.mark.parametrize("currency", Currency)
def test_what_is_published_spends_no_more_than_was_declared(currency: Currency) -> None:
    """Of two true answers of one person. False alarms: 4e-8 of each bound.

    Answers that were changed half as much as declared are seen: by chance they are not once in 10^7.
    """
    assert FALSE_ALARM <= 1e-7
    yes, no = told(0, DECLARED, currency), told(1, DECLARED, currency)
    assert epsilon_bound(yes, no, DRAWS) <= DECLARED
    assert epsilon_bound(yes, no, DRAWS) > 0.4, "so few draws tell nothing"
    assert epsilon_bound(told(0, 2 * DECLARED, currency), told(1, 2 * DECLARED, currency), DRAWS) > DECLARED
