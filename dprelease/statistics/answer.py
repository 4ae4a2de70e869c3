"""From tallies to sealed draws to published tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dprelease.mechanisms.permute_and_flip import uniform_between
from dprelease.model.release import Estimates
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.statistics.price import Price, StatisticPrice
from dprelease.statistics.tabulated import Integers
from dprelease.table import Tally

Part = list[Any]
"""What is sealed of one statistic: a (nested) list of integers for each measurement."""
Draw = list[Part]
"""All that is sealed: a part for each statistic."""


def queries(price: Price) -> list[TallyQuery]:
    """The tallies a plan needs, each once."""
    wanted = (query for item in price.statistics for query in item.statistic.queries(price.plan.schema))
    return list(dict.fromkeys(wanted))


def exact(price: Price, tallies: Sequence[Tally]) -> list[tuple[Integers, ...]]:
    """What each statistic's measurements are given."""
    schema = price.plan.schema
    values = {tally.query: tally.values for tally in tallies}
    return [
        item.statistic.exact(schema, [values[query] for query in item.statistic.queries(schema)])
        for item in price.statistics
    ]


def draw(price: Price, inputs: Sequence[Sequence[Integers]]) -> Draw:
    """One draw of every mechanism."""
    pairs = zip(price.statistics, inputs, strict=True)
    return [draw_one(item, price.plan.schema, given) for item, given in pairs]


def draw_one(item: StatisticPrice, schema: Schema, given: Sequence[Integers]) -> Part:
    """One draw of one statistic's mechanisms."""
    noisy = [mechanism.release(values) for mechanism, values in zip(item.mechanisms, given, strict=True)]
    return _lists(item.statistic.drawn(schema, noisy, uniform_between))


def without_noise(item: StatisticPrice, schema: Schema, given: Sequence[Integers]) -> Part:
    """What `draw_one` would give without noise: for the curator's preview only."""
    exact = [mechanism.noiseless(values) for mechanism, values in zip(item.mechanisms, given, strict=True)]
    return _lists(item.statistic.drawn(schema, exact, lambda first, last: (first + last) // 2))


def _lists(parts: Sequence[Integers]) -> Part:
    return [part.tolist() for part in parts]


def tables(price: Price, drawn: Draw) -> Mapping[str, Estimates]:
    """The published tables of a sealed draw by statistic id, each made when it is first read."""
    return _Tables(price, drawn)


class _Tables(Mapping[str, Estimates]):
    def __init__(self, price: Price, drawn: Draw) -> None:
        self._schema = price.plan.schema
        self._sealed = {item.id: (item, part) for item, part in zip(price.statistics, drawn, strict=True)}
        self._made: dict[str, Estimates] = {}

    def __getitem__(self, statistic: str) -> Estimates:
        if statistic not in self._made:
            item, part = self._sealed[statistic]
            self._made[statistic] = table(item, self._schema, part)
        return self._made[statistic]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sealed)

    def __len__(self) -> int:
        return len(self._sealed)


def table(item: StatisticPrice, schema: Schema, part: Part) -> Estimates:
    """The published table of one statistic."""
    return item.statistic.estimates(schema, [np.array(values, dtype=np.int64) for values in part], item.mechanisms)
