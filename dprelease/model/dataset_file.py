"""The file of a dataset: the layout of its table, and its columns as in a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dprelease.errors import InputError, SchemaError
from dprelease.model import date_form, number_form, word_form
from dprelease.model.encoding import read_mapping
from dprelease.model.form import KEY
from dprelease.model.plan import PLAN_KEYS
from dprelease.model.reading import APPLIES
from dprelease.model.report import Report, join
from dprelease.model.schema import Schema

LAYOUT, COLUMNS = "layout", "columns"
LAYOUT_KEYS = ("format", *APPLIES)
FORM_KEYS = (*number_form.KEYS, *date_form.KEYS, *word_form.KEYS)


@dataclass(frozen=True)
class DatasetFile:
    """Says how a table is read, and declares its columns. What it does not say is detected, or asked."""

    layout: Mapping[str, Any] = field(default_factory=dict)
    """Parts of the reading of a file."""
    columns: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def parse_text(cls, text: bytes) -> DatasetFile:
        """Reads YAML or JSON that declares columns. A plan is such a file too: its columns are taken."""
        report = Report()
        fields = report.mapping(_content(text), "", allowed=(LAYOUT, *PLAN_KEYS))
        if fields.get(COLUMNS) is not None:
            Schema.read(fields[COLUMNS], COLUMNS, report)
        return cls._of(fields, report, SchemaError)

    @classmethod
    def parse_readings(cls, text: bytes) -> DatasetFile:
        """Reads YAML or JSON that says how a file and its cells are read, and declares no columns."""
        report = Report()
        fields = report.mapping(_content(text), "", allowed=(LAYOUT, COLUMNS))
        columns = fields.get(COLUMNS) or {}
        if not isinstance(columns, Mapping):
            columns = report.mapping(columns, COLUMNS, allowed=())
        for name, column in columns.items():
            place = join(COLUMNS, name)
            said = report.mapping(column, place, allowed=(KEY,), required=(KEY,))
            report.mapping(said.get(KEY) or {}, join(place, KEY), allowed=FORM_KEYS)
        return cls._of(fields, report, InputError)

    @classmethod
    def _of(cls, fields: Mapping[str, Any], report: Report, error: type[InputError]) -> DatasetFile:
        layout = report.mapping(fields.get(LAYOUT) or {}, LAYOUT, allowed=LAYOUT_KEYS)
        report.raise_any(error)
        return cls(layout, fields.get(COLUMNS) or {})

    @property
    def readings(self) -> dict[str, Mapping[str, Any]]:
        """How the cells of columns are read, by name."""
        return {name: column[KEY] for name, column in self.columns.items() if column.get(KEY) is not None}

    def to_mapping(self) -> dict[str, Any]:
        """Returns what it says; each of both ways to read it takes that."""
        said = {LAYOUT: dict(self.layout), COLUMNS: {name: dict(column) for name, column in self.columns.items()}}
        return {key: part for key, part in said.items() if part}


def _content(text: bytes) -> Mapping[str, Any]:
    return read_mapping(text, error=SchemaError, what="schema")
