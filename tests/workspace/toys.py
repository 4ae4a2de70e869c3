"""Three kinds that the program does not have: several tables, a fitted function, and rows after two rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dprelease.mechanisms import Mechanism
from dprelease.model.column import LISTED
from dprelease.model.column_options import ColumnName
from dprelease.model.options import option
from dprelease.model.plan import Expected
from dprelease.model.presentation import ChartType, Presentation, Quantity, ValueKind
from dprelease.model.privacy import Terms
from dprelease.model.release import Axis, Estimates, FittedOutput, Output, SyntheticRows, Tables
from dprelease.model.schema import Schema
from dprelease.model.stated import OutputKind
from dprelease.model.tally import Addend, ScoreKey, TallyQuery
from dprelease.statistics.algebra.grouping import axes, each_value
from dprelease.statistics.algebra.sensitivity import simplex
from dprelease.statistics.noise import half_width
from dprelease.statistics.tabulated import ExpectedError, Integers, Measurement, TallyStatistic

MOST = 50


@dataclass(frozen=True, kw_only=True)
class Both(TallyStatistic):
    """Noisy counts of a column's values, twice.

    Sensitivity m, under substitute 2m (L1). Discrete Laplace noise, or Gaussian in zcdp.
    """

    kind: ClassVar[str] = "both"
    offers: ClassVar[tuple[str, ...]] = ("noise",)
    output: ClassVar[OutputKind] = "tables"
    presentation: ClassVar[Presentation] = Presentation(
        measure=Quantity.RECORDS, error=Quantity.RECORDS, values=ValueKind.NOISY, look=ChartType.MARKS, traits=()
    )
    PARTS: ClassVar[tuple[str, ...]] = ("first", "second")
    column: str = option(ColumnName(LISTED))
    """Whose values are counted."""

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        return (TallyQuery((each_value(schema[self.column]),)),)

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        (query,) = self.queries(schema)
        return (Measurement(self.noise_for(terms), query.shape, simplex(terms, query.shape)),)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        return (tallies[0],)

    def table_names(self, schema: Schema) -> tuple[str, ...]:
        return tuple(f"{self.id}.{part}" for part in self.PARTS)

    def answered(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> Output:
        return Tables(parts=dict.fromkeys(self.PARTS, self.estimates(schema, drawn, mechanisms)))

    def could_answer(self, schema: Schema, output: Output, mechanisms: Sequence[Mechanism]) -> bool:
        if not isinstance(output, Tables) or tuple(output.parts) != self.PARTS:
            return False
        return output == self.answered(schema, [_values(part) for part in output.parts.values()], mechanisms)

    def estimates(
        self, schema: Schema, drawn: Sequence[Integers], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        return self.counted(self.axes(schema), drawn[0], mechanisms[0], confidence)

    def counted(self, keys: tuple[Axis, ...], counts: Integers, mechanism: Mechanism, confidence: float) -> Estimates:
        half, values = half_width(mechanism, confidence), np.asarray(counts).ravel().tolist()
        lower, upper = ([value + end for value in values] for end in (-half, half))
        return Estimates(axes=keys, value=values, lower95=lower, upper95=upper)

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        raise NotImplementedError

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError:
        return ExpectedError(float(half_width(mechanisms[0], confidence)), "mechanism")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        return expected.rows / schema[self.column].codes

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        return axes(schema, self.queries(schema)[0].keys)

    def size(self, schema: Schema) -> int:
        return len(self.PARTS) * schema[self.column].codes


@dataclass(frozen=True, kw_only=True)
class Fitted(Both):
    """Which part of the noisy counts the first value has: a function without inputs.

    Sensitivity m, under substitute 2m (L1). Discrete Laplace noise, or Gaussian in zcdp.
    """

    kind: ClassVar[str] = "fitted"
    presentation: ClassVar[Presentation] = Both.presentation
    output: ClassVar[OutputKind] = "model"
    repeatable: ClassVar[bool] = False
    PARTS: ClassVar[tuple[str, ...]] = ("counts",)

    def answered(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> Output:
        whole = max(1, int(np.sum(drawn[0])))
        facts = {"share": round(float(drawn[0].ravel()[0]) / whole, 6), "of": self.column}
        return FittedOutput(parts={"counts": self.estimates(schema, drawn, mechanisms)}, facts=facts)

    def could_answer(self, schema: Schema, output: Output, mechanisms: Sequence[Mechanism]) -> bool:
        if not isinstance(output, FittedOutput) or tuple(output.parts) != self.PARTS:
            return False
        return output == self.answered(schema, [_values(output.parts["counts"])], mechanisms)


@dataclass(frozen=True, kw_only=True)
class Invented(Both):
    """Rows with the column's values as often as the noisy counts say; the most common one is measured once more.

    Sensitivity m, under substitute 2m (L1), and m of the one count of the second round. Discrete Laplace noise, or
    Gaussian in zcdp, each round with half of ε.
    """

    kind: ClassVar[str] = "invented"
    presentation: ClassVar[Presentation] = Both.presentation
    output: ClassVar[OutputKind] = "rows"
    PARTS: ClassVar[tuple[str, ...]] = ("counts", "again")

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        again = Measurement(self.noise_for(terms), (1,), simplex(terms, (1,)), round=1)
        return (*super().measurements(schema, terms), again)

    def exact_after(self, schema: Schema, tallies: Sequence[Any], drawn: Sequence[Any]) -> tuple[Any, ...]:
        return (tallies[0].ravel()[[int(np.argmax(drawn[0]))]],)

    def answered(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> Output:
        counts, again = drawn[0].ravel(), drawn[1]
        best = int(np.argmax(counts))
        often = [int(again[0]) if place == best else int(count) for place, count in enumerate(counts)]
        (axis,) = self.axes(schema)
        names = [cell for (cell,) in axis.cells]
        return SyntheticRows(
            parts={
                "counts": self.estimates(schema, drawn, mechanisms),
                "again": self.counted((), again, mechanisms[1], 0.95),
            },
            columns={self.column: [name for name, n in zip(names, often, strict=True) for _ in range(min(MOST, n))]},
        )

    def could_answer(self, schema: Schema, output: Output, mechanisms: Sequence[Mechanism]) -> bool:
        if not isinstance(output, SyntheticRows) or tuple(output.parts) != self.PARTS:
            return False
        return output == self.answered(schema, [_values(part) for part in output.parts.values()], mechanisms)

    def size(self, schema: Schema) -> int:
        return schema[self.column].codes + 1


@dataclass(frozen=True, kw_only=True)
class Aimed(Both):
    """Rows by a score that the noisy counts of a column's values give these: counted by a further scan.

    Sensitivity m, under substitute 2m (L1), of either round. Discrete Laplace noise, or Gaussian in zcdp.
    """

    kind: ClassVar[str] = "aimed"
    presentation: ClassVar[Presentation] = Both.presentation
    PARTS: ClassVar[tuple[str, ...]] = ("counts", "scored")

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        again = Measurement(self.noise_for(terms), (3,), simplex(terms, (3,)), round=1)
        return (*super().measurements(schema, terms), again)

    def queries_after(
        self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]
    ) -> tuple[TallyQuery, ...]:
        """The most common value, the others, and what neither is."""
        counts = drawn[0].ravel().tolist()
        scores = tuple(1 if place == int(np.argmax(counts)) else -1 for place in range(len(counts)))
        return (TallyQuery(score=ScoreKey(0, (Addend(self.column, of_code=scores),), 0, 1)),)

    def exact_after(self, schema: Schema, tallies: Sequence[Any], drawn: Sequence[Any]) -> tuple[Any, ...]:
        return (tallies[1],)

    def answered(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> Output:
        scored = Axis(("score",), ((-1,), (0,), (1,)))
        return Tables(
            parts={
                "counts": self.estimates(schema, drawn, mechanisms),
                "scored": self.counted((scored,), drawn[1], mechanisms[1], 0.95),
            }
        )

    def size(self, schema: Schema) -> int:
        return schema[self.column].codes + 3


TOYS = (Both, Fitted, Invented, Aimed)


def _values(table: Estimates) -> Integers:
    return np.array(table.value, dtype=np.int64)
