"""The one SQL query that answers all tallies of a plan: code the rows once, then one GROUP BY per key set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dprelease.model.condition import Condition
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import Key, Measure, TallyQuery
from dprelease.table.dialect import HALF, Dialect

ROUND_KEYS = (1597334677, 747796405, 1103515245, 2024237689, 1274126177, 374761393)
"""Of the rounds that order a unit's rows. Public constants: the guarantee holds for every rule of choice."""
FOLD = ((1540483477, 668265263), (1181783497, 829614371))


@dataclass(frozen=True)
class KeySet:
    """The queries that share their keys, answered by one GROUP BY."""

    keys: tuple[Key, ...]
    measures: tuple[Measure, ...]


def key_sets(queries: Sequence[TallyQuery]) -> list[KeySet]:
    """The distinct key sets of some queries, each with its distinct measures, in order of first use."""
    found: dict[tuple[Key, ...], dict[Measure, None]] = {}
    for query in queries:
        found.setdefault(query.keys, {})[query.measure] = None
    return [KeySet(keys, tuple(measures)) for keys, measures in found.items()]


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


def tally_sql(sets: Sequence[KeySet], rows: Rows, dialect: Dialect) -> str:
    """Rows (g, cell, m0, m1, ...): measure values of each non-empty cell of key set g; NULL cells are dropped rows."""
    return _Builder(sets, rows, dialect).sql()


class _Builder:
    def __init__(self, sets: Sequence[KeySet], rows: Rows, dialect: Dialect) -> None:
        self.sets, self.rows, self.dialect = sets, rows, dialect
        self.width = max(len(key_set.measures) for key_set in sets)
        used = [condition.column for condition in rows.where]
        for key_set in sets:
            used += [key.column for key in key_set.keys]
            used += [name for measure in key_set.measures for name in (*measure.factors, *measure.present)]
        self.codes = {name: f"c{index}" for index, name in enumerate(dict.fromkeys(used))}

    def sql(self) -> str:
        steps = [
            f"coded AS (SELECT {self._coded()} FROM {self.rows.source})",
            f"kept AS (SELECT * FROM coded{self._where()})",
        ]
        last = "kept"
        if self.rows.unit.column is not None:
            steps += self._cut()
            last = "cut"
        groups = " UNION ALL ".join(self._group(index, key_set, last) for index, key_set in enumerate(self.sets))
        return f"WITH {', '.join(steps)} {groups}"

    def _coded(self) -> str:
        schema, storage = self.rows.schema, self.rows.storage
        parts = [f"{self.dialect.code(schema[name], storage[name])} AS {alias}" for name, alias in self.codes.items()]
        if self.rows.unit.column is not None:
            column = self.rows.unit.column
            parts.append(f"{self.dialect.identifier(self.dialect.name(column), storage[column])} AS u")
        return ", ".join(parts) or "1 AS one"

    def _where(self) -> str:
        tests = ["u IS NOT NULL"] if self.rows.unit.column is not None else []
        for condition in self.rows.where:
            code = self.codes[condition.column]
            for key, values in condition.codes(self.rows.schema):
                sign = {"at_least": f">= {values[0]}", "at_most": f"<= {values[0]}"}
                tests.append(f"{code} {sign[key]}" if key in sign else f"{code} IN ({', '.join(map(str, values))})")
        return f" WHERE {' AND '.join(tests)}" if tests else ""

    def _cut(self) -> list[str]:
        """Keeps max_rows rows of each unit, in the order of a mix of identifier and codes, then the codes.

        The mix is six additive Feistel rounds on 31-bit halves with F(r) = ((r² + k) >> 17) mod 2^31: whole-number
        arithmetic below 2^63 that every engine does alike. (Three rounds order the rows of all units alike where
        identifiers are consecutive numbers.) Rows with equal codes are interchangeable.
        """
        values = [f"COALESCE({alias} + 1, 0)" for alias in self.codes.values()]
        number = self.dialect.identifier_number("u", self.rows.storage[str(self.rows.unit.column)])
        halves = []
        for half, multiplier in zip((f"(n & {HALF})", f"((n >> 31) & {HALF})"), FOLD, strict=True):
            terms = [half] + [
                f"(({value} * {(multiplier[0] + 2 * index * multiplier[1]) & HALF}) & {HALF})"
                for index, value in enumerate(values)
            ]
            halves.append(f"(({' + '.join(terms)}) & {HALF})")
        names = ", ".join(["u", *self.codes.values()])
        steps = [
            f"numbered AS (SELECT {names}, {number} AS n FROM kept)",
            f"mix0 AS (SELECT {names}, {halves[0]} AS l, {halves[1]} AS r FROM numbered)",
        ]
        for index, key in enumerate(ROUND_KEYS):
            mixed = f"((l + (((r * r + {key}) >> 17) & {HALF})) & {HALF})"
            steps.append(f"mix{index + 1} AS (SELECT {names}, r AS l, {mixed} AS r FROM mix{index})")
        order = ", ".join(["l", "r", *self.codes.values()])
        ranked = (
            f"SELECT {names}, ROW_NUMBER() OVER (PARTITION BY u ORDER BY {order}) AS place FROM mix{len(ROUND_KEYS)}"
        )
        return [
            *steps,
            f"cut AS (SELECT * FROM ({ranked}) AS ranked WHERE place <= {self.rows.unit.max_rows})",
        ]

    def _group(self, index: int, key_set: KeySet, source: str) -> str:
        measures = [self._measure(measure) for measure in key_set.measures]
        names = [f"m{place}" for place in range(self.width)]
        padded = [name if place < len(measures) else f"CAST(0 AS BIGINT) AS {name}" for place, name in enumerate(names)]
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
        return (
            f"SELECT {index} AS g, {cell} AS cell, {', '.join(padded)} "
            f"FROM (SELECT {keys}, {sums} FROM {source} GROUP BY {groups}) AS t{index} WHERE {present}"
        )

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
        present = [self.codes[name] for name in measure.present if name not in measure.factors]
        product = " * ".join(self.codes[name] for name in measure.factors)
        if not present:
            return self.dialect.exact_sum(product) if product else "COUNT(*)"
        if not product:
            if len(present) == 1:
                return f"COUNT({present[0]})"
            product = "1"
        condition = " AND ".join(f"{code} IS NOT NULL" for code in present)
        return self.dialect.exact_sum(f"CASE WHEN {condition} THEN {product} END")
