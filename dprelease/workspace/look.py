"""A look at what a plan would publish, at any ε: tallies read once, kept in memory, for the curator's eyes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from time import perf_counter
from typing import Any

from dprelease.errors import InputError
from dprelease.mechanisms import DiscreteGaussian, DiscreteLaplace, Mechanism
from dprelease.model import families
from dprelease.model.measured import measured_of
from dprelease.model.plan import Plan
from dprelease.model.presentation import Trait
from dprelease.model.reading_report import ReadingReport
from dprelease.model.release import Estimates, SyntheticRows
from dprelease.model.schema import Schema
from dprelease.model.statistic import statistic_of
from dprelease.model.tally import DiscoveryQuery, Query
from dprelease.statements.question import StatisticLabel
from dprelease.statistics.adjust import adjusts
from dprelease.statistics.answer import Ask, Inputs, Part, answers, draw_many, simulated, without_noise
from dprelease.statistics.kinds.synthetic import Synthetic
from dprelease.statistics.planning.derivation import Own
from dprelease.statistics.planning.measurement import PricedMeasurement
from dprelease.statistics.planning.price import Price
from dprelease.statistics.table_family import TableFamily
from dprelease.statistics.tabulated import TallyStatistic
from dprelease.words import phrase
from dprelease.workspace.bench import PriceLadder
from dprelease.workspace.bench import at as with_epsilon
from dprelease.workspace.exact_tables import GivenAway, counts_of, given_away
from dprelease.workspace.opened import Ladder, Opened, RowsBeside, RungNoise, TrueFor, is_signed
from dprelease.workspace.reading_report import caveats, without_bounds
from dprelease.workspace.sources import Sources

FAMILIES: Mapping[type[Mechanism], str] = {DiscreteLaplace: "laplace", DiscreteGaussian: "gaussian"}
DRAWS = 100
FEWEST_DRAWS = 5
FEWEST_RUNGS = 9
FEWEST_SCANNED = 1, 5
"""Draws and rungs, where each draw scans the rows once a round."""
MAX_NUMBERS = 200_000
"""Most numbers of a ladder: about 2 MB of JSON."""
SECONDS = 0.9
"""A ladder takes about so long: of a table that is slow to make there are fewer draws."""
MODEL_DRAWS, MODEL_SECONDS = 200, 3.0
"""Draws of coefficients at the plan's own ε, to estimate how often each has its true sign; and seconds for them."""
Tallies = Mapping[Query, Any]
"""Exact integers, or integers by discovered cell: confidential."""


@dataclass
class SharedPreview:
    """Shared values of looks at the same plan, whatever their ε. The repr shows none."""

    true: dict[str, Estimates] = field(default_factory=dict, repr=False)
    ladders: dict[str, Ladder] = field(default_factory=dict, repr=False)
    sources: Sources | None = field(default=None, repr=False)
    unclipped: Mapping[str, Estimates] | None = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True)
class TrueTallies:
    """The exact tallies of a plan, in memory. The repr shows none."""

    plan: Plan
    """Complete: what they were asked for."""
    location: str
    """Location of the table."""
    tallies: Tallies = field(repr=False)
    ask: Ask = field(repr=False)
    """Answers tallies of later rounds, of the same rows."""
    invented: int | None
    """Number of made-up rows; None where the tallies are of the private table."""
    sources: Callable[[], Sources | None] = field(repr=False)
    reading: ReadingReport | None = field(default=None, repr=False)
    unclipped: Callable[[], Mapping[str, Estimates]] = field(default=dict, repr=False)

    def reusable(self, plan: Plan, location: str) -> Tallies:
        """Return the tallies that another complete plan would have, of the same table.

        They are those of columns that are declared alike. With a column of identifiers all columns count: which rows of
        a unit are kept depends on them.
        """
        one, other = self.plan, plan
        if (one.where, one.unit, self.location) != (other.where, other.unit, location):
            return {}
        if one.unit.column is not None:
            return self.tallies if one.schema == other.schema else {}
        alike = {column.name for column in one.schema if other.schema.get(column.name) == column}
        return {
            query: values
            for query, values in self.tallies.items()
            if alike.issuperset(one.schema.with_inputs(looked_at(query)))
        }


def looked_at(query: Query) -> set[str]:
    """Return the columns that a tally looks at."""
    return {*(query.names if isinstance(query, DiscoveryQuery) else query.columns)}


