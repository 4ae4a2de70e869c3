"""The values of new rows as a model takes them: numbers within the declared bounds, places of bins and categories."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from math import isfinite, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.model.function.facts import Edge, Input, categories
from dprelease.model.missing import BLANKS
from dprelease.model.report import NUMBER, read_date

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
FIRST_DAY = date(1970, 1, 1).toordinal()
"""Days are counted from 1970-01-01, as in charts, in PMML and in browsers."""
NOWHERE = -1
"""The place of a value that gives no prediction."""


@dataclass(frozen=True, slots=True)
class InputReader:
    """Reader of the values of one input."""

    given: Input

    @property
    def bounds(self) -> tuple[float, float]:
        """Bounds of the input: values beyond count as these."""
        assert self.given.lower is not None and self.given.upper is not None
        return number(self.given.lower), number(self.given.upper)

    @property
    def starts(self) -> tuple[float, ...]:
        """Values from which on the second bin begins, and each after it.

        Half a step below its edge: rows were counted by the nearest value of the declared lattice, halves upwards.
        """
        half = (self.given.resolution or 1) / 2
        return tuple(number(edge) - half for edge in self.given.edges[1:-1])

    @property
    def size(self) -> int:
        """Number of bins or categories of the input."""
        return len(self.given.edges) - 1 if self.given.edges else len(categories(self.given))

    def numbers(self, values: Sequence[Any]) -> Floats:
        """Return each value of an ordered column, cut at the bounds; NaN for what is none."""
        read = _of_day if self.given.type == "date" else _of_number
        own = np.asarray(values) if self.given.type != "date" else None
        if own is not None and own.dtype.kind in "iuf":
            found = own.astype(np.float64)
            found[np.isinf(found)] = nan
        else:
            found = np.array([read(value) for value in values], dtype=np.float64)
        return np.clip(found, *self.bounds)

    def places(self, values: Sequence[Any]) -> Places:
        """Return the bin or category of each value; NOWHERE for what has none."""
        if not self.given.edges:
            known = {name: place for place, name in enumerate(categories(self.given))}
            read = _of_boolean if self.given.type == "boolean" else _of_text
            return np.array([known.get(read(value), NOWHERE) for value in values], dtype=np.int64)
        found = self.numbers(values)
        places = np.searchsorted(np.array(self.starts, dtype=np.float64), found, side="right").astype(np.int64)
        places[np.isnan(found)] = NOWHERE
        return places


def number(edge: Edge) -> float:
    """Return a declared bound or edge as a number."""
    if isinstance(edge, str):
        day = read_date(edge)
        return float("nan") if day is None else float(day.toordinal() - FIRST_DAY)
    return float(edge)


def _of_number(value: object) -> float:
    if isinstance(value, bool | np.bool_) or value is None:
        return nan
    if isinstance(value, str):
        value = value.strip(BLANKS)
        return float(value) if re.fullmatch(NUMBER, value) else nan
    if not isinstance(value, int | float | Decimal | np.integer | np.floating):
        return nan
    found = float(value)
    return found if isfinite(found) else nan


def _of_day(value: object) -> float:
    if isinstance(value, np.datetime64):
        value = None if np.isnat(value) else value.astype("datetime64[D]").item()
    if isinstance(value, datetime):
        try:
            value = value.date()
        except ValueError:  # pandas' NaT
            return nan
    day = read_date(value.strip(BLANKS) if isinstance(value, str) else value)
    return nan if day is None else float(day.toordinal() - FIRST_DAY)


def _of_boolean(value: object) -> str:
    text = str(value).strip(BLANKS).lower()
    return {"1": "true", "0": "false", "1.0": "true", "0.0": "false"}.get(text, text)


def _of_text(value: object) -> str:
    if isinstance(value, float | np.floating) and float(value).is_integer():
        value = int(value)  # of a column of whole numbers in which some are missing
    return str(value).strip(BLANKS)
