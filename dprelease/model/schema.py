"""Public metadata of a table: declared by the curator, never read off the rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import Any

from dprelease.errors import SchemaError
from dprelease.model.column import COLUMN_KEYS, COLUMN_OPTIONS, Column, ColumnType
from dprelease.model.encoding import plain
from dprelease.model.made import KEY, MADE, MAX_DEPTH, MAX_MADE, Function, check_made, declared, read_made
from dprelease.model.report import Report, as_decimal, join, nearest
from dprelease.model.texts import Texts
from dprelease.words import phrase, quoted, verbatim

MAX_COLUMNS = 10_000


@dataclass(frozen=True, slots=True)
class Schema:
    """The declared columns of a table, in order.

    Example: `dp.Schema.parse({"age": {"type": "integer", "lower": 0, "upper": 100}})`.
    """

    columns: Mapping[str, Column]
    texts: Texts = field(default_factory=Texts, compare=False)
    """Texts for readers about the columns: they decide no number."""
    waiting: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Declarations of columns made of others that are declared elsewhere, as in a plan file."""

    @classmethod
    def parse(cls, value: object, *, path: str = "columns") -> Schema:
        """Read `{name: {type: ..., lower: ..., ...}}`. Raises SchemaError with every problem."""
        report = Report()
        schema = cls.read(value, path, report)
        report.raise_any(SchemaError)
        return schema

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> Schema:
        """Read the same, adding problems to a report; columns with problems are left out."""
        if not isinstance(value, Mapping) or not 1 <= len(value) <= MAX_COLUMNS:
            report.add(
                path,
                found=value if not isinstance(value, Mapping) else phrase("model.columns", count=len(value)),
                allowed=phrase("model.mapping_1_column_names", max_columns=MAX_COLUMNS),
            )
            return cls({})
        columns, made = dict[str, Column | None](), dict[str, Mapping[str, Any]]()
        for name, given in value.items():
            is_made = isinstance(given, Mapping) and given.get(KEY) is not None
            columns[str(name)] = None if is_made else Column.read(str(name), given, join(path, str(name)), report)
            made |= {str(name): given} if is_made else {}
        return _Making(columns, made, path, report).schema()

    def called(self, texts: Texts) -> Schema:
        """Return the same columns, by what readers call them."""
        return replace(self, texts=texts)

    def label(self, name: str, language: str) -> str:
        """Return the label of a column in a language: its name where it has no label."""
        own = self.texts.columns.get(name)
        return (self.texts.said(own.label, language)[0] if own else "") or name

    def unit(self, name: str, language: str) -> str:
        """Return the unit of measure of a column in a language; empty where it has none."""
        own, declared = self.texts.columns.get(name), self.columns.get(name)
        said = self.texts.said(own.unit, language)[0] if own else ""
        return said or ("" if declared is None else declared.unit)

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    def get(self, name: str | None) -> Column | None:
        """Return the column of a name; None where no such column is declared."""
        return self.columns.get(name) if name is not None else None

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns.values())

    def updated(self, other: Schema) -> Schema:
        """Return this schema with the other's columns replacing or joining it, read like its own where they do not say.

        What is made of columns that are replaced is declared anew by them.
        """
        columns: dict[str, Column | None] = dict(self.columns)
        made = {column.name: self._said(column) for column in self if column.made is not None} | dict(self.waiting)
        made = {name: said for name, said in made.items() if name not in other} | dict(other.waiting)
        for column in other:
            columns[column.name] = column.read_like(self.get(column.name))
        made |= {column.name: column.to_mapping() for column in other if column.made is not None}
        return (
            _Making({**columns, **dict.fromkeys(made)}, made, "columns", Report()).schema(keep=True)
            if made
            else Schema({name: column for name, column in columns.items() if column is not None})
        )

    def check_made(self, names: Iterable[str], report: Report) -> None:
        """Add why some of the columns cannot be made here: what lacks, or does not fit."""
        columns: dict[str, Column | None] = dict(self.columns)
        for name in names:
            if name in self.waiting:
                _Making({**columns, **dict.fromkeys(self.waiting)}, self.waiting, "columns", report).required(name)

    def with_inputs(self, names: Iterable[str]) -> list[str]:
        """Return the names of some columns, and of those that they are made of, each once."""
        found = dict.fromkeys(names)
        for name in list(found):
            made = self.columns[name].made if name in self.columns else None
            found |= dict.fromkeys(self.with_inputs(made.inputs)) if made is not None else {}
        return list(found)

    def layers(self, names: Iterable[str]) -> list[list[Column]]:
        """Return made columns among some and their inputs, in layers: first those that are made of stored ones."""
        found: dict[str, int] = {}

        def depth(name: str) -> int:
            made = self.columns[name].made
            if made is not None and name not in found:
                found[name] = 1 + max(map(depth, made.inputs))
            return found.get(name, 0)

        for name in names:
            depth(name)
        return [[self.columns[name] for name in found if found[name] == at] for at in sorted({*found.values()})]

    def _said(self, column: Column) -> dict[str, Any]:
        """Return the declaration of a made column without what follows from its inputs."""
        assert column.made is not None
        given = column.to_mapping()
        step = column.resolution if column.made.ROUNDS else None
        follows = declared(column.name, column.made, self.columns, step, "", Report()) or {}
        kept = ("type", *(["resolution"] if column.made.ROUNDS else []))
        former = {key: value for key, value in follows.items() if key not in kept}
        return {
            key: value
            for key, value in given.items()
            if key not in former
            or getattr(column, key) != (tuple(former[key]) if isinstance(former[key], list) else former[key])
        }

    def said(self) -> dict[str, Any]:
        """Return declarations as in a plan file, without what follows for made columns: so that it follows anew."""
        own = {column.name: self._said(column) for column in self if column.made is not None}
        return self.to_mapping() | own

    def to_mapping(self) -> dict[str, Any]:
        return {column.name: column.to_mapping() for column in self} | {
            name: dict(each) for name, each in self.waiting.items()
        }


