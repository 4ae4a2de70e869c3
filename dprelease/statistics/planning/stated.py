"""The price of a plan as a certificate states it: held against the statement itself, whoever planned it and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from msgspec import UNSET

from dprelease.accounting.shares import budget, factor_of, in_currency, lost, times
from dprelease.errors import IntegrityError, PlanError
from dprelease.mechanisms import Mechanism
from dprelease.model.plan import Plan
from dprelease.model.privacy import Currency, PrivacyLoss, Terms
from dprelease.model.stated import StatedMeasurement, StatedMechanism, StatedStatistic
from dprelease.statistics.planning.bounding import bounds
from dprelease.statistics.planning.measurement import PricedMeasurement, with_mechanisms
from dprelease.statistics.planning.price import Price, checked
from dprelease.statistics.planning.priced import StatisticPrice, computed, measured
from dprelease.statistics.tabulated import Measurement, TallyStatistic
from dprelease.words import Phrase, phrase


def as_stated(
    plan: Plan,
    measurements: Sequence[StatedMeasurement],
    stated: Sequence[StatedStatistic],
    *,
    currency: Currency,
    discovers: bool = True,
    loss: PrivacyLoss | None = None,
) -> Price:
    """Return a plan with the measurements and derivations that are stated for its statistics.

    Which weights, shares and sources a planner chose is not asked. Held are: that the mechanisms are those of what is
    measured, that by its own map each loses no more than is stated for it, that what is said to follow from a
    measurement does, that all losses keep to the plan's ε and δ, and a statistic's to its own ε and target error. The
    rest of a statement (norms, steps, errors) is what the price comes to: compare it with `StatisticPrice.stated`.
    `loss`: of the whole run, where the plan is one of its editions: at least the factor times what this one loses.
    Raises IntegrityError where something is not so, PlanError where no such plan is.
    """
    terms, statistics = checked(plan, currency, discovers)
    if [each.id for each in stated] != [each.id for each in statistics]:
        raise IntegrityError(phrase("statistics.statistics_those_plan"))
    own = [each.id for each in stated if each.source is None]
    if [each.id for each in measurements] != own:
        raise IntegrityError(phrase("statistics.measurements_rested_on"))
    asked = {each.id: each for each in statistics}
    made = {each.id: _measured(asked[each.id], each, plan, terms) for each in measurements}
    rest = {each.id: each.measurements for each in stated}
    for statistic in statistics:
        if statistic.follows is not None and rest[statistic.id] != rest[statistic.follows]:
            raise _wrong(statistic.id, phrase("statistics.does_not_follow", sources=[statistic.follows]))
    items = (_answered(asked[each.id], each, made, plan) for each in stated)
    price = Price(
        plan=plan,
        statistics=tuple(items),
        currency=currency,
        discovers=discovers,
        stated_loss=loss if plan.run else None,
    )
    most, factor = budget(plan, terms), factor_of(plan)
    if not (price.edition_loss.within(most) and times(price.edition_loss, factor).within(price.loss)):
        raise IntegrityError(phrase("statistics.statistics_their_losses_more"))
    if not price.loss.within(times(most, factor)):
        raise IntegrityError(phrase("statistics.statistics_their_losses_more"))
    return price


def _measured(statistic: TallyStatistic, stated: StatedMeasurement, plan: Plan, terms: Terms) -> PricedMeasurement:
    measurements = statistic.way_of(plan.schema, terms, stated.mechanisms)
    if len(stated.mechanisms) != len(measurements):
        raise _wrong(
            stated.id,
            phrase("statistics.mechanisms_measurements", count=len(stated.mechanisms), count_2=len(measurements)),
        )
    pairs = zip(measurements, stated.mechanisms, strict=True)
    mechanisms = [_mechanism(measurement, each, stated.id, terms) for measurement, each in pairs]
    found = with_mechanisms(statistic, mechanisms, measurements, plan.schema)
    declared, own = statistic.declared_epsilon(plan.schema), statistic.epsilon_nano
    if declared is not None:
        if found.loss.nano != lost(declared, terms.currency):
            raise _wrong(stated.id, phrase("statistics.loss_other_than_declared"))
    elif own is not None and found.loss.nano > in_currency(own, terms.currency) // factor_of(plan):
        raise _wrong(stated.id, phrase("statistics.loss_more_than_plan"))
    _check_target(found, plan)
    return found


def _answered(
    statistic: TallyStatistic, stated: StatedStatistic, made: Mapping[str, PricedMeasurement], plan: Plan
) -> StatisticPrice:
    """Return a statistic by the derivation that is stated for it."""
    given = [made[name] for name in stated.measurements if name in made]
    if len(given) != len(stated.measurements) or (stated.source is None and len(given) > 1):
        raise _wrong(stated.id, phrase("statistics.does_not_follow", sources=stated.measurements))
    item = measured(given[0], plan) if stated.source is None else computed(statistic, given, plan)
    if item is None or item.derivation.name != stated.derivation or item.derivation.measurements != tuple(given):
        raise _wrong(stated.id, phrase("statistics.counts_do_follow_from", source=", ".join(each.id for each in given)))
    if stated.bounded_by is UNSET:
        return item
    if not any(each.id == stated.bounded_by and bounds(each, statistic) for each in plan.statistics):
        raise _wrong(stated.id, phrase("statistics.shares_do_not_bound", source=stated.bounded_by))
    return replace(item, bounded_by=stated.bounded_by)


def _mechanism(measurement: Measurement, stated: StatedMechanism, name: str, terms: Terms) -> Mechanism:
    kind = measurement.mechanism
    if stated.name != kind.name:
        raise _wrong(name, phrase("statistics.measured_stated", kind=kind.name, stated=stated.name))
    try:
        mechanism = kind.from_stated(stated, measurement.sensitivity)
    except (PlanError, TypeError, ValueError) as cause:
        raise _wrong(name, phrase("statistics.no_stated", kind=kind.name, cause=cause)) from None
    if any(measurement.settings[key] != value for key, value in mechanism.settings.items()):
        raise _wrong(name, phrase("statistics.other_settings_than_plan", kind=kind.name))
    if not mechanism.loss(terms.currency).within(mechanism.share):
        raise _wrong(name, phrase("statistics.loses_more_than_stated", kind=kind.name))
    return mechanism


def _check_target(found: PricedMeasurement, plan: Plan) -> None:
    target = found.statistic.target_error
    if target is None:
        return
    error = found.statistic.error(plan.schema, found.mechanisms, plan.expected, float(target.confidence))
    if error is None or error.error95 > float(target.value):
        raise _wrong(found.id, phrase("statistics.error_more_than_target"))


def _wrong(name: str, words: Phrase) -> IntegrityError:
    return IntegrityError(phrase("statistics.statistics", name=name, words=words))
