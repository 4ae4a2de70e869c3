"""True values beside simulated ones, for the curator's eyes: made in memory, never written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from dprelease.model.reading_report import ReadingReport
from dprelease.model.release import Cell, Estimates, Output
from dprelease.model.report import nearest
from dprelease.model.schema import Schema
from dprelease.model.view import View, Viewed
from dprelease.statistics.answer import Ask, Inputs, Part, answers, draw_one, exact, nothing_more, without_noise
from dprelease.statistics.planning.price import Price
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.table import Discovery, Tally
from dprelease.words import Phrase, phrase
from dprelease.workspace.opened import is_signed
from dprelease.workspace.reading_report import caveats, without_bounds
from dprelease.workspace.sources import Sources

if TYPE_CHECKING:
    import pandas

NUMBERS_A_STATISTIC = 1_000_000
"""Bounds the time of a preview: large tables get fewer draws."""
FEWEST_DRAWS = 10
NONE: Mapping[str, Estimates] = {}


@dataclass(frozen=True, kw_only=True)
class StatisticPreview:
    """One table: the true one, and simulated ones as they might be published. The repr shows no values."""

    name: str
    """The id of its statistic; of a statistic with several, with its own after a point."""
    price: StatisticPrice
    true: Estimates = field(repr=False)
    schema: Schema = field(repr=False)
    draws: Sequence[Estimates] = field(repr=False)
    """Independent of one another and of whatever is published later; each drawn when it is first looked at."""
    uncut: Estimates | None = field(default=None, repr=False)
    """The true table, had all rows of each unit been used; where that was asked for."""
    unclipped: Estimates | None = field(default=None, repr=False)
    """The same, had values outside the bounds been used as they are; of sums and means."""

    reading: ReadingReport | None = field(default=None, repr=False)
    """Report on how the cells of the plan's columns are read; None of made-up rows."""

    @property
    def id(self) -> str:
        return self.name

    @property
    def _names(self) -> list[str]:
        """The columns that it uses, and those that they are made of."""
        return self.schema.with_inputs(self.price.statistic.used_columns())

    @property
    def is_clipped(self) -> bool:
        """True if counted cells lie beyond the bounds, so that what is called true is so within them."""
        return self.reading is not None and self.reading.beyond(self._names)

    @property
    def caveats(self) -> tuple[Phrase, ...]:
        """Caveats where its true values are not those of all rows, as sentences; none where every cell was read."""
        said = () if self.reading is None else caveats(self.reading, self._names, self.schema)
        return (*said, *without_bounds(self.unclipped)) if self.is_clipped else said

    def spread(self) -> tuple[list[Cell], list[Cell]]:
        """Return for each cell the bounds that the middle 95 % of the draws stay within."""
        low, high = (int(np.floor(share * (len(self.draws) - 1) + 0.5)) for share in (0.025, 0.975))
        columns = [
            [None] * len(self.draws) if None in column else sorted(column) for column in self._aligned(self.draws)
        ]
        return [column[low] for column in columns], [column[high] for column in columns]

    def signs(self) -> list[float | None]:
        """Return for each coefficient the share of the draws in which it has its true sign; None of a true 0.

        Draws in which nothing is said of it count as not having it.
        """
        shares: list[float | None] = []
        for true, drawn in zip(self.true.value, self._aligned(self.draws), strict=True):
            own = _sign(true)
            right = sum(_sign(each) == own for each in drawn)
            shares.append(right / len(self.draws) if own else None)
        return shares

    def _aligned(self, draws: Sequence[Estimates]) -> list[list[Any]]:
        """Return the values of each cell of the true table in some draws; None where a draw lacks a discovered cell."""
        if all(draw.axes == self.true.axes for draw in draws):
            return [list(column) for column in zip(*(draw.value for draw in draws), strict=True)]
        keys = list(product(*(axis.cells for axis in self.true.axes)))
        found = [dict(zip(product(*(axis.cells for axis in draw.axes)), draw.value, strict=True)) for draw in draws]
        return [[values.get(key) for values in found] for key in keys]

    def frame(self) -> pandas.DataFrame:
        """Return keys, true, noisy, low, high as a pandas DataFrame; of coefficients also `sign`, as `signs` has it.

        Where cells lie beyond the bounds, `true` is called `true_within_bounds`.
        """
        import pandas

        keys = self.true.frame()[list(self.true.key_names)]
        low, high = self.spread()
        noisy = [column[0] for column in self._aligned(self.draws[:1])]
        true = "true_within_bounds" if self.is_clipped else "true"
        numbers = pandas.DataFrame({true: self.true.value, "noisy": noisy, "low": low, "high": high})
        if is_signed(self.true):
            numbers["sign"] = self.signs()
        return pandas.concat([keys, numbers], axis="columns")


