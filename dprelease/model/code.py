"""Columns and conditions as code names them: what a plan file has as text, each checked where it is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from dprelease.errors import SchemaError
from dprelease.model.column import Column, ColumnType
from dprelease.model.report import nearest
from dprelease.model.schema import Schema
from dprelease.words import phrase, quoted, verbatim

Quantity = int | float | str | Decimal
"""A number; a text or a decimal where its digits matter. A float is taken by its shortest decimal text."""
V = TypeVar("V")


class Where:
    """Conditions that rows must all meet: `(Visits.age >= 18) & Visits.region.isin("north")`."""

    def __init__(self, *tests: tuple[ColumnReference, Mapping[str, Any]]) -> None:
        self.tests = tests

    def __and__(self, other: Where) -> Where:
        tests = getattr(other, "tests", None)
        return NotImplemented if tests is None else Where(*self.tests, *tests)

    def to_list(self) -> list[dict[str, Any]]:
        """Return the conditions as under `where` in a plan file."""
        return [{"column": column.name, **written(tests)} for column, tests in self.tests]

    if not TYPE_CHECKING:

        def __bool__(self) -> bool:
            raise TypeError(phrase("model.code_condition"))

        def __or__(self, other: object) -> Where:
            raise TypeError(phrase("model.code_condition"))

        __ror__ = __or__

        def __invert__(self) -> Where:
            raise TypeError(phrase("model.code_condition"))

    def __repr__(self) -> str:
        return f"<where {self.to_list()}>"


class ColumnReference:
    """A column by its name, with its declaration where code has one."""

    def __init__(self, declared: Mapping[str, Any] | None = None, *, name: str = "") -> None:
        self.declared, self.name = declared, name
        self.column: Column | None = None
        """Column as a class of `Columns` declares it, checked."""

    def __set_name__(self, owner: type, name: str) -> None:
        if self.name:
            setattr(owner, name, type(self)(self.declared, name=name))
        self.name = self.name or name

    def level(self, name: str) -> AtLevel:
        """Return the column as a key told apart at one of its levels, or at a period of the calendar."""
        return AtLevel(self, name)

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lower()} column {self.name!r}>"


@dataclass(frozen=True)
class AtLevel:
    """A key column at one of its levels."""

    column: ColumnReference
    level: str


class _Valued(ColumnReference, Generic[V]):
    def is_(self, value: V) -> Where:
        """Return the condition that the value is this one."""
        return Where((self, {"equals": value}))

    def isin(self, *values: V) -> Where:
        """Return the condition that the value is one of these."""
        return Where((self, {"in": values}))


class _Ordered(_Valued[V]):
    def __ge__(self, least: V) -> Where:
        return Where((self, {"at_least": least}))

    def __le__(self, most: V) -> Where:
        return Where((self, {"at_most": most}))

    def between(self, least: V, most: V) -> Where:
        """Return the condition that the value is from `least` to `most`, both included."""
        return Where((self, {"at_least": least, "at_most": most}))

    if not TYPE_CHECKING:

        def __gt__(self, other: object) -> Where:
            raise TypeError(phrase("model.code_comparison"))

        __lt__ = __gt__


class Integer(_Ordered[int]):
    """A column of whole numbers between bounds."""


class Number(_Ordered[Quantity]):
    """A column of numbers between bounds."""


class Date(_Ordered[date | str]):
    """A column of days between bounds."""


class Category(_Valued[str]):
    """A column of declared texts."""


class Boolean(_Valued[bool]):
    """A column of true and false."""


class Text(ColumnReference):
    """A column of identifiers."""


class AnyColumn(_Ordered[Any]):
    """A column by its name alone: type checkers accept it everywhere, and it is checked when the plan is."""


REFERENCES: Mapping[ColumnType, type[ColumnReference]] = {
    ColumnType(each.__name__.lower()): each for each in (Integer, Number, Category, Boolean, Date, Text)
}


def col(name: str) -> AnyColumn:
    """Return a column by its name, unchecked by type checkers.

    Example: `dp.count(by=dp.col("ward"))`.
    """
    return AnyColumn(name=name)


def made(function: Mapping[str, Any], **declared: Any) -> AnyColumn:
    """Return a column made of others, row by row, as the key `made` of a plan file has it.

    Example: `dp.made({"holds": [{"column": "age", "at_least": 18}]})`.
    """
    return AnyColumn({"made": function, **declared})


class ColumnSet:
    """Columns by name, where a name is no word of Python's or a workspace knows them."""

    def __init__(self, columns: Mapping[str, ColumnReference]) -> None:
        self._columns = dict(columns)

    @property
    def schema(self) -> Schema:
        """The declared columns."""
        return _declared(self._columns)

    def __getitem__(self, name: str) -> AnyColumn:
        if name not in self._columns:
            raise KeyError(str(_unknown(name, self._columns)))
        return self._columns[name]  # type: ignore[return-value]

    def __getattr__(self, name: str) -> AnyColumn:
        if name.startswith("_") or name not in self._columns:
            raise AttributeError(str(_unknown(name, self.__dict__.get("_columns", ()))))
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __dir__(self) -> list[str]:
        return [name for name in self._columns if name.isidentifier()]

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._columns)


