"""The price of a plan as a certificate states it: held against the statement itself, whoever planned it and how."""

from __future__ import annotations

from collections.abc import Sequence

from dprelease.accounting.shares import budget, in_currency
from dprelease.errors import IntegrityError, PlanError
from dprelease.mechanisms import Mechanism
from dprelease.model.certificate import StatedMechanism, StatedStatistic
from dprelease.model.plan import Plan
from dprelease.model.privacy import Currency, Terms
from dprelease.statistics.planning.price import Price, checked
from dprelease.statistics.planning.priced import StatisticPrice, following, of_mechanisms
from dprelease.statistics.tabulated import Measurement, Tabulated
from dprelease.words import Phrase, phrase


def as_stated(plan: Plan, stated: Sequence[StatedStatistic], *, currency: Currency) -> Price:
    """A plan with the mechanisms and sources that are stated for its statistics.

    Which weights, shares and sources a planner chose is not asked. Held are: that the mechanisms are those of what the
    statistic measures, that by its own map each loses no more than is stated for it, that counts said to follow do
    follow from a statistic that was measured, that all losses keep to the plan's ε and δ, and a statistic's to its own
    ε and target error. The rest of a statement (norms, steps, errors) is what the price comes to: compare it with
    `StatisticPrice.stated`. Raises IntegrityError where something is not so, PlanError where no such plan is.
    """
    terms, statistics = checked(plan, currency)
    if [each.id for each in stated] != [each.id for each in statistics]:
        raise IntegrityError(phrase("statistics.statistics_those_plan"))
    paid = {
        item.id: _measured(statistic, item, plan, terms)
        for statistic, item in zip(statistics, stated, strict=True)
        if item.source is None
    }
    items = (
        paid[item.id] if item.source is None else _following(statistic, item, paid, plan)
        for statistic, item in zip(statistics, stated, strict=True)
    )
    price = Price(plan=plan, statistics=tuple(items), currency=currency)
    if not price.loss.within(budget(plan, currency)):
        raise IntegrityError(phrase("statistics.statistics_their_losses_more"))
    return price


def _measured(statistic: Tabulated, stated: StatedStatistic, plan: Plan, terms: Terms) -> StatisticPrice:
    measurements = statistic.measurements(plan.schema, terms)
    if len(stated.mechanisms) != len(measurements):
        raise _wrong(
            stated.id,
            phrase("statistics.mechanisms_measurements", count=len(stated.mechanisms), count_2=len(measurements)),
        )
    pairs = zip(measurements, stated.mechanisms, strict=True)
    mechanisms = tuple(_mechanism(measurement, each, stated.id, terms) for measurement, each in pairs)
    item = of_mechanisms(statistic, mechanisms, plan)
    own = statistic.epsilon_nano
    if own is not None and item.loss.nano > in_currency(own, terms.currency):
        raise _wrong(stated.id, phrase("statistics.loss_more_than_plan"))
    _check_target(item, plan)
    return item


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


def _check_target(item: StatisticPrice, plan: Plan) -> None:
    target = item.statistic.target_error
    if target is None:
        return
    error = item.statistic.error(plan.schema, item.mechanisms, plan.expected, float(target.confidence))
    if error is None or error.error95 > float(target.value):
        raise _wrong(item.id, phrase("statistics.error_more_than_target"))


def _following(
    statistic: Tabulated, stated: StatedStatistic, paid: dict[str, StatisticPrice], plan: Plan
) -> StatisticPrice:
    """Counts that follow from a statistic that was measured."""
    given = paid.get(stated.source or "")
    item = None if given is None or stated.mechanisms else following(statistic, given, plan)
    if item is None:
        raise _wrong(stated.id, phrase("statistics.counts_do_follow_from", source=stated.source))
    return item


def _wrong(name: str, words: Phrase) -> IntegrityError:
    return IntegrityError(phrase("statistics.statistics", name=name, words=words))
