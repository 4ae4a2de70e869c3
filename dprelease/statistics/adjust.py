"""Post-processing of noisy counts after they are drawn: free of cost, since it looks at nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dprelease.model.release import Cell, Estimates
from dprelease.statistics.algebra import consistency
from dprelease.statistics.algebra.consistency import NoisyCounts
from dprelease.statistics.algebra.fitted import NoisyCountTable, outwards, reach, reaches
from dprelease.statistics.noisy import counts_rows
from dprelease.statistics.planning.derivation import CountsOfSource as Derived
from dprelease.statistics.planning.price import Price
from dprelease.statistics.planning.priced import StatisticPrice

LEAST = 1e-12
"""A variance below this counts as this: with a very large ε there may be no noise at all."""


def adjusted(price: Price, made: Mapping[str, Estimates]) -> dict[str, Estimates]:
    """Return the tables of a release after the plan's post-processing; the noisy counts stay beside them as `raw`.

    Applies to tables of plain counts with declared cells. `consistent`: the weighted least-squares counts whose totals
    agree between the tables that count the same rows (the weights are the reciprocals of the known variances);
    `nonnegative`: none below 0; `integer`: whole numbers. Intervals of consistent counts are those of the fit without
    the other two, by its exact noise (`fitted`); of families too large for that, and without `consistent`, they are
    those of the noisy counts. They are only widened, to hold a value that moved out, and still hold with 95 %.
    """
    steps, result = price.plan.postprocess, dict(made)
    families: dict[frozenset[str], list[StatisticPrice]] = {}
    for item in price.statistics:
        if adjusts(item, price):
            assert counts_rows(item.statistic)
            families.setdefault(family(item, price), []).append(item)
    for items in families.values():
        for group in [items] if "consistent" in steps else [[item] for item in items]:
            result |= _adjusted(group, price, made)
    return result


def adjusts(item: StatisticPrice, price: Price) -> bool:
    """Return True if post-processing is asked for and a statistic's table is one of plain counts."""
    counts = counts_rows(item.statistic) and item.statistic.is_plain(price.plan.schema)
    return counts and bool(price.plan.postprocess)


def family(item: StatisticPrice, price: Price) -> frozenset[str]:
    """Return what tables of the same rows have in common: the columns without which a row is not counted."""
    assert counts_rows(item.statistic)
    return item.statistic.null_rule(price.plan.schema)


def _adjusted(group: list[StatisticPrice], price: Price, made: Mapping[str, Estimates]) -> dict[str, Estimates]:
    """Adjust a group's tables; those that follow from another of them have no noise of their own and come last."""
    steps, schema = price.plan.postprocess, price.plan.schema
    names = {item.id for item in group}
    following = [item for item in group if item.source is not None and item.source.id in names]
    free = [item for item in group if item not in following]
    tables = []
    for item in free:
        assert counts_rows(item.statistic)
        keys = item.statistic.keys(schema)
        raw = made[item.id].extra.get("raw", made[item.id].value)
        values = np.array(raw, dtype=np.float64).reshape(tuple(key.cells for key in keys))
        tables.append(NoisyCounts(keys=keys, values=values, variance=max(LEAST, item.count_variance)))
    fitted = linear = [table.values for table in tables]
    if "consistent" in steps:
        linear = consistency.consistent(tables, nonnegative=False)
        fitted = consistency.consistent(tables, nonnegative=True) if "nonnegative" in steps else linear
    elif "nonnegative" in steps:
        fitted = [np.maximum(values, 0) for values in fitted]
    if "integer" in steps:
        whole = [replace(table, values=values) for table, values in zip(tables, fitted, strict=True)]
        fitted = [values.astype(np.float64) for values in consistency.rounded(whole)]
    found = {item.id: pair for item, *pair in zip(free, fitted, linear, strict=True)}
    for item in following:
        assert isinstance(item.derivation, Derived)
        found[item.id] = [item.derivation.way.summed(values) for values in found[item.derivation.measurement.id]]
    measured = [_measured(item, table) for item, table in zip(free, tables, strict=True)]
    result = {}
    for item in group:
        assert counts_rows(item.statistic)
        values, centre = (part.ravel() for part in found[item.id])
        half: float | NDArray[np.float64] | None = None
        if "consistent" in steps and len(group) > 1:
            half = reach(measured, item.statistic.keys(schema))
            if half is None and item in free:
                half = reaches(tuple(measured), free.index(item))
        ends = _ends(made[item.id], centre, half, 0 if "integer" in steps else 3)
        result[item.id] = _beside(made[item.id], values, ends, steps)
    return result


