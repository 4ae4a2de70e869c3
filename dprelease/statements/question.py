"""Question of one statistic of a release in words, from the plan in its certificate."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from dprelease.model.calendar import CONTIGUOUS, RECURRING
from dprelease.model.certificate import Certificate
from dprelease.model.column import LISTED, NUMERIC, ORDERED, ColumnType
from dprelease.model.feasible import Range, feasible
from dprelease.model.presentation import ChartType, Presentation, Quantity, Trait, ValueKind
from dprelease.model.release import NO_ANSWER, TERMS, TOTAL, Axis, Cell, Estimates, is_partial
from dprelease.model.schema import Schema
from dprelease.statements.display import shown
from dprelease.statements.names import name_of_table
from dprelease.statements.phrases import (
    LONGEST_CONDITION,
    LONGEST_NAME,
    USUAL_PER,
    at_level,
    conditions,
    title_or_phrase,
    titled,
)
from dprelease.words.language import language
from dprelease.words.phrases import visible
from dprelease.words.releases import WORDS, enumerate_words, say

REPORT = "synthetic_report"
"""Kind of a table on the error of synthetic rows."""
ENDINGS = ("", "_from", "_to", "_up_to", "_partial")
"""Suffixes of a column's key columns."""
HEADS = {ValueKind.STATE: "head_answer", ValueKind.NAMED: "head_value"}
MORE = {"of": "column", "detail": "detail"}
"""Suffix of the key of a question's words where an option is given."""
CALLED = {
    "measure": "key_measure",
    "predicted": "key_predicted",
    "predicted_from": "key_predicted_from",
    "predicted_to": "key_predicted_to",
    "log_odds_from": "key_log_odds_from",
    "input": "key_input",
    "bin": "key_bin",
    "term": "key_term",
    "class": "key_class",
    "column": "key_column",
    "cluster": "key_cluster",
    "component": "key_component",
    "answered": "key_answered",
}
"""Word keys of key columns that are no data columns: of a model's tables (both ends as one), or of a kind."""
NAMING = ("column", "input", "term")
"""Key columns of a model's tables whose cells are names of columns."""
CELLS = {
    ("measure", "accuracy"): "measure_accuracy",
    ("measure", "auc"): "measure_auc",
    ("measure", "share"): "measure_share",
    ("term", "(intercept)"): "term_intercept",
    ("answered", "yes"): "answered_yes",
    ("answered", "no"): "answered_no",
    ("answered", "within"): "answered_within",
    ("answered", "below"): "answered_below",
    ("answered", "above"): "answered_above",
    ("answered", "none"): "answered_none",
    ("answered", "not_understood"): "answered_not_understood",
}
"""Cells of such columns with words of this program."""
SHARES = ("classes", "shares")
"""Tables of a model, by name, whose values are shares, whatever those of its other tables are."""
PARTS = ("coefficients", "points", "means", "deviations", "centres", "loadings")
"""Tables of a model with the coefficients of its function."""
WHOLE = re.compile(r"-?[0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticLabel:
    """Statistic as readers see it. All texts are visible and of bounded length."""

    id: str
    kind: str
    name: str
    """Name: the plan's title, else a noun phrase."""
    text: str
    """Question itself, which stands once below its name."""
    measure: str
    """Meaning of the values: records, or a column and its unit of measure."""
    names: tuple[str, ...]
    """Columns the plan names as keys of this statistic or as its subject, exactly."""
    columns: Schema
    """Declarations of the plan about its columns."""
    presentation: Presentation
    levels: Mapping[str, str]
    """Level at which each key column is told apart, if at one."""
    unit: str
    """Unit of measure of a value; empty where it has none, or another than its column."""
    is_count: bool
    """True if its values count records."""
    is_share: bool
    """True if its values are parts of a whole, which pages show in %."""
    limits: Range
    """Least and greatest possible value, whatever the rows are."""
    margins: bool
    """True if its table has totals along its keys."""
    missing: tuple[str, ...] = ()
    """Columns whose rows without an answer are a group of their own."""
    part: str = ""
    """Name of the table among several of an answer; empty for the only one."""
    bound: bool = False
    """True if its values are bounds: of a report on rows whose tables were chosen for them."""

    @classmethod
    def of(cls, certificate: Certificate, table: str) -> StatisticLabel:
        """Return the label of a published statistic, by its id or a table of it, which names the question."""
        own, unit, part = certificate.statistic(table), certificate.guarantee.unit, table.partition(".")[2]
        name, asked = name_of_table(certificate, table), certificate.asked(table)
        return replace(cls.asked(asked, own.presentation, certificate.columns, unit, part, name), id=table)

    @classmethod
    def asked(
        cls,
        asked: Mapping[str, Any],
        presentation: Presentation,
        columns: Schema,
        unit: str,
        part: str = "",
        name: str = "",
    ) -> StatisticLabel:
        """Return the label of a statistic by its options, as in a plan file; or of one table of it, by its own name.

        `name`: its name, where that is known; else it is made from its options.
        """
        values = _values(asked, presentation, columns, unit)
        by = [*asked.get("by", ()), *asked.get("columns", ())]
        own, quantity = asked.get("column"), presentation.measure
        is_part_of_one, ranked = "on" in asked and part in SHARES, presentation.has(Trait.RANKED)
        return cls(
            id=str(asked["id"]),
            kind=str(asked["kind"]),
            name=name or title_or_phrase(asked, presentation, columns, unit, part),
            text=say(_key(asked, presentation, part), **values),
            measure=_measure(asked, presentation, values, columns, part),
            names=(*by, own) if own is not None else tuple(by),
            columns=columns,
            presentation=presentation,
            levels=asked.get("levels", {}),
            unit=visible(columns.unit(str(own), language()), LONGEST_NAME) if quantity is Quantity.COLUMN else "",
            is_count=quantity is Quantity.RECORDS and presentation.values is ValueKind.NOISY and not ranked,
            is_share=quantity is Quantity.SHARE or is_part_of_one,
            limits=(0.0, 1.0) if is_part_of_one else feasible(asked, presentation, columns),
            margins=bool(asked.get("margins")),
            missing=tuple(asked.get("missing", ())),
            part=part,
            bound=asked["kind"] == REPORT and asked.get("method") is not None,
        )

    @property
    def head(self) -> str:
        """Key of the heading of its values."""
        if self.bound:
            return "head_at_most"
        if self.presentation.look is ChartType.SPAN:
            return HEADS[ValueKind.NAMED]
        return HEADS.get(self.presentation.values, "head_estimate")

    @property
    def coefficients(self) -> str:
        """Name of its table of a model's coefficients; empty for other tables."""
        return self.part if self.presentation.has(Trait.UNLIKE) and self.part in PARTS else ""

    def column(self, axis: Axis) -> str | None:
        """Return the column that an axis' first key column comes from."""
        return self.column_of(axis.names[0])

    def column_of(self, name: str) -> str | None:
        """Return the column that a key column comes from: `age` for `age`, `age_from`, `age_to` and `age_up_to`."""
        bare = name.rstrip("_")
        return next((item for item in self.names if bare in {f"{item}{end}".rstrip("_") for end in ENDINGS}), None)

    def calendar(self, axis: Axis) -> str:
        """Return the calendar level at which an axis is told apart, if it is one of stretches of days; else ''."""
        column = self.column(axis)
        declared, level = self.columns.get(column), self.levels.get(column or "", "")
        dated = declared is not None and declared.type is ColumnType.DATE
        return level if dated and level in CONTIGUOUS else ""

    def aside(self, table: Estimates) -> tuple[bool, ...]:
        """Return True for each row of its table that a picture leaves out; `parts` has the others.

        Left out are totals, the constant of a model beside its slopes, and along an axis of numbers or days no answer.
        """
        if has_slopes(table):
            return tuple(place % len(table.axes[-1].cells) == 0 for place in range(len(table)))
        return table.within(self._aside(table))

    def unanswered(self, table: Estimates) -> tuple[bool, ...]:
        """Return True for each row of its table without an answer to some key."""
        return table.within([frozenset({NO_ANSWER} if self.missing else ())] * len(table.axes))

    def parts(self, table: Estimates) -> Estimates:
        """Return its table without what a picture leaves out; numbers beside no answer are numbers again."""
        if has_slopes(table):
            return table.without_first()
        aside = self._aside(table)
        if not any(aside):
            return table
        found = table.without(aside)
        axes = [
            self._numbers(axis) if NO_ANSWER in codes else axis for axis, codes in zip(found.axes, aside, strict=True)
        ]
        return replace(found, axes=tuple(axes))

    def _aside(self, table: Estimates) -> list[frozenset[Cell]]:
        """Return the codes of each key that a picture leaves out."""
        totals = {TOTAL} if self.margins else set[str]()
        return [frozenset(totals | ({NO_ANSWER} if self._along(axis) else set())) for axis in table.axes]

    def _along(self, axis: Axis) -> bool:
        """Return True if a key has numbers or days in their order, and a cell for no answer after them."""
        declared = self.columns.get(self.column(axis)) if self.missing else None
        return declared is not None and declared.name in self.missing and declared.type in ORDERED

    def _numbers(self, axis: Axis) -> Axis:
        declared = self.columns.get(self.column(axis))
        if declared is None or declared.type not in NUMERIC:
            return axis
        return replace(axis, cells=tuple(tuple(map(_number, cell)) for cell in axis.cells))

    def listed(self, axis: Axis) -> bool:
        """Return True if an axis has names in an order of their own, whatever they look like."""
        declared = self.columns.get(self.column(axis))
        return declared is not None and declared.type in LISTED

    def axis_title(self, axis: Axis) -> str:
        """Return the title of an axis: its columns and units of measure, or its first key column."""
        names = dict.fromkeys(self.column_of(name) or name for name in axis.names)
        if called := self._called(axis.names[0].removesuffix("_from")) if len(axis.names) > 1 else "":
            return called
        return " · ".join(map(self.title, names)) if len(names) > 1 else self.title(axis.names[0])

    def title(self, name: str) -> str:
        """Return the title of a key column."""
        if is_partial(name) and self.column_of(name) != name:
            return say("head_partial")
        if called := self._called(name):
            return called
        return at_level(self.column_of(name) or name, self.levels, self.columns)

    def coded(self, name: str, cell: Cell) -> tuple[str, str]:
        """Return the label of a code of a key column, and its language; both empty where it has none.

        A total is always labelled so, whatever a code list says, and so are rows without an answer.
        """
        if self.beside(cell):
            return "", ""
        column = self.column_of(name) or ""
        return self._of_model(name, cell) or self._named(column, cell) or self._coded(column, cell)

    def beside(self, cell: Cell) -> str:
        """Return the words for a key cell that is no value of its column: a total, or no answer; empty for others."""
        if cell == TOTAL and self.margins:
            return say("total_cell")
        return say("no_answer_cell") if cell == NO_ANSWER and self.missing else ""

    def answered(self, value: Cell) -> str:
        """Return the label of a category that is an answer; empty where it has none."""
        own = self.names[-1] if self.names and self.presentation.values is ValueKind.NAMED else ""
        return visible(self._coded(own, value)[0])

    def _coded(self, column: str, cell: Cell) -> tuple[str, str]:
        words = self.columns.texts.labels(column).get(str(cell), {})
        label, spoken = self.columns.texts.said(words, language())
        return ("", "") if label == str(cell) else (label, spoken)

    def _named(self, column: str, cell: Cell) -> tuple[str, str] | None:
        """Return the name of a weekday or a month of the year; None for other cells, and in versions without names."""
        declared, level = self.columns.get(column), self.levels.get(column, "")
        dated = declared is not None and declared.type is ColumnType.DATE
        key = f"{level}_{cell}"
        return (say(key), language()) if dated and level in RECURRING and key in WORDS else None

    def _called(self, name: str) -> str:
        """Return the title of a key that is no data column, of a model's table or the kind itself; empty for others."""
        key = CALLED.get(name, "")
        return say(key) if (self.part or name == self.kind) and self.column_of(name) is None and key in WORDS else ""

    def _of_model(self, name: str, cell: Cell) -> tuple[str, str] | None:
        """Return the name of a cell of such a column: a data column's label, or a word of this program."""
        if not self._called(name):
            return None
        if name in NAMING and isinstance(cell, str) and self.columns.get(cell) is not None:
            # Beside its bins without the unit of measure, for which a phone has no room.
            bare = visible(self.columns.label(cell, language()), LONGEST_NAME)
            label = bare if name == "input" else titled(cell, self.columns)
            return ("", "") if label == cell else (label, language())
        key = CELLS.get((name, str(cell)), "")
        return (say(key), language()) if key else None

    def head_of(self, name: str) -> str:
        """Return the heading of a key column: its label, else its name in the file."""
        if called := self._called(name):
            return called
        column = self.column_of(name)
        if column is None or self.columns.label(column, language()) == column:
            return name
        ending = name.rstrip("_").removeprefix(column.rstrip("_"))
        key = f"head_key{ending}"
        return say(key, name=self.title(name)) if ending and key in WORDS else self.title(name)

    def description(self, name: str) -> str:
        """Return the description of a key column: as declared, else its title."""
        declared = self.columns.get(self.column_of(name))
        return self.title(name) if declared is None or not declared.description else declared.description


def _values(asked: Mapping[str, Any], presentation: Presentation, columns: Schema, unit: str) -> dict[str, str]:
    """Return the values that a question or measure may contain."""

    def title(key: str) -> str:
        return at_level(asked[key], levels if key == "column" else {}, columns) if key in asked else ""

    levels = asked.get("levels", {})
    subject = asked.get("columns", ()) if presentation.has(Trait.OF_COLUMNS) else ()
    names = (*asked.get("by", ()), *(() if subject else asked.get("columns", ())), *asked.get("on", ()))
    by = [at_level(name, levels, columns) for name in names]
    on, groups = ([at_level(name, levels, columns) for name in asked.get(key, ())] for key in ("on", "by"))
    where = list(conditions(asked.get("where", ()), columns))
    return {
        "kind": str(asked["kind"]).replace("_", " ").capitalize(),
        "column": title("column") or title("numerator"),
        "columns": enumerate_words([at_level(name, {}, columns) for name in subject]) if subject else "",
        "divisor": title("denominator"),
        "outcome": title("outcome"),
        "weights": title("survey_weights"),
        "by": enumerate_words(by) if by else "",
        "on": enumerate_words(on) if on else "",
        "groups": enumerate_words(groups) if groups else "",
        "unit": visible(unit, LONGEST_NAME),
        "where": visible(enumerate_words(where), LONGEST_CONDITION) if where else "",
        "per": shown(asked.get("per", USUAL_PER)),
        "threshold": shown(asked.get("threshold")),
    }


def _key(asked: Mapping[str, Any], presentation: Presentation, part: str) -> str:
    """Return the key of the question's words."""
    kind = asked["kind"]
    if f"ask_{kind}_{part}" in WORDS:
        return f"ask_{kind}_{part}"
    if f"ask_model_{part}" in WORDS:
        return f"ask_model_{part}"
    parts = [f"ask_{kind}", *(f"ask_{kind}_{more}" for more, name in MORE.items() if asked.get(name))]
    parts += [f"{parts[-1]}_each"] if len(asked.get("columns", ())) > 1 else []
    key = next((part for part in reversed(parts) if part in WORDS), "ask_other")
    once, by = f"{key}_once", f"{key}_by"
    if asked.get("max_rows_per_cell") and once in WORDS:
        return once
    grouped = asked.get("by") or (asked.get("columns") and not presentation.has(Trait.OF_COLUMNS))
    return by if by in WORDS and grouped else key


def _measure(
    asked: Mapping[str, Any], presentation: Presentation, values: Mapping[str, str], columns: Schema, part: str
) -> str:
    """Return the meaning of the values: in the words of the kind where it has some, else of the quantity counted."""
    quantity, kind = presentation.measure, asked["kind"]
    own = f"{kind}_{part}_measure" if part else f"{kind}_of_measure" if "column" in asked else f"{kind}_measure"
    usual = f"model_{part}_measure" if f"model_{part}_measure" in WORDS else f"{kind}_measure"
    key = own if own in WORDS else usual
    if key in WORDS:
        squared = quantity is Quantity.SQUARED
        named = {**values, "column": titled(asked["column"], columns, squared=True)} if squared else values
        measure = say(key, **named)
    elif quantity is Quantity.SHARE:
        measure = say("share_measure")
    elif quantity is Quantity.UNITS:
        measure = say("units_measure", **values)
    elif quantity is Quantity.COLUMN and values["column"]:
        measure = values["column"]
    else:
        measure = say("records") if quantity in (Quantity.COLUMN, Quantity.RECORDS) else values["kind"]
    return say("weighted", measure=measure, weights=values["weights"]) if values["weights"] else measure


def _number(cell: Cell) -> Cell:
    """Return a number that was written as a text beside codes."""
    if not isinstance(cell, str):
        return cell
    return int(cell) if WHOLE.fullmatch(cell) else float(cell)


def has_slopes(table: Estimates) -> bool:
    """Return True if a table has a model's coefficients, in all or by group, of which the first is a constant.

    A line through the origin has none.
    """
    if table.key_names[-1:] != TERMS:
        return False
    first, *others = table.axes[-1].cells
    return first == ("(intercept)",) and bool(others)
