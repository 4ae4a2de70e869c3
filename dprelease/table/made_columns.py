"""Made columns as SQL: whole-number arithmetic on codes that are there already, in layers of expressions.

Written with `+`, `*`, `CASE`, `<` and division of what is not negative, which all engines do alike. What is used more
than once has a name of its own, so that no engine computes it twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from dprelease.model.made import expression
from dprelease.model.made.whole import (
    AddedValue,
    All,
    Code,
    ConditionalValue,
    ConstantValue,
    Filled,
    IntegerQuotient,
    KnownTest,
    Less,
    Product,
    Ranged,
    Test,
    WholeValue,
    every,
)
from dprelease.model.schema import Schema
from dprelease.table.dialect import Dialect

Layer = list[str]


def stored_inputs(schema: Schema, names: Iterable[str]) -> list[str]:
    """Return the stored columns that the made ones among some are made of."""
    made = [name for name in names if schema[name].made is not None]
    return [name for name in schema.with_inputs(made) if schema[name].made is None]


def stored_names(schema: Schema, names: Mapping[str, str]) -> dict[str, str]:
    """Return the names of codes and texts that are read from cells: of some columns, or of what those are made of."""
    stored = {name: alias for name, alias in names.items() if schema[name].made is None}
    inputs = [name for name in stored_inputs(schema, names) if name not in stored]
    return stored | {name: f"i{place}" for place, name in enumerate(inputs)}


def layers(
    schema: Schema,
    codes: Mapping[str, str],
    made: Mapping[str, str],
    dialect: Dialect,
    unbounded: Mapping[str, str] | None = None,
) -> list[Layer]:
    """Lists of expressions with names: each list is of the rows with all that stands in those before it.

    `codes`: the name of the code of each stored column; `made`: the name that each made one's code is to have;
    `unbounded`: of some of them a further name, of what the code would be without bounds.
    """
    found = _Layers(schema, codes, made, dialect)
    for name, alias in (unbounded or {}).items():
        found.add(expression(schema[name], schema.columns, bounded=False), alias)
    return found.layers


def in_steps(found: Iterable[Layer], source: str, dialect: Dialect) -> tuple[list[str], str]:
    """Common table expressions that add one list after the other to the rows of a source; the name of the last."""
    steps = []
    for place, layer in enumerate(found):
        steps.append(f"made{place} AS (SELECT *, {', '.join(layer)} FROM {source}{dialect.fence})")
        source = f"made{place}"
    return steps, source


class _Layers:
    def __init__(self, schema: Schema, codes: Mapping[str, str], made: Mapping[str, str], dialect: Dialect) -> None:
        self.codes, self.dialect = {**codes}, dialect
        self.layers: list[Layer] = []
        self.after = dict.fromkeys(codes, 0)
        """Number of layers after which each column's code is available."""
        self.count = 0
        for column in (column for layer in schema.layers(made) for column in layer):
            alias = made.get(column.name) or self._name()
            self.after[column.name] = self.add(expression(column, schema.columns), alias)
            self.codes[column.name] = alias

    def _name(self) -> str:
        self.count += 1
        return f"w{self.count}"

    def add(self, root: WholeValue, alias: str) -> int:
        """Give an expression a name; return the number of layers after which it is available."""
        parts = every(root)
        uses = Counter(id(part) for each in parts for part in each.parts)
        written, after = dict[int, str](), dict[int, int]()
        for each in parts:
            own = [after[id(part)] for part in each.parts]
            own += [self.after[name] for name in _columns(each)]
            sql, last = self._sql(each, written), max(own, default=0)
            if each is root or (
                uses[id(each)] > 1
                and isinstance(each, AddedValue | Product | IntegerQuotient | ConditionalValue | Filled)
            ):
                name = alias if each is root else self._name()
                self.layers += [[] for _ in range(last + 1 - len(self.layers))]
                self.layers[last].append(f"{sql} AS {name}")
                sql, last = name, last + 1
            written[id(each)], after[id(each)] = sql, last
        return after[id(root)]

    def _sql(self, each: WholeValue | Test, written: Mapping[int, str]) -> str:
        parts = [written[id(part)] for part in each.parts]
        match each:
            case ConstantValue():
                return str(each.low) if each.low >= 0 else f"({each.low})"
            case Code(column=column):
                return self.codes[column]
            case Ranged():
                return parts[0]
            case AddedValue():
                return f"({parts[0]} + {parts[1]})"
            case Product():
                return f"({parts[0]} * {parts[1]})"
            case IntegerQuotient():
                return self.dialect.divided(parts[0], parts[1])
            case Filled(otherwise=otherwise):
                return f"COALESCE({parts[0]}, {otherwise})"
            case ConditionalValue(branches=branches, otherwise=otherwise):
                cases = " ".join(
                    f"WHEN {written[id(test)]} THEN {'NULL' if number is None else written[id(number)]}"
                    for test, number in branches
                )
                last = "" if otherwise is None else f" ELSE {written[id(otherwise)]}"
                sql = f"CASE {cases}{last} END" if cases else written[id(otherwise)]
                values = [number for _, number in branches if number is not None]
                whole = [*values, *([] if otherwise is None else [otherwise])]
                return f"CAST({sql} AS BIGINT)" if all(isinstance(value, ConstantValue) for value in whole) else sql
            case Less():
                return f"{parts[0]} < {parts[1]}"
            case All():
                return f"({' AND '.join(parts)})"
            case KnownTest(columns=columns):
                return " AND ".join(f"{self.codes[name]} IS NOT NULL" for name in columns)
        raise AssertionError(type(each).__name__)


def _columns(each: WholeValue | Test) -> tuple[str, ...]:
    if isinstance(each, Code):
        return (each.column,)
    return each.columns if isinstance(each, KnownTest) else ()
