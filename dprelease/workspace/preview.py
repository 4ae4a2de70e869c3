"""True values beside simulated ones, for the curator's eyes: made in memory, never written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from dprelease.model.release import Cell, Estimates
from dprelease.statistics.answer import draw_one, exact, tables, without_noise
from dprelease.statistics.price import Price
from dprelease.statistics.priced import StatisticPrice
from dprelease.table import Discovery, Tally

if TYPE_CHECKING:
    import pandas

NUMBERS_A_STATISTIC = 1_000_000
"""Bounds the time of a preview: large tables get fewer draws."""
FEWEST_DRAWS = 10


@dataclass(frozen=True, kw_only=True)
class StatisticPreview:
    """One statistic: the true table, and simulated tables as they might be published. The repr shows no values."""

    price: StatisticPrice
    true: Estimates = field(repr=False)
    draws: tuple[Estimates, ...] = field(repr=False)
    """Independent of one another and of whatever is published later."""

    @property
    def id(self) -> str:
        return self.price.id

    @property
    def noisy(self) -> Estimates:
        """The first simulated table."""
        return self.draws[0]

    def spread(self) -> tuple[list[Cell], list[Cell]]:
        """For each cell the bounds that the middle 95 % of the draws stay within."""
        low, high = (int(np.floor(share * (len(self.draws) - 1) + 0.5)) for share in (0.025, 0.975))
        columns = [
            [None] * len(self.draws) if None in column else sorted(column) for column in self._aligned(self.draws)
        ]
        return [column[low] for column in columns], [column[high] for column in columns]

    def _aligned(self, draws: Sequence[Estimates]) -> list[list[Any]]:
        """The values of each cell of the true table in some draws; None in a draw where a discovered cell is not."""
        if all(draw.axes == self.true.axes for draw in draws):
            return [list(column) for column in zip(*(draw.value for draw in draws), strict=True)]
        keys = list(product(*(axis.cells for axis in self.true.axes)))
        found = [dict(zip(product(*(axis.cells for axis in draw.axes)), draw.value, strict=True)) for draw in draws]
        return [[values.get(key) for values in found] for key in keys]

    def frame(self) -> pandas.DataFrame:
        """Keys, true, noisy, low, high as a pandas DataFrame."""
        import pandas

        keys = self.true.frame()[list(self.true.key_names)]
        low, high = self.spread()
        noisy = [column[0] for column in self._aligned(self.draws[:1])]
        numbers = pandas.DataFrame({"true": self.true.value, "noisy": noisy, "low": low, "high": high})
        return pandas.concat([keys, numbers], axis="columns")


@dataclass(frozen=True, kw_only=True)
class Preview:
    """What a plan would publish, beside the truth."""

    price: Price
    statistics: tuple[StatisticPreview, ...]

    def __getitem__(self, statistic: str) -> StatisticPreview:
        return next(item for item in self.statistics if item.id == statistic)


def simulate(price: Price, tallies: Sequence[Tally | Discovery], draws: int) -> Preview:
    """Draws each statistic up to `draws` times, fewer where that would be very many numbers."""
    schema, ids = price.plan.schema, [item.id for item in price.statistics]
    given = dict(zip(ids, exact(price, tallies), strict=True))
    counts = {name: _count(values, draws) for name, values in given.items()}
    counts |= {item.id: counts[item.source.id] for item in price.statistics if item.source is not None}
    if price.plan.postprocess:  # tables are adjusted to one another, so all of them are drawn equally often
        counts = dict.fromkeys(counts, min(counts.values()))
    true = tables(price, [without_noise(item, schema, given[item.id]) for item in price.statistics])
    most = max(counts.values())
    simulated = []
    for number in range(most):
        drawn = [
            draw_one(item, schema, given[item.id]) if number < counts[item.id] else [] for item in price.statistics
        ]
        simulated.append(tables(price, drawn))
    return Preview(
        price=price,
        statistics=tuple(
            StatisticPreview(
                price=item, true=true[item.id], draws=tuple(each[item.id] for each in simulated[: counts[item.id]])
            )
            for item in price.statistics
        ),
    )


def _count(given: Sequence[Any], draws: int) -> int:
    """How often a statistic is drawn."""
    numbers = sum(values.size if hasattr(values, "size") else len(values) for values in given)
    return max(1, min(draws, max(FEWEST_DRAWS, NUMBERS_A_STATISTIC // max(1, numbers))))
