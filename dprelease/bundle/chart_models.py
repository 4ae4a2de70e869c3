"""Charts of models: a slope with both of its intervals, and what each bin of a column adds, as steps with bands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dprelease.bundle.chart_data import Drawing, Scale, cell_label
from dprelease.bundle.chart_ranges import BOTH, has_both
from dprelease.bundle.forms import Forms
from dprelease.bundle.question import Question
from dprelease.bundle.tables import written
from dprelease.bundle.words import say
from dprelease.model.release import Estimates


def forest(question: Question, table: Estimates, drawing: Drawing, marks: Forms) -> tuple[Any, list[str]] | None:
    """A row for each slope: the interval of noise thick, that of noise and sampling thin below it.

    With what is said of them; None of other tables.
    """
    own = question.parts(table)
    if not has_both(own):
        return None
    (axis,) = own.axes
    labels = drawing.inner.labels if drawing.inner else (cell_label(axis, axis.cells[0], question),)
    places = [place for place, total in enumerate(question.totals(table)) if not total]
    both = zip(*(own.extra[name] for name in BOTH), strict=True)
    rows = [
        {**row, "k0": label, **_wider(place, ends)}
        for row, label, place, ends in zip(marks.rows, labels, places, both, strict=True)
    ]
    along = Scale(title="", form="listed", labels=labels)
    return marks.forest(rows, along), [say("noise_thick"), say("sampling_thin")]


def _wider(place: int, ends: tuple[Any, ...]) -> Mapping[str, Any]:
    """The ends of the wider interval, where they are known, and how programs call them."""
    if None in ends:
        return {}
    told = " ".join(f"{place}.{name}={written(end)}" for name, end in zip(BOTH, ends, strict=True))
    return {"left": ends[0], "right": ends[1], "both": told}
