"""Estimates with their margin of error, noise scale, grade and annotation, as statistics offices publish them.

The grade, one letter, says how reliable a number is (`dprelease.model.grade`): in CSV, JSON, Parquet and SDMX, and on
pages and charts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, cycle
from typing import NamedTuple

from dprelease.model.certificate import Certificate
from dprelease.model.grade import Grade, grades
from dprelease.model.release import Cell, Estimates, plain
from dprelease.model.stated import StatedMechanism, StatedStatistic
from dprelease.statements.display import rounded

STATUS, GRADE = "status", "grade"
"""Column names of status and grade."""
LOW, MISSING, INSIGNIFICANT = "U", "O", "N"
"""Codes of SDMX's CL_OBS_STATUS 2.2: low reliability, missing value, not significant; A is a normal value."""
OBSERVED = {Grade.CAUTION: LOW}
"""Grades with another letter in CL_OBS_STATUS, which has one code for low reliability; the others are the same."""
COLUMNS = ("margin95", "noise_scale", STATUS, GRADE, "rounded", "annotation")


def free(name: str, estimates: Estimates) -> str:
    """Return a free column name: `name`, with underscores added where a table has a column of that name."""
    while name in estimates.columns:
        name += "_"
    return name


def margin(lower: Cell, upper: Cell) -> float | None:
    """Return half the width of an interval, 0 where it has none; None where an end is missing or no number."""
    numbers = isinstance(lower, int | float) and isinstance(upper, int | float)
    return (upper - lower) / 2 if numbers else None  # type: ignore[operator]


class Annotation(NamedTuple):
    """Annotation of one estimate."""

    margin95: float | None
    """Half the width of its 95 % interval."""
    noise_scale: tuple[float, ...]
    """Noise scale of each mechanism of the estimate, in steps of the smallest unit counted, as in release.json."""
    status: str
    """Observation status, a code of CL_OBS_STATUS."""
    grade: str
    rounded: Cell
    """Number to quote, with the digits that its interval supports."""
    annotation: str
    """Words from a fixed list, separated by semicolons: docs/formats.md."""


@dataclass(frozen=True, slots=True)
class Annotated:
    """Table of one statistic with its part of the certificate."""

    estimates: Estimates
    stated: StatedStatistic
    """Entry of the statistic in release.json."""
    mechanisms: tuple[StatedMechanism, ...]
    """Mechanisms that the table rests on."""
    certificate: Certificate
    name: str
    """Name of the table."""

    @classmethod
    def of(cls, certificate: Certificate, statistic: str, estimates: Estimates) -> Annotated:
        stated = certificate.statistic(statistic)
        return cls(estimates, stated, certificate.rests_on(stated), certificate, statistic)

    def notes(self) -> Iterator[Annotation]:
        """Yield the annotation of each row, in the order of the CSV file."""
        table = self.estimates
        columns = (table.value, table.lower95, table.upper95, table.extra.get("raw", table.value))
        numbers = zip(*(chain.from_iterable(plain(column)) for column in columns), strict=True)
        words = cache(self._words)
        for (value, lower, upper, raw), letter, scale in zip(numbers, self.graded, self.scales, strict=False):
            half, status = margin(lower, upper), OBSERVED.get(letter, letter.value)
            ends = None if half is not None else (lower, upper) != (None, None)
            wide = status in (LOW, INSIGNIFICANT)
            annotation = words(status, raw != value, ends, wide)
            yield Annotation(half, scale, status, letter.value, rounded(value, lower, upper), annotation)

    @property
    def graded(self) -> Iterator[Grade]:
        return grades(self.certificate, self.name, self.estimates)

    @property
    def columns(self) -> list[str]:
        """Names of the table's columns, then of the annotation's."""
        own = self.estimates
        return [*own.columns, *(free(each, own) for each in COLUMNS)]

    @property
    def scales(self) -> Iterator[tuple[float, ...]]:
        """Noise scales of each row and on: per cell of the innermost key if each has its own mechanism, else of all."""
        scales = tuple(float(mechanism.scale) for mechanism in self.mechanisms if not mechanism.round)
        inner = self.estimates.axes[-1] if self.estimates.axes else None
        own = inner is not None and inner.names == ("probability",) and len(inner.cells) == len(scales)
        return cycle([(scale,) for scale in scales] if own else [scales])

    def _words(self, status: str, adjusted: bool, open_interval: bool | None, wide: bool) -> str:
        """Return the annotation; `open_interval`: None for a whole interval, else True with one end, False without."""
        if status == MISSING:
            return "no value"
        words = ["chosen" if self.stated.presentation.is_chosen else "noise"]
        if self.stated.source is not None:
            words.append(f"follows {', '.join(self.stated.sources)}")
        if adjusted:
            words.append("adjusted")
        if open_interval is not None:
            words.append("open interval" if open_interval else "no interval")
        elif wide:
            words.append("wide interval")
        return "; ".join(words)
