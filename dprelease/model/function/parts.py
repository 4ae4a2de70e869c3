"""Parts of a score, which each input adds for each output: a line, steps, or a bowl. Browsers work out the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.model.function.facts import (
    Bayes,
    ByGroup,
    ClusterFacts,
    Likelihood,
    LinearFacts,
    ModelFacts,
    Nothing,
    ScorecardFacts,
    categories,
)
from dprelease.model.function.inputs import InputReader

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SlopeLine:
    """slope · (x − origin) / width, by output."""

    slopes: tuple[float, ...]
    origin: float = 0.0
    width: float = 1.0

    def of(self, values: Floats) -> Floats:
        """Return the addends, rows by outputs. `values`: numbers."""
        return np.outer((values - self.origin) / self.width, np.array(self.slopes))

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping for browsers."""
        return {"slopes": list(self.slopes), "origin": self.origin, "width": self.width}


@dataclass(frozen=True, slots=True)
class Steps:
    """Addends by place and output."""

    table: tuple[tuple[float, ...], ...]

    def of(self, values: NDArray[np.int64]) -> Floats:
        """Return the addends, rows by outputs; NaN where there is no place. `values`: places."""
        found = np.array(self.table, dtype=np.float64)[values]
        found[values < 0] = np.nan
        return found

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping for browsers."""
        return {"table": [list(row) for row in self.table]}


@dataclass(frozen=True, slots=True)
class Bowl:
    """factor · ((x − centre) / width)² + added, by output."""

    centres: tuple[float, ...]
    widths: tuple[float, ...]
    factor: float = 1.0
    added: tuple[float, ...] = ()

    def of(self, values: Floats) -> Floats:
        """Return the addends, rows by outputs. `values`: numbers."""
        apart = (values[:, None] - np.array(self.centres)) / np.array(self.widths)
        return np.asarray(self.factor * apart * apart + (np.array(self.added) if self.added else 0.0))

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping for browsers."""
        added = list(self.added) or [0.0] * len(self.centres)
        return {"centres": list(self.centres), "widths": list(self.widths), "factor": self.factor, "added": added}


Part = SlopeLine | Steps | Bowl


def parts(facts: ModelFacts) -> list[tuple[InputReader, Part]]:
    """Return each input's part, in the order of the inputs; those of which the function knows nothing add nothing."""
    readers = [InputReader(each) for each in facts.inputs]
    function = facts.function
    if isinstance(function, LinearFacts):
        return [(reader, _linear(reader, function)) for reader in readers]
    if isinstance(function, ScorecardFacts):
        points = {term.column: term.points for term in function.terms}
        return [(each, _scored(points.get(each.given.column), each)) for each in readers]
    if isinstance(function, Bayes):
        terms = {term.column: term for term in function.terms}
        return [(each, _bayes(terms.get(each.given.column), len(function.classes), each)) for each in readers]
    if isinstance(function, ByGroup | Nothing):
        return []  # each group has its own
    widths = [float(width) for width in function.widths]
    if isinstance(function, ClusterFacts):
        columns = zip(*function.centres, strict=True)
        return [
            (each, Bowl(tuple(map(float, centres)), (width,) * len(centres)))
            for each, centres, width in zip(readers, columns, widths, strict=True)
        ]
    columns = zip(*function.axes, strict=True)
    return [
        (each, SlopeLine(tuple(map(float, slopes)), float(mean), width))
        for each, slopes, mean, width in zip(readers, columns, function.means, widths, strict=True)
    ]


def _linear(reader: InputReader, function: LinearFacts) -> Part:
    own = [term for term in function.terms if term.column == reader.given.column]
    if reader.given.is_ordered:
        return SlopeLine((float(sum(term.coefficient for term in own)),))
    added: Mapping[str | None, float] = {term.category: float(term.coefficient) for term in own}
    return Steps(tuple((added.get(name, 0.0),) for name in categories(reader.given)))


def _scored(points: Sequence[float] | None, reader: InputReader) -> Part:
    if points is None and reader.given.is_ordered:
        return SlopeLine((0.0,))
    return _steps([points or (0,) * reader.size])


def _bayes(term: Likelihood | None, classes: int, reader: InputReader) -> Part:
    if term is None:
        return SlopeLine((0.0,) * classes) if reader.given.is_ordered else _steps([(0,) * reader.size] * classes)
    if not term.means:
        return _steps(term.logs)
    widths = tuple(map(float, term.deviations))
    return Bowl(tuple(map(float, term.means)), widths, -0.5, tuple(-log(width) for width in widths))


def _steps(by_output: Any) -> Steps:
    return Steps(tuple(tuple(map(float, row)) for row in zip(*by_output, strict=True)))
