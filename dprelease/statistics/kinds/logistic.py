"""Logistic regression: the chance of one of two outcomes, by a line of odds in other columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import log, sqrt
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np

from dprelease.mechanisms import Mechanism
from dprelease.model.column import CODED, LISTED
from dprelease.model.column_options import ColumnName, ColumnNames
from dprelease.model.options import Choice, Whole, option
from dprelease.model.plan import Expected, Plan
from dprelease.model.presentation import Presentation, Quantity, Trait, shown
from dprelease.model.privacy import Currency, Terms
from dprelease.model.release import Axis, Estimates, FittedOutput, Output
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Query, ScoreKey
from dprelease.statistics.algebra import logit
from dprelease.statistics.algebra.products import Changes, attained, sensitivity
from dprelease.statistics.algebra.solving import Vector, nine
from dprelease.statistics.held_out_classifier import HeldOutClassifier, in_cells
from dprelease.statistics.modelled import across, deviation, half, middle, named, stated_column
from dprelease.statistics.objective import Objective, in_units
from dprelease.statistics.predictors import Predictors, predictors, score
from dprelease.statistics.tabulated import ExpectedError, Integers, Measurement
from dprelease.words import phrase, quoted

LAST, FIRST = "last", "first"
ROUNDS, FUNCTIONAL = "rounds", "functional"
MAX_COLUMNS, MAX_TERMS, MAX_ROUNDS, USUAL_ROUNDS = 12, 60, 10, 4
UNIT = 2**30
"""Largest residual times a term, as integers are measured: sums of 2^31 rows stay below 2^62."""
START = Fraction(3, 10)
"""The part of the share that second moments get, where rounds follow."""


@dataclass(frozen=True, kw_only=True)
class Logistic(HeldOutClassifier):
    """Log-odds of an outcome, linear in other columns: a start by second moments, then steps by noisy gradients.

    Terms lie between -1 and 1, and a row has at most c = 1 + columns of them that are not 0. First Σ of products of two
    terms (o of them squares) and of a term and the outcome: with N = c(c + 3)/2 + o of these, sensitivity m·N (L1) and
    m·√N (L2), under substitute at most 2m·N and m·√(2N + c - 1 - o), in units of the largest product. Then, round after
    round, Σ (y - p)·term for p by a declared cell of a score whose whole numbers the rounds before tell: m·c (L1) and
    m·√c (L2), twice that under substitute. Discrete Gaussian noise in zcdp, or Laplace; 30 % of the share is the
    start's. All else is post-processing.
    """

    kind: ClassVar[str] = "logistic"
    example: ClassVar[tuple[str, ...]] = ("rounds=0",)
    presentation: ClassVar[Presentation] = shown(Quantity.NUMBER, Trait.UNLIKE)
    outcome: str = option(ColumnName(LISTED))
    """A boolean column, or one of two categories."""
    on: tuple[str, ...] = option(ColumnNames(CODED, most=MAX_COLUMNS))
    """Predictor columns. Of categories each has a term of its own but the first."""
    positive: str = option(Choice((LAST, FIRST)), default=LAST)
    """The outcome whose odds are told: the last declared one (of a boolean, true), or the first."""
    rounds: int = option(Whole(0, MAX_ROUNDS), default=USUAL_ROUNDS)
    """Steps after the start, each with a noisy gradient; 4 by default. Where ε is counted, 0."""
    method: str = option(Choice((ROUNDS, FUNCTIONAL)), default=ROUNDS)
    """rounds: second moments, then gradients. functional: the same noise on each coefficient of the objective's second
    degree (Zhang 2012), whose minimum is told if it has one; it has no rounds."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        before = len(report.problems)
        labels = schema[self.outcome].labels
        if self.outcome in self.on:
            found = phrase("statistics.outcome_among_on", name=quoted(self.outcome))
            report.add(f"{path}.on", found=found, allowed=phrase("statistics.other_columns"))
        if len(labels) != 2:
            found = phrase("statistics.outcomes", count=len(labels), name=quoted(self.outcome))
            report.add(f"{path}.outcome", found=found, allowed=phrase("statistics.two_outcomes"))
        else:
            super().check_together(path, schema, report)
        if self.objective and self.held_out is not None:
            report.add(f"{path}.method", found=self.method, allowed=phrase("statistics.held_out_by_rounds"))
        if len(report.problems) == before and len(self.predictors(schema).terms) > MAX_TERMS:
            found = phrase("statistics.terms", count=len(self.predictors(schema).terms))
            remedy = phrase("statistics.fewer_categories")
            report.add(f"{path}.on", found=found, allowed=phrase("model.at_most", max_text=MAX_TERMS), remedy=remedy)

    def check_plan(self, path: str, plan: Plan, terms: Terms, report: Report) -> None:
        super().check_plan(path, plan, terms, report)
        if self.rounds and not self.objective and terms.currency is Currency.PURE:
            report.add(
                f"{path}.rounds",
                found=self.rounds,
                allowed=phrase("statistics.no_rounds_in_pure"),
                remedy=phrase("statistics.rounds_remedy"),
            )

    def predictors(self, schema: Schema) -> Predictors:
        """Return the columns as terms."""
        return predictors(tuple(schema[name] for name in self.on), schema[self.outcome])

    @property
    def positive_code(self) -> int:
        return int(self.positive == LAST)

    @property
    def objective(self) -> Objective | None:
        """Objective measured in place of moments and gradients, if the method asks it."""
        if self.method != FUNCTIONAL:
            return None
        return Objective(id=self.id, outcome=self.outcome, on=self.on, noise=self.noise)

    def unit_of_outcome(self, schema: Schema) -> int:
        """Return the size of what a row of either outcome adds to the measured sum of outcomes."""
        return 4 * self.objective.unit(schema) if self.objective else self.predictors(schema).unit

    def queries(self, schema: Schema) -> tuple[Query, ...]:
        return self.of_model(self.predictors(schema).queries)

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        if self.objective:
            return self.objective.measurements(schema, terms)
        own, noise = self.predictors(schema), self.noise_for(terms)
        columns, grouped = len(own.columns), own.grouped > 0
        active = 2 + 2 * columns + columns * (columns - 1) // 2 + own.squares
        both = max(active, min(2 * active - 2, ((columns + 2 + own.grouped) ** 2 + own.squares) // 2))
        square = 2 * active + columns - own.squares
        shape = (len(own.entries),)
        start = sensitivity(terms, shape, Changes(active, both, square), own.unit, grouped=grouped)
        if not self.rounds:
            return self.with_trial([Measurement(noise, shape, start, attained=attained(terms))], terms)
        first = Measurement(noise, shape, start, START, attained=attained(terms))
        many, width = 1 + columns, (1 + len(own.terms),)
        # Without terms all rows have one score, so that their residuals differ by 1 at most.
        changes = Changes(many, 2 * many, 4 * many) if columns else Changes(1, 1, 1, 1)
        step, share = sensitivity(terms, width, changes, UNIT, grouped=grouped), (1 - START) / self.rounds
        least = attained(terms, later=True)
        steps = [
            Measurement(noise, width, step, share, round=number + 1, attained=least) for number in range(self.rounds)
        ]
        return self.with_trial([first, *steps], terms)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        if self.objective:
            return self.objective.exact(schema, tallies)
        own = self.predictors(schema)
        products = own.products(tallies)
        numbers = [own.unit * products[i, j] // (own.scale(i) * own.scale(j)) for i, j in own.entries]
        return (np.array(numbers, dtype=np.int64),)

    def lattice_step(self, schema: Schema, place: int) -> Decimal:
        """Return the step of sums of products of terms, which lie between -1 and 1."""
        if self.objective:
            return self.objective.lattice_step(schema, place)
        if place > self.rounds:
            return super().lattice_step(schema, place)
        return Decimal(1) / (UNIT if place else self.predictors(schema).unit)

    def queries_after(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> tuple[Query, ...]:
        if len(drawn) > self.rounds:
            return super().queries_after(schema, drawn, mechanisms)
        own = self.predictors(schema)
        *_, beta = self._path(schema, drawn, mechanisms)
        return self.of_model(own.further(score(own, beta)))

    def scored(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> ScoreKey:
        *_, beta = self._path(schema, drawn, mechanisms)
        return in_cells(score(self.predictors(schema), beta))

    def exact_after(self, schema: Schema, tallies: Sequence[Any], drawn: Sequence[Any]) -> tuple[Any, ...]:
        if len(drawn) > self.rounds:
            return super().exact_after(schema, tallies, drawn)
        own = self.predictors(schema)
        many = len(own.queries)
        chances, whole = logit.chances(), logit.CHANCES
        found = own.residuals(tallies[:many], tallies[many:], chances, whole, self.positive_code)
        numbers = [UNIT * number // (whole * own.scale(place)) for place, number in enumerate(found)]
        return (np.array(numbers, dtype=np.int64),)

    def _moments(self, schema: Schema, drawn: Any, mechanism: Mechanism) -> logit.LogitMoments:
        own = self.predictors(schema)
        last = 1 + len(own.terms)
        noisy = {entry: number / own.unit for entry, number in zip(own.entries, np.ravel(drawn).tolist(), strict=True)}
        rows = noisy[0, 0]
        matrix = [[0.0] * last for _ in range(last)]
        for (i, j), number in noisy.items():
            if j < last:
                matrix[i][j] = matrix[j][i] = number
        for place, term in enumerate(own.terms, start=1):
            if term.category is not None:
                matrix[place][place] = noisy[0, place]
            elif not term.is_square:
                matrix[place][place] = rows
        sign = 1.0 if self.positive_code == 1 else -1.0
        return logit.LogitMoments(matrix, [sign * noisy[i, last] for i in range(last)], deviation(mechanism, own.unit))

    def _path(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> list[Vector]:
        """Return the coefficients of the terms at the start, and after each round."""
        first, *steps = drawn[: 1 + self.rounds]
        gradients = [[number / UNIT for number in np.ravel(step).tolist()] for step in steps]
        found = self._moments(schema, first, mechanisms[0])
        return list(logit.path(found, gradients, [deviation(each, UNIT) for each in mechanisms[1 : 1 + self.rounds]]))

    def answered(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> Output:
        own = self.predictors(schema)
        told = True
        if self.objective:
            beta, told = self.objective.least(schema, drawn[0], mechanisms[0], 1.0 if self.positive_code else -1.0)
            value = list(map(nine, in_units(beta, own.terms)))
            beta = [beta[0], *(number / across(term) for term, number in zip(own.terms, beta[1:], strict=True))]
        else:
            *_, beta = self._path(schema, drawn, mechanisms)
            slopes = [number / half(term) for term, number in zip(own.terms, beta[1:], strict=True)]
            shift = [slope * middle(term) for term, slope in zip(own.terms, slopes, strict=True)]
            value = [nine(beta[0] - sum(shift)), *map(nine, slopes)]
        nothing = [None] * len(value)
        table = Estimates(
            axes=self.axes(schema),
            value=value if told else nothing,
            lower95=nothing,
            upper95=nothing,
            extra={
                "across": [
                    None,
                    *(nine(across(term) * number) for term, number in zip(own.terms, beta[1:], strict=True)),
                ]
            },
        )
        facts = {
            "model": 1,
            "kind": self.kind,
            "inputs": [stated_column(schema[name]) for name in self.on],
            "outcome": stated_column(schema[self.outcome]),
            "function": {
                "link": "logit",
                "positive": schema[self.outcome].labels[self.positive_code],
                **({"method": self.method} if self.objective else {}),
                "intercept": value[0],
                "terms": [
                    {"column": column, **({"category": category} if category else {}), "coefficient": number}
                    for (column, category), number in zip(map(named, own.terms), value[1:], strict=True)
                ],
            },
            "integers": [np.ravel(each).tolist() for each in drawn],
            **self.stated(),
        }
        return FittedOutput(parts={"coefficients": table, **self.tried(drawn, mechanisms)}, facts=facts)

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError | None:
        """Estimate the excess of log-loss over the same model without noise, for rows spread evenly over the columns.

        With noise of deviation s in the last equation that is ½·s²·tr(H⁻¹)/n on average, H = n·diag(1, ⅓, ...)/4. The
        moments' noise counts whole in a start alone, and a quarter where rounds follow: so by simulation. Never more
        than whoever knows nothing: ln 2.
        """
        if expected is None:
            return None
        own = self.predictors(schema)
        if self.objective:
            # Terms from 0 to 1 vary a quarter as much: noise in Σ ±u counts twice, and moves the constant, too.
            variance = (4.0 * deviation(mechanisms[0], 4 * self.objective.unit(schema))) ** 2
        else:
            variance = deviation(mechanisms[0], own.unit) ** 2
        if self.rounds and not self.objective:
            variance = variance / 4 + deviation(self.of_itself(mechanisms)[-1], UNIT) ** 2
        n, many = max(1, self.trained(expected)), 1 + len(own.terms)
        trace = 4.0 * (1.0 + 3.0 * (many - 1))
        return ExpectedError(min(log(2), 0.5 * variance * trace / n**2 * reach(many, confidence)), "expected")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        """Return the log-loss of whoever knows nothing."""
        return log(2)

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        cells = [
            (f"{column}: {category}" if category else column,)
            for column, category in map(named, self.predictors(schema).terms)
        ]
        return (Axis(("term",), (("(intercept)",), *cells)),)

    def size(self, schema: Schema) -> int:
        return 1 + len(self.predictors(schema).terms) + self.rows_tried


def reach(many: int, confidence: float) -> float:
    """Return an upper bound of a mean of so many squares of normal numbers, at a confidence: by Wilson and Hilferty."""
    if not 0 < confidence < 1:
        return 1.0
    part = 2.0 / (9.0 * many)
    return max(0.0, 1.0 - part + NormalDist().inv_cdf(confidence) * sqrt(part)) ** 3
