"""Answers that were changed at random, one by one, before anybody counted them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar

import numpy as np

from dprelease.mechanisms import Mechanism, RandomizedResponse
from dprelease.model.column import LISTED
from dprelease.model.column_options import ColumnName
from dprelease.model.options import option
from dprelease.model.plan import Expected, Plan
from dprelease.model.presentation import Answers, Look, Presentation, Quantity, Trait
from dprelease.model.privacy import Terms
from dprelease.model.release import Axis, Estimates
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Key, Sensitivity, TallyQuery
from dprelease.statistics.algebra.binomial import shares_that_fit
from dprelease.statistics.algebra.grouping import axes, each_value
from dprelease.statistics.tabulated import ExpectedError, Integers, Measurement, Tabulated
from dprelease.words import phrase, quoted

MAX_ANSWERS = 1000


@dataclass(frozen=True, kw_only=True)
class Survey(Tabulated):
    """Randomized response: each row's answer is kept with probability p, else replaced by one of the other answers.

    p = e^ε / (e^ε + k − 1) for k answers (Warner 1965 for two). Published are `perturbed`, how many rows have each
    answer afterwards, which is the whole perturbed column in no order; and the unbiased estimate of the share of each
    answer, (perturbed/n − q) / (p − q) with q = (1 − p)/(k − 1). The number of rows n becomes public. Only under
    substitute with a row as the unit, without `where`, on a column where a missing answer is declared as one of the
    answers. Sensitivity: one row has one answer. No noise is added to counts: the answers themselves are changed.
    """

    kind: ClassVar[str] = "survey"
    presentation: ClassVar[Presentation] = Presentation(
        measure=Quantity.SHARE,
        error=Quantity.SHARE,
        values=Answers.NOISY,
        look=Look.MARKS,
        traits=(Trait.ADDITIVE, Trait.ROWS_EXACT),
    )
    column: str = option(ColumnName(LISTED))
    """A category or boolean column with `count_missing_as`."""

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
        shape = TallyQuery((self._key(schema),)).shape
        stated = Sensitivity(l1=2, linf=1, l2_squared=2, shape=shape)
        return (Measurement(RandomizedResponse, shape, stated, settings={"answers": shape[0]}),)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        return (tallies[0],)

    def estimates(
        self, schema: Schema, drawn: Sequence[Integers], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        counts = drawn[0].ravel()
        rows = int(counts.sum())
        share = (counts / rows if rows else np.full(len(counts), 1 / len(counts))).astype(np.float64)
        assert isinstance(mechanisms[0], RandomizedResponse)
        value, _ = _estimated(share, rows, mechanisms[0], confidence)
        lower, upper = shares_that_fit(counts, mechanisms[0].truth, confidence) if confidence else (value, value)
        lower, upper = np.minimum(lower, value), np.maximum(upper, value)
        return Estimates(
            axes=self.axes(schema),
            value=[float(number) for number in value],
            lower95=[float(number) for number in lower],
            upper95=[float(number) for number in upper],
            extra={"perturbed": [int(count) for count in counts]},
        )

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        counts = table.extra.get("perturbed", ())
        if list(table.extra) != ["perturbed"] or not all(isinstance(count, int) and count >= 0 for count in counts):
            return False
        again = self.estimates(schema, [np.array(counts)], mechanisms)
        stated = (table.value, table.lower95, table.upper95)
        recomputed = (again.value, again.lower95, again.upper95)
        return all(
            np.allclose(np.array(one, dtype=np.float64), np.array(other, dtype=np.float64), rtol=1e-9, atol=1e-12)
            for one, other in zip(stated, recomputed, strict=True)
        )

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError | None:
        """The half-width of each share where all answers are equally common."""
        if expected is None:
            return None
        even = np.full(self.size(schema), 1 / self.size(schema))
        _, half = _estimated(even, expected.rows, mechanisms[0], confidence)
        return ExpectedError(float(half[0]), "expected")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        return 1 / self.size(schema)

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        return axes(schema, (self._key(schema),))

    def size(self, schema: Schema) -> int:
        return schema[self.column].codes


def _estimated(share: np.ndarray, rows: int, mechanism: Mechanism, confidence: float) -> tuple[np.ndarray, np.ndarray]:
    """The unbiased shares, and their half-widths by the normal limit.

    Given the true answers, the perturbed count of an answer with true share π is the sum of two binomials: variance
    n·(π·p·(1 − p) + (1 − π)·q·(1 − q)).
    """
    assert isinstance(mechanism, RandomizedResponse)
    p = mechanism.truth
    q = (1 - p) / (len(share) - 1)
    value = (share - q) / (p - q)
    true = np.clip(value, 0, 1)
    variance = (true * p * (1 - p) + (1 - true) * q * (1 - q)) / max(rows, 1)
    return value, NormalDist().inv_cdf((1 + confidence) / 2) * np.sqrt(variance) / (p - q)
