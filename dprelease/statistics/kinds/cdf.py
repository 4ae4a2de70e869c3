"""Share of the rows at or below each of some values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dprelease.mechanisms import NOISE, DiscreteLaplace, Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.column import ORDERED
from dprelease.model.column_options import ColumnName
from dprelease.model.options import Values, Whole, option
from dprelease.model.plan import Expected
from dprelease.model.presentation import ChartType, Presentation, Quantity, Trait, shown
from dprelease.model.privacy import Terms
from dprelease.model.release import Axis, Estimates
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.stated import StatedMechanism
from dprelease.model.tally import Key, TallyQuery
from dprelease.statistics.algebra.cumulated import cumulated, even_half_widths, increasing
from dprelease.statistics.algebra.grouping import axes
from dprelease.statistics.algebra.reach import fit
from dprelease.statistics.algebra.sensitivity import simplex
from dprelease.statistics.algebra.tree import Tree, is_tree, least_precise, planned
from dprelease.statistics.bounded import in_order
from dprelease.statistics.kinds.histogram import binned, check_bins
from dprelease.statistics.tabulated import ExpectedError, Integers, Measurement, TallyStatistic


@dataclass(frozen=True, kw_only=True)
class Cdf(TallyStatistic):
    """The cumulative distribution of an ordered column: the share of rows up to the end of each bin.

    A histogram with noise, cumulated, divided by its total and made increasing by least squares (isotonic); `raw` is
    the share before that. Sensitivity L1: m under add_remove, 2m under substitute. Discrete Laplace noise, or Gaussian
    in zcdp. Many bins are counted at several levels (`Tree`), each with that sensitivity and an equal part of the
    budget, and fitted to all of them by least squares, where the least precise share gains by it: then every share
    has about the same error, the first and the last of them a larger one than by the bins alone. The interval of each
    share follows from the noise of all that it is computed of.
    """

    kind: ClassVar[str] = "cdf"
    offers: ClassVar[tuple[str, ...]] = ("noise",)
    presentation: ClassVar[Presentation] = shown(Quantity.SHARE, Trait.UNLIKE, look=ChartType.STAIRS)
    column: str = option(ColumnName(ORDERED))
    """An integer, number or date column."""
    bins: int | None = option(Whole(2, 10_000), default=None)
    """Number of bins of equal width; by default 20, or one for each value where these are few."""
    edges: tuple[Any, ...] = option(Values(1001), default=())
    """Instead of bins: declared values from the lower bound to the upper."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        check_bins(self.bins, self.edges, schema[self.column], path, report)

    def key(self, schema: Schema) -> Key:
        """Return the key of its bins."""
        return binned(schema[self.column], self.bins, self.edges)

    def identity(self, schema: Schema) -> Any:
        return "counts", self.noise, (self.key(schema),)

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        return (TallyQuery((self.key(schema),)),)

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        noise = self.noise_for(terms)
        usual = noise is NOISE[terms.currency]
        return self._levels(terms, self._tree(schema, noise) if usual else Tree((self.size(schema),)))

    def ways(self, schema: Schema, terms: Terms) -> tuple[tuple[Measurement, ...], ...]:
        """Return the levels of its tree, where one is planned, and the bins alone."""
        first = self.measurements(schema, terms)
        return (first,) if len(first) == 1 else (first, self._levels(terms, Tree((self.size(schema),))))

    def way_of(self, schema: Schema, terms: Terms, stated: Sequence[StatedMechanism]) -> tuple[Measurement, ...]:
        """Return the levels of any tree over the bins; the bins alone are one."""
        sizes = tuple(cells for each in stated for cells in each.shape)
        if len(sizes) != len(stated) or not is_tree(sizes, self.size(schema)):
            return self.measurements(schema, terms)
        return self._levels(terms, Tree(sizes))

    def _levels(self, terms: Terms, tree: Tree) -> tuple[Measurement, ...]:
        noise = self.noise_for(terms)
        return tuple(Measurement(noise, (size,), simplex(terms, (size,))) for size in tree.sizes)

    def _tree(self, schema: Schema, noise: type[Mechanism]) -> Tree:
        """Return the one that is planned where the noise is that of the currency."""
        return planned(self.size(schema), squared=noise is DiscreteLaplace)

    def uncertainty(self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None) -> float:
        """Return the variance of the least precise share, in rows squared, for rows spread evenly."""
        (first, *_) = mechanisms
        assert isinstance(first, Noise)
        return float(first.variance) * least_precise(fit(mechanisms, self.size(schema)))

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        return (tallies[0],)

    def given(
        self, schema: Schema, tallies: Sequence[Integers], mechanisms: Sequence[type[Mechanism]]
    ) -> tuple[Integers, ...]:
        if len(mechanisms) <= 1:
            return self.exact(schema, tallies)
        return self._tree(schema, mechanisms[0]).counts(tallies[0])

    def estimates(
        self, schema: Schema, drawn: Sequence[Integers], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        parts = cumulated(drawn, mechanisms, confidence)
        value, lower, upper, raw = ([float(number) for number in part] for part in parts)
        return Estimates(axes=self.axes(schema), value=value, lower95=lower, upper95=upper, extra={"raw": raw})

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        raw = table.extra.get("raw", ())
        if list(table.extra) != ["raw"] or not all(isinstance(number, int | float) for number in raw):
            return False
        value = increasing(np.array(raw, dtype=np.float64))
        return in_order(table, least=0.0, most=1.0) and np.allclose(
            np.array(table.value, dtype=np.float64), value, atol=1e-9
        )

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError | None:
        """Return the largest half-width, for rows spread evenly over the bins."""
        if expected is None:
            return None
        halves = even_half_widths(self.size(schema), expected.rows, tuple(mechanisms), confidence)
        return ExpectedError(float(np.max(halves)), "expected")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        return 1.0

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        (axis,) = axes(schema, (self.key(schema),))
        return (Axis((f"{axis.names[0].removesuffix('_from')}_up_to",), tuple((cell[-1],) for cell in axis.cells)),)

    def size(self, schema: Schema) -> int:
        return self.key(schema).cells
