"""Interface of a statistic that is priced, released and checked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import prod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dprelease.errors import InternalError
from dprelease.mechanisms import Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.column import NUMERIC
from dprelease.model.column_options import ColumnName, ColumnNames, LevelByColumn, MissingByColumn
from dprelease.model.options import Choice, Flag, NumberOption, Only, option
from dprelease.model.plan import Expected, Plan
from dprelease.model.presentation import Presentation
from dprelease.model.privacy import PrivacyLoss, Terms
from dprelease.model.release import Axis, Estimates, FittedOutput, Output
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.stated import Basis, Caveat, OutputKind, StatedMechanism
from dprelease.model.statistic import Statistic
from dprelease.model.tally import Key, Query, Sensitivity, Shape, TallyQuery
from dprelease.statistics.algebra.grouping import GROUPING, axes, check_cells, group_keys
from dprelease.statistics.algebra.levels import DROP, KEEP, check_levels
from dprelease.statistics.algebra.linear import IntegerSource, MeasuredSource
from dprelease.statistics.algebra.unanswered import check_missing
from dprelease.statistics.noise import KINDS, noise_of

GROUPS = ("by", "levels", "partial", "missing")
"""Options of kinds that tell groups apart."""
Integers = NDArray[Any]
Pick = Callable[[int, int], int]
"""Chooses a whole number from the first to the last."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One vector (or matrix) of exact integers and the kind of mechanism that may publish it."""

    mechanism: type[Mechanism]
    shape: Shape
    """Shape of the integers measured, as the queries give it."""
    sensitivity: Sensitivity
    """Sensitivity at just that shape: pricing refuses one that was worked out for another shape."""
    weight: Fraction = Fraction(1)
    """Its part of the statistic's share, beside the other measurements'."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Further settings of the mechanism."""
    round: int = 0
    """In which it is drawn: what rounds before it told is sealed by then, and may decide what it is given."""
    attained: Fraction = Fraction(1)
    """The part of each stated norm that some pair of `check_statistic` reaches: less than all where it is a bound with
    a proof, which no pair reaches."""


@dataclass(frozen=True, slots=True)
class ExpectedError:
    """A half-width that holds with a stated confidence, in the statistic's own units; noise only.

    Basis `mechanism`: certain, from the noise alone. Basis `expected`: computed from the plan's public guess of the
    number of rows and an even spread of values. Basis `bound`: no more than this, whatever the rows.
    """

    error95: float
    basis: Basis


