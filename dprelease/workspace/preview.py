"""True values beside simulated ones, for the curator's eyes: made in memory, never written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from dprelease.model.presentation import Presentation
from dprelease.model.release import Cell, Estimates
from dprelease.statistics.answer import Part, draw_one, exact, table, tables, without_noise
from dprelease.statistics.planning.price import Price
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.table import Discovery, Tally
from dprelease.workspace.sources import Sources

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
    draws: Sequence[Estimates] = field(repr=False)
    """Independent of one another and of whatever is published later; each drawn when it is first looked at."""
    uncut: Estimates | None = field(default=None, repr=False)
    """The true table, had all rows of each unit been used; where that was asked for."""
    unclipped: Estimates | None = field(default=None, repr=False)
    """The same, had values outside the bounds been used as they are; of sums and means."""
    _columns: dict[int, list[Cell]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def id(self) -> str:
        return self.price.id

    @property
    def kind(self) -> str:
        return self.price.kind

    @property
    def presentation(self) -> Presentation:
        return self.price.statistic.presented

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

    def column(self, cell: int) -> list[Cell]:
        """The values of one cell of the true table in all draws; None in a draw where a discovered cell is not."""
        if cell not in self._columns:
            if all(draw.axes == self.true.axes for draw in self.draws):
                self._columns[cell] = [draw.value[cell] for draw in self.draws]
            else:
                self._columns.update(enumerate(self._aligned(self.draws)))
        return self._columns[cell]

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
    invented: int | None = None
    """Of how many made-up rows all this is; None where it is of the private table."""
    sources: Sources | None = field(default=None, repr=False)
    """Where the error comes from, where that was asked for."""

    def __getitem__(self, statistic: str) -> StatisticPreview:
        return next(item for item in self.statistics if item.id == statistic)


class _Simulation:
    """Draws and tables of a preview, made when they are asked for: of three hundred statistics few are looked at."""

    def __init__(self, price: Price, given: Mapping[str, Sequence[Any]]) -> None:
        self._price, self._given = price, given
        self._parts: dict[tuple[str, int], Part] = {}
        self._together: dict[int, Mapping[str, Estimates]] = {}

    def table(self, item: StatisticPrice, number: int) -> Estimates:
        """One simulated table; where tables are adjusted to one another, all of a draw are made together."""
        if not self._price.plan.postprocess:
            source = item.source or item
            return table(item, self._price.plan.schema, {source.id: self._part(source, number)})
        if number not in self._together:
            parts = [self._part(each, number) for each in self._price.statistics]
            self._together[number] = tables(self._price, parts)
        return self._together[number][item.id]

    def _part(self, item: StatisticPrice, number: int) -> Part:
        key = (item.id, number)
        if key not in self._parts:
            self._parts[key] = draw_one(item, self._price.plan.schema, self._given[item.id])
        return self._parts[key]


class _Draws(Sequence[Estimates]):
    """The simulated tables of one statistic."""

    def __init__(self, simulation: _Simulation, item: StatisticPrice, count: int) -> None:
        self._simulation, self._item = simulation, item
        self._made: list[Estimates | None] = [None] * count

    def __len__(self) -> int:
        return len(self._made)

    @overload
    def __getitem__(self, place: int) -> Estimates: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Estimates]: ...

    def __getitem__(self, place: int | slice) -> Estimates | Sequence[Estimates]:
        places = range(len(self._made))[place]
        if isinstance(places, range):
            return [self._one(each) for each in places]
        return self._one(places)

    def _one(self, place: int) -> Estimates:
        made = self._made[place]
        if made is None:
            made = self._made[place] = self._simulation.table(self._item, place)
        return made


def simulate(
    price: Price,
    tallies: Sequence[Tally | Discovery],
    draws: int,
    *,
    invented: int | None = None,
    sources: Sources | None = None,
) -> Preview:
    """Draws each statistic up to `draws` times, fewer where that would be very many numbers."""
    schema, ids = price.plan.schema, [item.id for item in price.statistics]
    given = dict(zip(ids, exact(price, tallies), strict=True))
    counts = {name: _count(values, draws) for name, values in given.items()}
    counts |= {item.id: counts[item.source.id] for item in price.statistics if item.source is not None}
    if price.plan.postprocess:  # tables are adjusted to one another, so all of them are drawn equally often
        counts = dict.fromkeys(counts, min(counts.values()))
    true = tables(price, [without_noise(item, schema, given[item.id]) for item in price.statistics])
    simulation = _Simulation(price, given)
    return Preview(
        price=price,
        statistics=tuple(
            StatisticPreview(
                price=item,
                true=true[item.id],
                draws=_Draws(simulation, item, counts[item.id]),
                uncut=None if sources is None else sources.uncut.get(item.id),
                unclipped=None if sources is None else sources.unclipped.get(item.id),
            )
            for item in price.statistics
        ),
        invented=invented,
        sources=sources,
    )


def _count(given: Sequence[Any], draws: int) -> int:
    """How often a statistic is drawn."""
    numbers = sum(values.size if hasattr(values, "size") else len(values) for values in given)
    return max(1, min(draws, max(FEWEST_DRAWS, NUMBERS_A_STATISTIC // max(1, numbers))))
