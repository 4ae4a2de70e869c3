"""The file of a dataset: the layout of its table, and its columns as in a plan."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from dprelease.errors import Problem, SchemaError, question
from dprelease.model import date_form, number_form, word_form
from dprelease.model.encoding import read_mapping
from dprelease.model.form import KEY
from dprelease.model.plan import PLAN_KEYS
from dprelease.model.reading import APPLIES
from dprelease.model.report import Report, join
from dprelease.model.schema import Schema
from dprelease.model.yaml_text import one_line
from dprelease.words import phrase, verbatim

LAYOUT, COLUMNS, ONE_OF = "layout", "columns", "one_of"
LAYOUT_KEYS = ("format", *APPLIES)
FORM_KEYS = (*number_form.KEYS, *date_form.KEYS, *word_form.KEYS)


@dataclass(frozen=True)
class DatasetFile:
    """Declaration of a table's reading and columns. What it does not say is detected, or asked."""

    layout: Mapping[str, Any] = field(default_factory=dict)
    """Parts of the reading of a file."""
    columns: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Declared as in a plan; one with a reading alone is not declared yet."""
    open: tuple[Problem, ...] = ()
    """Questions that nobody answered: each path with a list `one_of` of other than one answer."""

    @classmethod
    def parse(cls, text: bytes) -> DatasetFile:
        """Read YAML or JSON. A plan is such a file too: its columns are taken."""
        report, asked = Report(), list[Problem]()
        fields = report.mapping(read_mapping(text, error=SchemaError, what="schema"), "", allowed=(LAYOUT, *PLAN_KEYS))
        layout = report.mapping(fields.get(LAYOUT) or {}, LAYOUT, allowed=LAYOUT_KEYS)
        columns = fields.get(COLUMNS) or {}
        if isinstance(columns, Mapping):
            columns = {name: _settled(column, join(COLUMNS, name), (KEY,), asked) for name, column in columns.items()}
            declared = {name: column for name, column in columns.items() if not _is_undeclared(column)}
            for name in columns.keys() - declared.keys():
                report.mapping(columns[name].get(KEY) or {}, join(join(COLUMNS, name), KEY), allowed=FORM_KEYS)
        else:
            declared = columns
        if declared:
            Schema.read(declared, COLUMNS, report)
        layout = _settled(layout, LAYOUT, LAYOUT_KEYS, asked)
        report.raise_any(SchemaError)
        return cls(layout, columns, tuple(asked))

    @property
    def readings(self) -> dict[str, Mapping[str, Any]]:
        """Written forms of columns' cells, by column name."""
        return {name: column[KEY] for name, column in self.columns.items() if column.get(KEY) is not None}

    @property
    def declared(self) -> dict[str, Mapping[str, Any]]:
        """The columns of which more is said than how their cells are read."""
        return {name: column for name, column in self.columns.items() if not _is_undeclared(column)}

    def updated(self, other: DatasetFile) -> DatasetFile:
        """Return the declarations of both files; those of `other` go before."""
        columns = {name: {**self.columns.get(name, {}), **column} for name, column in other.columns.items()}
        return DatasetFile({**self.layout, **other.layout}, {**self.columns, **columns}, (*self.open, *other.open))

    def left_open(self, *, layout: Collection[str], columns: Collection[str]) -> list[Problem]:
        """Return the open questions, but those of parts and columns that are answered elsewhere.

        How a declared column is written is asked where its table is, so not here.
        """
        said = {join(LAYOUT, part) for part in (*layout, *self.layout)}
        said |= {join(join(COLUMNS, name), KEY) for name in (*columns, *self.declared, *self.readings)}
        return [each for each in self.open if each.path not in said]

    def to_mapping(self) -> dict[str, Any]:
        """Return the file's content, as `parse` reads it."""
        said = {LAYOUT: dict(self.layout), COLUMNS: {name: dict(column) for name, column in self.columns.items()}}
        return {key: part for key, part in said.items() if part}


def one_of(answers: Collection[Any]) -> dict[str, list[Any]]:
    """Return an open question as it stands in the file: whoever answers it leaves one."""
    return {ONE_OF: list(answers)}


def _is_undeclared(column: object) -> bool:
    return isinstance(column, Mapping) and set(column) <= {KEY}


def _settled(fields: Any, path: str, keys: Collection[str], asked: list[Problem]) -> Any:
    """Return the fields, with the answer where one is left of those under `keys`, and without those that are open."""
    if not isinstance(fields, Mapping):
        return fields
    said = dict[str, Any]()
    for key, value in fields.items():
        if key not in keys or not (isinstance(value, Mapping) and set(value) == {ONE_OF}):
            said[key] = value
        elif isinstance(value[ONE_OF], list) and len(value[ONE_OF]) == 1:
            (said[key],) = value[ONE_OF]
        else:
            asked.append(_question(join(path, key), value[ONE_OF]))
    return said


def _question(path: str, answers: object) -> Problem:
    texts = [one_line(each) for each in answers] if isinstance(answers, list) else []
    found = phrase("model.answers_left") if texts else phrase("model.nothing")
    return question(
        path, found, verbatim(" | ".join(texts)) if texts else phrase("model.one_answer"), LEAVE_ONE, answers=texts
    )


LEAVE_ONE = phrase("model.leave_one")