def _measured(item: StatisticPrice, table: NoisyCounts) -> NoisyCountTable:
    return NoisyCountTable(table.keys, table.variance, item.mechanisms[0] if item.mechanisms else None)


def _ends(
    table: Estimates, centre: NDArray[np.float64], half: float | NDArray[np.float64] | None, digits: int
) -> tuple[Sequence[Cell], Sequence[Cell]]:
    """Return the intervals of the fit, rounded outwards; those of the noisy counts where its noise is not known."""
    if half is None:
        return table.lower95, table.upper95
    lower, upper = ([outwards(float(end), sign > 0, digits) for end in centre + sign * half] for sign in (-1, 1))
    return ([int(end) for end in lower], [int(end) for end in upper]) if digits == 0 else (lower, upper)


def _beside(
    table: Estimates,
    values: NDArray[np.float64],
    ends: tuple[Sequence[Cell], Sequence[Cell]],
    steps: tuple[str, ...],
) -> Estimates:
    """Return the table with adjusted values, the noisy ones beside them."""
    raw = table.extra.get("raw", table.value)
    fitted: list[Cell] = [int(value) if "integer" in steps else round(float(value), 3) for value in values]
    lower: list[Cell] = [min(end, value) for end, value in zip(ends[0], fitted, strict=True)]  # type: ignore[type-var]
    upper: list[Cell] = [max(end, value) for end, value in zip(ends[1], fitted, strict=True)]  # type: ignore[type-var]
    if "nonnegative" in steps:
        lower = [max(end, 0) for end in lower]  # type: ignore[type-var]
    return replace(table, value=fitted, lower95=lower, upper95=upper, extra={"raw": list(raw)})


def could_be_adjusted(price: Price, tables: Mapping[str, Estimates]) -> str | None:
    """Return the first statistic whose table does not follow from the noisy counts beside it; None where all do."""
    made = dict(tables)
    for item in price.statistics:
        if adjusts(item, price):
            raw = tables[item.id].extra.get("raw", ())
            if not all(isinstance(count, int) for count in raw) or len(raw) != len(tables[item.id]):
                return item.id
            made[item.id] = _of_counts(item, price, np.array(raw, dtype=np.int64))
    again = adjusted(price, made)
    return next(
        (item.id for item in price.statistics if adjusts(item, price) and not _alike(again[item.id], tables[item.id])),
        None,
    )


def _of_counts(item: StatisticPrice, price: Price, counts: NDArray[np.int64]) -> Estimates:
    """Return the table of plain counts that these noisy ones give."""
    if isinstance(item.derivation, Derived):
        return item.derivation.table(item.statistic, price.plan.schema, counts)
    return item.statistic.estimates(price.plan.schema, [counts], item.mechanisms)


def follow(item: StatisticPrice, tables: Mapping[str, Estimates]) -> bool:
    """Check that counts which follow from another table of counts do; no other table tells all that was measured."""
    given = item.derivation.measurement
    if not isinstance(item.derivation, Derived) or not counts_rows(given.statistic):
        return True
    own, others = (
        [count for count in table.extra.get("raw", table.value) if isinstance(count, int)]
        for table in (tables[item.id], tables[given.id])
    )
    if len(own) != len(tables[item.id]) or len(others) != len(tables[given.id]):
        return False
    return item.derivation.way.numbers(np.array(others, dtype=object)).ravel().tolist() == own


def _alike(one: Estimates, other: Estimates) -> bool:
    """Return True if two tables are equal up to the last digit of what is rounded."""
    return list(one.numbers) == list(other.numbers) and all(
        np.allclose(np.array(left, dtype=np.float64), np.array(right, dtype=np.float64), rtol=1e-9, atol=0.002)
        for left, right in zip(one.numbers.values(), other.numbers.values(), strict=True)
    )
