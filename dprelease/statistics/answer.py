"""From tallies to sealed draws to published tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dprelease.errors import InternalError
from dprelease.mechanisms import Mechanism
from dprelease.mechanisms.permute_and_flip import uniform_between
from dprelease.mechanisms.threads import each_of
from dprelease.model.release import Estimates
from dprelease.model.schema import Schema
from dprelease.model.tally import UNDECLARED, Query
from dprelease.statistics.adjust import adjusted
from dprelease.statistics.planning.price import Price
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.table import Discovery, Tally

Part = list[Any]
"""What is sealed of one statistic: for each measurement a (nested) list of integers, or integers by discovered cell."""
Draw = list[Part]
"""All that is sealed: a part for each statistic."""


def queries(price: Price) -> list[Query]:
    """The tallies a plan needs, each once."""
    wanted = (
        query for item in price.statistics if item.mechanisms for query in item.statistic.queries(price.plan.schema)
    )
    return list(dict.fromkeys(wanted))


def exact(price: Price, tallies: Sequence[Tally | Discovery]) -> list[tuple[Any, ...]]:
    """What each statistic's measurements are given; nothing where there are none."""
    schema = price.plan.schema
    values: dict[Query, Any] = {tally.query: tally.values for tally in tallies}
    return [
        item.statistic.exact(schema, [values[query] for query in item.statistic.queries(schema)])
        if item.mechanisms
        else ()
        for item in price.statistics
    ]


def draw(price: Price, inputs: Sequence[Sequence[Any]]) -> Draw:
    """One draw of every mechanism.

    What mechanisms may refuse is refused before the first of them draws; nothing is raised because of what was drawn.
    So an error never chooses among draws: it comes before all of them, or, like a kill, whatever they are.
    """
    pairs = list(zip(price.statistics, inputs, strict=True))
    for item, given in pairs:
        _check(item, given)
    return [_drawn(item, price.plan.schema, given) for item, given in pairs]


def draw_one(item: StatisticPrice, schema: Schema, given: Sequence[Any]) -> Part:
    """One draw of one statistic's mechanisms.

    Raises InternalError, before noise is drawn, where one is given integers of another shape than it was priced for.
    """
    _check(item, given)
    return _drawn(item, schema, given)


def _check(item: StatisticPrice, given: Sequence[Any]) -> None:
    for mechanism, values in zip(item.mechanisms, given, strict=True):
        _check_shape(item, mechanism, values)
        mechanism.noiseless(values)  # what `release` refuses in its input, this refuses too


def _drawn(item: StatisticPrice, schema: Schema, given: Sequence[Any]) -> Part:
    pairs = list(zip(item.mechanisms, given, strict=True))
    noisy = each_of(lambda pair: pair[0].release(pair[1]), pairs, sum(np.size(values) for values in given))
    return _sealed(item.statistic.drawn(schema, noisy, uniform_between)) if noisy else []


def _check_shape(item: StatisticPrice, mechanism: Mechanism, values: Any) -> None:
    shape = UNDECLARED if isinstance(values, Mapping) else np.shape(values)
    if shape != mechanism.sensitivity.shape:
        raise InternalError(f"{item.id}: priced for the shape {mechanism.sensitivity.shape}, and given {shape}")


def without_noise(item: StatisticPrice, schema: Schema, given: Sequence[Any]) -> Part:
    """What `draw_one` would give without noise: for the curator's preview only."""
    exact = [mechanism.noiseless(values) for mechanism, values in zip(item.mechanisms, given, strict=True)]
    return _sealed(item.statistic.drawn(schema, exact, lambda first, last: (first + last) // 2)) if exact else []


def _sealed(parts: Sequence[Any]) -> Part:
    return [dict(part) if isinstance(part, Mapping) else part.tolist() for part in parts]


def tables(price: Price, drawn: Draw) -> Mapping[str, Estimates]:
    """The published tables of a sealed draw by statistic id, each made when it is first read."""
    return _Tables(price, drawn)


class _Tables(Mapping[str, Estimates]):
    def __init__(self, price: Price, drawn: Draw) -> None:
        self._price = price
        self._parts = {item.id: part for item, part in zip(price.statistics, drawn, strict=True)}
        self._made: dict[str, Estimates] = {}

    def __getitem__(self, statistic: str) -> Estimates:
        if statistic not in self._parts:
            raise KeyError(statistic)
        if statistic not in self._made:
            plan = self._price.plan
            if plan.postprocess and not self._made:
                made = {item.id: table(item, plan.schema, self._parts) for item in self._price.statistics}
                self._made = adjusted(self._price, made)
            else:
                self._made[statistic] = table(self._price[statistic], plan.schema, self._parts)
        return self._made[statistic]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)


def table(item: StatisticPrice, schema: Schema, parts: Mapping[str, Part]) -> Estimates:
    """The table of one statistic as it was drawn; `parts` are what is sealed, by statistic."""
    given = [_opened(part) for part in parts[(item.source or item).id]]
    return item.table(schema, given if item.follows is None else [item.follows.way.counts(given[0])])


def _opened(part: Any) -> Any:
    return part if isinstance(part, Mapping) else np.array(part, dtype=np.int64)
