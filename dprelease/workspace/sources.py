"""Sources of the error of a preview: noise, bounds, and rows that are left out. For the curator's eyes only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from dprelease.model.column import NUMERIC, ORDERED, Column, ColumnType
from dprelease.model.missing import CLIPPED
from dprelease.model.presentation import Quantity
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.release import Estimates
from dprelease.model.schema import Schema
from dprelease.model.tally import Query, TallyQuery
from dprelease.statistics.answer import Inputs, answers, exact, queries, table, without_noise
from dprelease.statistics.kinds.mean import Mean
from dprelease.statistics.kinds.sum import Sum
from dprelease.statistics.planning.price import Price
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.table import Discovery, Tally

WIDENED = 1000
"""Widths of its bounds that a column is looked at beyond each of them."""
WIDEST = 2**30
"""Steps of such a column: a sum over a thousand million rows stays below 2^62."""
ALL_ROWS = 2**31
UNCHANGED: dict[str, Any] = {"count_missing_as": None, "outside": CLIPPED}
"""A column whose rows are looked at as they are."""
Ask = Callable[[Sequence[Query], Schema, PrivacyUnit], list[Tally | Discovery]]
"""Answers tallies of the plan's rows, coded by a schema, of units of which so many rows are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Counts of rows that were left out or clipped, exact: confidential. The repr shows none of them."""

    rows: int = field(repr=False)
    """Rows that pass the plan's conditions."""
    identified: int = field(repr=False)
    """Rows of these that say whose they are."""
    kept: int = field(repr=False)
    """Rows of these that are used: at most max_rows of each unit."""
    uncut: Mapping[str, Estimates] = field(repr=False)
    """Estimates by table, without noise, had no row been left out. Not of counts of units: those need identifiers."""
    unclipped: Mapping[str, Estimates] = field(repr=False)
    """Had values outside the bounds been used as they are, too; of sums and means alone."""


def sources(price: Price, kept: int, ask: Ask) -> Sources:
    """Answer the plan again with no row left out, and with bounds so wide that next to nothing is clipped.

    `kept`: how many rows are used.
    """
    plan, schema = price.plan, price.plan.schema
    alone = PrivacyUnit()
    rows = _count(ask([TallyQuery()], schema, alone)[0])
    identified = rows
    if plan.unit.column is not None:
        identified = _count(ask([TallyQuery()], schema, PrivacyUnit(plan.unit.column, ALL_ROWS))[0])
    given = exact(price, ask(queries(price), schema, alone), lambda wanted: ask(wanted, schema, alone))
    uncut = answers(price, {name: without_noise(inputs) for name, inputs in given.items()})
    return Sources(
        rows=rows,
        identified=identified,
        kept=kept,
        uncut={
            name: table
            for item in price.statistics
            if item.statistic.presented.measure is not Quantity.UNITS
            for name, table in uncut[item.id].named(item.id).items()
        },
        unclipped=unclipped(price, ask),
    )


def unclipped(price: Price, ask: Ask) -> Mapping[str, Estimates]:
    """Sums and means of all rows by the same formulas, over codes of wider columns; not of columns in conditions."""
    schema, alone = price.plan.schema, PrivacyUnit()
    tested = {condition.column for condition in price.plan.where}
    wide = {name: _wider(schema[name]) for name in price.plan.used_columns() if name not in tested}
    items = [item for item in price.statistics if _column(item, wide) is not None]
    if not items:
        return {}
    chosen = {column.name: column for item in items if (column := _column(item, wide)) is not None}
    wider = Schema({**schema.columns, **chosen})
    wanted = {item.id: item.statistic.queries(wider) for item in items}
    answers = ask(list(dict.fromkeys(query for each in wanted.values() for query in each)), wider, alone)
    found: dict[Query, Any] = {answer.query: answer.values for answer in answers}
    result = {}
    for item in items:
        inputs = Inputs.of(item.derivation.measurement, wider, [found[query] for query in wanted[item.id]])
        result[item.id] = table(item, wider, {item.id: without_noise(inputs)})
    return result


def _count(answer: Tally | Discovery) -> int:
    return int(np.asarray(answer.values))


def _column(item: StatisticPrice, wide: Mapping[str, Column | None]) -> Column | None:
    """Return the wider column of a sum or mean; None of other statistics, and where it would be too wide to add up."""
    statistic = item.statistic
    if not isinstance(statistic, Sum | Mean) or not item.mechanisms or statistic.survey_weights is not None:
        return None
    return wide.get(statistic.column)


def _wider(column: Column) -> Column | None:
    """Return the column with bounds far outside its own, on the same lattice; None where there is no room.

    None also of a made column: how far it reaches follows from what it is made of.
    """
    if column.type not in ORDERED or column.made is not None:
        return None
    steps = _reach(column)
    if column.type in NUMERIC and steps:
        assert isinstance(column.lower, Decimal) and isinstance(column.upper, Decimal)
        far = steps * column.lattice.resolution
        return replace(column, lower=column.lower - far, upper=column.upper + far, **UNCHANGED)
    if not steps:
        return None
    assert isinstance(column.lower, date) and isinstance(column.upper, date)
    days = timedelta(days=steps)
    return replace(column, lower=column.lower - days, upper=column.upper + days, **UNCHANGED)


def _reach(column: Column) -> int:
    """Return the number of steps by which each bound is moved further."""
    steps = min(WIDENED * column.lattice.steps, (WIDEST - column.lattice.steps) // 2)
    if column.type is ColumnType.DATE:
        assert isinstance(column.lower, date) and isinstance(column.upper, date)
        steps = min(steps, (column.lower - date.min).days, (date.max - column.upper).days)
    return max(steps, 0)
