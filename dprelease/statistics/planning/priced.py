"""Cost and expected errors of one statistic of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from msgspec import UNSET

from dprelease.mechanisms import Mechanism
from dprelease.model.plan import Expected, Plan
from dprelease.model.privacy import PrivacyLoss, Terms
from dprelease.model.release import Estimates, Output
from dprelease.model.schema import Schema
from dprelease.model.stated import Basis, StatedStatistic, as_json
from dprelease.statistics.held_out_classifier import HeldOutClassifier
from dprelease.statistics.planning.derivation import Derivation, Drawn, Own, following
from dprelease.statistics.planning.measurement import PricedMeasurement, calibrated
from dprelease.statistics.planning.tabled import from_tables
from dprelease.statistics.tabulated import ExpectedError, TallyStatistic


@dataclass(frozen=True, kw_only=True)
class StatisticPrice:
    """One statistic: what it is computed of and how, and its expected error."""

    statistic: TallyStatistic
    derivation: Derivation
    size: int
    """Rows of its published tables; 0 where their keys are discovered."""
    error: ExpectedError | None
    expected: Expected | None = None
    """The plan's statement on the rows."""
    bounded_by: str | None = None
    """The statistic by whose published shares its intervals are found, where it has none of its own."""

    @property
    def id(self) -> str:
        return self.statistic.id

    @property
    def kind(self) -> str:
        return self.statistic.kind

    @property
    def mechanisms(self) -> tuple[Mechanism, ...]:
        """Mechanisms that are run for it alone: none where it follows from another statistic's."""
        return () if self.derivation.own is None else self.derivation.own.mechanisms

    @property
    def source(self) -> PricedMeasurement | None:
        """The measurement that it follows from, where it has none of its own; of several the first."""
        return self.derivation.measurement if self.derivation.own is None else None

    @property
    def sources(self) -> tuple[str, ...]:
        """The statistics whose measurements it follows from, where it has none of its own."""
        return () if self.source is None else tuple(each.id for each in self.derivation.measurements)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """Privacy loss that is charged for it alone."""
        return PrivacyLoss() if self.derivation.own is None else self.derivation.own.loss

    @property
    def error95(self) -> float | None:
        """Expected error in the statistic's own units."""
        return None if self.error is None else self.error.error95

    @property
    def trial95(self) -> float | None:
        """Error by noise of the share of right predictions, of a model that is tried on units held out."""
        mechanisms = self.derivation.measurement.mechanisms
        return (
            self.statistic.trial_error(mechanisms, self.expected)
            if isinstance(self.statistic, HeldOutClassifier)
            else None
        )

    @property
    def basis(self) -> Basis | None:
        """Basis that the error is computed from."""
        return None if self.error is None else self.error.basis

    @property
    def count_variance(self) -> float:
        """Variance of the noise on each count of a table of counts, in rows squared."""
        return self.derivation.count_variance

    def answered(self, schema: Schema, drawn: Drawn) -> Output:
        """Return what it publishes of a draw."""
        return self.derivation.answered(self.statistic, schema, drawn)

    def could_answer(self, schema: Schema, output: Output) -> bool:
        """Check that some draw gives this answer; intervals by another statistic's shares are left aside."""
        if self.bounded_by is not None and isinstance(output, Estimates):
            output = replace(output, lower95=[None] * len(output), upper95=[None] * len(output))
        return self.derivation.could_answer(self.statistic, schema, output)

    def stated(self, schema: Schema) -> StatedStatistic:
        """Return what a certificate states about it."""
        return StatedStatistic(
            id=self.id,
            kind=self.kind,
            presentation=self.statistic.presented,
            output=self.statistic.output,
            tables=self.statistic.table_names(schema),
            cells=self.size,
            derivation=self.derivation.name,
            measurements=tuple(each.id for each in self.derivation.measurements),
            error95=self.error95,
            basis=self.basis,
            bounded_by=UNSET if self.bounded_by is None else self.bounded_by,
        )

    def to_mapping(self, schema: Schema) -> dict[str, Any]:
        """Return what a certificate would state, with the noise and the loss as numbers to read."""
        noise = self.derivation.measurement.mechanisms[0]
        return {
            **as_json(self.stated(schema)),
            "mechanism": noise.name,
            "scale": noise.scale,
            **({"rho": float(self.loss.rho)} if self.loss.rho_nano else {"epsilon": float(self.loss.epsilon)}),
            "delta": float(self.loss.delta),
            **({} if self.trial95 is None else {"trial95": self.trial95}),
        }


def priced(
    statistic: TallyStatistic, share: PrivacyLoss, plan: Plan, terms: Terms, place: int, *, confidence: float = 0.95
) -> StatisticPrice:
    """Return a statistic calibrated to its share. `place`: in the plan, for messages.

    Raises InternalError where a sensitivity is that of another shape than what is measured.
    """
    return measured(calibrated(statistic, share, plan.schema, terms, place, plan.expected), plan, confidence=confidence)


def measured(measurement: PricedMeasurement, plan: Plan, *, confidence: float = 0.95) -> StatisticPrice:
    """Return a statistic with a measurement of its own."""
    statistic = measurement.statistic
    return StatisticPrice(
        statistic=statistic,
        derivation=Own(measurement),
        size=statistic.size(plan.schema),
        error=statistic.error(plan.schema, measurement.mechanisms, plan.expected, confidence),
        expected=plan.expected,
    )


def computed(statistic: TallyStatistic, given: Sequence[PricedMeasurement], plan: Plan) -> StatisticPrice | None:
    """Return a statistic that follows from another's measurement, or from several of them; None where it does not."""
    way = following(statistic, given[0], plan.schema) if len(given) == 1 else None
    way = way or from_tables(statistic, given, plan.schema, plan.expected)
    if way is None:
        return None
    return StatisticPrice(
        statistic=statistic, derivation=way, size=statistic.size(plan.schema), error=way.error(statistic, plan)
    )
