"""Answers that were changed at random, one by one, before anybody counted them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from statistics import NormalDist
from typing import ClassVar

import numpy as np

from dprelease.mechanisms import (
    ArrivedResponse,
    Mechanism,
    RandomizedResponse,
    Response,
    SubsetResponse,
    UnaryResponse,
)
from dprelease.mechanisms.randomized_response import truth_within
from dprelease.model.column import LISTED
from dprelease.model.column_options import ColumnName
from dprelease.model.options import Choice, option
from dprelease.model.plan import Expected, Plan
from dprelease.model.presentation import Presentation, Quantity, Trait, shown
from dprelease.model.privacy import NANO, PrivacyLoss, Terms, decimal_text
from dprelease.model.release import Axis, Estimates
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.stated import StatedMechanism
from dprelease.model.tally import Key, Sensitivity, TallyQuery
from dprelease.statistics.algebra.binomial import shares_that_fit
from dprelease.statistics.algebra.grouping import axes, each_value
from dprelease.statistics.tabulated import ExpectedError, Integers, Measurement, TallyStatistic
from dprelease.words import Figure, phrase, quoted, verbatim

MAX_ANSWERS = 1000
MAX_OF_SUBSETS = 50
"""Answers of which subsets are drawn: each set takes a draw for each answer, and beyond they spare next to nothing."""
AUTO, RESPONSE, SUBSET, UNARY = METHODS = ("auto", "response", "subset", "unary")
PERTURBED, CHOSEN, ROWS = "perturbed", "chosen", "rows"
WAYS: dict[str, type[Response]] = {RESPONSE: RandomizedResponse, SUBSET: SubsetResponse, UNARY: UnaryResponse}


@dataclass(frozen=True, kw_only=True)
class Survey(TallyStatistic):
    """The share of each answer, from answers that were changed at random, row by row.

    By `response` each row's answer is kept with probability p, else replaced by one of the other answers; by `subset`
    it becomes a set of answers which holds the true one with p, another one with q; by `unary` each answer is told or
    not, the true one with p = 1/2, another one with q. Published are how many rows tell each answer afterwards
    (`perturbed`: the whole perturbed column in no order; `chosen` with the number of `rows`), and the unbiased estimate
    of the share of each, (told/n − q) / (p − q), of variance (π p (1 − p) + (1 − π) q (1 − q)) / (n (p − q)²) where the
    true share is π. `auto`, the default, takes the one whose shares vary least where all answers are equally common.
    The number of rows n becomes public. Only under substitute with a row as the unit, without `where`, on a column
    where a missing answer is declared as one of the answers. Sensitivity: one row has one answer. No noise is added to
    counts: the answers themselves are changed. Of a column whose answers arrived changed (`randomized`) nothing is
    drawn: they are counted as they are, by `response`, at the ε that the column declares. Warner 1965; Wang, Blocki,
    Li, Jha 2017; Ye, Barg 2018.
    """

    kind: ClassVar[str] = "survey"
    presentation: ClassVar[Presentation] = shown(Quantity.SHARE, Trait.ADDITIVE, Trait.ROWS_EXACT)
    column: str = option(ColumnName(LISTED))
    """A category or boolean column with `count_missing_as`."""
    method: str = option(Choice(METHODS), default=AUTO)
    """Method by which answers are changed."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        column = schema[self.column]
        if not column.complete:
            report.add(
                f"{path}.column",
                found=phrase("statistics.where_rows_may_no", column=quoted(self.column)),
                allowed=phrase("statistics.column_whose_declaration_says"),
                remedy=phrase("statistics.add_count_missing_one", column=quoted(self.column)),
            )
        if not 2 <= column.codes <= MAX_ANSWERS:
            report.add(
                f"{path}.column",
                found=phrase("statistics.answers", codes=column.codes),
                allowed=phrase("statistics.column_2", max_answers=MAX_ANSWERS),
            )
        elif self.method == SUBSET and column.codes > MAX_OF_SUBSETS:
            report.add(
                f"{path}.method",
                found=phrase("statistics.answers", codes=column.codes),
                allowed=phrase("statistics.subsets_of_at_most", most=MAX_OF_SUBSETS),
                remedy=phrase("statistics.take_unary"),
            )
        if column.randomized is not None:
            self._check_arrived(path, column.randomized.epsilon_nano, report)

    def _check_arrived(self, path: str, epsilon_nano: int, report: Report) -> None:
        """Refuse options that were decided when answers were collected: how they were changed, and at which ε."""
        declared = decimal_text(PrivacyLoss(epsilon_nano=epsilon_nano).epsilon)
        for key, misfits in (
            ("method", self.method not in (AUTO, RESPONSE)),
            ("epsilon", self.epsilon_nano not in (None, epsilon_nano)),
            ("weight", self.weight != 1),
            ("target_error", self.target_error is not None),
        ):
            if misfits:
                report.add(
                    f"{path}.{key}",
                    found=phrase("statistics.key_of_arrived", key=verbatim(key), column=quoted(self.column)),
                    allowed=phrase("statistics.response_at_declared", epsilon=Figure(declared)),
                    remedy=phrase("statistics.leave_key_out", key=verbatim(key)),
                )

    def declared_epsilon(self, schema: Schema) -> int | None:
        randomized = schema[self.column].randomized
        return None if randomized is None else randomized.epsilon_nano

    def check_plan(self, path: str, plan: Plan, terms: Terms, report: Report) -> None:
        for found, allowed in (
            (
                not terms.substitute and phrase("statistics.relation_add_remove"),
                phrase("statistics.substitute_number_rows_becomes"),
            ),
            (terms.unit.column is not None and phrase("statistics.identifier_unit"), phrase("statistics.row_unit")),
            (bool(plan.where) and phrase("statistics.filter_where"), phrase("statistics.no_filter_every_row")),
        ):
            if found:
                report.add(path, found=phrase("statistics.randomized_response_under", found=found), allowed=allowed)

    def _key(self, schema: Schema) -> Key:
        return each_value(schema[self.column])

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        return (TallyQuery((self._key(schema),)),)

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        return self.ways(schema, terms)[0]

    def ways(self, schema: Schema, terms: Terms) -> tuple[tuple[Measurement, ...], ...]:
        if schema[self.column].randomized is not None:
            return (self._by(schema, ArrivedResponse),)
        return tuple(self._by(schema, WAYS[name]) for name in self._methods(schema))

    def way_of(self, schema: Schema, terms: Terms, stated: Sequence[StatedMechanism]) -> tuple[Measurement, ...]:
        ways = self.ways(schema, terms)
        return next((way for way in ways if [each.name for each in stated] == [way[0].mechanism.name]), ways[0])

    def _methods(self, schema: Schema) -> tuple[str, ...]:
        if self.method != AUTO:
            return (self.method,)
        return (RESPONSE, *((SUBSET,) if self.size(schema) <= MAX_OF_SUBSETS else ()), UNARY)

    def _by(self, schema: Schema, mechanism: type[Response]) -> tuple[Measurement, ...]:
        shape = TallyQuery((self._key(schema),)).shape
        stated = Sensitivity(l1=2, linf=1, l2_squared=2, shape=shape)
        settings: dict[str, int | float] = {"answers": shape[0]}
        declared = self.declared_epsilon(schema)
        if declared is not None:
            settings["truth"] = truth_within(shape[0], Fraction(declared, NANO))
        return (Measurement(mechanism, shape, stated, settings=settings),)

    def uncertainty(self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None) -> float:
        """Return the variance of a share of one row, where all answers are equally common."""
        (mechanism,) = mechanisms
        assert isinstance(mechanism, Response)
        p, q, even = mechanism.true_chance, mechanism.other_chance, 1 / self.size(schema)
        return (even * p * (1 - p) + (1 - even) * q * (1 - q)) / (p - q) ** 2

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        return (tallies[0],)

    def estimates(
        self, schema: Schema, drawn: Sequence[Integers], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        (mechanism,) = mechanisms
        assert isinstance(mechanism, Response)
        counts, rows = mechanism.counts(drawn[0]), mechanism.rows(drawn[0])
        p, q = mechanism.true_chance, mechanism.other_chance
        value = (counts / rows - q) / (p - q) if rows else np.full(len(counts), 1 / len(counts))
        lower, upper = shares_that_fit(counts, rows, p, q, confidence) if confidence else (value, value)
        lower, upper = np.minimum(lower, value), np.maximum(upper, value)
        told = [int(count) for count in counts]
        usual = isinstance(mechanism, RandomizedResponse)
        return Estimates(
            axes=self.axes(schema),
            value=[float(number) for number in value],
            lower95=[float(number) for number in lower],
            upper95=[float(number) for number in upper],
            extra={PERTURBED: told} if usual else {CHOSEN: told, ROWS: [rows] * len(told)},
        )

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        drawn = _drawn(table, mechanisms)
        if drawn is None:
            return False
        again = self.estimates(schema, [drawn], mechanisms)
        stated = (table.value, table.lower95, table.upper95)
        recomputed = (again.value, again.lower95, again.upper95)
        return all(
            np.allclose(np.array(one, dtype=np.float64), np.array(other, dtype=np.float64), rtol=1e-9, atol=1e-12)
            for one, other in zip(stated, recomputed, strict=True)
        )

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError | None:
        """Return the half-width of each share where all answers are equally common."""
        if expected is None:
            return None
        (mechanism,) = mechanisms
        assert isinstance(mechanism, Response)
        p, q, even = mechanism.true_chance, mechanism.other_chance, 1 / self.size(schema)
        # In this order: what was published before there were other ways is stated to the last digit.
        told = even if isinstance(mechanism, RandomizedResponse) else q + (p - q) * even
        true = min(1.0, max(0.0, (told - q) / (p - q)))
        variance = (true * p * (1 - p) + (1 - true) * q * (1 - q)) / max(expected.rows, 1)
        half = NormalDist().inv_cdf((1 + confidence) / 2) * sqrt(variance) / (p - q)
        return ExpectedError(half, "expected")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        return 1 / self.size(schema)

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        return axes(schema, (self._key(schema),))

    def size(self, schema: Schema) -> int:
        return schema[self.column].codes


def _drawn(table: Estimates, mechanisms: Sequence[Mechanism]) -> Integers | None:
    """Return the drawn integers, from what is published; None where no such mechanism could have drawn them."""
    (mechanism,) = mechanisms
    names = [PERTURBED] if isinstance(mechanism, RandomizedResponse) else [CHOSEN, ROWS]
    if list(table.extra) != names or not all(
        isinstance(count, int) and 0 <= count <= 2**53 for name in names for count in table.extra[name]
    ):
        return None
    counts = np.array(table.extra[names[0]], dtype=np.int64)
    if names == [PERTURBED]:
        return counts
    rows = set(table.extra[ROWS])
    drawn = np.array([*counts, *rows], dtype=np.int64) if isinstance(mechanism, UnaryResponse) else counts
    assert isinstance(mechanism, Response)
    possible = len(rows) == 1 and mechanism.could_tell(drawn) and rows == {mechanism.rows(drawn)}
    return drawn if possible else None