def _sign(cell: Cell) -> int:
    """Return 1, -1, or 0 of what is 0 or no number."""
    return 0 if not isinstance(cell, int | float) else (cell > 0) - (cell < 0)


@dataclass(frozen=True, kw_only=True, repr=False)
class Preview(Viewed):
    """Simulated release of a plan, beside the truth."""

    price: Price
    statistics: tuple[StatisticPreview, ...]
    invented: int | None = None
    """Number of made-up rows of the preview; None where it is of the private table."""
    sources: Sources | None = field(default=None, repr=False)
    """Sources of the error, where they were asked for."""
    reading: ReadingReport | None = field(default=None, repr=False)
    """Report on how the plan's columns are read, of the rows that its conditions choose; None of made-up rows."""

    def __getitem__(self, statistic: str) -> StatisticPreview:
        for item in self.statistics:
            if item.id == statistic:
                return item
        raise KeyError(f"{statistic!r}. {nearest(statistic, self._ipython_key_completions_())}".rstrip(". "))

    def __iter__(self) -> Iterator[StatisticPreview]:
        return iter(self.statistics)

    def __len__(self) -> int:
        return len(self.statistics)

    def _ipython_key_completions_(self) -> list[str]:
        return [item.id for item in self.statistics]

    def __reduce__(self) -> Any:
        raise TypeError(phrase("workspace.preview_stays"))

    def view(self) -> View:
        key = "workspace.view_preview" if self.invented is None else "workspace.view_invented"
        facts = [", ".join(self._ipython_key_completions_())]
        facts += [str(phrase("workspace.view_clear"))] if self.invented is None else []
        rows = [(item.id, *map(str, row)) for item in self for row in item.frame().head(10).itertuples(index=False)]
        title = str(phrase(key, count=len(self.statistics)))
        return View(title, facts, (), rows, text_rows=False, marked=self.invented is None)


class _Drawn(dict[str, Part]):
    """One draw of a plan, of which each measurement is drawn when it is asked for."""

    def __init__(self, given: Mapping[str, Inputs]) -> None:
        super().__init__()
        self._given = given

    def __missing__(self, measurement: str) -> Part:
        part = self[measurement] = draw_one(self._given[measurement])
        return part


class _Simulation:
    """Draws and tables of a preview, made when they are asked for: of three hundred statistics few are looked at."""

    def __init__(self, price: Price, given: Mapping[str, Inputs]) -> None:
        self._price, self._given = price, given
        self._made: dict[int, Mapping[str, Output]] = {}

    def table(self, statistic: str, name: str, number: int) -> Estimates:
        """Return one simulated table."""
        if number not in self._made:
            self._made[number] = answers(self._price, _Drawn(self._given))
        return self._made[number][statistic].named(statistic)[name]


class _Draws(Sequence[Estimates]):
    """The simulated tables of one name."""

    def __init__(self, simulation: _Simulation, statistic: str, name: str, count: int) -> None:
        self._simulation, self._statistic, self._name = simulation, statistic, name
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
            made = self._made[place] = self._simulation.table(self._statistic, self._name, place)
        return made


def simulate(
    price: Price,
    tallies: Sequence[Tally | Discovery],
    draws: int,
    *,
    ask: Ask = nothing_more,
    invented: int | None = None,
    sources: Sources | None = None,
    reading: ReadingReport | None = None,
    unclipped: Mapping[str, Estimates] = NONE,
) -> Preview:
    """Draw each statistic up to `draws` times, fewer where that would be very many numbers, or scans by `ask`."""
    given = exact(price, tallies, ask)
    counts = {name: _count(inputs, draws) for name, inputs in given.items()}
    if price.plan.postprocess:  # tables are adjusted to one another, so all of them are drawn equally often
        counts = dict.fromkeys(counts, min(counts.values()))
    true = answers(price, {name: without_noise(inputs) for name, inputs in given.items()})
    simulation = _Simulation(price, given)
    return Preview(
        price=price,
        statistics=tuple(
            StatisticPreview(
                name=name,
                price=item,
                true=table,
                schema=price.plan.schema,
                draws=_Draws(simulation, item.id, name, min(counts[each.id] for each in item.derivation.measurements)),
                uncut=None if sources is None else sources.uncut.get(name),
                unclipped=(unclipped if sources is None else sources.unclipped).get(name),
                reading=reading,
            )
            for item in price.statistics
            for name, table in true[item.id].named(item.id).items()
        ),
        invented=invented,
        sources=sources,
        reading=reading,
    )


def _count(inputs: Inputs, draws: int) -> int:
    """Return how many times a measurement is drawn."""
    many = 0 if inputs.measurement.takes_long else NUMBERS_A_STATISTIC // max(1, inputs.numbers)
    return max(1, min(draws, max(FEWEST_DRAWS, many)))
