"""The one SQL query that answers all tallies of a plan: code the rows once, then one GROUP BY per key set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dprelease.model.condition import Condition
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import DiscoveryQuery, Key, Measure, TallyQuery
from dprelease.table.dialect import HALF, Dialect

ROUND_KEYS = (1597334677, 747796405, 1103515245, 2024237689, 1274126177, 374761393)
"""Of the rounds that order a unit's rows. Public constants: the guarantee holds for every rule of choice."""
FOLD = ((1540483477, 668265263, 2135587861), (1181783497, 829614371, 1779033703))
"""Two multipliers and a start for each half: from small numbers alone, the rounds would not get to large ones."""


@dataclass(frozen=True)
class KeySet:
    """The queries that share their keys, answered by one GROUP BY."""

    keys: tuple[Key, ...]
    measures: tuple[Measure, ...]
    units: bool = False
    """Counts units, not rows."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that it looks at."""
        measured = (name for measure in self.measures for name in measure.columns)
        return (*(key.column for key in self.keys), *measured)


def key_sets(queries: Sequence[TallyQuery]) -> list[KeySet]:
    """The distinct key sets of some queries, each with its distinct measures, in order of first use."""
    found: dict[tuple[tuple[Key, ...], bool], dict[Measure, None]] = {}
    for query in queries:
        found.setdefault((query.keys, query.units), {})[query.measure] = None
    return [KeySet(keys, tuple(measures), units) for (keys, units), measures in found.items()]


@dataclass(frozen=True)
class Rows:
    """Where the rows come from and which of them stay."""

    source: str
    """A table name or table function, as SQL."""
    storage: Mapping[str, str]
    """The engine's type of each stored column."""
    schema: Schema
    where: tuple[Condition, ...]
    unit: PrivacyUnit


def tally_sql(sets: Sequence[KeySet], rows: Rows, dialect: Dialect, columns: Sequence[str] = ()) -> str:
    """Rows (g, cell, m0, m1, ...): measure values of each non-empty cell of key set g; NULL cells are dropped rows.

    Where a measure has factors, h0, h1, ... are the parts of the values above WORD: the value is m + WORD·h.

    `columns`: what the whole plan looks at, so that every query of it keeps the same rows of a unit.
    """
    used = (*columns, *(name for key_set in sets for name in key_set.columns))
    return _Builder(rows, dialect, used).tallies(sets)


def discovery_sql(query: DiscoveryQuery, rows: Rows, dialect: Dialect, columns: Sequence[str] = ()) -> str:
    """Rows (p0, p1, ..., count): the texts and cells of each cell that has rows. `columns` as above."""
    return _Builder(rows, dialect, columns).discovery(query)


