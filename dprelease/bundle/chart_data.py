"""A table of estimates made ready to draw: neutral field names, edges, labels, rounded numbers."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any, Literal

from dprelease.bundle.display import estimate, half_width, margin, shown_key, visible
from dprelease.bundle.question import Question
from dprelease.bundle.words import say
from dprelease.model.release import Axis, Cell, Estimates, Release

LONGEST_LABEL = 80
LINE = 40
"""Characters in a line of a label."""
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
Form = Literal["listed", "numbers", "days", "shares"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """One key as a chart draws it."""

    title: str
    form: Form
    """`listed`: labels in declared order. `numbers`, `days`: spans side by side. `shares`: probabilities."""
    labels: tuple[str, ...]
    """All different; in lines."""
    spans: tuple[tuple[float, float], ...] = ()
    """Of each cell start and end; days in milliseconds since 1970."""

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def widest(self) -> int:
        """Characters in the longest line of its labels."""
        return max(len(line) for label in self.labels for line in label.split("\n"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """What a chart shows.

    A row has i and k0 (place and label on the inner scale), j and k1 (on the outer one), start, end and middle (of its
    span), value, lower and upper (numbers or None), label, margin and interval (texts).
    """

    question: Question
    inner: Scale | None
    """What runs along an axis; None for a single number."""
    outer: Scale | None
    """What takes panels or a second axis: every other key, combined."""
    rows: Sequence[Mapping[str, Any]]
    in_days: bool
    """The values are dates, in milliseconds since 1970."""
    drawable: bool
    """False where values are words."""

    @property
    def has_intervals(self) -> bool:
        return any(row["lower"] is not None for row in self.rows)

    @property
    def without_value(self) -> int:
        return sum(row["value"] is None for row in self.rows)

    @property
    def extent(self) -> tuple[float, float]:
        """The smallest and the largest number drawn, intervals included."""
        ends = (row[name] for row in self.rows for name in ("value", "lower", "upper"))
        numbers = [number for number in ends if number is not None]
        return min(numbers, default=0), max(numbers, default=0)

    @property
    def widest(self) -> float | None:
        """The largest half-width of an interval."""
        halves = (half_width(row["lower"], row["upper"]) for row in self.rows)
        return max((half for half in halves if half is not None), default=None)


def draw(release: Release, statistic: str) -> Drawing:
    """The drawing of one statistic. Keys with a single cell are left out."""
    estimates = release.tables[statistic]
    question = Question.of(release, statistic)
    scales = [_scale(axis, question) for axis in estimates.axes]
    several = [scale for scale in scales if len(scale) > 1]
    inner = next((scale for scale in several if scale.form != "listed"), several[-1] if several else None)
    others = [scale for scale in several if scale is not inner]
    outer = others[0] if len(others) == 1 else _combined(others) if others else None
    in_days = _in_days(estimates.value)
    numbers = all(isinstance(value, int | float | None) for value in estimates.value)
    return Drawing(
        question=question,
        inner=inner,
        outer=outer,
        rows=list(_rows(estimates, scales, inner, outer, in_days)),
        in_days=in_days,
        drawable=in_days or numbers,
    )


def _rows(
    estimates: Estimates, scales: Sequence[Scale], inner: Scale | None, outer: Scale | None, in_days: bool
) -> Iterator[Mapping[str, Any]]:
    cells = product(*(range(len(scale)) for scale in scales))
    numbers = zip(estimates.value, estimates.lower95, estimates.upper95, strict=True)
    for cell, (value, lower, upper) in zip(cells, numbers, strict=True):
        row: dict[str, Any] = {"i": 0, "j": 0, "k0": "", "k1": ""}
        for scale, index in zip(scales, cell, strict=True):
            if scale is inner:
                row |= {"i": index, "k0": scale.labels[index]}
                if scale.spans:
                    start, end = scale.spans[index]
                    row |= {"start": start, "end": end, "middle": (start + end) / 2}
            elif len(scale) > 1:
                row["j"] = row["j"] * len(scale) + index
        if outer is not None:
            row["k1"] = outer.labels[row["j"]]
        half = half_width(lower, upper)
        ends = [_drawn(end, in_days) if half is not None else None for end in (lower, upper)]
        row |= {"value": _drawn(value, in_days), "lower": ends[0], "upper": ends[1]}
        label, low, high = estimate(value, lower, upper)
        row |= {"label": label, "margin": "", "interval": ""}
        if half is not None:
            row |= {"margin": f"± {margin(half)}", "interval": say("interval", lower=low, upper=high)}
        yield row


def _scale(axis: Axis, question: Question) -> Scale:
    title = question.axis_title(axis)
    firsts = [cell[0] for cell in axis.cells]
    lasts = [cell[-1] for cell in axis.cells]
    labels = _different([_label(first, last) for first, last in zip(firsts, lasts, strict=True)])
    if question.kind in ("quantiles", "median") and question.column(axis) is None:
        spans = tuple((number, number) for number in firsts if isinstance(number, int | float))
        return Scale(title=say("share"), form="shares", labels=labels, spans=spans)
    if _in_days(firsts):
        spans = _spans([_milliseconds(day) for day in firsts], [_milliseconds(day) for day in lasts])
        return Scale(title=title, form="days", labels=labels, spans=spans)
    if all(isinstance(cell, int | float) for cell in (*firsts, *lasts)):
        return Scale(title=title, form="numbers", labels=labels, spans=_spans(firsts, lasts))
    return Scale(title=title, form="listed", labels=labels)


def _label(first: Cell, last: Cell) -> str:
    text = shown_key(first) if first == last else say("range", first=shown_key(first), last=shown_key(last))
    return "\n".join(textwrap.wrap(visible(text, LONGEST_LABEL), LINE)) or say("blank")


def _spans(firsts: Sequence[Any], lasts: Sequence[Any]) -> tuple[tuple[float, float], ...]:
    """Each cell reaches to the next one's start; the last one to its own end, or as far as one value reaches.

    A cell of one value is drawn around it.
    """
    step = firsts[1] - lasts[0] if len(firsts) > 1 else 1
    ends = [*firsts[1:], lasts[-1] if lasts[-1] > firsts[-1] else lasts[-1] + step]
    shift = step / 2 if list(firsts) == list(lasts) else 0
    return tuple((start - shift, end - shift) for start, end in zip(firsts, ends, strict=True))


def _combined(scales: Sequence[Scale]) -> Scale:
    labels = tuple(" · ".join(cell).replace("\n", " ") for cell in product(*(scale.labels for scale in scales)))
    return Scale(title=" · ".join(scale.title for scale in scales), form="listed", labels=_different(labels))


def _different(labels: Sequence[str]) -> tuple[str, ...]:
    """The labels, numbered where one looks like an earlier one."""
    taken: dict[str, None] = {}
    for label in labels:
        name, number = label, 1
        while name in taken:
            number += 1
            name = f"{label} ({number})"
        taken[name] = None
    return tuple(taken)


def _in_days(cells: Sequence[Cell]) -> bool:
    days = [cell for cell in cells if cell is not None]
    return bool(days) and all(isinstance(day, str) and DAY.fullmatch(day) for day in days)


def _milliseconds(day: Cell) -> float:
    assert isinstance(day, str)
    return (datetime.fromisoformat(day).replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(
        milliseconds=1
    )


def _drawn(cell: Cell, in_days: bool) -> float | int | None:
    if cell is None or isinstance(cell, int | float):
        return cell
    return _milliseconds(cell) if in_days else None
