"""What one statistic of a plan costs, and how far its results may err."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cached_property
from typing import Any

from dprelease.accounting.shares import split
from dprelease.errors import InternalError, PlanError
from dprelease.mechanisms import Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.certificate import Loss, StatedStatistic, as_json
from dprelease.model.plan import Plan
from dprelease.model.privacy import NANO, PrivacyLoss, Terms, decimal_text, total
from dprelease.model.release import Estimates
from dprelease.model.schema import Schema
from dprelease.statistics.planning.sharing import Source, could_be_derived, derived_table, source
from dprelease.statistics.tabulated import ExpectedError, Measurement, Tabulated
from dprelease.words import Figure, phrase


@dataclass(frozen=True, kw_only=True)
class StatisticPrice:
    """One statistic with its calibrated mechanisms, its loss and its expected error."""

    statistic: Tabulated
    mechanisms: tuple[Mechanism, ...]
    """None where its counts follow from another statistic."""
    size: int
    """Rows of its published table; 0 where its keys are discovered."""
    error: ExpectedError | None
    steps: tuple[str, ...] = ()
    """Of the integers that each mechanism is given, in units of the data: exact decimals."""
    follows: Follows | None = None
    """How its counts follow from another statistic's noisy integers, at no cost of its own."""

    @property
    def id(self) -> str:
        return self.statistic.id

    @property
    def kind(self) -> str:
        return self.statistic.kind

    @property
    def source(self) -> StatisticPrice | None:
        """The statistic that its counts follow from."""
        return None if self.follows is None else self.follows.given

    @cached_property
    def loss(self) -> PrivacyLoss:
        return total(mechanism.share for mechanism in self.mechanisms)

    @property
    def error95(self) -> float | None:
        """In the statistic's own units."""
        return None if self.error is None else self.error.error95

    @property
    def basis(self) -> str | None:
        """`mechanism`, `expected` or `bound`: what the error is computed from."""
        return None if self.error is None else self.error.basis

    @property
    def count_variance(self) -> float:
        """Of the noise on each count of a table of counts, in rows squared."""
        return self.follows.variance if self.follows else float(_noise(self.mechanisms[0]).variance)

    def table(self, schema: Schema, drawn: Sequence[Any]) -> Estimates:
        """The published table of its noisy integers; of counts that follow, the counts."""
        if self.follows is None:
            return self.statistic.estimates(schema, drawn, self.mechanisms)
        return derived_table(self.statistic, drawn[0], self.follows.half_width, schema)

    def could_be(self, schema: Schema, table: Estimates) -> bool:
        """Whether some draw gives this table."""
        if self.follows is None:
            return self.statistic.could_be(schema, table, self.mechanisms)
        return could_be_derived(table, self.follows.half_width)

    def stated(self) -> StatedStatistic:
        """What a certificate states about it."""
        return StatedStatistic(
            id=self.id,
            kind=self.kind,
            presentation=self.statistic.presented,
            cells=self.size,
            mechanisms=tuple(
                mechanism.stated(step if isinstance(mechanism, Noise) else None)
                for mechanism, step in zip(self.mechanisms, self.steps, strict=True)
            ),
            loss=Loss.of(self.loss),
            error95=self.error95,
            basis=None if self.error is None else self.error.basis,
            source=None if self.source is None else self.source.id,
        )

    def to_mapping(self) -> dict[str, Any]:
        """What a certificate would state, with the noise and the loss as numbers to read."""
        noise = (self.source or self).mechanisms[0]
        return {
            **as_json(self.stated()),
            "mechanism": noise.name,
            "scale": noise.scale,
            **({"rho": float(self.loss.rho)} if self.loss.rho_nano else {"epsilon": float(self.loss.epsilon)}),
            "delta": float(self.loss.delta),
        }


@dataclass(frozen=True)
class Follows:
    """Counts that follow from another statistic's noisy integers."""

    given: StatisticPrice
    way: Source

    @property
    def half_width(self) -> int:
        return self.way.half_width(self.given.mechanisms[0])

    @property
    def variance(self) -> float:
        return float(_noise(self.given.mechanisms[0]).variance) * self.way.terms / self.way.size**2


def _noise(mechanism: Mechanism) -> Noise:
    assert isinstance(mechanism, Noise)
    return mechanism


def priced(
    statistic: Tabulated, share: PrivacyLoss, plan: Plan, terms: Terms, place: int, *, confidence: float = 0.95
) -> StatisticPrice:
    """A statistic calibrated to its share. `place`: in the plan, for messages.

    Raises InternalError where a sensitivity is that of another shape than what is measured.
    """
    measurements = statistic.measurements(plan.schema, terms)
    _check_shapes(statistic, measurements)
    parts = split(share.nano, [measurement.weight for measurement in measurements])
    if min(parts) == 0:
        raise PlanError(
            f"statistics[{place}]",
            found=phrase(
                "statistics.answers_share",
                count=len(measurements),
                number=Figure(decimal_text(Decimal(share.nano) / NANO)),
            ),
            allowed=phrase("statistics.at_least_1e_9"),
            remedy=phrase("statistics.raise_statistic_share"),
        )
    mechanisms = tuple(
        measurement.mechanism.calibrate(
            measurement.sensitivity, PrivacyLoss.of(terms.currency, part, share.delta_atto), **measurement.settings
        )
        for measurement, part in zip(measurements, parts, strict=True)
    )
    return of_mechanisms(statistic, mechanisms, plan, confidence=confidence)


def of_mechanisms(
    statistic: Tabulated, mechanisms: tuple[Mechanism, ...], plan: Plan, *, confidence: float = 0.95
) -> StatisticPrice:
    """A statistic with the mechanisms that it is measured with."""
    return StatisticPrice(
        statistic=statistic,
        mechanisms=mechanisms,
        size=statistic.size(plan.schema),
        steps=_steps(statistic, plan.schema, len(mechanisms)),
        error=statistic.error(plan.schema, mechanisms, plan.expected, confidence),
    )


def _check_shapes(statistic: Tabulated, measurements: Sequence[Measurement]) -> None:
    for measurement in measurements:
        known, measured = measurement.sensitivity.shape, measurement.shape
        if known is None or known != measured:
            raise InternalError(f"{statistic.kind}: a sensitivity for the shape {known}, and {measured} is measured")


def _steps(statistic: Tabulated, schema: Schema, count: int) -> tuple[str, ...]:
    """Exactly: squares and products of fine resolutions have more digits than are usual."""
    with localcontext() as context:
        context.prec = 200
        return tuple(decimal_text(statistic.lattice_step(schema, place)) for place in range(count))


def following(statistic: Tabulated, given: StatisticPrice, plan: Plan) -> StatisticPrice | None:
    """A statistic whose counts follow from another's; None where they do not."""
    way = source(statistic, given.statistic, plan.schema)
    if way is None:
        return None
    follows = Follows(given, way)
    return StatisticPrice(
        statistic=statistic,
        mechanisms=(),
        size=statistic.size(plan.schema),
        error=ExpectedError(float(follows.half_width), "mechanism"),
        follows=follows,
    )
