"""A lower bound on the ε that a mechanism really spends, counted from draws on two neighbouring tables.

Nothing here trusts a formula: the tables go through the engine and the statistic, the draws come from the calibrated
mechanism, and an event is counted under both tables. Clopper–Pearson bounds on the two chances give a lower bound on
ε that is wrong with probability at most FALSE_ALARM in each direction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import log
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import stats

from dprelease.mechanisms import DiscreteLaplace, Mechanism
from dprelease.model.privacy import NANO, NeighboringRelation, PrivacyUnit
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.statistic import read_statistic
from dprelease.statistics import Plan, Tabulated
from dprelease.statistics.answer import exact, queries
from dprelease.statistics.price import Price, price
from dprelease.table import Engine

FALSE_ALARM = 1e-7
MAX_ROWS = 2
ENGINE = Engine()
Row = dict[str, Any]
Draws = NDArray[np.int64]
Change = Callable[[Mechanism], Mechanism]


@dataclass(frozen=True)
class Case:
    """A statistic, and two neighbouring tables on which it spends nearly all of its ε."""

    name: str
    statistic: dict[str, Any]
    relation: NeighboringRelation
    epsilon: float
    others: tuple[Row, ...]
    """Rows of other people, one each."""
    before: tuple[Row, ...]
    after: tuple[Row, ...]
    columns: dict[str, Any]
    choice: int = 0
    """For selections: the cell whose choice is counted."""

    def __str__(self) -> str:
        return f"{self.name}, {self.relation}"


def priced(case: Case) -> Price:
    read = read_statistic({"id": "s", **case.statistic}, "s", Report())
    assert isinstance(read, Tabulated)
    plan = Plan(
        dataset="d",
        unit=PrivacyUnit("person", MAX_ROWS),
        neighbors=case.relation,
        epsilon_nano=int(Decimal(str(case.epsilon)) * NANO),
        statistics=(read,),
        schema=Schema.parse(case.columns),
    )
    return price(plan)


def given(case: Case, own: Sequence[Row], *, max_rows: int = MAX_ROWS) -> NDArray[np.int64]:
    """What the statistic's one mechanism is given for the others' rows and these of one person."""
    bill = priced(case)
    rows = [item | {"person": place} for place, item in enumerate(case.others, start=1)]
    rows += [item | {"person": 0} for item in own]
    stored = pa.table({name: [item[name] for item in rows] for name in [*case.columns, "person"]})
    unit = PrivacyUnit("person", max_rows)
    tallies = ENGINE.answer(ENGINE.hold(stored), queries(bill), schema=bill.plan.schema, where=(), unit=unit)
    ((values,),) = exact(bill, tallies)
    return np.asarray(values, dtype=np.int64)


def draws(mechanism: Mechanism, values: NDArray[np.int64], count: int) -> Draws:
    """Independent draws: one row each."""
    if isinstance(mechanism, DiscreteLaplace):
        return mechanism.release(np.broadcast_to(values.ravel(), (count, values.size)))
    return mechanism.release(np.repeat(values, count, axis=0))


def bound(often: int, seldom: int, count: int) -> float:
    """The largest ε that these counts rule out: ln(lowest chance / highest chance)."""
    lowest = stats.beta.ppf(FALSE_ALARM / 2, often, count - often + 1) if often else 0.0
    highest = stats.beta.ppf(1 - FALSE_ALARM / 2, seldom + 1, count - seldom) if seldom < count else 1.0
    return log(lowest / highest) if lowest > 0 else -log(highest)


def observed_epsilon(
    case: Case,
    count: int,
    *,
    change: Change = lambda mechanism: mechanism,
    before: NDArray[np.int64] | None = None,
    after: NDArray[np.int64] | None = None,
) -> float:
    """The lower bound in the worse direction."""
    first = given(case, case.before) if before is None else before
    second = given(case, case.after) if after is None else after
    (mechanism,) = priced(case)["s"].mechanisms
    changed = change(mechanism)
    drawn = draws(changed, first, count), draws(changed, second, count)
    if isinstance(mechanism, DiscreteLaplace):
        return max(
            bound(*(beyond(part, first, second) for part in drawn), count),
            bound(*(beyond(part, second, first) for part in reversed(drawn)), count),
        )
    chosen = [int((part == case.choice).sum()) for part in drawn]
    rejected = [count - times for times in chosen]
    return max(bound(*pair, count) for pair in (chosen, chosen[::-1], rejected, rejected[::-1]))


def beyond(drawn: Draws, here: NDArray[np.int64], there: NDArray[np.int64]) -> int:
    """How many draws lie, in every changed number, on the far side of `here` from `there`: there the ratio is e^ε."""
    gap = here.ravel() - there.ravel()
    return int(((drawn - here.ravel()) * np.sign(gap) >= 0)[:, gap != 0].all(axis=1).sum())


def noise_times(factor: float) -> Change:
    return lambda mechanism: replace(mechanism, scale=mechanism.scale * factor)
