"""Where the error of a preview comes from: noise, bounds, and rows that are left out. For the curator's eyes only."""

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
from dprelease.model.tally import Key, Query, TallyQuery
from dprelease.statistics.algebra.grouping import each_value
from dprelease.statistics.answer import Inputs, answers, exact, queries, table, without_noise
from dprelease.statistics.kinds.mean import Mean
from dprelease.statistics.kinds.sum import Sum
from dprelease.statistics.planning.price import Price
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.table import Discovery, Tally

WIDENED = 1000
"""How many widths of its bounds a column is looked at beyond each of them."""
WIDEST = 2**30
"""Steps of such a column: a sum over a thousand million rows stays below 2^62."""
ALL_ROWS = 2**31
UNCHANGED: dict[str, Any] = {"count_missing_as": None, "outside": CLIPPED}
"""A column whose rows are looked at as they are."""
Ask = Callable[[Sequence[Query], Schema, PrivacyUnit], list[Tally | Discovery]]
"""Answers tallies of the plan's rows, coded by a schema, of units of which so many rows are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """How many rows a column's declaration changes or leaves out; None where that is not known. The repr shows none."""

    column: str
    below: int | None = field(default=None, repr=False)
    """Rows with a value under the lower bound, which counts as that bound."""
    above: int | None = field(default=None, repr=False)
    undeclared: int | None = field(default=None, repr=False)
    """Rows with a category that is not declared."""
    coded: int | None = field(default=None, repr=False)
    """Rows with a code for no answer that would count as a value, were it not declared."""
    missing: int | None = field(default=None, repr=False)
    """Other rows without a value, or with one that cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What was left out or clipped, as exact counts: confidential. The repr shows none of them."""

    rows: int = field(repr=False)
    """That pass the plan's conditions."""
    identified: int = field(repr=False)
    """Of these, rows that say whose they are."""
    kept: int = field(repr=False)
    """Of these, rows that are used: at most max_rows of each unit."""
    columns: tuple[Outside, ...] = field(repr=False)
    uncut: Mapping[str, Estimates] = field(repr=False)
    """By table, without noise: had no row been left out. Not of counts of units: those need identifiers."""
    unclipped: Mapping[str, Estimates] = field(repr=False)
    """Had values outside the bounds been used as they are, too; of sums and means alone."""


def sources(price: Price, kept: int, ask: Ask) -> Sources:
    """Answers the plan again with no row left out, and with bounds so wide that next to nothing is clipped.

    `kept`: how many rows are used.
    """
    plan, schema = price.plan, price.plan.schema
    tested = {condition.column for condition in plan.where}
    looked_at = [schema[name] for name in plan.used_columns() if name not in tested and not schema[name].discover]
    alone = PrivacyUnit()
    wide = {column.name: _wider(column) for column in looked_at}
    asked = {column.name: _query(column, wide[column.name]) for column in looked_at}
    found = {
        tally.query: tally.values
        for tally in ask(
            list(dict.fromkeys([TallyQuery(), *(query for query, _ in asked.values())])),
            Schema({**schema.columns, **{name: column for name, (_, column) in asked.items()}}),
            alone,
        )
    }
    coded = _coded(asked, found, schema, ask)
    rows = int(np.asarray(found[TallyQuery()]))
    identified = rows
    if plan.unit.column is not None:
        identified = _count(ask([TallyQuery()], schema, PrivacyUnit(plan.unit.column, ALL_ROWS))[0])
    given = exact(price, ask(queries(price), schema, alone), lambda wanted: ask(wanted, schema, alone))
    uncut = answers(price, {name: without_noise(inputs) for name, inputs in given.items()})
    return Sources(
        rows=rows,
        identified=identified,
        kept=kept,
        columns=tuple(
            _outside(column, found[asked[column.name][0]], rows, coded.get(column.name)) for column in looked_at
        ),
        uncut={
            name: table
            for item in price.statistics
            if item.statistic.presented.measure is not Quantity.UNITS
            for name, table in uncut[item.id].named(item.id).items()
        },
        unclipped=_unclipped(price, wide, ask, alone),
    )


def _coded(
    asked: Mapping[str, tuple[TallyQuery, Column]], found: Mapping[Query, Any], schema: Schema, ask: Ask
) -> dict[str, int]:
    """By column with codes: how many more rows would have a value, had no code been declared."""
    bare = {name: replace(column, missing_codes=None) for name, (_, column) in asked.items() if column.missing_codes}
    if not bare:
        return {}
    queries = {name: asked[name][0] for name in bare}
    answers = ask(list(dict.fromkeys(queries.values())), Schema({**schema.columns, **bare}), PrivacyUnit())
    values = {answer.query: int(answer.values.sum()) for answer in answers if isinstance(answer, Tally)}
    return {name: values[query] - int(found[query].sum()) for name, query in queries.items()}


def _unclipped(
    price: Price, wide: Mapping[str, Column | None], ask: Ask, alone: PrivacyUnit
) -> Mapping[str, Estimates]:
    """Sums and means by the same formulas, over codes of wider columns."""
    schema = price.plan.schema
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
    """The wider column of a sum or a mean; None of other statistics, and where it would be too wide to add up."""
    statistic = item.statistic
    if not isinstance(statistic, Sum | Mean) or not item.mechanisms or statistic.survey_weights is not None:
        return None
    return wide.get(statistic.column)


def _wider(column: Column) -> Column | None:
    """The column with bounds far outside its own, on the same lattice; None where there is no room."""
    if column.type not in ORDERED:
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
    """How many steps further each bound is moved."""
    steps = min(WIDENED * column.lattice.steps, (WIDEST - column.lattice.steps) // 2)
    if column.type is ColumnType.DATE:
        assert isinstance(column.lower, date) and isinstance(column.upper, date)
        steps = min(steps, (column.lower - date.min).days, (date.max - column.upper).days)
    return max(steps, 0)


def _query(column: Column, wide: Column | None) -> tuple[TallyQuery, Column]:
    """What counts its rows by where they lie, and how the column is declared for that."""
    if wide is not None:
        far, codes = _reach(column), wide.lattice.steps + 1
        edges = (0, far, far + column.lattice.steps + 1, codes)
        return TallyQuery((Key(column.name, 3, codes, edges),)), wide
    other = column.other or column.type is ColumnType.CATEGORY
    listed = replace(column, count_missing_as=None, randomized=None, other=other)
    return TallyQuery((Key(column.name, 1, listed.codes),) if column.type in ORDERED else (each_value(listed),)), listed


def _outside(column: Column, counts: Any, rows: int, coded: int | None) -> Outside:
    missing = rows - int(counts.sum()) - (coded or 0)
    if column.type in ORDERED:
        below, above = (int(counts[0]), int(counts[2])) if len(counts) == 3 else (None, None)
        return Outside(column=column.name, below=below, above=above, coded=coded, missing=missing)
    undeclared = int(counts[-1]) if column.type is ColumnType.CATEGORY else None
    return Outside(column=column.name, undeclared=undeclared, coded=coded, missing=missing)
