"""Inputs of a statistic's mechanisms in hundreds of tables, answered by the real engine at once.

The tables stand in one stored table with a column `trial`, which every query gets as one more key.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache, lru_cache
from hashlib import sha256
from itertools import count, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.errors import InternalError
from dprelease.mechanisms import Mechanism
from dprelease.model.condition import Condition
from dprelease.model.privacy import NeighboringRelation, PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import DiscoveryQuery, Key, Query, TallyQuery
from dprelease.statistics.answer import Ask
from dprelease.statistics.kit.rows import ABSENT, EXTREMES, PALETTE, SCHEMA, UNANSWERED, Row, stored_table
from dprelease.statistics.tabulated import TallyStatistic
from dprelease.table import Discovery, Engine, Table, Tally
from dprelease.table.held_out import number_of

FEW_PEOPLE, PEOPLE = 100, 10_000
"""Identifiers that are kept for each table; and where some are held out, of which few are used."""
SMALL = 2**24
"""Sums of squares of numbers up to this fit into 64 bits; larger ones are kept as Python's own integers."""
KEPT = 16
"""Pools: those of one statistic, by unit, filter and mechanisms."""


@dataclass(frozen=True, eq=False)
class Pool:
    """Inputs of one statistic's measurements in every table of many trials."""

    trials: NDArray[np.int64]
    """A row each: the tables without the unit, before, after. Equal ones are one table."""
    inputs: Sequence[Any]
    """For each measurement of the first round an array with a row a table, or a list of discoveries."""
    tallies: Sequence[Sequence[Any]] = ()
    """Answers to the statistic's queries, table by table."""
    ask: Callable[[Sequence[Query]], Mapping[Query, Any]] = field(default=lambda wanted: {})
    """Answers further queries for every table: the first axis of each answer."""

    def after(self, statistic: TallyStatistic, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> list[Any]:
        """Return the same for each measurement of a later round, after what was drawn."""
        wanted = statistic.queries_after(SCHEMA, drawn, mechanisms)
        found = self.ask(wanted) if wanted else {}
        tallies = [[*own, *(found[query][table] for query in wanted)] for table, own in enumerate(self.tallies)]
        given = _each_once(tallies, lambda own: statistic.given_after(SCHEMA, own, drawn, mechanisms))
        return [_together(statistic, part) for part in zip(*given, strict=True)]

    def asked_of(self, table: int) -> Ask:
        """Answer further queries for one table."""

        def ask(wanted: Sequence[Query]) -> list[Tally | Discovery]:
            found = self.ask(wanted)
            return [
                Tally(query, found[query][table])
                if isinstance(query, TallyQuery)
                else Discovery(query, found[query][table])
                for query in wanted
            ]

        return ask

    def pairs(self, relation: NeighboringRelation) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return neighbouring tables. A unit without rows counts as one whose rows are none: those pairs are both."""
        absent, before, after = self.trials.T
        pairs = [(absent, before), (absent, after)]
        pairs += [(before, after)] if relation is NeighboringRelation.SUBSTITUTE else []
        first, second = np.unique(np.concatenate([np.stack(pair) for pair in pairs], axis=1), axis=1)
        return first, second


@lru_cache(maxsize=KEPT)
def pool_of(
    statistic: TallyStatistic,
    unit: PrivacyUnit,
    where: tuple[Condition, ...] = (),
    by: tuple[type[Mechanism], ...] = (),
) -> Pool:
    """Return every trial of a privacy unit, under a filter. Raises InternalError where the inputs are no whole numbers.

    `by`: the mechanisms, where these decide on what they are given. The last pools are kept, for they are read only.
    """
    stored = _stored(unit, _limit(statistic))
    first = [_table_by_table(query, stored.key) for query in statistic.queries(SCHEMA)]

    def ask(wanted: Sequence[Query]) -> dict[Query, Any]:
        asked = [_table_by_table(query, stored.key) for query in wanted]
        answered = engine().answer(stored.held, asked, schema=stored.schema, where=where, unit=unit, after=first)
        return {
            query: tally.values if isinstance(tally, Tally) else _split(tally.values, stored.key.cells)
            for query, tally in zip(wanted, answered, strict=True)
        }

    tallies = ask(statistic.queries(SCHEMA))
    own = [tallies[query] for query in statistic.queries(SCHEMA)]
    by_table = [[tally[table] for tally in own] for table in range(stored.key.cells)]
    return Pool(stored.trials, inputs_of(statistic, tallies, stored.key.cells, by), by_table, ask)


def inputs_of(
    statistic: TallyStatistic, tallies: Mapping[Query, Any], tables: int, by: Sequence[type[Mechanism]] = ()
) -> list[Any]:
    """Return the inputs of each measurement, table by table. Raises InternalError where they are no whole numbers.

    `tallies`: the answers to the statistic's queries; the first axis of each is the table.
    """
    own = [tallies[query] for query in statistic.queries(SCHEMA)]
    by_table = [[tally[table] for tally in own] for table in range(tables)]
    given = _each_once(by_table, lambda own: statistic.given(SCHEMA, own, by))
    return [_together(statistic, part) for part in zip(*given, strict=True)]


def _each_once(tallies: Sequence[Sequence[Any]], given: Callable[[Sequence[Any]], Any]) -> list[Any]:
    """Return what is given of each table's tallies, computed once for equal ones: it depends on nothing else."""
    found: dict[tuple[Any, ...], Any] = {}
    result = []
    for own in tallies:
        key = tuple(repr(tally) if isinstance(tally, Mapping) else _bytes(np.asarray(tally)) for tally in own)
        if key not in found:
            found[key] = given(own)
        result.append(found[key])
    return result


def _bytes(tally: NDArray[Any]) -> bytes:
    return repr(tally.tolist()).encode() if tally.dtype == object else tally.tobytes()


@cache
def engine() -> Engine:
    """Return the engine that answers here."""
    return Engine()


@dataclass(frozen=True, eq=False)
class _Stored:
    held: Table
    schema: Schema
    key: Key
    trials: NDArray[np.int64]


def _limit(statistic: TallyStatistic) -> int | None:
    """Return the public number below which units are held out; None where all are treated alike."""
    parts = (query.part for query in statistic.queries(SCHEMA) if isinstance(query, TallyQuery))
    return next((part.limit for part in parts if part is not None), None)


@cache
def _stored(unit: PrivacyUnit, limit: int | None = None) -> _Stored:
    """Return the tables of all trials, each once, in one table.

    `limit`: units with a public number below it are held out. Each table is there twice then, with a unit that is and
    with one that is not; of the other units every second one is.
    """
    tried = trials(unit.max_rows)
    sides = (None,) if limit is None else (True, False)
    different = {repr((side, table)): (side, table) for side in sides for trial in tried for table in trial.tables}
    places = {text: place for place, text in enumerate(different)}
    rows = [
        item | {"trial": place, "person": person}
        for place, (side, (base, own)) in enumerate(different.values())
        for item, person in _people(base, own, _numbered(place, limit, side))
    ]
    tables = len(different)
    schema = SCHEMA.updated(Schema.parse({"trial": {"type": "integer", "lower": 0, "upper": tables - 1}}))
    numbered = np.array([[places[repr((side, table))] for table in each.tables] for side in sides for each in tried])
    return _Stored(engine().hold(stored_table(rows)), schema, Key("trial", tables, tables), numbered)


def _people(base: Sequence[Row], own: Sequence[Row], numbers: Iterator[int]) -> Iterator[tuple[Row, int]]:
    first = next(numbers)
    yield from zip(base, numbers, strict=False)
    yield from ((item, first) for item in own)


def _numbered(table: int, limit: int | None, side: bool | None) -> Iterator[int]:
    """Yield the identifiers of a table, that of the unit first: no two tables have one in common."""
    if limit is None:
        return iter(range(FEW_PEOPLE * table, FEW_PEOPLE * (table + 1)))
    block = range(PEOPLE * table, PEOPLE * (table + 1))
    held = (person for person in block if number_of(str(person)) < limit)
    others = (person for person in block if number_of(str(person)) >= limit)
    first, second = (held, others) if side else (others, held)
    return (next(first if place % 2 == 0 else second) for place in range(PEOPLE))


def _table_by_table(query: Query, key: Key) -> Query:
    if isinstance(query, TallyQuery):
        return replace(query, keys=(key, *query.keys))
    return DiscoveryQuery((key, *query.columns))


def _split(found: Mapping[str, int], tables: int) -> list[dict[str, int]]:
    """Return discovered cells table by table."""
    result: list[dict[str, int]] = [{} for _ in range(tables)]
    for name, number in found.items():
        table, *cell = json.loads(name)
        result[table][json.dumps(cell)] = number
    return result


def _together(statistic: TallyStatistic, given: Sequence[Any]) -> Any:
    if isinstance(given[0], Mapping):
        if not all(isinstance(number, int) for found in given for number in found.values()):
            raise InternalError(f"{statistic.kind}: a discovered cell holds something else than a whole number")
        return given
    if len({np.shape(part) for part in given}) > 1:
        raise InternalError(f"{statistic.kind}: the shape of what is measured depends on the rows")
    array = np.array(given)
    if array.dtype.kind not in "iO":
        raise InternalError(f"{statistic.kind}: what is measured is not whole numbers but {array.dtype}")
    array = array.reshape(len(given), 1) if array.ndim == 1 else array
    return array.astype(object) if (array > SMALL).any() or (array < -SMALL).any() else array


MIXED = 200


@dataclass(frozen=True)
class NeighbourPair:
    """A table without one unit, and two sets of rows that it may have: two pairs that add it, and one that moves it."""

    base: tuple[Row, ...]
    """One row of each other unit."""
    before: tuple[Row, ...]
    after: tuple[Row, ...]

    @property
    def tables(self) -> tuple[tuple[tuple[Row, ...], tuple[Row, ...]], ...]:
        """The other units' rows and its own: without it, before, after."""
        return (self.base, ()), (self.base, self.before), (self.base, self.after)


def trials(most: int) -> tuple[NeighbourPair, ...]:
    """Return all trials of a unit of which at most so many rows are kept; the same in every run."""
    return (*_worst(most), *_apart(most), *_mixed(most))


def _worst(most: int) -> Iterator[NeighbourPair]:
    """Yield rows of the unit, all alike, at bounds or without values, moved to other corners, over leaning bases."""
    bases = [(), EXTREMES[:1] * 9, EXTREMES[1:2] * 9, EXTREMES[2:3] * 5 + EXTREMES[3:4] * 5]
    corners = EXTREMES + ABSENT
    for base, before, after in product(bases, corners, corners):
        yield NeighbourPair(base, (before,) * most, (after,) * most)


def _apart(most: int) -> Iterator[NeighbourPair]:
    """Yield rows that all fall into different cells, moved to as many other ones, or to that of no answer."""
    passing = [item for item in PALETTE if item["k"] in (0, 3) and item["unknown"] and item["day"] < date(2025, 1, 4)]
    rows = tuple({item["unknown"]: item for item in passing}.values())
    yield NeighbourPair((), rows[:most], rows[most : 2 * most])
    yield NeighbourPair((), rows[:most], (UNANSWERED,) * most)


def _mixed(most: int) -> Iterator[NeighbourPair]:
    """Yield any rows, 0 to two more than are kept."""
    numbers = _numbers(most)
    longest = most + 2 if most > 1 else 1
    for _ in range(MIXED):
        yield NeighbourPair(_some(numbers, 8), _some(numbers, longest), _some(numbers, longest))


def _some(numbers: Iterator[int], longest: int) -> tuple[Row, ...]:
    return tuple(PALETTE[next(numbers) % len(PALETTE)] for _ in range(next(numbers) % (longest + 1)))


def _numbers(trial: int) -> Iterator[int]:
    """Yield whole numbers without a pattern, the same in every run. They choose rows; no noise is made of them."""
    for place in count():
        yield int.from_bytes(sha256(f"{trial} {place}".encode()).digest()[:8], "big")
