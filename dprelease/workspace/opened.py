"""One table of a look, made ready for the curator's screen: cells with labels, and how their noise is drawn there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from dprelease.charts.data import Drawing, draw, drawn
from dprelease.model.presentation import ChartType as Picture
from dprelease.model.presentation import Quantity, Trait
from dprelease.model.release import TERMS, Cell, Estimates, SyntheticRows
from dprelease.statements.cell_names import key_text
from dprelease.statements.number import said
from dprelease.statements.question import StatisticLabel
from dprelease.words import Phrase

MAX_CELLS = 10_000
"""Most cells shown of a table: of a larger one the first are shown."""
FIGURES = 7
"""Digits of a simulated value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RungNoise:
    """Noise of each cell at each rung: one draw of its own, times a step.

    `family`: `laplace`, P(k) ∝ exp(−|k| / scale), or `gaussian`, P(k) ∝ exp(−k² / 2 scale²), of whole numbers k.
    """

    family: str
    step: float
    """In units of the data."""
    scale: tuple[float | None, ...]
    """In steps, by rung of the bench; None where the plan cannot be paid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """Draws at some ε, of a table whose noise cannot be scaled. The repr shows none."""

    epsilon: tuple[float, ...]
    draws: tuple[tuple[Estimates, ...], ...] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueFor:
    """Limits to the true values of a table, from how the cells of its columns are read."""

    caveats: tuple[Phrase, ...] = field(default=(), repr=False)
    """Shares of the rows that are not understood or outside, and the value without bounds; none where all are read."""
    is_clipped: bool = field(default=False, repr=False)
    """True if “true” means within the bounds."""
    many: bool = field(default=False, repr=False)
    """True if so many cells are not taken as they are that nothing may be called right."""

    def to_json(self) -> dict[str, Any]:
        """Return what the component shows, in the language that is spoken."""
        return {"caveats": list(map(str, self.caveats)), "bounded": self.is_clipped, "many": self.many}


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """One table with its true values. The repr shows none."""

    statistic: str
    name: str
    question: StatisticLabel
    true: Estimates = field(repr=False)
    law: RungNoise | None
    """None where one draw a cell does not tell what is published."""
    ladder: Ladder | None
    """None where there is a law, and until it is prepared."""
    epsilon: float
    drawn: Estimates | None = field(repr=False)
    """The engine's own draw at the plan's ε; None until there is one."""
    read: TrueFor = field(default=TrueFor(), repr=False)

    def to_json(self, progress: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return what the component takes as `open`, in the language that is spoken.

        `progress`: a label and a share, while a ladder is being prepared.
        """
        drawing = draw(self.question, self.true)
        rows = drawing.rows[:MAX_CELLS]
        shown = _Shown(self, drawing)
        says = self.question.presentation
        return {
            "statistic": self.statistic,
            "name": self.name,
            "title": self.question.name,
            "look": drawing.picture.value,
            "additive": says.has(Trait.ADDITIVE),
            "overlapping": says.measure is Quantity.UNITS,
            "terms": is_signed(self.true),
            "never_negative": says.has(Trait.NEVER_NEGATIVE) and self.law is None,
            "ordered": drawing.inner is not None and drawing.inner.form != "listed",
            "days": {"values": drawing.in_days, "cells": drawing.inner is not None and drawing.inner.form == "days"},
            "unit": self.question.measure,
            "axis": "" if drawing.inner is None else drawing.inner.title,
            "panels": _panels(drawing, rows),
            "keys": [{"title": key.title, "labels": list(map(_flat, key.labels))} for key in drawing.keys],
            "cells": [_cell(row, drawing, self.question) for row in rows],
            "left_out": len(drawing.rows) - len(rows),
            "true": shown.column(self.true),
            "law": None if self.law is None else self._law(self.law),
            "ladder": None if self.ladder is None else self._ladder(self.ladder, shown),
            "drawn": None if self.drawn is None else self._drawn(self.drawn, shown),
            "progress": None if progress is None else dict(progress),
            "read": self.read.to_json(),
        }

    def _law(self, law: RungNoise) -> dict[str, Any]:
        return {"family": law.family, "step": law.step, "scale": list(law.scale)}

    def _ladder(self, ladder: Ladder, shown: _Shown) -> dict[str, Any]:
        draws = [[shown.column(table, short=True) for table in tables] for tables in ladder.draws]
        return {"epsilon": list(ladder.epsilon), "draws": draws}

    def _drawn(self, table: Estimates, shown: _Shown) -> dict[str, Any]:
        ends = {"lower": shown.column(table, "lower95"), "upper": shown.column(table, "upper95")}
        return {"epsilon": self.epsilon, "value": shown.column(table), **ends}


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsBeside:
    """Synthetic rows of one draw, and true tables over the columns that go together in them. The repr shows none."""

    rows: SyntheticRows = field(repr=False)
    true: Mapping[str, Estimates] = field(repr=False)
    """True values by the name of each measured table."""


def is_signed(table: Estimates) -> bool:
    """Return True if a table has coefficients, of which the sign is what is asked first."""
    return tuple(table.key_names[-1:]) == TERMS


class _Shown:
    """Columns of a table and its draws in the cells of the true one."""

    def __init__(self, opened: Opened, drawing: Drawing) -> None:
        self._question, self._drawing = opened.question, drawing
        true = opened.question.parts(opened.true)
        self._axes, self._keys = true.axes, list(product(*(axis.cells for axis in true.axes)))[:MAX_CELLS]
        self._ranked = opened.question.presentation.has(Trait.RANKED) and drawing.picture is not Picture.WORDS
        self._values = true.value[:MAX_CELLS]

    def column(self, table: Estimates, name: str = "value", *, short: bool = False) -> list[Cell]:
        """Return one column in the order of the true cells; None where a draw has no such cell."""
        cells = self._aligned(table, name)
        if self._drawing.picture is Picture.WORDS:
            return [self._word(cell) if name == "value" else None for cell in cells]
        numbers = [drawn(cell, self._drawing.in_days) for cell in cells]
        return [_short(number) for number in numbers] if short else list(numbers)

    def _aligned(self, table: Estimates, name: str) -> Sequence[Cell]:
        table = self._question.parts(table)
        if self._ranked:
            name = "count" if name == "value" else f"count_{name}"
            by_value = dict(zip(table.value, table.numbers[name], strict=True))
            return [by_value.get(value) for value in self._values]
        column = table.numbers[name]
        if table.axes == self._axes:
            return column[:MAX_CELLS]
        found = dict(zip(product(*(axis.cells for axis in table.axes)), column, strict=True))
        return [found.get(key) for key in self._keys]

    def _word(self, cell: Cell) -> str | None:
        if cell is None:
            return None
        return said(self._question, cell, cell, cell)[0] if isinstance(cell, str) else key_text(cell)


def _short(number: float | int | None) -> float | int | None:
    return number if number is None or isinstance(number, int) else float(f"{number:.{FIGURES}g}")


def _panels(drawing: Drawing, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Group the cells that stand together: in one panel, or in one for each entry of the outer keys."""
    if drawing.outer is None:
        return [{"label": "", "cells": list(range(len(rows)))}]
    cells: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        cells.setdefault(row["j"], []).append(place)
    return [{"label": _flat(drawing.outer.labels[outer]), "cells": places} for outer, places in cells.items()]


def _cell(row: Mapping[str, Any], drawing: Drawing, question: StatisticLabel) -> dict[str, Any]:
    label = _flat(row["k0"]) or question.measure
    return {"label": label} | {name: row[name] for name in ("start", "end") if name in row}


def _flat(label: str) -> str:
    return label.replace("\n", " ")