@dataclass(frozen=True, kw_only=True)
class TallyStatistic(Statistic):
    """A statistic answered from tallies: all that it publishes comes from noisy integers over declared cells."""

    noise: str | None = option(Choice(tuple(KINDS)), default=None, offered=False)
    """laplace or gaussian; by default discrete Laplace where ε is counted, discrete Gaussian where ρ is."""
    levels: tuple[tuple[str, str], ...] = option(LevelByColumn("by"), default=(), offered=False)
    """The level of a key column: of dates day, week, month, quarter, half, year, weekday or month_of_year."""
    partial: str = option(Choice((KEEP, DROP)), default=KEEP, offered=False)
    """Periods of which the bounds hold a part: keep, and say so, or drop."""
    missing: tuple[str, ...] = option(MissingByColumn("by"), default=(), offered=False)
    """Key columns whose rows without an answer are a group of their own, the last one; of others they are left out."""
    by: tuple[str, ...] = option(ColumnNames(GROUPING), default=(), offered=False)
    """Groups: one result for each combination of their declared values."""
    survey_weights: str | None = option(ColumnName(NUMERIC), default=None, offered=False)
    """A numeric column with bounds of at least 0: how many units a row stands for."""
    margins: bool = option(Flag(), default=False, offered=False)
    """Totals along each key, and of all: sums of the published cells, at no cost."""
    max_rows_per_cell: int | None = option(Only(1), default=None, offered=False)
    """1: of the rows of a unit at most one counts in a cell. Less noise where ρ is counted; not with totals."""
    sampling: bool = option(Flag(), default=False, offered=False)
    """Intervals of noise and sampling together, beside those of the noise, for a fifth of the share."""
    effect: Decimal = option(NumberOption(Decimal("0.1"), Decimal(100)), default=Decimal(1), offered=False)  # noqa: RUF009
    """The design effect beyond unequal weights: of strata, and of clusters."""
    output: ClassVar[OutputKind] = "table"
    """Kind of its output."""
    PARTS: ClassVar[tuple[str, ...]] = ()
    """Names of its tables, where it is a model."""
    repeatable: ClassVar[bool] = True
    """True if its output is made again of the seal byte by byte, on every machine; else it is sealed, too."""

    @property
    def presented(self) -> Presentation:
        """Presentation of its numbers, by its options too."""
        return self.presentation

    def keys(self, schema: Schema) -> tuple[Key, ...]:
        """Return the keys of its cells: of its groups, one a column of `by`."""
        return group_keys(schema, self.by, levels=dict(self.levels), partial=self.partial, missing=self.missing)

    def noise_for(self, terms: Terms) -> type[Noise]:
        """Return the mechanism that adds noise."""
        return noise_of(self.noise, terms)

    def check(self, path: str, schema: Schema, report: Report) -> None:
        before, reader = len(report.problems), self.options().get("levels")
        if isinstance(reader, LevelByColumn):
            names = reader.names({reader.keys: getattr(self, reader.keys)})
            if all(name in schema for name in names):
                check_levels(dict(self.levels), names, self.partial, path, schema, report)
                check_missing(self.missing, names, path, schema, report)
        if len(report.problems) == before:
            super().check(path, schema, report)

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        check_cells(self.keys(schema), f"{path}.by", report)

    def discovers(self, schema: Schema) -> bool:
        """Return True if its table's keys are published by a mechanism, with a δ of its own; else they are declared."""
        return False

    def declared_epsilon(self, schema: Schema) -> int | None:
        """Return the ε, in nano, that it costs by how its column was collected; None where the plan decides."""
        return None

    @property
    def follows(self) -> str | None:
        """The statistic of whose measurement it is computed because the plan says so; None where it says nothing."""
        return None

    def integers(self, schema: Schema) -> MeasuredSource | None:
        """Return what its noisy integers tell of rows and values, where others may follow; None where none may."""
        return None

    def follows_from(self, schema: Schema, given: MeasuredSource) -> IntegerSource | None:
        """Return the source of its whole numbers in another's integers; None where they do not follow from these."""
        return None

    def identity(self, schema: Schema) -> Any:
        """Return a value equal for two statistics that measure the same; None of what shares nothing so."""
        return None

    def caveats(self, schema: Schema, terms: Terms, mechanisms: Sequence[Mechanism]) -> Iterator[Caveat]:
        """Yield what its readers must know beside its intervals."""
        yield from ()

    def check_plan(self, path: str, plan: Plan, terms: Terms, report: Report) -> None:
        """Add problems that show only beside the plan's unit, relation, filter and budget."""

    @abstractmethod
    def queries(self, schema: Schema) -> tuple[Query, ...]:
        """Return the tallies it needs."""

    @abstractmethod
    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        """Return the mechanisms it runs, with the sensitivity of what each is given."""

    def ways(self, schema: Schema, terms: Terms) -> tuple[tuple[Measurement, ...], ...]:
        """Return the ways to measure it: `measurements`, and others with another number of mechanisms, if it has any.

        Pricing takes the one that leaves the least `uncertainty` at a share.
        """
        return (self.measurements(schema, terms),)

    def way_of(self, schema: Schema, terms: Terms, stated: Sequence[StatedMechanism]) -> tuple[Measurement, ...]:
        """Return the measurements of a certificate, by what it states; `measurements` where none is so.

        A kind with several ways takes all that it ever had: which of them was planned is not asked.
        """
        return self.measurements(schema, terms)

    def uncertainty(self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None) -> float:
        """Return the error of its least precise number, to choose among its ways, from public facts only."""
        raise InternalError(f"{self.kind} has one way")

    def settled(self, schema: Schema, terms: Terms, share: PrivacyLoss, expected: Expected | None) -> Self:
        """Return the statistic with what it leaves open chosen by its share, which is all of what is measured for it.

        From public facts only; `queries` stay as they are. Of a certificate `way_of` tells what was chosen.
        """
        return self

    @abstractmethod
    def exact(self, schema: Schema, tallies: Sequence[Any]) -> tuple[Any, ...]:
        """Return what each measurement is given: integers from the tallies, in the order of `queries`."""

    def given(self, schema: Schema, tallies: Sequence[Any], mechanisms: Sequence[type[Mechanism]]) -> tuple[Any, ...]:
        """Return what each of these mechanisms is given: `exact`, but for a kind that measures other integers by one
        mechanism than by another, which says here which."""
        return self.exact(schema, tallies)

    def queries_after(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> tuple[Query, ...]:
        """The tallies that the next round needs beside those of `queries`, after what rounds before it drew: a scan
        more, where there are any. They look at no column that `queries` do not: so a unit's same rows are kept.

        What they ask may depend on `drawn`, never on rows. `mechanisms`: of all rounds.
        """
        return ()

    def exact_after(self, schema: Schema, tallies: Sequence[Any], drawn: Sequence[Any]) -> tuple[Any, ...]:
        """Return what the measurements of the next round are given, after what rounds before it drew: integers again.

        `tallies`: in the order of `queries`, and then of `queries_after`. It uses their integers alone; what it
        computes of `drawn` costs nothing.
        """
        raise InternalError(f"{self.kind} has one round")

    def given_after(
        self, schema: Schema, tallies: Sequence[Any], drawn: Sequence[Any], mechanisms: Sequence[Mechanism]
    ) -> tuple[Any, ...]:
        """Return the same, for a kind that must know how much noise rounds have. `mechanisms`: of all of them."""
        return self.exact_after(schema, tallies, drawn)

    def lattice_step(self, schema: Schema, place: int) -> Decimal:
        """Return the worth of one step of a measurement's integers: data units, or 1 where rows or scores are meant."""
        return Decimal(1)

    def drawn(self, schema: Schema, noisy: Sequence[Any], pick: Pick) -> tuple[Any, ...]:
        """Return what is sealed: the mechanisms' outputs and any further choice by `pick` (uniform when published)."""
        return tuple(noisy)

    def answered(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> Output:
        """Return what is published, of what was sealed and of public facts only. A kind whose answer is more than
        one table, or is none, gives it here."""
        return self.estimates(schema, drawn, mechanisms)

    def could_answer(self, schema: Schema, output: Output, mechanisms: Sequence[Mechanism]) -> bool:
        """Check that some draw gives this answer: what a verifier can check without the data.

        A model is made again of its published integers, round after round.
        """
        if not isinstance(output, FittedOutput):
            return isinstance(output, Estimates) and self.could_be(schema, output, mechanisms)
        listed = output.facts.get("integers")
        if not isinstance(listed, list) or len(listed) != len(mechanisms):
            return False
        drawn = []
        for numbers, shape in zip(listed, self.sealed_shapes(schema, mechanisms), strict=True):
            if not isinstance(numbers, list) or len(numbers) != prod(shape):
                return False
            if not all(type(number) is int and abs(number) < 2**63 for number in numbers):
                return False
            drawn.append(np.array(numbers, dtype=np.int64).reshape(shape))
        return self.may_be_drawn(schema, drawn) and output == self.answered(schema, drawn, mechanisms)

    def sealed_shapes(self, schema: Schema, mechanisms: Sequence[Mechanism]) -> list[Shape]:
        """Return the shapes of the published integers: those of what was measured, where noise was added to it."""
        return [mechanism.sensitivity.shape or () for mechanism in mechanisms]

    def may_be_drawn(self, schema: Schema, drawn: Sequence[Any]) -> bool:
        """Return True if integers of these shapes can be drawn: of noisy ones any."""
        return True

    def table_names(self, schema: Schema) -> tuple[str, ...]:
        """Return the names of its published tables."""
        return tuple(f"{self.id}.{part}" for part in self.PARTS) or (self.id,)

    def estimates(
        self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        """Return the published table: a function of what was sealed and of public facts only.

        `confidence`: of its intervals. What is published has 95 %; the audit asks for others, and pictures for none:
        with 0 an interval may be the value itself.
        """
        raise InternalError(f"{self.kind} answers with several tables")

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        """Check that some draw gives this table: what a verifier can check without the data."""
        raise InternalError(f"{self.kind} answers with several tables")

    @abstractmethod
    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError | None:
        """Return the expected error, from public facts only; None where it needs `expected` and that is not given."""

    @abstractmethod
    def magnitude(self, schema: Schema, expected: Expected) -> float:
        """Return what its error is relative to: a typical value by `expected` and an even spread, in its own units."""

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        """Return the declared keys of its published table."""
        return axes(schema, self.keys(schema))

    def size(self, schema: Schema) -> int:
        """Return the number of rows of its published table; 0 where its keys are discovered."""
        return TallyQuery(self.keys(schema)).cells