class _ColumnsType(type):
    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> ColumnReference:
            raise AttributeError(str(_unknown(name, cls.__dict__.get("_columns", ()))))

    def __dir__(cls) -> list[str]:
        return [*cls.__dict__.get("_columns", ()), "of"]


class Columns(metaclass=_ColumnsType):
    """The columns of a table, declared once, as the attributes of a class.

    Example:
    ```
    class Visits(dp.Columns):
        person_id = dp.text()
        age = dp.integer(0, 100, unit="years")
    ```
    """

    _columns: ClassVar[Mapping[str, ColumnReference]] = {}

    def __init_subclass__(cls) -> None:
        own = {name: value for name, value in vars(cls).items() if isinstance(value, ColumnReference)}
        inherited = {name: each for base in cls.__bases__ for name, each in getattr(base, "_columns", {}).items()}
        for name in own:
            if name in inherited:
                found = phrase("model.code_redefined", name=quoted(name))
                raise SchemaError(f"columns.{name}", found=found, allowed=phrase("model.each_once"))
        cls._columns = inherited | own
        _declared(own)

    @classmethod
    def of(cls, columns: Mapping[str, ColumnReference]) -> ColumnSet:
        """Return columns of any name: `dp.Columns.of({"1st": dp.integer(0, 9)})["1st"]`."""
        named = {name: type(each)(each.declared, name=name) for name, each in columns.items()}
        _declared(named)
        return ColumnSet(named)


AnyColumns = type[Columns] | ColumnSet


def schema_of(columns: AnyColumns) -> Schema:
    """Return the declared columns of a class, or of a set."""
    return columns.schema if isinstance(columns, ColumnSet) else _declared(columns._columns)


def said_of(columns: Mapping[str, Any] | AnyColumns) -> Mapping[str, Any]:
    """Return declarations as a plan file has them, of a class or a set too."""
    return columns if isinstance(columns, Mapping) else schema_of(columns).said()


def references(schema: Schema) -> ColumnSet:
    """Return the columns of a registered table, for code that asks for statistics of them."""
    return ColumnSet({each.name: REFERENCES[each.type](each.to_mapping(), name=each.name) for each in schema})


def _declared(columns: Mapping[str, ColumnReference]) -> Schema:
    """Return the schema of columns, and have each know its own. Raises SchemaError with every problem."""
    said = {name: written(each.declared) for name, each in columns.items() if each.declared is not None}
    schema = Schema.parse(said) if said else Schema({})
    for name, each in columns.items():
        each.column = schema.get(name)
    return schema


def _unknown(name: str, names: Any) -> str:
    known = list(names)
    near = nearest(name, known) or verbatim(", ".join(known[:10]))
    return f"{phrase('model.code_no_column', name=quoted(name))} {near}"


def written(value: Any) -> Any:
    """Return a value of code as a plan file has it."""
    if isinstance(value, ColumnReference):
        return value.name
    if isinstance(value, Where):
        return value.to_list()
    if isinstance(value, Mapping):
        return {written(key): written(item) for key, item in value.items()}
    if isinstance(value, Sequence | set | frozenset) and not isinstance(value, str | bytes):
        items = [written(item) for item in value]
        is_joined = any(isinstance(item, Where) for item in value)
        return [each for item in items for each in item] if is_joined else items
    if isinstance(value, date):
        return value.isoformat()
    if hasattr(value, "to_mapping"):
        return value.to_mapping()
    return value.item() if type(value).__module__ == "numpy" and hasattr(value, "item") else value


def used(value: Any) -> tuple[Column, ...]:
    """Return the columns within a value of code that a class declares."""
    if isinstance(value, ColumnReference):
        return () if value.column is None else (value.column,)
    if isinstance(value, AtLevel):
        return used(value.column)
    if isinstance(value, Where):
        return tuple(each for column, *_ in value.tests for each in used(column))
    if isinstance(value, Mapping):
        return tuple(each for pair in value.items() for item in pair for each in used(item))
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return tuple(each for item in value for each in used(item))
    return ()
