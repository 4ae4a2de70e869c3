"""Models of an outcome by bins of other columns: what they have in common before anything is fitted."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np

from dprelease.mechanisms import Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.column import CODED, LISTED, ORDERED, Column
from dprelease.model.column_options import ColumnName, ColumnNames
from dprelease.model.model_options import BinsByColumn
from dprelease.model.options import option
from dprelease.model.plan import Expected
from dprelease.model.presentation import Quantity, Trait, shown
from dprelease.model.privacy import Terms
from dprelease.model.release import Axis
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Key, Measure, ScoreKey, TallyQuery
from dprelease.statistics.algebra.agreed import NoisySource
from dprelease.statistics.algebra.estimated import Estimated
from dprelease.statistics.algebra.grouping import each_value
from dprelease.statistics.algebra.moments import with_nulls
from dprelease.statistics.algebra.odds import LEAST
from dprelease.statistics.algebra.sensitivity import simplex
from dprelease.statistics.held_out_classifier import HeldOutClassifier, scorecard
from dprelease.statistics.kinds.histogram import binned, check_bins
from dprelease.statistics.modelled import stated_column
from dprelease.statistics.tabulated import ExpectedError, Integers, Measurement
from dprelease.words import phrase, quoted

LogOdds = tuple[float, Sequence[Sequence[float]]]
MAX_PREDICTORS = 12
MAX_CLASSES = 20
MAX_BINS = 100
MAX_CELLS = 400
"""Bins of all columns together: a fit takes time that grows with their cube."""
FEW, USUAL = 8, 5
"""An ordered column of at most so many values has a bin for each; of more, so many bins."""
PRESENTATION = shown(Quantity.NUMBER, Trait.UNLIKE, Trait.BY_BIN)


@dataclass(frozen=True, kw_only=True)
class Binned(HeldOutClassifier):
    """A model of which class a row is in, by the bins that its other columns are in.

    All that it needs of the rows is counts by (bin of a column, class), of rows that have a value in every column: each
    row is in one cell of each table. Sensitivity L1 of each: m under add_remove, 2m under substitute. Discrete Laplace
    noise, or Gaussian in zcdp; losses add up.
    """

    PARTS: ClassVar[tuple[str, ...]] = ("points", "classes")
    FEWEST_CLASSES: ClassVar[int] = 2
    MAX_CLASSES: ClassVar[int] = MAX_CLASSES
    outcome: str = option(ColumnName(LISTED))
    """Whose declared values are the classes."""
    on: tuple[str, ...] = option(ColumnNames(CODED, most=MAX_PREDICTORS))
    """Columns that predict the class."""
    bins: tuple[tuple[str, Any], ...] = option(BinsByColumn(1, MAX_BINS), default=())
    """Number of equal-width bins, or bin edges, by ordered column; by default 5, or one for each of 8 values."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        before = len(report.problems)
        if self.outcome in self.on:
            found = phrase("statistics.outcome_among_on", name=quoted(self.outcome))
            report.add(f"{path}.on", found=found, allowed=phrase("statistics.other_columns"))
        classes = schema[self.outcome].codes
        if not self.FEWEST_CLASSES <= classes <= self.MAX_CLASSES:
            most = self.MAX_CLASSES
            allowed = phrase("statistics.two_outcomes" if most == 2 else "statistics.two_to_classes", most=most)
            found = phrase("statistics.outcomes", count=classes, name=quoted(self.outcome))
            report.add(f"{path}.outcome", found=found, allowed=allowed)
        else:
            super().check_together(path, schema, report)
        for name, bins in self.bins:
            if name not in self.on or schema[name].type not in ORDERED:
                report.add(f"{path}.bins.{name}", found=name, allowed=phrase("statistics.ordered_predictor"))
            else:
                number, edges = (None, bins) if isinstance(bins, tuple) else (bins, ())
                check_bins(number, edges, schema[name], f"{path}.bins.{name}", report)
        if len(report.problems) > before:
            return
        cells = sum(key.cells for key in self.keys(schema))
        if cells > MAX_CELLS:
            found, remedy = phrase("statistics.cells", cells=cells), phrase("statistics.use_fewer_columns_bins")
            report.add(f"{path}.on", found=found, allowed=phrase("model.at_most", max_text=MAX_CELLS), remedy=remedy)

    def keys(self, schema: Schema) -> tuple[Key, ...]:
        """Return the bins of each predictor."""
        given = dict(self.bins)
        return tuple(_key(schema[name], given.get(name)) for name in self.on)

    def classes(self, schema: Schema) -> Key:
        """Return the classes."""
        return each_value(schema[self.outcome])

    def null_rule(self, schema: Schema) -> frozenset[str]:
        """Return the columns with nulls that a row must have a code in to be counted."""
        return frozenset(with_nulls((*self.on, self.outcome), schema))

    def told_by_tables(self, schema: Schema) -> tuple[tuple[tuple[Key, Key], ...], ...]:
        """Return lists of tables, each by its two keys, any one of which is all it needs; none where it needs more.

        With units held out its counts are of fewer rows than any other statistic's.
        """
        if self.held_out is not None:
            return ()
        return (tuple((key, self.classes(schema)) for key in self.keys(schema)),)

    def counted(self, schema: Schema, *keys: Key) -> TallyQuery:
        """Return rows by some of the columns, of those that have a value in every column."""
        given = {key.column for key in keys}
        others = [name for name in (*self.on, self.outcome) if name not in given]
        return TallyQuery(keys, Measure((), with_nulls(others, schema)), part=self.part(held_out=False))

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        return tuple(self.counted(schema, key, self.classes(schema)) for key in self.keys(schema))

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        noise = self.noise_for(terms)
        classes = self.classes(schema).cells
        shapes = [(key.cells, classes) for key in self.keys(schema)]
        return self.with_trial([Measurement(noise, shape, simplex(terms, shape)) for shape in shapes], terms)

    @abstractmethod
    def log_odds(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> LogOdds:
        """Return the log-odds of the second of two classes: the intercept, and what each bin of each column adds."""

    def scored(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> ScoreKey:
        intercept, points = self.log_odds(schema, drawn, mechanisms)
        firsts = ([key.first_code(cell) for cell in range(key.cells)] for key in self.keys(schema))
        return scorecard(intercept, list(zip(self.on, firsts, points, strict=True)))

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        return tuple(tallies)

    def facts(self, schema: Schema, function: dict[str, Any], drawn: Sequence[Any]) -> dict[str, Any]:
        """Return the published model file, models/ID.json."""
        keys = {key.column: key for key in self.keys(schema)}
        inputs = [_input(schema[name], keys.get(name)) for name in self.on]
        return {
            "model": 1,
            "kind": self.kind,
            "inputs": inputs,
            "outcome": _input(schema[self.outcome]),
            "function": function,
            "integers": [np.ravel(each).tolist() for each in drawn],
            **self.stated(),
        }

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError | None:
        """Estimate the excess of log-loss over the same model without noise, for rows spread evenly over all cells.

        It stays below this with the stated confidence.
        """
        if expected is None:
            return None
        cells, variances = zip(*self.as_bins(schema, mechanisms), strict=True)
        many = schema[self.outcome].codes
        return ExpectedError(excess(cells, variances, many, self.trained(expected), confidence), "expected")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        """Return the log-loss of whoever knows nothing."""
        return log(schema[self.outcome].codes)

    def told_by(self, schema: Schema, mechanisms: Sequence[Mechanism]) -> list[tuple[str, int, float]]:
        """Return each column by which classes are counted: in how many cells, and the variance of the noise on one."""
        keys = self.keys(schema)
        noises = mechanisms[: len(keys)]
        return [(key.column, key.cells, variance(each)) for key, each in zip(keys, noises, strict=True)]

    def as_bins(self, schema: Schema, mechanisms: Sequence[Mechanism]) -> list[tuple[int, float]]:
        """Return the number of bins and the noise variance with which each column moves the log-loss."""
        return [(cells, noise) for _, cells, noise in self.told_by(schema, mechanisms)]

    def bin_axis(self, schema: Schema) -> Axis:
        """Return each bin of each column, named as it is declared: a category, or the first and the last value."""
        keys = self.keys(schema)
        return Axis(("input", "bin"), tuple((key.column, name) for key in keys for name in names(schema, key)))

    def class_axis(self, schema: Schema, first: int = 0) -> Axis:
        """Return the classes, from one on."""
        return Axis(("class",), tuple((label,) for label in schema[self.outcome].labels[first:]))

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        return ()


def variance(mechanism: Mechanism) -> float:
    """Return the variance of the noise on one integer, never quite 0."""
    assert isinstance(mechanism, Noise)
    return max(float(mechanism.variance), LEAST)


def noised(drawn: Any, mechanism: Mechanism) -> NoisySource:
    """Return a noisy table, as numbers."""
    counts = np.asarray(drawn, dtype=np.float64)
    if isinstance(mechanism, Estimated):
        return NoisySource(counts, variance(mechanism), max(mechanism.of_class, LEAST), mechanism.family)
    return NoisySource(counts, variance(mechanism))


def names(schema: Schema, key: Key) -> list[str]:
    """Return the names of a column's bins."""
    column = schema[key.column]
    if key.cells == column.codes:
        return [str(column.value(code)) for code in range(key.cells)]
    firsts = [key.first_code(cell) for cell in range(key.cells)]
    lasts = [first - 1 for first in firsts[1:]] + [column.codes - 1]
    pairs = zip(firsts, lasts, strict=True)
    return [
        str(column.value(one)) if one == other else f"{column.value(one)} … {column.value(other)}"
        for one, other in pairs
    ]


def _key(column: Column, bins: Any) -> Key:
    if isinstance(bins, tuple):
        return binned(column, None, bins)
    usual = column.codes if column.codes <= FEW else USUAL
    return binned(column, min(column.codes, bins or usual), ())


def _input(column: Column, key: Key | None = None) -> dict[str, Any]:
    """Return a column as a model's file states it: by its bins too, where it is binned."""
    found = stated_column(column)
    if key is not None and column.type not in LISTED:
        firsts = [key.first_code(cell) for cell in range(key.cells)]
        last = column.codes - 1
        found["edges"] = [column.value(code) for code in (*firsts, last if last > firsts[-1] else column.codes)]
    return found


def excess(bins: Sequence[int], variances: Sequence[float], classes: int, rows: int, confidence: float) -> float:
    """Bound the expected excess of log-loss over that without noise, for rows spread evenly, at a confidence level.

    Σ over columns of (C(C − 1)/2)·k²·sd²/n², with k bins, C classes and n rows: by the second derivative of the
    log-loss, ½·Σ P(bin)·(1 − 1/C)·Var(ln T), where Var(ln T) = sd²/(n/kC)². That is its mean; it is about mean·χ²/ν,
    of ν independent log-odds, which gives what it stays below (Wilson and Hilferty 1931).
    """
    mean = sum(k * k * variance for k, variance in zip(bins, variances, strict=True))
    mean *= classes * (classes - 1) / 2 / rows**2
    free = max(1, (classes - 1) * (sum(bins) - len(bins) + 1))
    spread = 2 / (9 * free)
    return float(mean * max(0.0, 1 - spread + NormalDist().inv_cdf(confidence) * sqrt(spread)) ** 3)
