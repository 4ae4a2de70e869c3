"""True values beside simulated ones, for the curator's eyes: made in memory, never written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dprelease.model.release import Cell, Estimates
from dprelease.model.schema import Schema
from dprelease.statistics.answer import draw_one, exact, table, without_noise
from dprelease.statistics.price import Price, StatisticPrice
from dprelease.statistics.tabulated import Integers
from dprelease.table import Tally

if TYPE_CHECKING:
    import pandas

NUMBERS_A_STATISTIC = 1_000_000
"""Bounds the time of a preview: large tables get fewer draws. Depends on the plan alone."""
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
        columns = [sorted(values) for values in zip(*(draw.value for draw in self.draws), strict=True)]
        low, high = (int(np.floor(share * (len(self.draws) - 1) + 0.5)) for share in (0.025, 0.975))
        return [column[low] for column in columns], [column[high] for column in columns]

    def frame(self) -> pandas.DataFrame:
        """Keys, true, noisy, low, high as a pandas DataFrame."""
        import pandas

        keys = self.true.frame()[list(self.true.key_names)]
        low, high = self.spread()
        numbers = pandas.DataFrame({"true": self.true.value, "noisy": self.noisy.value, "low": low, "high": high})
        return pandas.concat([keys, numbers], axis="columns")


@dataclass(frozen=True, kw_only=True)
class Preview:
    """What a plan would publish, beside the truth."""

    price: Price
    statistics: tuple[StatisticPreview, ...]

    def __getitem__(self, statistic: str) -> StatisticPreview:
        return next(item for item in self.statistics if item.id == statistic)


def simulate(price: Price, tallies: Sequence[Tally], draws: int) -> Preview:
    """Draws each statistic up to `draws` times, fewer where that would be very many numbers."""
    schema = price.plan.schema
    pairs = zip(price.statistics, exact(price, tallies), strict=True)
    return Preview(price=price, statistics=tuple(_simulate(item, schema, given, draws) for item, given in pairs))


def _simulate(item: StatisticPrice, schema: Schema, given: Sequence[Integers], draws: int) -> StatisticPreview:
    numbers = sum(values.size for values in given)
    count = max(1, min(draws, max(FEWEST_DRAWS, NUMBERS_A_STATISTIC // numbers)))
    return StatisticPreview(
        price=item,
        true=table(item, schema, without_noise(item, schema, given)),
        draws=tuple(table(item, schema, draw_one(item, schema, given)) for _ in range(count)),
    )
