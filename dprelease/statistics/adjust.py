"""What is made of noisy counts after they are drawn: free of cost, since it looks at nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dprelease.model.release import Cell, Estimates
from dprelease.statistics import consistency
from dprelease.statistics.consistency import CountTable as Counts
from dprelease.statistics.counted import CountTable
from dprelease.statistics.price import Price, StatisticPrice
from dprelease.statistics.sharing import derived_table

LEAST = 1e-12
"""A variance below this counts as this: with a very large ε there may be no noise at all."""


def adjusted(price: Price, made: Mapping[str, Estimates]) -> dict[str, Estimates]:
    """The tables of a release after the plan's post-processing; the noisy counts stay beside them as `raw`.

    Applies to tables of plain counts with declared cells. `consistent`: the weighted least-squares counts whose totals
    agree between the tables that count the same rows (the weights are the reciprocals of the known variances);
    `nonnegative`: none below 0; `integer`: whole numbers. Intervals are those of the noisy counts, widened to hold the
    adjusted one where it lies outside; they still hold with 95 %.
    """
    steps, result = price.plan.postprocess, dict(made)
    families: dict[tuple[str, ...], list[StatisticPrice]] = {}
    for item in price.statistics:
        if adjusts(item, price):
            assert isinstance(item.statistic, CountTable)
            nulls = {key.column for key in item.statistic.keys(price.plan.schema)}
            nulls |= set(item.statistic.rows_with(price.plan.schema))
            rule = tuple(sorted(name for name in nulls if not price.plan.schema[name].complete))
            families.setdefault(rule, []).append(item)
    for family in families.values():
        for group in [family] if "consistent" in steps else [[item] for item in family]:
            result |= _adjusted(group, price, made)
    return result


def adjusts(item: StatisticPrice, price: Price) -> bool:
    """Whether a statistic's table is one of plain counts."""
    statistic = item.statistic
    return (
        bool(price.plan.postprocess)
        and isinstance(statistic, CountTable)
        and statistic.kind != "top"
        and getattr(statistic, "survey_weights", None) is None
        and not statistic.discovers(price.plan.schema)
    )


def _adjusted(group: list[StatisticPrice], price: Price, made: Mapping[str, Estimates]) -> dict[str, Estimates]:
    """Those that follow from another table of the group have no noise of their own: they follow from it afterwards."""
    steps, schema = price.plan.postprocess, price.plan.schema
    names = {item.id for item in group}
    following = [item for item in group if item.source is not None and item.source.id in names]
    free = [item for item in group if item not in following]
    tables = []
    for item in free:
        assert isinstance(item.statistic, CountTable)
        keys = item.statistic.keys(schema)
        raw = made[item.id].extra.get("raw", made[item.id].value)
        values = np.array(raw, dtype=np.float64).reshape(tuple(key.cells for key in keys))
        tables.append(Counts(keys=keys, values=values, variance=_variance(item)))
    fitted = [table.values for table in tables]
    if "consistent" in steps:
        fitted = consistency.consistent(tables, nonnegative="nonnegative" in steps)
    elif "nonnegative" in steps:
        fitted = [np.maximum(values, 0) for values in fitted]
    if "integer" in steps:
        whole = [replace(table, values=values) for table, values in zip(tables, fitted, strict=True)]
        fitted = [values.astype(np.float64) for values in consistency.rounded(whole)]
    found = {item.id: values for item, values in zip(free, fitted, strict=True)}
    for item in following:
        assert item.source is not None and item.way is not None
        found[item.id] = item.way.summed(found[item.source.id])
    return {item.id: _beside(made[item.id], found[item.id].ravel(), steps) for item in group}


def _variance(item: StatisticPrice) -> float:
    if item.source is None:
        return max(LEAST, float(item.mechanisms[0].variance))  # type: ignore[attr-defined]
    assert item.way is not None
    variance = float(item.source.mechanisms[0].variance)  # type: ignore[attr-defined]
    return max(LEAST, variance * item.way.terms / item.way.size**2)


def _beside(table: Estimates, values: NDArray[np.float64], steps: tuple[str, ...]) -> Estimates:
    """The table with adjusted values, the noisy ones beside them."""
    raw = table.extra.get("raw", table.value)
    fitted: list[Cell] = [int(value) if "integer" in steps else round(float(value), 3) for value in values]
    lower: list[Cell] = [min(end, value) for end, value in zip(table.lower95, fitted, strict=True)]  # type: ignore[type-var]
    upper: list[Cell] = [max(end, value) for end, value in zip(table.upper95, fitted, strict=True)]  # type: ignore[type-var]
    if "nonnegative" in steps:
        lower = [max(end, 0) for end in lower]  # type: ignore[type-var]
    return replace(table, value=fitted, lower95=lower, upper95=upper, extra={"raw": list(raw)})


def could_be_adjusted(price: Price, tables: Mapping[str, Estimates]) -> str | None:
    """The first statistic whose table does not follow from the noisy counts beside it; None where all do."""
    made = dict(tables)
    for item in price.statistics:
        if adjusts(item, price):
            raw = tables[item.id].extra.get("raw", ())
            if not all(isinstance(count, int) for count in raw) or len(raw) != len(tables[item.id]):
                return item.id
            made[item.id] = as_drawn(item, price, raw)  # type: ignore[arg-type]
    again = adjusted(price, made)
    for item in price.statistics:
        if adjusts(item, price) and not _alike(again[item.id], tables[item.id]):
            return item.id
    return None


def follows(item: StatisticPrice, tables: Mapping[str, Estimates]) -> bool:
    """Whether counts that follow from another table of counts do; a mean's table does not tell its two sums."""
    assert item.source is not None and item.way is not None
    if not isinstance(item.source.statistic, CountTable):
        return True
    own, given = (
        [count for count in table.extra.get("raw", table.value) if isinstance(count, int)]
        for table in (tables[item.id], tables[item.source.id])
    )
    if len(own) != len(tables[item.id]) or len(given) != len(tables[item.source.id]):
        return False
    return item.way.counts(np.array(given, dtype=object)).ravel().tolist() == own


def as_drawn(item: StatisticPrice, price: Price, counts: Sequence[int]) -> Estimates:
    """The table of a statistic before post-processing, from its noisy counts."""
    values, schema = np.array(counts, dtype=np.int64), price.plan.schema
    if item.source is None:
        return item.statistic.estimates(schema, [values], item.mechanisms)
    assert item.way is not None
    return derived_table(item.statistic, values, item.way.half_width(item.source.mechanisms[0]), schema)


def _alike(one: Estimates, other: Estimates) -> bool:
    """Equal up to the last digit of what is rounded."""
    return list(one.numbers) == list(other.numbers) and all(
        np.allclose(np.array(left, dtype=np.float64), np.array(right, dtype=np.float64), rtol=1e-9, atol=0.002)
        for left, right in zip(one.numbers.values(), other.numbers.values(), strict=True)
    )
