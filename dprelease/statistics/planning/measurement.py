"""Integers that are noised, charged and sealed together, with the mechanisms that their share pays for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cached_property

from dprelease.accounting.shares import split
from dprelease.errors import InternalError, PlanError
from dprelease.mechanisms import Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.plan import Expected
from dprelease.model.privacy import NANO, PrivacyLoss, Terms, decimal_text, total
from dprelease.model.schema import Schema
from dprelease.model.stated import StatedLoss, StatedMeasurement
from dprelease.statistics.tabulated import Measurement, TallyStatistic
from dprelease.words import Figure, phrase


@dataclass(frozen=True, kw_only=True)
class PricedMeasurement:
    """The integers of one statistic with calibrated mechanisms."""

    statistic: TallyStatistic
    """Statistic by whose options it is measured."""
    mechanisms: tuple[Mechanism, ...]
    turns: tuple[int, ...]
    """The round that each mechanism is drawn in."""
    steps: tuple[str, ...]
    """Step of each mechanism's integers, in units of the data: exact decimals."""

    @property
    def id(self) -> str:
        return self.statistic.id

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return 1 + max(self.turns)

    @property
    def takes_long(self) -> bool:
        """True if later rounds may scan the rows again, or fit their inputs to what was drawn."""
        kind = type(self.statistic)
        again = (
            kind.queries_after is not TallyStatistic.queries_after or kind.given_after is not TallyStatistic.given_after
        )
        return self.rounds > 1 and again

    @cached_property
    def loss(self) -> PrivacyLoss:
        return total(mechanism.share for mechanism in self.mechanisms)

    def of_round(self, number: int) -> list[Mechanism]:
        """Return the mechanisms that are drawn in a round."""
        return [each for each, turn in zip(self.mechanisms, self.turns, strict=True) if turn == number]

    def stated(self) -> StatedMeasurement:
        """Return what a certificate states about it."""
        return StatedMeasurement(
            id=self.id,
            mechanisms=tuple(
                mechanism.stated(step if isinstance(mechanism, Noise) else None, turn)
                for mechanism, step, turn in zip(self.mechanisms, self.steps, self.turns, strict=True)
            ),
            loss=StatedLoss.of(self.loss),
        )


def calibrated(
    statistic: TallyStatistic,
    share: PrivacyLoss,
    schema: Schema,
    terms: Terms,
    place: int,
    expected: Expected | None = None,
) -> PricedMeasurement:
    """Return what a statistic measures, calibrated to its share. `place`: in the plan, for messages.

    `expected`: the plan's guesses, by which some choose what they measure. Raises InternalError where a sensitivity is
    that of another shape than what is measured.
    """
    statistic = statistic.settled(schema, terms, share, expected)
    ways = statistic.ways(schema, terms)
    paid = [measurements for measurements in ways if len(measurements) <= share.nano] or ways[:1]
    found = [_calibrated(statistic, measurements, share, schema, terms, place) for measurements in paid]
    if len(found) == 1:
        return found[0]
    return min(found, key=lambda each: statistic.uncertainty(schema, each.mechanisms, expected))


def _calibrated(
    statistic: TallyStatistic,
    measurements: Sequence[Measurement],
    share: PrivacyLoss,
    schema: Schema,
    terms: Terms,
    place: int,
) -> PricedMeasurement:
    """Return one way to measure it."""
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
    mechanisms = (
        measurement.mechanism.calibrate(
            measurement.sensitivity, PrivacyLoss.of(terms.currency, part, share.delta_atto), **measurement.settings
        )
        for measurement, part in zip(measurements, parts, strict=True)
    )
    return with_mechanisms(statistic, mechanisms, measurements, schema)


def with_mechanisms(
    statistic: TallyStatistic, mechanisms: Iterable[Mechanism], measurements: Sequence[Measurement], schema: Schema
) -> PricedMeasurement:
    """Return what a statistic measures, with the mechanisms that measure it."""
    turns = tuple(measurement.round for measurement in measurements)
    if sorted(set(turns)) != list(range(1 + max(turns))) or list(turns) != sorted(turns):
        raise InternalError(f"{statistic.kind}: rounds {turns}, which do not follow one another")
    return PricedMeasurement(
        statistic=statistic, mechanisms=tuple(mechanisms), turns=turns, steps=_steps(statistic, schema, len(turns))
    )


def _check_shapes(statistic: TallyStatistic, measurements: Sequence[Measurement]) -> None:
    for measurement in measurements:
        known, measured = measurement.sensitivity.shape, measurement.shape
        if known is None or known != measured:
            raise InternalError(f"{statistic.kind}: a sensitivity for the shape {known}, and {measured} is measured")


def _steps(statistic: TallyStatistic, schema: Schema, count: int) -> tuple[str, ...]:
    """Return the steps exactly: squares and products of fine resolutions have more digits than are usual."""
    with localcontext() as context:
        context.prec = 200
        return tuple(decimal_text(statistic.lattice_step(schema, place)) for place in range(count))
