"""In which directions numeric columns differ most, and by how much: principal components."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np

from dprelease.mechanisms import Mechanism
from dprelease.model.column import NUMERIC
from dprelease.model.column_options import ColumnNames
from dprelease.model.options import Whole, option
from dprelease.model.plan import Expected
from dprelease.model.presentation import ChartType, Presentation, Quantity, Trait, ValueKind
from dprelease.model.release import Axis, Cell, Estimates, FittedOutput, Output
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.statistics.algebra.principal import Principal
from dprelease.statistics.algebra.solving import nine
from dprelease.statistics.algebra.weighing import EQUAL, Weights
from dprelease.statistics.modelled import deviation, half, middle, stated_column
from dprelease.statistics.predictors import Predictors, Term, predictors
from dprelease.statistics.summed import Summed
from dprelease.statistics.tabulated import ExpectedError
from dprelease.words import phrase

MAX_COLUMNS = 12
NORMAL95 = 1.959963984540054


@dataclass(frozen=True, kw_only=True)
class Components(Summed):
    """The k directions along which rows differ most by some numeric columns, each in parts of the width of its column.

    Columns lie between -1 and 1. Measured together are Σ of all products of two of (1, columns), which weigh alike:
    with N = (d + 1)(d + 2)/2 of them, less one for each column of two values, sensitivity m·N (L1) and m·√N (L2), under
    substitute `Weights.changes`; discrete Laplace noise, or Gaussian in zcdp. All else is post-processing: eigenvectors
    of the second moments about the noisy means, by Jacobi's rotations; the share of the variation along each; and
    intervals by perturbation, where noise leaves a direction apart from the others.
    """

    kind: ClassVar[str] = "components"
    presentation: ClassVar[Presentation] = Presentation(
        measure=Quantity.NUMBER,
        error=Quantity.SHARE,
        values=ValueKind.NOISY,
        look=ChartType.MARKS,
        traits=(Trait.UNLIKE,),
    )
    PARTS: ClassVar[tuple[str, ...]] = ("loadings", "shares")
    on: tuple[str, ...] = option(ColumnNames(NUMERIC, fewest=2, most=MAX_COLUMNS))
    """The columns that differ, two to twelve, in parts of the width of each."""
    k: int = option(Whole(1, MAX_COLUMNS))
    """Number of directions, at most that of columns."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        if self.k > len(self.on):
            allowed = phrase("model.at_most", max_text=len(self.on))
            report.add(f"{path}.k", found=self.k, allowed=allowed, remedy=phrase("statistics.fewer_components"))

    def predictors(self, schema: Schema) -> Predictors:
        """Return the columns as terms, the last one as an outcome: products do not tell them apart."""
        *columns, last = (schema[name] for name in self.on)
        return predictors(tuple(columns), last)

    def weights(self, noise: type[Mechanism]) -> Weights:
        return EQUAL

    def answered(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> Output:
        found = Principal(self.sums(schema, drawn[0], mechanisms[0]))
        terms = [Term(schema[name]) for name in self.on]
        says = found.says_something
        axes = [list(map(nine, found.vectors[place])) if says else [0.0] * len(terms) for place in range(self.k)]
        facts = {
            "model": 1,
            "kind": self.kind,
            "inputs": [stated_column(schema[name]) for name in self.on],
            "outcome": None,
            "function": {
                "link": "project",
                "means": [nine(middle(term) + half(term) * m) for term, m in zip(terms, found.means, strict=True)],
                "widths": [nine(2 * half(term)) for term in terms],
                "axes": axes,
                "intervals": "approximate",
            },
            "integers": [np.ravel(each).tolist() for each in drawn],
        }
        return FittedOutput(parts=self._tables(found, axes), facts=facts)

    def _tables(self, found: Principal, axes: Sequence[Sequence[float]]) -> dict[str, Estimates]:
        says = found.says_something
        loadings: list[tuple[Cell, Cell, Cell]] = []
        shares: list[tuple[Cell, Cell, Cell]] = []
        for place, own in enumerate(axes):
            share = nine(found.share(place)) if says else None
            if share is not None and found.is_apart(place):
                of_share, of_entries = found.deviations(place)
                shares.append(_cells(share, of_share, 0.0))
                loadings += [_cells(number, s, -1.0) for number, s in zip(own, of_entries, strict=True)]
            else:
                shares.append((share, None, None))
                loadings += [(number if says else None, None, None) for number in own]
        numbers = tuple((place + 1,) for place in range(self.k))
        columns = Axis(("column",), tuple((name,) for name in self.on))
        return {
            "loadings": _table((Axis(("component",), numbers), columns), loadings),
            "shares": _table((Axis(("component",), numbers),), shares),
        }

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError | None:
        """Estimate the error by noise of a direction's share, for rows spread evenly over their columns.

        The variance of each is a third: s by n·d/3 at a confidence, and never more than 1.
        """
        if expected is None:
            return None
        noise = deviation(mechanisms[0], self.unit(schema))
        reach = NormalDist().inv_cdf((1 + confidence) / 2) if confidence else 1.0
        return ExpectedError(min(1.0, reach * 3.0 * noise / (max(1, expected.rows) * len(self.on))), "expected")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        """Return the share of each of so many directions that are alike."""
        return 1.0 / len(self.on)

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        return ()

    def size(self, schema: Schema) -> int:
        return self.k * (len(self.on) + 1)


def _cells(number: float, deviation: float, least: float) -> tuple[Cell, Cell, Cell]:
    """Return a value with its interval, which ends where values do."""
    half = NORMAL95 * deviation
    return number, min(number, nine(max(least, number - half))), max(number, nine(min(1.0, number + half)))


def _table(axes: tuple[Axis, ...], cells: Sequence[tuple[Cell, Cell, Cell]]) -> Estimates:
    """Return a table whose intervals are no 95 %: by perturbation they hold in 87 to 97 % of releases, as measured."""
    value, lower, upper = (list(each) for each in zip(*cells, strict=True))
    nothing: list[Cell] = [None] * len(value)
    return Estimates(axes=axes, value=value, lower95=nothing, upper95=nothing, extra={"lower": lower, "upper": upper})
