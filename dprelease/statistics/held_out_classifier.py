"""Models of two classes that are tried on units that they were not made of: held out by a public number of each."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import exp, floor
from typing import Any, ClassVar

import numpy as np

from dprelease.mechanisms import Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.encoding import plain
from dprelease.model.options import NumberOption, option
from dprelease.model.plan import Expected, Plan
from dprelease.model.privacy import Terms
from dprelease.model.release import Axis, Cell, Estimates
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.stated import OutputKind
from dprelease.model.tally import Addend, Measure, Query, ScoreKey, TallyQuery, UnitPart
from dprelease.statistics.algebra.grouping import each_value
from dprelease.statistics.algebra.moments import with_nulls
from dprelease.statistics.algebra.performing import Interval, area, curve, reach, shares
from dprelease.statistics.algebra.sensitivity import simplex
from dprelease.statistics.algebra.solving import nine
from dprelease.statistics.predictors import BITS
from dprelease.statistics.tabulated import Measurement, TallyStatistic
from dprelease.words import phrase, quoted

UNITS_BITS = 60
"""The public number of a unit stays below 2 to this."""
LEAST, MOST = Decimal("0.01"), Decimal("0.5")
HALF, EACH = 10, 0.5
"""Scores are told apart in 21 cells, of ½ log-odds each: below −4.5, from there to −4 and so on, from 5 on."""
CELLS = 2 * HALF + 1
FARTHEST = 10_000.0
"""Log-odds that one column adds at most to a score."""
SHARE = Fraction(1, 5)
"""The part of a model's share that goes to its trial."""
PARTS = ("performance", "roc", "calibration")


