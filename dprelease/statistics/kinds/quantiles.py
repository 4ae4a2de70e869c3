"""Below which value a share of the rows lies."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from dprelease.model.options import Probabilities, option
from dprelease.model.presentation import ChartType, Presentation, Quantity, Trait, ValueKind, shown
from dprelease.model.release import Axis
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.statistics.ranked import QuantileTable
from dprelease.words import phrase


@dataclass(frozen=True, kw_only=True)
class Quantiles(QuantileTable):
    """The values below which given shares of the rows lie, in all or in each group."""

    kind: ClassVar[str] = "quantiles"
    presentation: ClassVar[Presentation] = shown(Quantity.COLUMN, Trait.UNLIKE, Trait.QUANTILE, values=ValueKind.GRADED)
    probs: tuple[Decimal, ...] = option(Probabilities())
    """Shares of the rows, strictly between 0 and 1."""

    def probabilities(self) -> tuple[Decimal, ...]:
        return self.probs

    def answer_axes(self) -> tuple[Axis, ...]:
        return (Axis(("probability",), tuple((float(alpha),) for alpha in self.probs)),)


@dataclass(frozen=True, kw_only=True)
class Median(QuantileTable):
    """The value in the middle, in all or in each group."""

    kind: ClassVar[str] = "median"
    presentation: ClassVar[Presentation] = shown(Quantity.COLUMN, Trait.QUANTILE, values=ValueKind.GRADED)

    def probabilities(self) -> tuple[Decimal, ...]:
        return (Decimal("0.5"),)

    def answer_axes(self) -> tuple[Axis, ...]:
        return ()


@dataclass(frozen=True, kw_only=True)
class FiveNumbers(QuantileTable):
    """The numbers of a box plot: quartiles, median, and two outer quantiles for the whiskers.

    The smallest and the largest value of all would be one person's: the whiskers end at declared quantiles instead.
    """

    kind: ClassVar[str] = "five_numbers"
    presentation: ClassVar[Presentation] = shown(
        Quantity.COLUMN, Trait.UNLIKE, Trait.QUANTILE, values=ValueKind.GRADED, look=ChartType.BOXES
    )
    whiskers: tuple[Decimal, ...] = option(Probabilities(), default=(Decimal("0.05"), Decimal("0.95")))
    """The outer two shares of the rows: 0.05 and 0.95 by default."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        super().check_together(path, schema, report)
        if len(self.whiskers) != 2 or not self.whiskers[0] < Decimal("0.25") < Decimal("0.75") < self.whiskers[1]:
            report.add(
                f"{path}.whiskers",
                found=", ".join(map(str, self.whiskers)),
                allowed=phrase("statistics.two_shares_one_below"),
            )

    def probabilities(self) -> tuple[Decimal, ...]:
        return (self.whiskers[0], Decimal("0.25"), Decimal("0.5"), Decimal("0.75"), self.whiskers[1])

    def answer_axes(self) -> tuple[Axis, ...]:
        return (Axis(("probability",), tuple((float(alpha),) for alpha in self.probabilities())),)
