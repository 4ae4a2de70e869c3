"""Public metadata of a table: declared by the curator, never read off the rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dprelease.errors import SchemaError
from dprelease.model.column import Column, ColumnType
from dprelease.model.report import Report, join, nearest
from dprelease.model.texts import Texts
from dprelease.words import phrase, quoted

MAX_COLUMNS = 10_000


@dataclass(frozen=True, slots=True)
class Schema:
    """The declared columns of a table, in order."""

    columns: Mapping[str, Column]
    texts: Texts = field(default_factory=Texts, compare=False)
    """What readers call them: it decides no number."""

    @classmethod
    def parse(cls, value: object, *, path: str = "columns") -> Schema:
        """Reads `{name: {type: ..., lower: ..., ...}}`; raises SchemaError with every problem."""
        report = Report()
        schema = cls.read(value, path, report)
        report.raise_any(SchemaError)
        return schema

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> Schema:
        """Reads the same, adding problems to a report; columns with problems are left out."""
        if not isinstance(value, Mapping) or not 1 <= len(value) <= MAX_COLUMNS:
            report.add(
                path,
                found=value if not isinstance(value, Mapping) else phrase("model.columns", count=len(value)),
                allowed=phrase("model.mapping_1_column_names", max_columns=MAX_COLUMNS),
            )
            return cls({})
        columns = {}
        for name, declared in value.items():
            column = Column.read(str(name), declared, join(path, str(name)), report)
            if column is not None:
                columns[column.name] = column
        return cls(columns)

    def called(self, texts: Texts) -> Schema:
        """The same columns, by what readers call them."""
        return Schema(self.columns, texts)

    def label(self, name: str, language: str) -> str:
        """What readers of a language call a column: its name where it has no label."""
        own = self.texts.columns.get(name)
        return (self.texts.said(own.label, language)[0] if own else "") or name

    def unit(self, name: str, language: str) -> str:
        """What readers of a language call a column's unit of measure; empty where it has none."""
        own, declared = self.texts.columns.get(name), self.columns.get(name)
        said = self.texts.said(own.unit, language)[0] if own else ""
        return said or ("" if declared is None else declared.unit)

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    def get(self, name: str | None) -> Column | None:
        """Returns the column of a name; None where no such column is declared."""
        return self.columns.get(name) if name is not None else None

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns.values())

    def updated(self, other: Schema) -> Schema:
        """This schema with the other's columns replacing or joining it, read like those where they do not say how."""
        return Schema({**self.columns, **{each.name: each.read_like(self.get(each.name)) for each in other}})

    def to_mapping(self) -> dict[str, Any]:
        return {column.name: column.to_mapping() for column in self}


def check_column(
    name: str, path: str, types: Collection[ColumnType], schema: Schema, report: Report, *, discover: bool = False
) -> Column | None:
    """The declared column of one of the types, or None with a problem. `discover`: also with undeclared categories."""
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
