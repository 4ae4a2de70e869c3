"""One line of the columns' table: texts as they are typed, and the declaration they stand for."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

from dprelease.codebook.book import number_text
from dprelease.codebook.codes import read_line, write_line
from dprelease.errors import Problem, SchemaError
from dprelease.model import column_fields as of
from dprelease.model.column import COLUMN_OPTIONS, Column, ColumnType
from dprelease.model.column_fields import DISCOVER, ENDS, ColumnOption, FieldReader, Widget
from dprelease.model.encoding import read_mapping
from dprelease.model.form import FORMS, READING, Form, told
from dprelease.model.form import KEY as READ
from dprelease.model.made import KEY as MADE_KEY
from dprelease.model.made import MADE
from dprelease.model.randomized import RESPONSE
from dprelease.model.report import Report, as_decimal
from dprelease.model.schema import Schema
from dprelease.model.typed import Context, TwoValues, TypedValue, typed
from dprelease.model.yaml_text import dump, one_line
from dprelease.ui.kit.fields import with_comma, with_point
from dprelease.ui.words import say
from dprelease.words import phrase
from dprelease.words.language import ENGLISH, language

FEW_VALUES = 200
"""An integer column of so many is an age or a score: a value outside is an error or a code, not an extreme."""
DIGITS_BESIDE_A_COMMA = re.compile(r"[-+]?[0-9.]+,[0-9]+")
SHORT = 60
"""Maximum characters of a list or a description where it is one of many."""


@dataclass(frozen=True, slots=True)
class Row:
    """The contents of a line, complete or not."""

    name: str
    use: bool = False
    type: str = ""
    lower: str = ""
    upper: str = ""
    resolution: str = ""
    categories: str = ""
    other: bool = False
    discover: bool = False
    missing_codes: str = ""
    reading: str = ""
    """Reading of the cells, as in a plan file."""
    made: str = ""
    """Definition of a made column, as in a plan file."""
    outside: str = ""
    count_missing_as: str = ""
    unit: str = ""
    description: str = ""
    levels: str = ""
    """Levels, as in a plan file."""
    randomized: str = ""
    """The ε of answers that were changed before they arrived; nothing where they were not."""
    left: bool = False
    """True if somebody decided that nothing is to be published about the column."""
    source: str = ""
    """Source of the declaration; empty where somebody typed it."""
    doubts: str = ""
    """Keys of bounds that are as somebody typed them, and may be either of two values."""

    @classmethod
    def of(cls, name: str, declared: Mapping[str, Any] | None) -> Row:
        """Return the line of a declaration as in a plan file, complete or not; an empty one where there is none."""
        if not declared:
            return cls(name)
        cells = {key: _way(option)[0](declared.get(option.key or key)) for key, option in COLUMN_OPTIONS.items()}
        if cells["made"]:  # its type follows from those that it is made of
            return cls(name, use=True, **cells)
        return cls(name, use=bool(declared.get("type")), type=str(declared.get("type") or ""), **cells)

    @classmethod
    def stored(cls, name: str, kept: Mapping[str, Any]) -> Row:
        """Return the line of a draft: what is not of the kind it should be is left out."""
        kinds = {item.name: bool if item.default is False else str for item in fields(cls)}
        return cls(**{"name": name} | {key: kept[key] for key, kind in kinds.items() if type(kept.get(key)) is kind})

    def changed(self, cells: Mapping[str, Any]) -> Row:
        """Return the line with other cells, as the editor gives them. Whoever fills a cell means to use the column."""
        read: dict[str, Any] = {
            key: value is True if key in ("use", *FLAGS) else value.strip() if isinstance(value, str) else ""
            for key, value in cells.items()
            if key in ("use", "type", *COLUMN_OPTIONS)
        }
        if "use" not in read and any(read.values()):
            read["use"] = True
        read |= self._understood(read)
        then = replace(self, **read, left=False, source="")
        if "outside" not in read and then.proposes_missing and not (self.proposes_missing or then.outside):
            return replace(then, outside="missing")
        return then

    def _understood(self, cells: Mapping[str, Any]) -> dict[str, str]:
        """Return bounds as values where what was typed says one; where it may be two, that is kept and asked about."""
        kind, doubts, found = cells.get("type", self.type) or None, set(self.doubts.split()), {}
        context = Context(form=_form(cells.get("reading", self.reading), kind))
        for key in NUMBERS:
            text = cells.get(key, getattr(self, key))
            if text == getattr(self, key):  # what stands there is a value already, however it looks
                continue
            meant = typed(text, kind, context)
            doubts = doubts | {key} if isinstance(meant, TwoValues) else doubts - {key}
            found[key] = with_comma(meant.text) if isinstance(meant, TypedValue) else text
        return {**found, "doubts": " ".join(sorted(doubts))}

    def _doubtful(self, path: str) -> list[Problem]:
        """Return the problems of bounds that may be two values."""
        problems = []
        for key in self.doubts.split():
            text = getattr(self, key)
            meant = typed(text, self.type or None)
            if isinstance(meant, TwoValues):
                problems.append(either(meant, f"{path}.{key}"))
        return problems

    @property
    def proposes_missing(self) -> bool:
        """True if values outside had better count as missing: of dates, and of few integers, such as ages."""
        if self.type == ColumnType.DATE:
            return True
        ends = [as_decimal(with_point(text)) for text in (self.lower, self.upper)]
        low, high = ends
        return self.type == ColumnType.INTEGER and low is not None and high is not None and high - low < FEW_VALUES

    def mapping(self) -> dict[str, Any]:
        """Return the line as in a plan file, as far as it goes. Categories known and to be discovered at once stay."""
        found: dict[str, Any] = {"type": self.type} if self.type else {}
        for name, option in COLUMN_OPTIONS.items():
            if cell := getattr(self, name):
                found.setdefault(option.key or name, _way(option)[1](cell))
        return found

    def brief(self) -> str:
        """Return the declaration in one line: a list of facts and no sentence."""
        parts = [self.type or _short(self.made), " – ".join(text for text in (self.lower, self.upper) if text)]
        parts += [say("brief_resolution", step=self.resolution) if self.resolution else "", _short(self.categories)]
        parts += [say(f"column_{flag}") for flag in FLAGS if getattr(self, flag)]
        parts += [say("brief_codes", codes=_short(self.missing_codes)) if self.missing_codes else ""]
        parts += [say("brief_reading", written=_short(written))] if (written := self.written) else []
        parts += [say(f"outside_{self.outside}") if self.outside in ENDS else ""]
        parts += [say("brief_filled", value=self.count_missing_as) if self.count_missing_as else ""]
        parts += [say("brief_levels", levels=", ".join(levels))] if (levels := self.named_levels) else []
        parts += [say("brief_randomized", epsilon=self.randomized)] if self.randomized else []
        parts += [_short(getattr(self, name)) for name in WORDS]
        return " · ".join(part for part in parts if part)

    @property
    def named_levels(self) -> tuple[str, ...]:
        """The names of its levels, where they can be read."""
        levels = _read_levels(self.levels) if self.levels else {}
        return tuple(map(str, levels)) if isinstance(levels, Mapping) else ()

    @property
    def written(self) -> str:
        """The notation of the cells, by examples; empty where nothing is said of it."""
        return _written_as(self) if self.reading and self.type else ""

    def problems(self) -> tuple[Problem, ...]:
        """Return the problems of the line, if it is used."""
        return _problems(self, language()) if self.use else ()

    @property
    def is_empty(self) -> bool:
        """True if nobody wrote anything in the line."""
        return self == Row(self.name)


@lru_cache(20_000)
def _problems(row: Row, spoken: str) -> tuple[Problem, ...]:
    report, path = Report(), f"columns.{row.name}"
    if row.made:  # what is wrong with it shows beside the columns that it is made of
        report.problems += row._doubtful(path)
    elif not row.type:
        report.problems.append(Problem(f"{path}.type", phrase("ui.columns_no_type"), phrase("ui.columns_types")))
    elif row.discover and row.categories:
        report.problems.append(Problem(f"{path}.categories", phrase("ui.columns_both"), phrase("ui.columns_either")))
    else:
        Schema.read({row.name: row.mapping()}, "columns", report)
        report.problems += row._doubtful(path)
        report.problems += _unclear_codes(row.missing_codes, f"{path}.missing_codes")
    return tuple(report.problems)


def _form(reading: str, kind: str | None) -> Form | None:
    """Return the form that a cell of the sheet declares, as far as it can be read."""
    if not (reading and kind) or kind not in map(str, FORMS):
        return None
    report = Report()
    form = FORMS[ColumnType(kind)].read(_mapping_of(reading, READ), READ, report)
    return None if report.problems else form


def shown_form(kind: str, reading: str) -> str:
    """Return a reading as it is chosen: by examples, or as it is typed where it has none."""
    form = _form(reading, kind)
    return (told(form, whole=kind == ColumnType.INTEGER) if form else "") or reading


@lru_cache(20_000)
def _written_as(row: Row) -> str:
    column = Column.read(row.name, row.mapping(), row.name, Report())
    return shown_form(row.type, row.reading) if column is None else column.reading_told


def either(meant: TwoValues, path: str) -> Problem:
    """Return the problem of a text that may be two values."""
    first, second = (_clear(reading) for reading in meant.readings)
    remedy = phrase("ui.bound_unclear", first=first, second=second)
    return Problem(path, meant.written, phrase("ui.bound_clear"), remedy)


def _clear(reading: TypedValue) -> str:
    """Return a value as it can be typed and read in one way only: a fraction of three digits with one more."""
    text = reading.text
    return with_comma(f"{text}0" if re.search(r"\.[0-9]{3}$", text) else text)


def _unclear_codes(codes: str, path: str) -> list[Problem]:
    """Return the problem of codes like -99,5 where there are decimal commas: one code to one, two to another."""
    if language() == ENGLISH or not (found := DIGITS_BESIDE_A_COMMA.search(codes)):
        return []
    return [Problem(path, found.group(), phrase("ui.codes_clear"), phrase("ui.codes_unclear"))]


def line(categories: Sequence[object]) -> str:
    """Return categories as one line that `split` reads back."""
    items = map(str, categories)
    quoted = (
        '"' + item.replace('"', '""') + '"' if set(item) & set(',"\n') or item != item.strip() else item
        for item in items
    )
    return ", ".join(quoted)


def split(text: str) -> list[str]:
    """Split categories apart by commas, tabs or lines; quotes keep a comma inside one."""
    lines = csv.reader(text.replace("\t", "\n").splitlines(), skipinitialspace=True)
    return [item.strip() for cells in lines for item in cells if item.strip()]


def listed(text: str) -> list[str]:
    """Return pasted categories: one a line, as a column of a spreadsheet gives them; a single line is taken apart."""
    lines = [item.strip() for item in text.replace("\t", "\n").splitlines() if item.strip()]
    return lines if len(lines) > 1 else split(text)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else number_text(value) if not isinstance(value, str) else value


def _short(text: str) -> str:
    return text if len(text) <= SHORT else text[: SHORT - 1].rstrip() + "…"


def _written(levels: Any) -> str:
    """Return levels as in a plan file, a line each."""
    return dump(levels, flow=None).strip()


def _read_levels(text: str) -> Any:
    return _mapping_of(text, "levels")


def _mapping_of(text: str, what: str) -> Any:
    """Return the mapping that a text declares; the text itself where it is no mapping, so that a person is told."""
    try:
        return read_mapping(text, error=SchemaError, what=what)
    except SchemaError:
        return text


def _number(value: Any) -> str:
    """Return a number with the mark that the language has."""
    return with_comma(_text(value))


def _same(cell: Any) -> Any:
    return cell


CELLS: Mapping[FieldReader, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    of.BOUND: (_number, with_point),
    of.STEP: (_number, with_point),
    of.CATEGORIES: (lambda value: "" if value == DISCOVER else line(value or ()), split),
    of.FLAG: (lambda value: value is True, _same),
    of.DISCOVERY: (lambda value: value == DISCOVER, lambda cell: DISCOVER),
    of.MISSING: (lambda value: "" if value is None else write_line(value), read_line),
    of.OUTSIDE: (
        lambda value: next((key for key, ends in ENDS.items() if ends == value), ""),
        lambda cell: ENDS.get(cell, cell),
    ),
    of.ANSWERS: (
        lambda value: _number(value.get("epsilon")) if isinstance(value, Mapping) else "",
        lambda cell: {"method": RESPONSE, "epsilon": with_point(cell)},
    ),
    of.LEVELS: (lambda value: _written(value) if value else "", _read_levels),
    READING: (lambda value: "" if value is None else one_line(value), lambda cell: _mapping_of(cell, READ)),
    MADE: (lambda value: "" if value is None else one_line(value), lambda cell: _mapping_of(cell, MADE_KEY)),
}
"""Two functions by reader of a property: value to cell, and cell to declared value. Other cells hold text."""
FLAGS = tuple(name for name, option in COLUMN_OPTIONS.items() if option.widget is Widget.CHECK)
NUMBERS = tuple(name for name, option in COLUMN_OPTIONS.items() if option.reader in (of.BOUND, of.STEP))
WORDS = tuple(name for name, option in COLUMN_OPTIONS.items() if option.reader.longest)


def _way(option: ColumnOption) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    return CELLS.get(option.reader, (_text, _same))
