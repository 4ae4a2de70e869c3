"""Base of quantiles: each is chosen among cells, or read from noisy counts of these."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import ceil, inf
from typing import Any, ClassVar, Self

import numpy as np

from dprelease.accounting.shares import split
from dprelease.mechanisms import NOISE, SELECTION, DiscreteLaplace, Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.column import ORDERED, Column
from dprelease.model.column_options import ColumnName
from dprelease.model.options import Flag, Values, Whole, option
from dprelease.model.plan import Expected
from dprelease.model.privacy import PrivacyLoss, Terms
from dprelease.model.release import Axis, Estimates
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.stated import StatedMechanism
from dprelease.model.tally import Key, Sensitivity, Shape, TallyQuery
from dprelease.statistics.algebra.cumulated import cumulated, even_half_widths, quantile
from dprelease.statistics.algebra.grouping import axes, check_cells
from dprelease.statistics.algebra.rank_interval import bins, cells_between, counted, edges, interval
from dprelease.statistics.algebra.selection import even_spread_error
from dprelease.statistics.algebra.sensitivity import simplex
from dprelease.statistics.algebra.tree import Tree, is_tree, planned
from dprelease.statistics.tabulated import GROUPS, ExpectedError, Integers, Measurement, Pick, TallyStatistic
from dprelease.words import phrase, quoted

CELLS = 65_536
CELLS_BY = 4_096
MAX_SCORES = 8_000_000
INTERVAL = Fraction(1, 5)
"""Part of the share, where intervals are asked for."""
MANY = 9
"""From so many answers on they may be read from counts."""
FINENESS = (256, 1024, 4096)
"""Into how many bins rows are counted then, about: the fewer, the less noise, and the wider each."""


@dataclass(frozen=True, kw_only=True)
class QuantileTable(TallyStatistic):
    """Quantiles of a column, each chosen privately among public cells of its lattice.

    The score of a cell for α is −max(n_below − αn, n_above − (1 − α)n), where rows inside the cell count for neither
    side, so ties are no trouble; for α = p/q it is multiplied by q to be whole. Permute-and-flip (in zcdp the
    exponential mechanism) chooses a cell, then a lattice point in it is taken uniformly. L∞ sensitivity, before the
    factor q: m·max(α, 1 − α) under add_remove, jointly over all groups; under substitute m, and 2m·max(α, 1 − α)
    jointly over groups. Several quantiles share the tally, split the budget by max(α, 1 − α) and are sorted afterwards.

    With `interval`, a fifth of the share counts rows between edges around each published value, in a second round, with
    discrete Laplace noise, or Gaussian in zcdp (sensitivity m, under substitute 2m, L1), from which its interval
    follows (`rank_interval`). Without, no interval for the value is published.

    Nine and more quantiles of all rows may instead be read from noisy counts of bins at several levels (`Tree`), whose
    error does not grow with their number: where by the expected rows, spread evenly, the least precise share is off by
    less, the width of a bin included. Sensitivity L1 of each level: m, under substitute 2m. Each value is where the
    fitted shares reach α, even within its bin, and its interval follows from theirs at no cost.
    """

    offers: ClassVar[tuple[str, ...]] = GROUPS
    column: str = option(ColumnName(ORDERED))
    """An integer, number or date column."""
    cells: int | None = option(Whole(2, 2**20), default=None)
    """Number of equal cells to choose among: by default 65,536, by groups 4,096, at most one a value."""
    candidates: tuple[Any, ...] = option(Values(1000), default=())
    """Instead of cells: the declared values to choose among."""
    interval: bool = option(Flag(), default=False)
    """An interval for each value, for a fifth of the share."""
    levels_of: tuple[int, ...] = ()
    """No option: how many bins rows are counted in, and how many runs of them, where that was chosen."""

    @abstractmethod
    def probabilities(self) -> tuple[Decimal, ...]:
        """Return the α of each answer, increasing."""

    @abstractmethod
    def answer_axes(self) -> tuple[Axis, ...]:
        """Return the key of the published table that tells the answers apart, if there are several."""

    def group_keys(self, schema: Schema) -> tuple[Key, ...]:
        """Return the keys of the groups."""
        return self.keys(schema)

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        before = len(report.problems)
        column = schema[self.column]
        codes = [column.code(candidate) for candidate in self.candidates]
        if self.cells is not None and self.candidates:
            report.add(path, found=phrase("statistics.both_cells_candidates"), allowed=phrase("model.one_them"))
        for index, code in enumerate(codes):
            if code is None:
                report.add(
                    f"{path}.candidates[{index}]",
                    found=self.candidates[index],
                    allowed=phrase("statistics.value_between_bounds_lattice", column=quoted(column.name)),
                )
        known = [code for code in codes if code is not None]
        if known != sorted(set(known)):
            report.add(
                f"{path}.candidates",
                found=phrase("statistics.candidates_out_order"),
                allowed=phrase("statistics.increasing_values"),
            )
        if len(report.problems) == before:
            groups = self.group_keys(schema)
            check_cells(
                (*groups, self.key(schema)),
                f"{path}.by" if self.by else f"{path}.cells",
                report,
                most=MAX_SCORES,
            )

    def key(self, schema: Schema) -> Key:
        """Return the public cells. With candidates: each candidate, and the values between two of them, is a cell."""
        column = schema[self.column]
        if not self.candidates:
            most = self.cells or (CELLS_BY if self.by else CELLS)
            return Key(column.name, min(most, column.codes), column.codes)
        edges = {0, column.codes}
        for code in self.candidate_codes(schema):
            edges |= {code, code + 1}
        ordered = tuple(sorted(edges))
        return Key(column.name, len(ordered) - 1, column.codes, ordered)

    def candidate_codes(self, schema: Schema) -> list[int]:
        """Return the codes of the candidates, in order."""
        codes = (schema[self.column].code(candidate) for candidate in self.candidates)
        return [code for code in codes if code is not None]

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        return (TallyQuery((*self.group_keys(schema), self.key(schema))),)

    def groups(self, schema: Schema) -> int:
        """Return the number of groups that `by` declares."""
        return TallyQuery(self.group_keys(schema)).cells

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        return (*axes(schema, self.group_keys(schema)), *self.answer_axes())

    def size(self, schema: Schema) -> int:
        return self.groups(schema) * len(self.probabilities())

    @property
    def is_free(self) -> bool:
        """True if any values of all rows may be published, and not only of groups or among candidates."""
        return not self.by and not self.candidates

    def firsts(self, schema: Schema, bins: int) -> list[int]:
        """Return the first code of each of so many bins, and the one after the last."""
        key = self.key(schema)
        run = -(-key.cells // bins)
        return [*(key.first_code(cell) for cell in range(0, key.cells, run)), key.span]

    def of_counts(
        self,
        schema: Schema,
        firsts: Sequence[int],
        drawn: Sequence[Any],
        mechanisms: Sequence[Mechanism],
        confidence: float = 0.95,
    ) -> Estimates:
        """Return the table by noisy counts of bins at their levels, given their first codes and the one after the last.

        The interval of a value: from the first bin that may hold it to the last, by the intervals of the shares.
        """
        column = schema[self.column]
        shares, below, above, _ = (part.tolist() for part in cumulated(drawn, mechanisms, confidence))
        rows = []
        for alpha in self.probabilities():
            code = quantile(shares, alpha, firsts)
            first, last = cells_between(below, above, alpha)
            ends = (min(firsts[first], code), max(firsts[last + 1] - 1, code)) if confidence else (code, code)
            rows.append((code, *ends))
        value, lower, upper = ([column.value(code) for code in part] for part in zip(*rows, strict=True))
        return Estimates(axes=self.axes(schema), value=value, lower95=lower, upper95=upper)

    def error_of_counts(
        self,
        schema: Schema,
        firsts: Sequence[int],
        mechanisms: Sequence[Mechanism],
        expected: Expected | None,
        confidence: float = 0.95,
    ) -> ExpectedError | None:
        """Return the answers' largest error: that of the shares where rows are spread evenly, and a bin more,
        for within it they need not be."""
        if expected is None:
            return None
        lattice, cells = schema[self.column].lattice, len(firsts) - 1
        halves = even_half_widths(cells, expected.rows, tuple(mechanisms), confidence)
        own = [halves[min(cells - 1, int(alpha * cells))] for alpha in self.probabilities()]
        width = max(after - first for first, after in pairwise(firsts)) - 1
        return ExpectedError(ceil(max(own) * lattice.steps + width) * float(lattice.resolution), "expected")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        lattice = schema[self.column].lattice
        return lattice.steps * float(lattice.resolution)

    def settled(self, schema: Schema, terms: Terms, share: PrivacyLoss, expected: Expected | None) -> Self:
        """Return the statistic counted at the levels that err least, if less than the choice among cells does."""
        if expected is None or not self.is_free or len(self.probabilities()) < MANY:
            return self
        best = self._error_at(schema, terms, share, expected)
        chosen = self
        for fineness in FINENESS:
            bins = _as_many(self.key(schema).cells, fineness)
            tree = planned(bins, squared=NOISE[terms.currency] is DiscreteLaplace)
            way = replace(self, levels_of=tree.sizes)
            if (error := way._error_at(schema, terms, share, expected)) < best:
                best, chosen = error, way
        return chosen

    def _error_at(self, schema: Schema, terms: Terms, share: PrivacyLoss, expected: Expected) -> float:
        """Estimate the error of the mechanisms that a share calibrates; infinite where it is too small for them."""
        wanted = self.measurements(schema, terms)
        parts = split(share.nano, [each.weight for each in wanted])
        if not min(parts):
            return inf
        mechanisms = [
            each.mechanism.calibrate(each.sensitivity, PrivacyLoss.of(terms.currency, part, share.delta_atto))
            for each, part in zip(wanted, parts, strict=True)
        ]
        error = self.error(schema, mechanisms, expected)
        return inf if error is None else error.error95

    def way_of(self, schema: Schema, terms: Terms, stated: Sequence[StatedMechanism]) -> tuple[Measurement, ...]:
        """Return the measurements of counts at the levels of a tree over equally wide bins, or of the choice."""
        sizes = tuple(cells for each in stated for cells in each.shape)
        if not self.is_free or not stated or stated[0].name != NOISE[terms.currency].name or len(sizes) != len(stated):
            return self.measurements(schema, terms)
        if _as_many(self.key(schema).cells, sizes[0]) != sizes[0] or not is_tree(sizes, sizes[0]):
            return self.measurements(schema, terms)
        return replace(self, levels_of=sizes).measurements(schema, terms)

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        if self.levels_of:
            noise = NOISE[terms.currency]
            return tuple(Measurement(noise, (size,), simplex(terms, (size,))) for size in self.levels_of)
        mechanism, shape = SELECTION[terms.currency], self._shape(schema)
        alphas = self.probabilities()
        weights = [Fraction(max(alpha, 1 - alpha)) for alpha in alphas]
        chosen = tuple(
            Measurement(mechanism, shape, self._sensitivity(alpha, terms, shape), weight)
            for alpha, weight in zip(alphas, weights, strict=True)
        )
        if not self.interval:
            return chosen
        part = sum(weights) * INTERVAL / (1 - INTERVAL) / len(alphas)
        around = (self.groups(schema), bins(self.key(schema).cells))
        counted = Measurement(NOISE[terms.currency], around, simplex(terms, around), part, round=1)
        return (*chosen, *(counted for _ in alphas))

    def _shape(self, schema: Schema) -> Shape:
        """Return the shape of the scores: a row for each group, an entry for each cell that may be chosen."""
        return (self.groups(schema), len(self.candidates) or self.key(schema).cells)

    def _sensitivity(self, alpha: Decimal, terms: Terms, shape: Shape) -> Sensitivity:
        p, q = alpha.as_integer_ratio()
        if not terms.substitute:
            linf = terms.max_rows * max(p, q - p)
        else:
            linf = 2 * terms.max_rows * max(p, q - p) if shape[0] > 1 else terms.max_rows * q
        return Sensitivity(l1=0, linf=linf, shape=shape)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        if self.levels_of:
            run = -(-len(tallies[0]) // self.levels_of[0])
            counts = np.add.reduceat(tallies[0].astype(np.int64), np.arange(0, len(tallies[0]), run))
            return Tree(self.levels_of).counts(counts)
        counts = tallies[0].reshape(self.groups(schema), -1).astype(np.int64)
        upto = np.cumsum(counts, axis=1)
        rows = upto[:, -1:]
        below, above = upto - counts, rows - upto
        if self.candidates:
            edges = self.key(schema).edges
            chosen = [edges.index(code) for code in self.candidate_codes(schema)]
            below, above = below[:, chosen], above[:, chosen]
        ratios = (alpha.as_integer_ratio() for alpha in self.probabilities())
        return tuple(-np.maximum(q * below - p * rows, q * above - (q - p) * rows) for p, q in ratios)

    def exact_after(
        self, schema: Schema, tallies: Sequence[Integers], drawn: Sequence[Integers]
    ) -> tuple[Integers, ...]:
        rows = tallies[0].reshape(self.groups(schema), -1).astype(np.int64)
        return tuple(counted(rows, between) for between in self._edges(schema, drawn))

    def _edges(self, schema: Schema, drawn: Sequence[Integers]) -> list[Integers]:
        """Return the edges around the published values of each answer."""
        key = self.key(schema)
        firsts = np.array([key.first_code(cell) for cell in range(key.cells)])
        codes = np.sort(np.stack(drawn[: len(self.probabilities())], axis=-1), axis=-1)
        return [edges(np.searchsorted(firsts, answer, side="right") - 1, key.cells) for answer in codes.T]

    def drawn(self, schema: Schema, noisy: Sequence[Integers], pick: Pick) -> tuple[Integers, ...]:
        key = self.key(schema)
        if self.levels_of or np.ndim(noisy[0]) == 2:
            return tuple(noisy)
        if self.candidates:
            candidates = np.array(self.candidate_codes(schema))
            return tuple(candidates[cells] for cells in noisy)
        if key.cells == key.span:
            return tuple(noisy)
        return tuple(
            np.array([pick(key.first_code(cell), key.first_code(cell + 1) - 1) for cell in cells.tolist()])
            for cells in noisy
        )

    def estimates(
        self, schema: Schema, drawn: Sequence[Integers], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        if isinstance(mechanisms[0], Noise):
            return self.of_counts(schema, self.firsts(schema, len(drawn[0])), drawn, mechanisms, confidence)
        answers = len(self.probabilities())
        codes = np.sort(np.stack(drawn[:answers], axis=-1), axis=-1)
        column = schema[self.column]
        values = [column.value(int(code)) for code in codes.ravel()]
        if not self.interval:
            nothing = [None] * len(values)
            return Estimates(axes=self.axes(schema), value=values, lower95=nothing, upper95=nothing)
        ends = self._ends(schema, codes, drawn, mechanisms[answers:], confidence) if confidence else (codes, codes)
        lower, upper = ([column.value(int(code)) for code in part.ravel()] for part in ends)
        return Estimates(axes=self.axes(schema), value=values, lower95=lower, upper95=upper)

    def _ends(
        self,
        schema: Schema,
        codes: Integers,
        drawn: Sequence[Integers],
        mechanisms: Sequence[Mechanism],
        confidence: float,
    ) -> tuple[Integers, Integers]:
        """Return the codes that each answer lies between; the published one lies between them always."""
        key, alphas = self.key(schema), self.probabilities()
        firsts = np.array([key.first_code(cell) for cell in range(key.cells + 1)])
        firsts[-1] = schema[self.column].codes
        found = []
        counts = zip(alphas, drawn[len(alphas) :], self._edges(schema, drawn), mechanisms, strict=True)
        for alpha, noisy, between, mechanism in counts:
            low, high = interval(noisy.astype(np.float64), between, float(alpha), mechanism, confidence)
            found.append((firsts[low], firsts[high] - 1))
        lower, upper = (np.stack(part, axis=-1) for part in zip(*found, strict=True))
        return np.minimum(lower, codes), np.maximum(upper, codes)

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        column = schema[self.column]
        codes = [column.code(value) for value in table.value]
        known = [code for code in codes if code is not None]
        answers = len(self.probabilities())
        groups = [known[first : first + answers] for first in range(0, len(known), answers)]
        return (
            not table.extra
            and len(known) == len(codes)
            and all(group == sorted(group) for group in groups)
            and self._could_be_between(column, table, counted=isinstance(mechanisms[0], Noise))
            and (not self.candidates or set(known) <= set(self.candidate_codes(schema)))
        )

    def _could_be_between(self, column: Column, table: Estimates, *, counted: bool) -> bool:
        if not self.interval and not counted:
            return all(bound is None for bound in (*table.lower95, *table.upper95))
        ends = zip(table.lower95, table.value, table.upper95, strict=True)
        rows = ([column.code(each) for each in row] for row in ends)
        return all(None not in row and row == sorted(row) for row in rows)  # type: ignore[type-var]

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError | None:
        """Return the largest of the answers' errors for rows spread evenly over the bounds and the groups."""
        if isinstance(mechanisms[0], Noise):
            (bins,) = mechanisms[0].sensitivity.shape or ()
            return self.error_of_counts(schema, self.firsts(schema, bins), mechanisms, expected, confidence)
        if expected is None:
            return None
        lattice, key = schema[self.column].lattice, self.key(schema)
        cells = len(self.candidates) or key.cells
        points = cells == key.span or bool(self.candidates)
        rows = expected.rows / self.groups(schema)
        errors = [
            even_spread_error(cells, alpha, rows, mechanism, points, confidence)
            for alpha, mechanism in zip(self.probabilities(), mechanisms, strict=False)
        ]
        return ExpectedError(max(errors) * lattice.steps * float(lattice.resolution), "expected")


def _as_many(cells: int, bins: int) -> int:
    """Return the number of bins of equally many cells, the last perhaps of fewer: as many as are wanted, or fewer."""
    run = -(-cells // min(cells, bins))
    return -(-cells // run)
