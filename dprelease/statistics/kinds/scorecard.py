"""Scorecard: the chance of one of two classes, by points for the bin of each column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import inf, isinf, log, prod, sqrt
from typing import Any, ClassVar

import numpy as np

from dprelease.mechanisms import Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.model_options import PairOption
from dprelease.model.options import option
from dprelease.model.plan import Expected
from dprelease.model.presentation import Presentation
from dprelease.model.privacy import Terms
from dprelease.model.release import Estimates, FittedOutput, Output
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.stated import Caveat, StatedMechanism
from dprelease.model.tally import Key, TallyQuery
from dprelease.statistics.algebra.additive import AdditiveFit, fitted
from dprelease.statistics.algebra.agreed import NoisySource, ReconciledTables, agreed, priors, smoothed
from dprelease.statistics.algebra.elementary import Floats
from dprelease.statistics.algebra.odds import Spans, ends
from dprelease.statistics.algebra.pairwise import MAX_COMBINATIONS, distribution, is_whole, joint
from dprelease.statistics.algebra.points import Pair
from dprelease.statistics.algebra.sensitivity import simplex
from dprelease.statistics.algebra.solving import nine
from dprelease.statistics.binned import MAX_PREDICTORS, PRESENTATION, Binned, LogOdds, noised, variance
from dprelease.statistics.kinds.naive_bayes import class_shares
from dprelease.statistics.tabulated import Integers, Measurement
from dprelease.words import phrase

WORDS = AUTO, NONE, ALL = "auto", "none", "all"
WHOLE, SAMPLED, CONSTANT = "whole", "sampled", "constant"
"""Joint distribution of the columns in the fit: over all combinations of bins, over some, or none."""
MAX_PAIRS = MAX_PREDICTORS * (MAX_PREDICTORS - 1) // 2
PAYS = 5
"""Pair tables pay where a cell is expected to have so many times the standard deviation of its noise."""
DOUBLES = 20
"""So many points double the odds."""
STATED = 100
"""Largest number of numbers whose joint noise (covariance) is published."""
NORMAL95 = 1.959963984540054
CLEAR = 3
"""Least size of either count of a bin, in standard deviations of its noise, where an interval is published."""


@dataclass(frozen=True, kw_only=True)
class Scorecard(Binned):
    """An additive logistic model: ln P(second class)/P(first class) = an intercept + points of the bin of each column.

    Half of the share goes to the counts by (bin, class) of each column, half to counts by pairs of columns, which tell
    how columns go together; or all to the first, where the others would be noise (`together`). All else is
    post-processing. Sensitivity L1 of each table: m under add_remove, 2m under substitute. Discrete Laplace noise, or
    Gaussian in zcdp. An interval is for the same fit, with the same penalty, to tables without noise. With too many
    combinations of bins there are none.
    """

    kind: ClassVar[str] = "scorecard"
    MAX_CLASSES: ClassVar[int] = 2
    presentation: ClassVar[Presentation] = PRESENTATION
    together: str | tuple[tuple[str, str], ...] = option(PairOption(WORDS, MAX_PAIRS), default=AUTO)
    """Pairs of columns of which rows are counted: all, none, listed ones, or, by a public rule, all or none (auto)."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        super().check_together(path, schema, report)
        for place, names in enumerate(() if isinstance(self.together, str) else self.together):
            for name in names:
                if name not in self.on:
                    allowed = phrase("statistics.predictors")
                    report.add(f"{path}.together[{place}]", found=name, allowed=allowed)

    def pairs(self) -> tuple[Pair, ...]:
        """Return the places of columns that are counted together."""
        if self.together == NONE:
            return ()
        if isinstance(self.together, str):
            return tuple(combinations(range(len(self.on)), 2))
        places = {name: place for place, name in enumerate(self.on)}
        found = (sorted((places[one], places[other])) for one, other in self.together)
        return tuple((i, j) for i, j in found)

    def caveats(self, schema: Schema, terms: Terms, mechanisms: Sequence[Mechanism]) -> Iterator[Caveat]:
        many = self.combinations(schema, mechanisms)
        if many > MAX_COMBINATIONS:
            yield Caveat.of("points_without_intervals", statistic=self.id, combinations=many, most=MAX_COMBINATIONS)

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        keys = self.keys(schema)
        pairs = (self.counted(schema, keys[i], keys[j]) for i, j in self.pairs())
        return (*super().queries(schema), *pairs)

    def told_by_tables(self, schema: Schema) -> tuple[tuple[tuple[Key, Key], ...], ...]:
        keys, alone = self.keys(schema), super().told_by_tables(schema)
        pairs = tuple((keys[i], keys[j]) for i, j in self.pairs())
        if not alone or not pairs:
            return alone
        together = (*alone[0], *pairs)
        return (together, *alone) if self.together == AUTO else (together,)

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        return self._measured(schema, terms, pairs=True)

    def ways(self, schema: Schema, terms: Terms) -> tuple[tuple[Measurement, ...], ...]:
        """Return the measurements with pairs of columns, and, where it is open, without."""
        first = self.measurements(schema, terms)
        if self.together != AUTO or not self.pairs():
            return (first,)
        return first, self._measured(schema, terms, pairs=False)

    def way_of(self, schema: Schema, terms: Terms, stated: Sequence[StatedMechanism]) -> tuple[Measurement, ...]:
        without = self.together == AUTO and len(self.of_itself(stated)) == len(self.on)
        return self._measured(schema, terms, pairs=not without)

    def _measured(self, schema: Schema, terms: Terms, *, pairs: bool) -> tuple[Measurement, ...]:
        noise, many = self.noise_for(terms), len(self.on)
        shapes = [query.shape for query in self.queries(schema)]
        labels, others = shapes[:many], shapes[many:] if pairs else []
        weights = [Fraction(1, many)] * many + [Fraction(1, len(others)) for _ in others]
        measured = [
            Measurement(noise, shape, simplex(terms, shape), weight)
            for shape, weight in zip([*labels, *others], weights, strict=True)
        ]
        return self.with_trial(measured, terms)

    def uncertainty(self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None) -> float:
        """Return 1 of label tables alone; of pair tables 0 where they pay by the rule, else 2.

        They pay where the expected rows of a cell, on average over pair tables, are at least 5 standard deviations of
        its noise. Where no number of rows is expected they do not.
        """
        pairs = self.of_itself(mechanisms)[len(self.on) :]
        if not pairs:
            return 1.0
        keys = self.keys(schema)
        cells = sum(keys[i].cells * keys[j].cells for i, j in self.pairs()) / len(pairs)
        enough = expected is not None and self.trained(expected) / cells >= PAYS * sqrt(variance(pairs[0]))
        return 0.0 if enough else 2.0

    def given(
        self, schema: Schema, tallies: Sequence[Integers], mechanisms: Sequence[type[Mechanism]]
    ) -> tuple[Integers, ...]:
        return tuple(tallies[: len(mechanisms)] if mechanisms else tallies)

    def combinations(self, schema: Schema, mechanisms: Sequence[Mechanism]) -> int:
        """Return the number of combinations of bins it is fitted over; 0 where no pairs of columns are counted."""
        together = len(self.of_itself(mechanisms)) > len(self.on)
        return prod(key.cells for key in self.keys(schema)) if together else 0

    def log_odds(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> LogOdds:
        _, card = self._fitted(drawn, mechanisms)
        return nine(card.intercept), [[nine(float(number)) for number in own] for own in card.points]

    def _fitted(self, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> tuple[ReconciledTables, _Card]:
        many = len(self.on)
        tables = [noised(each, mechanism) for each, mechanism in zip(drawn, mechanisms, strict=True)]
        labels, pairs = tables[:many], dict(zip(self.pairs(), tables[many:], strict=False))
        found = agreed(labels, list(pairs.values()))
        if not pairs:
            card = _apart(found, labels, mechanisms)
        elif float(found.noisy.min()) <= 2 * sqrt(found.variance):
            card = _constant(found)
        else:
            card = _together(found, labels, pairs, mechanisms[:many])
        return found, card

    def answered(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> Output:
        many = len(self.on)
        found, card = self._fitted(self.of_itself(drawn), self.of_itself(mechanisms))
        axis = self.bin_axis(schema)
        value = [nine(float(number)) for own in card.points for number in own]
        points = Estimates(
            axes=(axis,),
            value=value,
            lower95=[ends(min(low, number)) for low, number in zip(card.lower, value, strict=True)],
            upper95=[ends(max(high, number)) for high, number in zip(card.upper, value, strict=True)],
            extra={"points": [round(number * DOUBLES / log(2)) for number in value], **_pull(card, value)},
        )
        function: dict[str, Any] = {
            "link": "logit",
            "positive": schema[self.outcome].labels[1],
            "intercept": nine(card.intercept),
            "terms": [
                {"column": name, "points": [nine(float(number)) for number in own]}
                for name, own in zip(self.on, card.points, strict=True)
            ],
        }
        if card.joint is not None:
            function["joint"] = card.joint
        if card.fit is not None and len(value) < STATED and not any(map(isinf, (*card.lower, *card.upper))):
            function["covariance"] = [[nine(float(number)) for number in row] for row in card.fit.covariance]
        parts = {"points": points, "classes": class_shares(self, schema, found, mechanisms[:many])}
        parts |= self.tried(drawn, mechanisms)
        return FittedOutput(parts=parts, facts=self.facts(schema, function, drawn))

    def size(self, schema: Schema) -> int:
        return sum(key.cells for key in self.keys(schema)) + 2 + self.rows_tried


@dataclass(frozen=True, eq=False)
class _Card:
    """A fitted model with intervals, of the points of all columns one after the other; infinite where nothing is known.

    `joint`: by which distribution of all columns, where pairs of them are counted.
    """

    intercept: float
    points: Sequence[Floats]
    lower: Sequence[float]
    upper: Sequence[float]
    joint: str | None = None
    fit: AdditiveFit | None = None


def _apart(found: ReconciledTables, labels: Sequence[NoisySource], mechanisms: Sequence[Mechanism]) -> _Card:
    """Return the scorecard by each column on its own, as naive Bayes: no table tells how they go together."""
    logs, base = smoothed(found, labels), priors(found)
    spans = [Spans.of(found, noise) for noise in mechanisms if isinstance(noise, Noise)]
    pairs = [
        own.log_odds(float(cells[1]), float(cells[0]), 1, 0)
        for own, table in zip(spans, labels, strict=True)
        for cells in table.counts
    ]
    points = [own[:, 1] - own[:, 0] for own in logs]
    return _Card(float(base[1] - base[0]), points, [low for low, _ in pairs], [high for _, high in pairs])


def _without_ends(intercept: float, points: Sequence[Floats], joint: str, fit: AdditiveFit | None = None) -> _Card:
    many = sum(map(len, points))
    return _Card(intercept, points, [-inf] * many, [inf] * many, joint, fit)


def _constant(found: ReconciledTables) -> _Card:
    """Return a scorecard without points: one of the classes has no rows that stand out of the noise."""
    base = priors(found)
    return _without_ends(float(base[1] - base[0]), [np.zeros(len(table)) for table in found.tables], CONSTANT)


def _together(
    found: ReconciledTables,
    labels: Sequence[NoisySource],
    pairs: Mapping[Pair, NoisySource],
    mechanisms: Sequence[Mechanism],
) -> _Card:
    """Return the scorecard by all columns at once; by each alone, without intervals, where tables do not go together.

    The reach of an interval is that of the noise, or of a normal one where that is more. There is none where bins are
    too many to try all their combinations, and of a bin that has few rows of a class: its point is mostly penalty. A
    point compares a bin with others of its column: where no other has rows enough there is none either.
    """
    points = distribution(found, joint(found, pairs))
    if points is None:
        card = _apart(found, labels, mechanisms)
        return _without_ends(card.intercept, card.points, NONE)
    fit = fitted(found, labels, pairs, points)
    if not is_whole(points.sizes):
        return _without_ends(fit.intercept, fit.points, SAMPLED, fit)
    noise = mechanisms[0]
    assert isinstance(noise, Noise)
    times = max(NORMAL95, noise.half_width() / sqrt(variance(noise)))
    clear = [table.counts.min(axis=1) >= CLEAR * sqrt(table.variance) for table in labels]
    clear = [own & (np.count_nonzero(own) > 1) for own in clear]
    centres, reach = np.concatenate(fit.points), np.where(np.concatenate(clear), times * fit.deviations[1:], inf)
    lower, upper = (np.asarray(end, dtype=np.float64).tolist() for end in (centres - reach, centres + reach))
    return _Card(fit.intercept, fit.points, lower, upper, WHOLE, fit)


def _pull(card: _Card, value: Sequence[float]) -> dict[str, Sequence[float | None]]:
    """Return the penalty's pull of each point towards 0, where pairs are counted; negative where away from it."""
    if card.joint is None:
        return {}
    if card.fit is None:
        return {"pull": [None] * len(value)}
    taken = np.concatenate(card.fit.pull).tolist()
    return {"pull": [nine(own if number >= 0 else -own) for own, number in zip(taken, value, strict=True)]}