class _Making:
    """Columns made of others, in whatever order they are declared."""

    def __init__(
        self, columns: dict[str, Column | None], made: Mapping[str, Mapping[str, Any]], path: str, report: Report
    ) -> None:
        self.columns, self.made, self.path, self.report = columns, made, path, report
        self.depths: dict[str, int] = {}
        self.functions = {name: self._function(name) for name in made}
        self.waiting: set[str] = set()
        self.open: list[str] = []

    def schema(self, *, keep: bool = False) -> Schema:
        """Return all columns that can be made; others wait for inputs. `keep`: so do those that do not fit."""
        if len(self.made) > MAX_MADE and not keep:
            self.report.add(self.path, found=len(self.made), allowed=phrase("model.made_most", most=MAX_MADE))
            return Schema({})
        for name in self.made:
            self._make(name)
        if keep:
            self.waiting |= {name for name in self.made if self.columns[name] is None}
        kept = {name: column for name, column in self.columns.items() if column is not None}
        return Schema(kept, waiting={name: self._plain(name) for name in self.made if name in self.waiting})

    def required(self, name: str) -> None:
        """Make a column, and add the inputs that it lacks as problems."""
        self._make(name)
        if name in self.waiting:
            for each in self._lacking(name):
                remedy = nearest(each, self.columns) or phrase("model.declare_under_columns", name=quoted(each))
                allowed = phrase("model.declared_column")
                self.report.add(join(self.path, f"{name}.{KEY}"), found=each, allowed=allowed, remedy=remedy)

    def _lacking(self, name: str) -> list[str]:
        function = self.functions[name]
        inputs = () if function is None else function.inputs
        further = [each for name in inputs if name in self.waiting for each in self._lacking(name)]
        return [*further, *(each for each in inputs if each not in self.columns)]

    def _function(self, name: str) -> Function | None:
        """Return the function that makes a column, where the rest of its declaration can be read."""
        path, before = join(self.path, name), len(self.report.problems)
        given = self.report.mapping(self.made[name], path, allowed=COLUMN_KEYS)
        kind = given.get("type")
        if kind == ColumnType.TEXT:
            COLUMN_OPTIONS[KEY].refuse(ColumnType.TEXT, KEY, join(path, KEY), self.report)
        elif kind is not None:
            self.report.choice(kind, join(path, "type"), [each.value for each in ColumnType])
        found = read_made(given[KEY], join(path, KEY), self.report)
        return found if len(self.report.problems) == before else None

    def _make(self, name: str) -> None:
        """Put the column in its place, when all that it is made of is there."""
        function, path = self.functions[name], join(self.path, name)
        if function is None or name in self.depths:
            return
        if name in self.open:
            cycle = " → ".join([*self.open[self.open.index(name) :], name])
            self.report.add(join(path, KEY), found=cycle, allowed=phrase("model.made_no_cycle"))
            return
        self.open.append(name)
        for each in function.inputs:
            if each in self.made:
                self._make(each)
        self.open.pop()
        if name in self.depths:
            return
        self.depths[name] = 1 + max((self.depths.get(each, 0) for each in function.inputs), default=0)
        if any(each not in self.columns or each in self.waiting for each in function.inputs):
            self.waiting.add(name)
        elif self.depths[name] > MAX_DEPTH:
            allowed = phrase("model.made_depth", most=MAX_DEPTH)
            self.report.add(join(path, KEY), found=self.depths[name], allowed=allowed)
        else:
            inputs = {each: column for each in function.inputs if (column := self.columns[each]) is not None}
            if len(inputs) == len(function.inputs):
                self.columns[name] = self._column(name, function, inputs)

    def _column(self, name: str, function: Function, inputs: Mapping[str, Column]) -> Column | None:
        path, before, given = join(self.path, name), len(self.report.problems), self.made[name]
        step = None if given.get("resolution") is None else as_decimal(given["resolution"])
        follows = declared(name, function, inputs, step, path, self.report)
        if follows is None:
            return None
        said = {key: value for key, value in given.items() if value is not None}
        for key in ("type", "categories", "other"):
            if key in said and said[key] != follows.get(key):
                allowed = phrase("model.made_follows", value=verbatim(str(follows.get(key))))
                self.report.add(join(path, key), found=said[key], allowed=allowed)
        column = Column.read(name, follows | said, path, self.report)
        if column is not None:
            check_made(column, inputs, path, self.report)
        return column if len(self.report.problems) == before else None

    def _plain(self, name: str) -> dict[str, Any]:
        """Return a declaration as in a plan file, whatever it was read from."""
        function = self.functions[name]
        assert function is not None
        return {str(key): _plainly(value) for key, value in self.made[name].items()} | {KEY: MADE.write(function)}


def _plainly(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plainly(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plainly(item) for item in value]
    return value.isoformat() if isinstance(value, date) else plain(value) if isinstance(value, Decimal) else value


def check_column(
    name: str, path: str, types: Collection[ColumnType], schema: Schema, report: Report, *, discover: bool = False
) -> Column | None:
    """Return the column if its type is allowed, or None with a problem. `discover`: also with undeclared categories."""
    if name not in schema:
        report.add(
            path,
            found=name,
            allowed=phrase("model.declared_column"),
            remedy=nearest(name, schema.columns) or phrase("model.declare_under_columns", name=quoted(name)),
        )
        return None
    column = schema[name]
    if column.type not in types:
        report.add(
            path,
            found=phrase("model.column", name=quoted(name), type=column.type),
            allowed=phrase("model.column_type", types=", ".join(sorted(type_.value for type_ in types))),
        )
        return None
    if column.discover and not discover:
        report.add(
            path,
            found=phrase("model.whose_categories_declared", name=quoted(name)),
            allowed=phrase("model.column_declared_values"),
            remedy=phrase("model.declare_categories_only_histogram"),
        )
        return None
    return column