@dataclass(frozen=True, kw_only=True)
class HeldOutClassifier(TallyStatistic):
    """A model of two classes that may hold some units out, and is then tried on these alone.

    A unit is held out iff a public number of its identifier is below the held-out part of all numbers; the model is
    made of all others. Rows of held-out units are then counted by (class, cell of the score), each in one cell:
    sensitivity L1 m under add_remove, 2m under substitute. A fifth of the share is theirs. Noise as of other counts.
    """

    TRIED: ClassVar[tuple[str, ...]] = PARTS
    output: ClassVar[OutputKind] = "model"
    offers: ClassVar[tuple[str, ...]] = ("noise",)
    PARTS: ClassVar[tuple[str, ...]] = ("coefficients",)
    outcome: str
    on: tuple[str, ...]
    held_out: Decimal | None = option(NumberOption(LEAST, MOST), default=None)  # noqa: RUF009
    """Part of units held out of the model, to test it: from 0.01 to 0.5, none by default."""

    @property
    def positive_code(self) -> int:
        """The code of the outcome whose odds a score is."""
        return 1

    @abstractmethod
    def scored(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> ScoreKey:
        """Return the cells of the score, after what was drawn of the model."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        super().check_together(path, schema, report)
        many = len(schema[self.outcome].labels)
        if self.held_out is not None and many != 2:
            found = phrase("statistics.outcomes", count=many, name=quoted(self.outcome))
            report.add(f"{path}.held_out", found=found, allowed=phrase("statistics.held_out_two_outcomes"))

    def check_plan(self, path: str, plan: Plan, terms: Terms, report: Report) -> None:
        super().check_plan(path, plan, terms, report)
        if self.held_out is not None and terms.unit.column is None:
            report.add(
                f"{path}.held_out",
                found=phrase("statistics.held_out_rows"),
                allowed=phrase("statistics.held_out_units"),
                remedy=phrase("statistics.held_out_remedy"),
            )

    def part(self, *, held_out: bool) -> UnitPart | None:
        """Return the units that are held out, or all others; None where none are."""
        if self.held_out is None:
            return None
        return UnitPart(int(self.held_out * 2**UNITS_BITS), below=held_out)

    def of_model(self, queries: Sequence[Query]) -> tuple[Any, ...]:
        """Return some queries, of the units that the model is made of."""
        part = self.part(held_out=False)
        return tuple(replace(query, part=part) if isinstance(query, TallyQuery) else query for query in queries)

    def with_trial(self, measured: Sequence[Measurement], terms: Terms) -> tuple[Measurement, ...]:
        """Return the measurements of the model, and after them that of the held-out units."""
        if self.held_out is None:
            return tuple(measured)
        shape, weight = (2, CELLS), sum((each.weight for each in measured), Fraction(0)) * SHARE / (1 - SHARE)
        number = 1 + max(each.round for each in measured)
        return (*measured, Measurement(self.noise_for(terms), shape, simplex(terms, shape), weight, round=number))

    def of_itself(self, parts: Sequence[Any]) -> Sequence[Any]:
        """Return the model's own parts of what is measured, or of its mechanisms."""
        return parts if self.held_out is None else parts[:-1]

    def trial(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> tuple[Query, ...]:
        """Return rows of held-out units by class and cell of the score."""
        others = [name for name in (*self.on, self.outcome) if name != self.outcome]
        score = self.scored(schema, drawn, mechanisms)
        measure = Measure((), with_nulls(others, schema))
        return (TallyQuery((each_value(schema[self.outcome]),), measure, score=score, part=self.part(held_out=True)),)

    def queries_after(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> tuple[Query, ...]:
        return () if self.held_out is None else self.trial(schema, drawn, self.of_itself(mechanisms))

    def exact_after(self, schema: Schema, tallies: Sequence[Any], drawn: Sequence[Any]) -> tuple[Any, ...]:
        return (tallies[-1],)

    def table_names(self, schema: Schema) -> tuple[str, ...]:
        tried = () if self.held_out is None else self.TRIED
        return (*super().table_names(schema), *(f"{self.id}.{part}" for part in tried))

    def trained(self, expected: Expected) -> int:
        """Return the expected number of rows that the model is made of."""
        return expected.rows if self.held_out is None else max(1, int(expected.rows * (1 - self.held_out)))

    def trial_error(
        self, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> float | None:
        """Bound the error by noise of the share of right predictions among the rows expected to be held out.

        With a right share r of n rows it is the reach of cells·((1 − r)² + r²) noises by n (`shares`): as if all were
        right, which is the most.
        """
        noise = mechanisms[-1] if self.held_out is not None and mechanisms else None
        if expected is None or not isinstance(noise, Noise):
            return None
        held = expected.rows - self.trained(expected)
        squares = _array(float(CELLS))
        far = float(reach(squares, squares, noise, confidence)[0]) + 0.5
        return min(1.0, far / held) if held > 0 else 1.0

    def stated(self) -> dict[str, Any]:
        """Return the entry on held-out units in a model's file."""
        return {} if self.held_out is None else {"held_out": plain(self.held_out)}

    @property
    def rows_tried(self) -> int:
        """Number of rows in the tables of its trial."""
        return 0 if self.held_out is None else 3 + (CELLS - 1) + CELLS

    def tried(self, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> dict[str, Estimates]:
        """Return the tables of its trial."""
        if self.held_out is None:
            return {}
        noise = mechanisms[-1]
        assert isinstance(noise, Noise)
        counts = np.asarray(drawn[-1], dtype=np.float64)
        p, n = counts[self.positive_code], counts[1 - self.positive_code]
        tables = (_performance(p, n, noise), _roc(p, n, noise), _calibration(p, n, noise))
        return dict(zip(self.TRIED, tables, strict=True))


def scorecard(intercept: float, points: Sequence[tuple[str, Sequence[int], Sequence[float]]]) -> ScoreKey:
    """Return the cells of a sum of points: for each column the first code of each bin, and what it adds.

    A cell begins where its log-odds do, so that the middle of all, from 0 on, is where the class is more likely.
    """
    addends = tuple(
        Addend(name, of_code=tuple(map(_units, numbers)), firsts=tuple(firsts)) for name, firsts, numbers in points
    )
    return in_cells(ScoreKey(_units(intercept), addends, BITS, 0))


def in_cells(score: ScoreKey) -> ScoreKey:
    """Return the cells of a trial, of a score that counts in 2^-40 of log-odds."""
    bits = BITS - 1
    return ScoreKey(score.start - (1 << bits >> 1), score.addends, bits, HALF)


def _units(number: float) -> int:
    return round(min(FARTHEST, max(-FARTHEST, number)) * 2.0**BITS)


def _edge(cell: int) -> float:
    """Return the log-odds from which on a score is in a cell."""
    return (cell - HALF) * EACH


def _estimates(axis: Axis, found: Sequence[Interval], **extra: Sequence[Any]) -> Estimates:
    """Return a table of intervals; without a value there are no ends: nothing can be said."""

    def of(numbers: Iterable[float | None]) -> list[Cell]:
        known = zip(numbers, found, strict=True)
        return [None if number is None or each.value is None else nine(number) for number, each in known]

    value, lower, upper = (each.value for each in found), (each.lower for each in found), (each.upper for each in found)
    return Estimates(axes=(axis,), value=of(value), lower95=of(lower), upper95=of(upper), extra=extra)


def _array(*numbers: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array(numbers, dtype=np.float64)


def _performance(p: Any, n: Any, noise: Noise) -> Estimates:
    """Estimate the accuracy of the likelier class, the area under the curve, and the share of the class."""
    right = float(p[HALF:].sum() + n[:HALF].sum())
    wrong = float(p[:HALF].sum() + n[HALF:].sum())
    tops, rests = _array(right, float(p.sum())), _array(wrong, float(n.sum()))
    accuracy, share = shares(tops, rests, (_array(CELLS, CELLS), _array(CELLS, CELLS)), noise)
    axis = Axis(("measure",), (("accuracy",), ("auc",), ("share",)))
    return _estimates(axis, [accuracy, area(p, n, noise), share])


def _roc(p: Any, n: Any, noise: Noise) -> Estimates:
    """Estimate the share of either class with a score at or above each threshold, as a falling curve.

    `raw` and `false_alarms_raw` are the noisy shares. Of all intervals together 95 % hold (Bonferroni).
    """
    places, together = np.arange(1, CELLS, dtype=np.float64), 1 - 0.05 / (2 * (CELLS - 1))
    raw = [
        shares(np.cumsum(each[::-1])[::-1][1:], np.cumsum(each)[:-1], (CELLS - places, places), noise, together)
        for each in (p, n)
    ]
    hits, alarms = map(curve, raw)
    other = _estimates(Axis(("log_odds_from",), tuple((_edge(cell),) for cell in range(1, CELLS))), alarms)
    extra = {
        "false_alarms": other.value,
        "false_alarms_lower95": other.lower95,
        "false_alarms_upper95": other.upper95,
    }
    noisy = (_estimates(other.axes[0], each).value for each in raw)
    return _estimates(other.axes[0], hits, **extra, **dict(zip(("raw", "false_alarms_raw"), noisy, strict=True)))


def _calibration(p: Any, n: Any, noise: Noise) -> Estimates:
    """Estimate the share of rows of the class by predicted probability.

    A cell whose noisy rows are within what their noise reaches is not told apart from one without rows: it has no
    share, and `counted_up_to` in place of `counted`.
    """
    edges = [0.0, *(nine(1.0 / (1.0 + exp(-_edge(cell)))) for cell in range(1, CELLS)), 1.0]
    axis = Axis(("predicted_from", "predicted_to"), tuple(pairwise(edges)))
    ones = np.ones(CELLS)
    far, rows = floor(float(reach(2 * ones[:1], 2 * ones[:1], noise, 0.95)[0]) + 0.5), (p + n).tolist()
    found = shares(p, n, (ones, ones), noise)
    told = [each if many > far else replace(each, value=None) for each, many in zip(found, rows, strict=True)]
    counted = [int(many) if many > far else None for many in rows]
    at_most = [None if many > far else max(far, int(many) + far) for many in rows]
    return _estimates(axis, told, counted=counted, counted_up_to=at_most)
