"""Groups of rows that are alike: their centres, and how many rows each has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import ceil, log, prod, sqrt
from statistics import NormalDist
from typing import Any, ClassVar, Self

import numpy as np

from dprelease.mechanisms import DiscreteGaussian, Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.column import NUMERIC
from dprelease.model.column_options import ColumnNames
from dprelease.model.encoding import plain
from dprelease.model.options import Choice, NumberOption, Whole, option
from dprelease.model.plan import Expected, Plan
from dprelease.model.presentation import ChartType, Presentation, Quantity, Trait, ValueKind
from dprelease.model.privacy import PrivacyLoss, Terms
from dprelease.model.release import Axis, Estimates, FittedOutput, Output
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.stated import OutputKind, StatedMechanism
from dprelease.model.tally import Key, Shape, TallyQuery
from dprelease.statistics.algebra import clustering, combination
from dprelease.statistics.algebra.clustering import FloatArray
from dprelease.statistics.algebra.grouping import equal_bins
from dprelease.statistics.algebra.sensitivity import simplex
from dprelease.statistics.algebra.solving import nine
from dprelease.statistics.modelled import stated_column
from dprelease.statistics.tabulated import ExpectedError, Integers, Measurement, TallyStatistic
from dprelease.words import phrase, verbatim

MAX_COLUMNS, MAX_CLUSTERS = 4, 20
FINEST = {1: 360, 2: 360, 3: 60, 4: 24}
"""Cells an axis that rows are counted in, by the number of columns: of these every grid that is chosen is made."""
FEWEST, MOST = 3, 40
"""Cells an axis of a grid that is chosen; one that is declared may have fewer."""
MAX_CELLS = 30_000
"""Largest number of cells of a grid: as many numbers are published."""
ROWS = 10
"""Rows in a cell, times ε: (n·ε/10)^(2d/(2 + d)) cells in all (Su et al. 2016)."""
MIN_NOISE = 1e-9
"""A variance: less is none."""
LEAST, LARGEST = clustering.FUZZINESS[0], clustering.FUZZINESS[-1]
KMEANS, FUZZY = "kmeans", "fuzzy"


@dataclass(frozen=True, kw_only=True)
class Clusters(TallyStatistic):
    """The centres of k groups of rows by one to four numeric columns, and the number of rows in the region of each.

    Rows that have a value in every column are counted in the cells of a grid over the declared bounds, which each row
    adds 1 to one of: sensitivity m under add_remove, 2m under substitute (L1). Discrete Laplace noise, or Gaussian in
    zcdp, on each count; all else is made of the noisy grid, which is published. How fine it is depends on the plan
    alone: `grid`, or the noise and the expected rows.
    """

    output: ClassVar[OutputKind] = "model"
    offers: ClassVar[tuple[str, ...]] = ("noise",)
    kind: ClassVar[str] = "clusters"
    presentation: ClassVar[Presentation] = Presentation(
        measure=Quantity.NUMBER,
        error=Quantity.WIDTH,
        values=ValueKind.NOISY,
        look=ChartType.WORDS,
        traits=(Trait.UNLIKE,),
    )
    PARTS: ClassVar[tuple[str, ...]] = ("centres", "sizes")
    on: tuple[str, ...] = option(ColumnNames(NUMERIC, most=MAX_COLUMNS))
    """The columns by which rows are near to one another, in parts of the width of each."""
    k: int = option(Whole(1, MAX_CLUSTERS))
    """Number of groups."""
    method: str = option(Choice((KMEANS, FUZZY)), default=KMEANS)
    """kmeans: a row belongs to the nearest centre. fuzzy: to each in part, the nearer the more."""
    fuzziness: Decimal | None = option(NumberOption(LEAST, LARGEST), default=None)  # noqa: RUF009
    """Fuzziness of the method fuzzy: 1.25, 1.5, 2 (default) or 3; the larger, the less a row is one group's alone."""
    grid: int | None = option(Whole(1, MOST), default=None)
    """Cells along each column; by default as many as the noise and the expected rows make best."""
    cells: int | None = None
    """No option: those that were chosen, where none are declared."""

    @property
    def _fuzziness(self) -> Decimal | None:
        """None of k-means."""
        return None if self.method == KMEANS else self.fuzziness or Decimal(2)

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        if self.fuzziness is not None and self.method == KMEANS:
            found, remedy = phrase("statistics.fuzziness_of_kmeans"), phrase("statistics.fuzziness_remedy")
            report.add(f"{path}.fuzziness", found=found, allowed=phrase("statistics.fuzziness_of_fuzzy"), remedy=remedy)
        elif self.fuzziness is not None and self.fuzziness not in clustering.FUZZINESS:
            allowed = verbatim(", ".join(map(str, clustering.FUZZINESS)))
            report.add(f"{path}.fuzziness", found=self.fuzziness, allowed=allowed)
        many = prod(self._shape(schema, self.grid)) if self.grid else max(map(prod, self._grids(schema)))
        if self.grid and many > MAX_CELLS:
            report.add(
                f"{path}.grid",
                found=phrase("statistics.cells", cells=many),
                allowed=phrase("model.at_most", max_text=MAX_CELLS),
                remedy=phrase("statistics.coarser_grid"),
            )
        elif many < self.k:
            report.add(
                f"{path}.k",
                found=self.k,
                allowed=phrase("statistics.at_most_cells", cells=many),
                remedy=phrase("statistics.fewer_clusters"),
            )

    def check_plan(self, path: str, plan: Plan, terms: Terms, report: Report) -> None:
        super().check_plan(path, plan, terms, report)
        if self.grid is None and plan.expected is None:
            report.add(
                "expected",
                found=phrase("model.nothing"),
                allowed=phrase("statistics.expected_rows_grid"),
                remedy=phrase("statistics.add_expected_rows_grid", path=path),
            )

    def settled(self, schema: Schema, terms: Terms, share: PrivacyLoss, expected: Expected | None) -> Self:
        """Return the statistic with the grid whose cells an axis are nearest to M^(1/d), M = (n·ε/10)^(2d/(2 + d)).

        n are the expected rows, and ε that of Laplace noise on counts as strong as the noise is: √2 by its deviation.
        """
        if self.grid is not None or expected is None:
            return self
        (one,) = self.measurements(schema, terms)
        loss = PrivacyLoss.of(terms.currency, share.nano, share.delta_atto)
        noise = one.mechanism.calibrate(one.sensitivity, loss)
        assert isinstance(noise, Noise)
        rows = max(1, expected.rows) / ROWS * sqrt(2 / max(MIN_NOISE, float(noise.variance)))
        aim = 2 / (2 + len(self.on)) * log(rows)
        return replace(self, cells=min(self._steps(schema), key=lambda cells: abs(log(cells) - aim)))

    def _steps(self, schema: Schema) -> list[int]:
        """Return the cells an axis to choose from, of which `FINEST` is a multiple; at least k cells if any has."""
        finest = FINEST[len(self.on)]
        steps = [each for each in range(FEWEST, MOST + 1) if finest % each == 0]
        few = [each for each in steps if prod(self._shape(schema, each)) <= MAX_CELLS]
        return [each for each in few if prod(self._shape(schema, each)) >= self.k] or few[-1:]

    def _grids(self, schema: Schema) -> list[Shape]:
        return [self._shape(schema, each) for each in self._steps(schema)]

    def _shape(self, schema: Schema, cells: int) -> Shape:
        """Return the shape of a grid with so many cells an axis, at most one a value."""
        return tuple(min(cells, schema[name].codes) for name in self.on)

    def _keys(self, schema: Schema, cells: int) -> tuple[Key, ...]:
        return tuple(equal_bins(schema[name], cells) for name in self.on)

    def _usual(self, schema: Schema) -> Shape:
        """Return the shape of the grid that is declared or chosen; before that, of the coarsest."""
        return self._shape(schema, self.grid or self.cells or self._steps(schema)[0])

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        """Return rows by cell: of the declared grid, else of one of which all that may be chosen are made."""
        return (TallyQuery(self._keys(schema, self.grid or FINEST[len(self.on)])),)

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        return self._measured(terms, self._usual(schema))

    def way_of(self, schema: Schema, terms: Terms, stated: Sequence[StatedMechanism]) -> tuple[Measurement, ...]:
        """Return the measurements by any grid, where none is declared."""
        if self.grid is None and len(stated) == 1 and stated[0].shape in self._grids(schema):
            return self._measured(terms, stated[0].shape)
        return self.measurements(schema, terms)

    def _measured(self, terms: Terms, shape: Shape) -> tuple[Measurement, ...]:
        return (Measurement(self.noise_for(terms), shape, simplex(terms, shape)),)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        """Return the grid: a cell of it is some of the finest next to one another, or some values."""
        (counts,) = tallies
        shape = self._usual(schema)
        for place, (name, wanted) in enumerate(zip(self.on, shape, strict=True)):
            fine = counts.shape[place]
            steps = schema[name].lattice.steps if fine == schema[name].codes else fine
            cells = np.minimum(np.arange(fine) * wanted // steps, wanted - 1) if wanted < fine else np.arange(fine)
            firsts = np.flatnonzero(np.diff(cells, prepend=-1))
            counts = np.add.reduceat(counts, firsts, axis=place)
        return (counts,)

    def answered(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> Output:
        (counts,), (noise,) = drawn, mechanisms
        shape = np.shape(counts)
        numbers: list[int] = np.ravel(counts).tolist()
        points = self._points(schema, shape)
        weights = clustering.projected(np.array(numbers))
        found = clustering.centres(points, weights, self.k, self._fuzziness)
        places = [self._place(schema, name) for name in self.on]
        centres = [
            [nine(low + width * part) for (low, width), part in zip(places, centre, strict=True)]
            for centre in found.tolist()
        ]
        sizes, halves = self._sizes(points, self._parts(schema, centres), numbers, noise)
        return FittedOutput(
            parts={"centres": self._centres(centres, sizes, halves), "sizes": self._counted(sizes, halves)},
            facts=self._facts(schema, centres, shape, numbers),
        )

    def _points(self, schema: Schema, shape: Shape) -> FloatArray:
        """Return the middle of each cell's values, in parts of the widths."""
        axes = []
        for name, cells in zip(self.on, shape, strict=True):
            steps = schema[name].lattice.steps
            firsts = np.array(self._firsts(schema, name, cells), dtype=np.float64)
            axes.append((firsts + np.append(firsts[1:] - 1, steps)) / (2.0 * steps))
        return np.stack([each.ravel() for each in np.meshgrid(*axes, indexing="ij")], axis=1)

    def _firsts(self, schema: Schema, name: str, cells: int) -> list[int]:
        key = equal_bins(schema[name], cells)
        return [key.first_code(cell) for cell in range(cells)]

    @staticmethod
    def _place(schema: Schema, name: str) -> tuple[float, float]:
        """Return a column's lower bound and width, as they are published."""
        lattice = schema[name].lattice
        return float(lattice.start * lattice.resolution), nine(float(lattice.steps * lattice.resolution))

    def _parts(self, schema: Schema, centres: Sequence[Sequence[float]]) -> FloatArray:
        """Return published centres, in parts of the widths: so whoever has these has the same regions."""
        places = [self._place(schema, name) for name in self.on]
        return np.array(
            [[(at - low) / width for (low, width), at in zip(places, centre, strict=True)] for centre in centres]
        )

    def _sizes(
        self, points: FloatArray, centres: FloatArray, numbers: Sequence[int], noise: Mechanism
    ) -> tuple[list[int], list[int]]:
        """Return the noisy rows in each centre's region, the cells nearest to it; and the 95 % reach of that noise."""
        regions = clustering.nearest(points, centres).tolist()
        sizes, many = [0] * self.k, [0] * self.k
        for region, number in zip(regions, numbers, strict=True):
            sizes[region] += number
            many[region] += 1
        return sizes, [_reach(noise, cells) for cells in many]

    def _centres(self, centres: Sequence[Sequence[float]], sizes: Sequence[int], halves: Sequence[int]) -> Estimates:
        nothing = [None] * (self.k * len(self.on))
        each = [*range(self.k)] * len(self.on)
        return Estimates(
            axes=self._axes(),
            value=[number for numbers in zip(*centres, strict=True) for number in numbers],
            lower95=nothing,
            upper95=nothing,
            extra={
                "count": [sizes[place] for place in each],
                "count_lower95": [sizes[place] - halves[place] for place in each],
                "count_upper95": [sizes[place] + halves[place] for place in each],
            },
        )

    def _counted(self, sizes: Sequence[int], halves: Sequence[int]) -> Estimates:
        lower, upper = ([size + sign * half for size, half in zip(sizes, halves, strict=True)] for sign in (-1, 1))
        return Estimates(axes=self._axes()[1:], value=list(sizes), lower95=lower, upper95=upper)

    def _axes(self) -> tuple[Axis, ...]:
        clusters = tuple((number + 1,) for number in range(self.k))
        return Axis(("column",), tuple((name,) for name in self.on)), Axis(("cluster",), clusters)

    def _facts(
        self, schema: Schema, centres: Sequence[Sequence[float]], shape: Shape, numbers: Sequence[int]
    ) -> Mapping[str, Any]:
        columns = [schema[name] for name in self.on]
        fuzziness = self._fuzziness
        return {
            "model": 1,
            "kind": self.kind,
            "inputs": list(map(stated_column, columns)),
            "outcome": None,
            "function": {
                "link": "nearest" if fuzziness is None else "fuzzy",
                **({} if fuzziness is None else {"fuzziness": plain(fuzziness)}),
                "centres": [list(centre) for centre in centres],
                "widths": [self._place(schema, name)[1] for name in self.on],
            },
            "grid": [
                [*map(column.value, self._firsts(schema, column.name, cells)), column.value(column.lattice.steps)]
                for column, cells in zip(columns, shape, strict=True)
            ],
            "integers": [list(numbers)],
        }

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError | None:
        """Estimate the shift of a centre by noise along a column, as a part of its width, for groups of n/k rows.

        A centre is Σ w·x / Σ w over a region of M/k cells, each within half the width of the middle: sd·√(M/k)/2 by
        n/k, as if normal, and never more than the width.
        """
        if expected is None:
            return None
        (noise,) = mechanisms
        assert isinstance(noise, Noise)
        many = prod(noise.sensitivity.shape or ()) / self.k
        shift = sqrt(float(noise.variance) * many) / 2 / (max(1, expected.rows) / self.k)
        return ExpectedError(min(1.0, -NormalDist().inv_cdf((1 - confidence) / 2) * shift), "expected")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        return 1.0

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        return ()

    def size(self, schema: Schema) -> int:
        return self.k * (len(self.on) + 1)


def _reach(noise: Mechanism, cells: int) -> int:
    """Return the reach of the noise of so many counts together with 95 %, to the next whole row."""
    assert isinstance(noise, Noise)
    if cells <= 1:
        return cells * noise.half_width()
    if isinstance(noise, DiscreteGaussian):
        return ceil(combination.quantile(0.95, (), noise.scale * sqrt(cells)))
    return ceil(combination.quantile(0.95, ((noise.scale, cells),)))
