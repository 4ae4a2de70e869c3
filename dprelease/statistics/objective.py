"""The objective of a logistic regression as a polynomial of the second degree, with noise on each coefficient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dprelease.errors import InternalError
from dprelease.mechanisms import Mechanism
from dprelease.model.plan import Expected
from dprelease.model.release import Axis
from dprelease.model.schema import Schema
from dprelease.statistics.algebra.logit import odds
from dprelease.statistics.algebra.products import Changes
from dprelease.statistics.algebra.solving import Vector, dot
from dprelease.statistics.algebra.weighing import TAYLOR, Weights, of_taylor
from dprelease.statistics.modelled import across, half, middle
from dprelease.statistics.predictors import Predictors, Term, predictors
from dprelease.statistics.summed import Summed
from dprelease.statistics.tabulated import ExpectedError


@dataclass(frozen=True, kw_only=True)
class Objective(Summed):
    """Σ log(1 + e^(w·u)) - y·w·u about w = 0: Σ log 2 + (½ - y)·w·u + ⅛(w·u)², u = (1, terms from 0 to 1).

    No statistic of a plan: `logistic` asks it. Sensitivity by `of_taylor`.
    """

    outcome: str
    on: tuple[str, ...]

    @property
    def one_sided(self) -> bool:
        return True

    @property
    def outcome_centred(self) -> bool:
        return True

    def predictors(self, schema: Schema) -> Predictors:
        return predictors(tuple(schema[name] for name in self.on), schema[self.outcome])

    def weights(self, noise: type[Mechanism]) -> Weights:
        return TAYLOR

    def changes(self, schema: Schema, noise: type[Mechanism]) -> Changes:
        own = self.predictors(schema)
        return of_taylor(len(own.columns), own.squares, grouped=own.grouped > 0)

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError | None:
        raise InternalError("logistic states its error")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        raise InternalError("logistic states its magnitude")

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        return ()

    def size(self, schema: Schema) -> int:
        return 1 + len(self.predictors(schema).terms)

    def least(self, schema: Schema, drawn: Any, mechanism: Mechanism, sign: float) -> tuple[Vector, bool]:
        """Return the coefficients of (1, u) where it is least, and whether it is anywhere: else the share alone.

        With S = Σ ±u, 1 for positive outcomes: ¼Gw = ½S.
        """
        sums = self.sums(schema, drawn, mechanism)
        found = sums.least()
        if found is not None:
            return [sign * 2.0 * number for number in found], True
        share = 0.5 + 0.5 * sign * min(1.0, max(-1.0, sums.matrix[0][sums.many] / sums.rows))
        return [odds(share), *[0.0] * (sums.many - 1)], False


def in_units(beta: Sequence[float], terms: Sequence[Term]) -> Vector:
    """Return intercept and slopes in the columns' own units, of terms that are 0 at the lower, 1 at the upper bound."""
    slopes = [number / (across(term) * half(term)) for number, term in zip(beta[1:], terms, strict=True)]
    starts = [0.0 if term.category is not None else middle(term) - half(term) for term in terms]
    return [beta[0] - dot(slopes, starts), *slopes]