class _Builder:
    def __init__(self, rows: Rows, dialect: Dialect, columns: Sequence[str]) -> None:
        self.rows, self.dialect = rows, dialect
        used = dict.fromkeys((*(condition.column for condition in rows.where), *columns))
        self.codes = {name: f"c{index}" for index, name in enumerate(used) if not rows.schema[name].discover}
        self.texts = {name: f"d{index}" for index, name in enumerate(used) if rows.schema[name].discover}
        self.last = "kept" if rows.unit.column is None else "cut"

    def tallies(self, sets: Sequence[KeySet]) -> str:
        width = max(len(key_set.measures) for key_set in sets)
        wide = any(measure.factors for key_set in sets for measure in key_set.measures)
        groups = " UNION ALL ".join(self._group(index, key_set, width, wide) for index, key_set in enumerate(sets))
        return f"WITH {self._rows()} {groups}"

    def discovery(self, query: DiscoveryQuery) -> str:
        parts = [self.texts[item] if isinstance(item, str) else self._key(item) for item in query.columns]
        names = [f"p{place}" for place in range(len(parts))]
        listed = ", ".join(names)
        given = ", ".join(f"{part} AS {name}" for part, name in zip(parts, names, strict=True))
        present = " AND ".join(f"{name} IS NOT NULL" for name in names)
        unit = self.rows.unit
        own = "" if unit.column is None else "u, n, "
        source = f"SELECT {own}{listed}, COUNT(*) AS counted FROM (SELECT {own}{given} FROM {self.last}) AS parts"
        source += f" WHERE {present} GROUP BY {own}{listed}"
        if unit.groups < unit.max_rows:
            numbers = [
                self.dialect.text_number(name) if isinstance(item, str) else name
                for name, item in zip(names, query.columns, strict=True)
            ]
            source = self._few_groups(source, names, numbers, "counted")
        total = f"CAST({self.dialect.exact_sum('counted')} AS BIGINT)"
        return f"WITH {self._rows()} SELECT {listed}, {total} FROM ({source}) AS counts GROUP BY {listed}"

    def _few_groups(self, groups: str, names: Sequence[str], numbers: Sequence[str], *others: str) -> str:
        """Of each unit's groups (distinct rows of u, n and names) as many as may count, in the order of a mix."""
        kept = ", ".join(["u", "n", *names, *others])
        halves = self._halves("n", numbers)
        steps = f"SELECT {kept}, {halves[0]} AS l, {halves[1]} AS r FROM ({groups}) AS own"
        for key in ROUND_KEYS:
            steps = f"SELECT {kept}, r AS l, {_round(key)} AS r FROM ({steps}) AS mixed"
        order = ", ".join(["l", "r", *names])
        ranked = f"SELECT {kept}, ROW_NUMBER() OVER (PARTITION BY u ORDER BY {order}) AS place FROM ({steps}) AS mixed"
        return f"SELECT {kept} FROM ({ranked}) AS ranked WHERE place <= {self.rows.unit.groups}"

    def _rows(self) -> str:
        """The common table expressions up to the rows that count."""
        steps = [
            f"coded AS (SELECT {self._coded()} FROM {self.rows.source})",
            f"kept AS (SELECT * FROM coded{self._where()})",
        ]
        if self.rows.unit.column is not None:
            steps += self._cut()
        return ", ".join(steps)

    def _coded(self) -> str:
        schema, storage = self.rows.schema, self.rows.storage
        parts = [f"{self.dialect.code(schema[name], storage[name])} AS {alias}" for name, alias in self.codes.items()]
        parts += [
            f"{self.dialect.discovered(schema[name], storage[name])} AS {alias}" for name, alias in self.texts.items()
        ]
        if self.rows.unit.column is not None:
            column = self.rows.unit.column
            parts.append(f"{self.dialect.identifier(self.dialect.name(column), storage[column])} AS u")
        return ", ".join(parts) or "1 AS one"

    def _where(self) -> str:
        tests = ["u IS NOT NULL"] if self.rows.unit.column is not None else []
        tests += self._tests(self.rows.where)
        return f" WHERE {' AND '.join(tests)}" if tests else ""

    def _tests(self, conditions: Sequence[Condition]) -> list[str]:
        tests = []
        for condition in conditions:
            code = self.codes[condition.column]
            for key, values in condition.codes(self.rows.schema):
                sign = {"at_least": f">= {values[0]}", "at_most": f"<= {values[0]}"}
                tests.append(f"{code} {sign[key]}" if key in sign else f"{code} IN ({', '.join(map(str, values))})")
        return tests

    def _cut(self) -> list[str]:
        """Keeps max_rows rows of each unit, in the order of a mix of identifier and codes, then the codes.

        The mix is six additive Feistel rounds on 31-bit halves with F(r) = ((r² + k) >> 17) mod 2^31: whole-number
        arithmetic below 2^63 that every engine does alike. (Three rounds order the rows of all units alike where
        identifiers are consecutive numbers.) Rows with equal codes are interchangeable.
        """
        values = [f"COALESCE({alias} + 1, 0)" for alias in self.codes.values()]
        values += [f"COALESCE({self.dialect.text_number(alias)} + 1, 0)" for alias in self.texts.values()]
        number = self.dialect.identifier_number("u", self.rows.storage[str(self.rows.unit.column)])
        halves = self._halves("n", values)
        parts = [*self.codes.values(), *self.texts.values()]
        names = ", ".join(["u", "n", *parts])
        steps = [
            f"numbered AS (SELECT {', '.join(['u', *parts])}, {number} AS n FROM kept)",
            f"mix0 AS (SELECT {names}, {halves[0]} AS l, {halves[1]} AS r FROM numbered)",
        ]
        for index, key in enumerate(ROUND_KEYS):
            steps.append(f"mix{index + 1} AS (SELECT {names}, r AS l, {_round(key)} AS r FROM mix{index})")
        order = ", ".join(["l", "r", *parts])
        ranked = (
            f"SELECT {names}, ROW_NUMBER() OVER (PARTITION BY u ORDER BY {order}) AS place FROM mix{len(ROUND_KEYS)}"
        )
        return [
            *steps,
            f"cut AS (SELECT * FROM ({ranked}) AS ranked WHERE place <= {self.rows.unit.max_rows})",
        ]

    def _halves(self, number: str, values: Sequence[str]) -> list[str]:
        """Two 31-bit numbers made of a unit's number and of whole numbers from 0 below 2^62."""
        halves = []
        for half, multiplier in zip((f"({number} & {HALF})", f"(({number} >> 31) & {HALF})"), FOLD, strict=True):
            terms = [half, str(multiplier[2])] + [
                f"((({value}) & {HALF}) * {(multiplier[0] + 2 * index * multiplier[1]) & HALF} & {HALF})"
                for index, value in enumerate(values)
            ]
            halves.append(f"(({' + '.join(terms)}) & {HALF})")
        return halves

    def _group(self, index: int, key_set: KeySet, width: int, wide: bool) -> str:
        source = self.last
        by_unit = key_set.units and self.rows.unit.column is not None
        measures = ["COUNT(DISTINCT u)"] if by_unit else [self._measure(measure) for measure in key_set.measures]
        totals = [f"m{place}" if place < len(measures) else "CAST(0 AS BIGINT)" for place in range(width)]
        padded = [f"{self.dialect.low(total) if wide else total} AS m{place}" for place, total in enumerate(totals)]
        padded += [f"{self.dialect.high(total)} AS h{place}" for place, total in enumerate(totals) if wide]
        sums = ", ".join(f"{measure} AS m{place}" for place, measure in enumerate(measures))
        if not key_set.keys:
            whole = f"(SELECT {sums} FROM {source}) AS t{index}"
            return f"SELECT {index} AS g, CAST(0 AS BIGINT) AS cell, {', '.join(padded)} FROM {whole}"
        keys = ", ".join(f"{self._key(key)} AS k{place}" for place, key in enumerate(key_set.keys))
        names = [f"k{place}" for place in range(len(key_set.keys))]
        cell = f"CAST({names[0]} AS BIGINT)"
        for key, name in zip(key_set.keys[1:], names[1:], strict=True):
            cell = f"({cell} * {key.cells} + {name})"
        groups = ", ".join(str(place + 1) for place in range(len(names)))
        present = " AND ".join(f"{name} IS NOT NULL" for name in names)
        counted = f"SELECT {keys}, {sums} FROM {source} GROUP BY {groups}"
        if by_unit:
            listed = ", ".join(names)
            own = f"SELECT DISTINCT u, n, {keys} FROM {source}"
            if self.rows.unit.groups < self.rows.unit.max_rows:
                own = self._few_groups(f"SELECT * FROM ({own}) AS each WHERE {present}", names, names)
            counted = f"SELECT {listed}, COUNT(*) AS m0 FROM ({own}) AS groups{index} GROUP BY {listed}"
        return f"SELECT {index} AS g, {cell} AS cell, {', '.join(padded)} FROM ({counted}) AS t{index} WHERE {present}"

    def _key(self, key: Key) -> str:
        code = self.codes[key.column]
        if key.edges:
            tests = "".join(f"WHEN {code} < {edge} THEN {cell} " for cell, edge in enumerate(key.edges[1:-1]))
            return f"CASE WHEN {code} IS NULL THEN NULL {tests}ELSE {key.cells - 1} END"
        codes = self.rows.schema[key.column].codes
        if key.cells == codes:
            return code
        cell = self.dialect.divided(f"{code} * {key.cells}", key.span)
        if key.span == codes:
            return cell
        return f"CASE WHEN {code} >= {key.first_code(key.cells - 1)} THEN {key.cells - 1} ELSE {cell} END"

    def _measure(self, measure: Measure) -> str:
        tests = [f"{self.codes[name]} IS NOT NULL" for name in measure.present if name not in measure.factors]
        product = " * ".join(self.codes[name] for name in measure.factors)
        if not tests and not measure.where:
            return self.dialect.exact_sum(product) if product else "COUNT(*)"
        if not product and len(tests) == 1 and not measure.where:
            return f"COUNT({self.codes[measure.present[0]]})"
        condition = " AND ".join([*tests, *self._tests(measure.where)])
        if not product:
            return f"COUNT(CASE WHEN {condition} THEN 1 END)"
        return self.dialect.exact_sum(f"CASE WHEN {condition} THEN {product} END")


def _round(key: int) -> str:
    """The new right half of a Feistel round."""
    return f"((l + (((r * r + {key}) >> 17) & {HALF})) & {HALF})"