def inputs(measurement: PricedMeasurement, schema: Schema, held: TrueTallies) -> Inputs:
    """Return the inputs of a measurement's mechanisms."""
    tallies = [held.tallies[query] for query in measurement.statistic.queries(schema)]
    return Inputs.of(measurement, schema, tallies, held.ask)


class PreviewDraw(dict[str, Part]):
    """One draw of a plan, or its exact integers, of which each measurement is made when it is asked for."""

    def __init__(self, price: Price, held: TrueTallies, part: Callable[[Inputs], Part]) -> None:
        super().__init__()
        self._measurements: dict[str, PricedMeasurement] = {}
        self.know(price)
        self._schema, self._held, self._part = price.plan.schema, held, part

    def know(self, price: Price) -> None:
        """Take in what other statistics of the same plan measure."""
        self._measurements |= {each.id: each for item in price.statistics for each in item.derivation.measurements}

    def __missing__(self, name: str) -> Part:
        part = self[name] = self._part(inputs(self._measurements[name], self._schema, self._held))
        return part


def _one(given: Inputs) -> Part:
    return draw_many(given, 1)[0]


class PlanPreview:
    """The true tables of a plan and its noise at any ε. The repr shows no value; nothing of it is written anywhere."""

    def __init__(
        self,
        bench: PriceLadder,
        held: TrueTallies,
        *,
        unit: str,
        complete: Callable[[Plan], Plan],
        shared: SharedPreview | None = None,
    ) -> None:
        self.bench, self.held = bench, held
        self._unit, self._complete, self._shared = unit, complete, shared or SharedPreview()
        self._parts: PreviewDraw | None = None
        self._drawn: dict[str, Estimates] = {}
        self._beside: dict[str, RowsBeside] = {}

    def __repr__(self) -> str:
        return f"Look({self.bench.plan.dataset!r}, {len(self.bench.plan.statistics)} statistics)"

    @property
    def invented(self) -> int | None:
        """Number of made-up rows of the look; None where it is of the private table."""
        return self.held.invented

    @property
    def names(self) -> tuple[str, ...]:
        """The tables: the id of a statistic, or of one with several, with its own after a point."""
        plan = self.bench.plan
        return tuple(name for each in self.bench.division.statistics for name in each.table_names(plan.schema))

    def at(self, plan: Plan) -> PlanPreview:
        """Return the same tallies for a plan that differs only in ε, shares and words: no row is read.

        Raises InputError where the plan measures something else, which takes a new look.
        """
        complete = self._complete(plan)
        bench = self.bench.at(complete)
        known = self.held.reusable(complete, self.held.location)
        if measured_of(complete) != measured_of(self.held.plan) or not known.keys() >= set(bench.queries):
            raise InputError(
                "plan",
                found=phrase("workspace.look_measures_else"),
                allowed=phrase("workspace.look_same_measured"),
                remedy=phrase("workspace.look_again"),
            )
        same = with_epsilon(complete, self.bench.epsilon) == self.bench.plan
        shared = self._shared if same else None
        return PlanPreview(bench, self.held, unit=self._unit, complete=self._complete, shared=shared)

    def open(self, name: str) -> Opened:
        """Return one table. Its ladder is there once it was prepared."""
        item, part = self._item(name), name.partition(".")[2]
        law = self._law(item)
        return Opened(
            statistic=item.id,
            name=name,
            question=StatisticLabel.asked(
                families.of_table(item.to_mapping(), part), item.presented, self.bench.plan.schema, self._unit, part
            ),
            true=self._true(name),
            law=law,
            ladder=None if law else self._shared.ladders.get(name),
            epsilon=float(self.bench.epsilon),
            drawn=self._drawn.get(name),
            read=self._read(name),
        )

    def _read(self, name: str) -> TrueFor:
        columns = self.bench.plan.schema.with_inputs(self._item(name).used_columns())
        report = self.held.reading
        if report is None:
            return TrueFor()
        said = caveats(report, columns, self.bench.plan.schema)
        many = any(each.many for each in report if each.column in columns)
        without = without_bounds(self.unclipped(name))
        return TrueFor(caveats=(*said, *without), is_clipped=report.beyond(columns), many=many)

    def draw(self, name: str, *, anew: bool = False) -> Estimates:
        """Return the engine's draw of one table at the plan's ε, the same each time unless `anew`. Never published."""
        if anew:
            self._drawn.clear()
            self._beside.clear()
            self._parts = None
        if name not in self._drawn:
            price = self._priced(name, self.bench.epsilon)
            assert price is not None
            if self._parts is None:
                self._parts = PreviewDraw(price, self.held, _one)
            self._parts.know(price)
            self._drawn[name] = answers(price, self._parts)[self._item(name).id].named(self._item(name).id)[name]
        return self._drawn[name]

    def rows_beside(self, statistic: str) -> RowsBeside:
        """Return synthetic rows of the same draw as `draw` has, with the true tables that they are to be near to.

        Raises KeyError where a statistic makes no rows.
        """
        if statistic in self._beside:
            return self._beside[statistic]
        name = next(name for name in self.names if statistic_of(name) == statistic)
        self.draw(name)
        price = self._priced(name, self.bench.epsilon)
        assert price is not None
        assert self._parts is not None
        rows, own = answers(price, self._parts)[statistic], price[statistic].statistic
        if not isinstance(rows, SyntheticRows) or not isinstance(own, Synthetic):
            raise KeyError(statistic)
        by, schema = price[statistic].derivation.measurement.statistic, price.plan.schema
        assert isinstance(by, TableFamily)
        tallies = [self.held.tallies[query] for query in by.queries(schema)]
        found = self._beside[statistic] = RowsBeside(rows=rows, true=own.counts(schema, tallies, by))
        return found

    @property
    def reading(self) -> ReadingReport | None:
        """Report on how the cells of the plan's columns are read; None of made-up rows."""
        return self.held.reading

    def unclipped(self, name: str) -> Estimates | None:
        """Return one table, had values beyond the bounds been used as they are; None where none are, or not known.

        Reads the table again, the first time that there are some.
        """
        read, plan = self.held.reading, self.held.plan
        if (
            read is None
            or plan.unit.column is not None
            or not read.beyond(plan.schema.with_inputs(self._item(name).used_columns()))
        ):
            return None
        if self._shared.unclipped is None:
            self._shared.unclipped = self.held.unclipped()
        return self._shared.unclipped.get(name)

    def sources(self) -> Sources | None:
        """Return the sources of error of the plan that the tallies were read for; None of made-up rows.

        Reads the table again, the first time it is asked.
        """
        if self._shared.sources is None:
            self._shared.sources = self.held.sources()
        return self._shared.sources

    def exact_tables(self) -> tuple[GivenAway, ...]:
        """Return what the plan's tables of counts would give away if they were exact, with small cells hidden."""
        found: list[GivenAway] = []
        for name in self.names:
            counts = counts_of(self._true(name), self._item(name).presented)
            if counts is not None:
                found += given_away(name, counts)
        return tuple(found)

    def prepare(self, name: str) -> Iterator[float]:
        """Draw one table at every ε of the ladder, where its noise cannot be scaled; tell the share that is done.

        `open` has the ladder when this has ended. A table that is slow to make, or large, has fewer draws.
        """
        if self._law(self._item(name)) is not None or name in self._shared.ladders:
            return
        rungs, cells = self._rungs(name), max(1, len(self._true(name)))
        most = min(DRAWS, max(FEWEST_DRAWS, MAX_NUMBERS // (len(rungs) * cells)))
        least, fewest = FEWEST_SCANNED if self._takes_long(name) else (FEWEST_DRAWS, FEWEST_RUNGS)
        began = perf_counter()
        first = self._simulated(rungs[0][1], name, min(least, most))
        rungs = _thinned(rungs, max(fewest, int(SECONDS / (perf_counter() - began))))
        draws: list[list[Estimates]] = [first, *([] for _ in rungs[1:])]
        while len(draws[-1]) < most and (not draws[-1] or perf_counter() - began < SECONDS):
            for made, (_, price) in zip(draws, rungs, strict=True):
                if len(made) == len(draws[-1]):
                    made += self._simulated(price, name, min(least, most - len(made)))
                done = max(len(draws[-1]) / most, len(draws[-1]) and (perf_counter() - began) / SECONDS)
                yield min(0.99, done)
        if is_signed(self._true(name)) and not self._takes_long(name):
            yield from self._more(name, rungs, draws)
        epsilon = tuple(float(rung) for rung, _ in rungs)
        self._shared.ladders[name] = Ladder(epsilon=epsilon, draws=tuple(map(tuple, draws)))
        yield 1.0

    def _more(
        self, name: str, rungs: Sequence[tuple[Decimal, Price]], draws: Sequence[list[Estimates]]
    ) -> Iterator[float]:
        """Draw a model more often at the ε nearest to the plan's."""
        place = min(range(len(rungs)), key=lambda each: abs(rungs[each][0] - self.bench.epsilon))
        began = perf_counter()
        while len(draws[place]) < MODEL_DRAWS and perf_counter() - began < MODEL_SECONDS:
            draws[place].extend(self._simulated(rungs[place][1], name, min(10, MODEL_DRAWS - len(draws[place]))))
            yield 0.99

    def _takes_long(self, name: str) -> bool:
        """Return True if each draw of a table scans the rows, so that a few have to do."""
        price = self._priced(name, self.bench.epsilon)
        return price is not None and any(each.takes_long for each in price.measurements)

    def _rungs(self, name: str) -> list[tuple[Decimal, Price]]:
        """Return the ε at which a table is drawn, with its price there: fewer of a very large one."""
        priced = ((rung, self._priced(name, rung)) for rung in self.bench.ladder)
        paid = [(rung, price) for rung, price in priced if price is not None]
        most = max(FEWEST_RUNGS, MAX_NUMBERS // (FEWEST_DRAWS * max(1, len(self._true(name)))))
        return _thinned(paid, most)

    def _item(self, name: str) -> TallyStatistic:
        wanted = statistic_of(name)
        for statistic in self.bench.division.statistics:
            if statistic.id == wanted and name in statistic.table_names(self.bench.plan.schema):
                return statistic
        raise KeyError(name)

    def _true(self, name: str) -> Estimates:
        """One table without noise, as with the largest ε of the ladder: of discovered categories, those published."""
        if name not in self._shared.true:
            best = next(rung for rung in reversed(self.bench.ladder) if self.bench.parts[rung])
            price = self._priced(name, best)
            assert price is not None
            found = answers(price, PreviewDraw(price, self.held, without_noise))
            statistic = self._item(name).id
            self._shared.true |= found[statistic].named(statistic)
        return self._shared.true[name]

    def _simulated(self, price: Price, name: str, count: int) -> list[Estimates]:
        item = price[self._item(name).id]
        if adjusts(item, price):
            every = (answers(price, PreviewDraw(price, self.held, _one)) for _ in range(count))
            return [found[item.id].named(item.id)[name] for found in every]
        schema = price.plan.schema
        parts = {each.id: draw_many(inputs(each, schema, self.held), count) for each in item.derivation.measurements}
        draws = ({of: drawn[place] for of, drawn in parts.items()} for place in range(count))
        return [simulated(item, schema, drawn)[name] for drawn in draws]

    def _priced(self, name: str, epsilon: Decimal) -> Price | None:
        """Return the price of what makes one table: its statistic, or all that are adjusted to one another."""
        statistic = self._item(name).id
        alone = self.bench.only([statistic], epsilon)
        if alone is None or not adjusts(alone[statistic], alone):
            return alone
        return self.bench.only([each.id for each in self.bench.division.statistics], epsilon)

    def _law(self, statistic: TallyStatistic) -> RungNoise | None:
        """Return the noise scales, where each cell has one draw of its own that nothing changes later; else None."""
        if not statistic.presented.has(Trait.OWN_NOISE):
            return None
        prices = [self.bench.only([statistic.id], rung) for rung in self.bench.ladder]
        items = [None if price is None else price[statistic.id] for price in prices]
        one = next(item for item in items if item is not None)
        if not isinstance(one.derivation, Own) or len(one.mechanisms) != 1 or type(one.mechanisms[0]) not in FAMILIES:
            return None
        if any(price is not None and adjusts(price[statistic.id], price) for price in prices):
            return None
        return RungNoise(
            family=FAMILIES[type(one.mechanisms[0])],
            step=float(one.derivation.measurement.steps[0]),
            scale=tuple(None if item is None else item.mechanisms[0].scale for item in items),
        )


def _thinned(rungs: list[tuple[Decimal, Price]], most: int) -> list[tuple[Decimal, Price]]:
    """Return so many of the rungs at most, evenly spread, with the first and the last."""
    if len(rungs) <= most:
        return rungs
    return [rungs[round(place * (len(rungs) - 1) / (most - 1))] for place in range(most)]
