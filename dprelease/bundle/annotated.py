"""Each estimate with what statistics offices write beside it: margin of error, noise scale, grade, annotation.

The grade, one letter, says how reliable a number is (`dprelease.model.grade`): in CSV, JSON, Parquet and SDMX, and on
pages and charts. Releases of before 0.4.0 have a status in its place, by another rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, cycle, repeat
from typing import NamedTuple

from dprelease.charts.display import rounded
from dprelease.model.certificate import Certificate
from dprelease.model.grade import Grade, grades
from dprelease.model.release import Cell, Estimates, plain
from dprelease.model.stated import StatedMechanism, StatedStatistic

STATUS, GRADE = "status", "grade"
"""The names of the columns."""
NORMAL, LOW, MISSING, INSIGNIFICANT = "A", "U", "O", "N"
"""Codes of SDMX's CL_OBS_STATUS 2.2: normal value, low reliability, missing value, not significant."""
OBSERVED = {Grade.CAUTION: LOW}
"""What is another letter in CL_OBS_STATUS, which has one for low reliability: the others are the same there."""
UNSURE = 0.5
"""The margin of error, as a share of the value, above which its reliability is called low."""
COLUMNS = ("margin95", "noise_scale", STATUS, "annotation")
GRADED = ("margin95", "noise_scale", STATUS, GRADE, "rounded", "annotation")


def last_column(certificate: Certificate, estimates: Estimates) -> str:
    """The name of the last column of a table in its file."""
    return STATUS if certificate.limits is None else free(GRADE, estimates)


def free(name: str, estimates: Estimates) -> str:
    """The name of a column beside a table's own: it yields to a key of that name, by underscores."""
    while name in estimates.columns:
        name += "_"
    return name


def statuses(estimates: Estimates) -> Iterator[str]:
    """The status of each row, in the order of the CSV file."""
    columns = (estimates.value, estimates.lower95, estimates.upper95)
    numbers = zip(*(chain.from_iterable(plain(column)) for column in columns), strict=True)
    for (value, lower, upper), counted in zip(numbers, _counted(estimates), strict=False):
        yield _status(value, margin(lower, upper), counted)


def margin(lower: Cell, upper: Cell) -> float | None:
    """Half of an interval; of one without any width, 0."""
    numbers = isinstance(lower, int | float) and isinstance(upper, int | float)
    return (upper - lower) / 2 if numbers else None  # type: ignore[operator]


def _counted(estimates: Estimates) -> Iterator[bool]:
    """Of each row whether a count with an interval of its own stands beside its value."""
    lower = estimates.extra.get("count_lower95")
    return repeat(False) if lower is None else (end is not None for end in lower)


def _status(value: Cell, half: float | None, counted: bool) -> str:
    """Of a value without an interval nobody knows how far off it is: it is never called normal."""
    if value is None:
        return MISSING
    if half is None:
        return NORMAL if counted else LOW
    return LOW if isinstance(value, int | float) and half > abs(value) * UNSURE else NORMAL


class Annotation(NamedTuple):
    """What stands beside one estimate."""

    margin95: float | None
    """Half the width of its 95 % interval."""
    noise_scale: tuple[float, ...]
    """Of each mechanism that it rests on, in steps of the smallest unit counted, as in release.json."""
    status: str
    """Of CL_OBS_STATUS."""
    grade: str
    """Empty, of a release of before 0.4.0."""
    rounded: Cell
    """The number to quote: with the digits that its interval supports."""
    annotation: str
    """Words from a fixed list, separated by semicolons: docs/formats.md."""


@dataclass(frozen=True, slots=True)
class Annotated:
    """The table of one statistic, read beside what the certificate says of it."""

    estimates: Estimates
    stated: StatedStatistic
    """Of the statistic, in release.json."""
    mechanisms: tuple[StatedMechanism, ...]
    """That it rests on."""
    certificate: Certificate
    name: str
    """Of the table."""

    @classmethod
    def of(cls, certificate: Certificate, statistic: str, estimates: Estimates) -> Annotated:
        stated = certificate.statistic(statistic)
        return cls(estimates, stated, certificate.rests_on(stated), certificate, statistic)

    def notes(self) -> Iterator[Annotation]:
        """The annotation of each row, in the order of the CSV file."""
        table = self.estimates
        columns = (table.value, table.lower95, table.upper95, table.extra.get("raw", table.value))
        numbers = zip(*(chain.from_iterable(plain(column)) for column in columns), strict=True)
        words = cache(self._words)
        for (value, lower, upper, raw), (status, letter), scale in zip(
            numbers, self._letters(), cycle(self._scales()), strict=False
        ):
            half = margin(lower, upper)
            ends = None if half is not None else (lower, upper) != (None, None)
            wide = status in (LOW, INSIGNIFICANT)
            annotation = words(status, raw != value, ends, wide)
            yield Annotation(half, scale, status, letter, rounded(value, lower, upper), annotation)

    def _letters(self) -> Iterator[tuple[str, str]]:
        """Of each row status and grade."""
        own = self.graded
        if own is None:
            return zip(statuses(self.estimates), repeat(""), strict=False)
        return ((OBSERVED.get(each, each.value), each.value) for each in own)

    @property
    def graded(self) -> Iterator[Grade] | None:
        return grades(self.certificate, self.name, self.estimates)

    @property
    def columns(self) -> list[str]:
        """The names of the table's columns, and of the annotation's."""
        own = self.estimates
        return [*own.columns, *(COLUMNS if self.certificate.limits is None else [free(each, own) for each in GRADED])]

    def _scales(self) -> Sequence[tuple[float, ...]]:
        """Of each cell of the innermost key where each has a mechanism of its own, else of every cell."""
        scales = tuple(float(mechanism.scale) for mechanism in self.mechanisms if not mechanism.round)
        inner = self.estimates.axes[-1] if self.estimates.axes else None
        own = inner is not None and inner.names == ("probability",) and len(inner.cells) == len(scales)
        return [(scale,) for scale in scales] if own else [scales]

    def _words(self, status: str, adjusted: bool, open_interval: bool | None, wide: bool) -> str:
        """`open_interval`: of an estimate without a whole interval, whether it has one end."""
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
