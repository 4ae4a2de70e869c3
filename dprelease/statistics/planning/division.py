"""Division of a plan's budget between its statistics: worked out once, for any budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from dprelease.accounting.shares import budget, shares
from dprelease.model.plan import Plan
from dprelease.model.privacy import PrivacyLoss, Terms
from dprelease.statistics.binned import Binned
from dprelease.statistics.kinds.cdf import Cdf
from dprelease.statistics.kinds.histogram import Histogram
from dprelease.statistics.planning import sharing
from dprelease.statistics.planning.derivation import Own, following
from dprelease.statistics.planning.measurement import PricedMeasurement, calibrated
from dprelease.statistics.planning.planner import own_share
from dprelease.statistics.planning.priced import StatisticPrice, computed, priced
from dprelease.statistics.planning.source import ranks
from dprelease.statistics.planning.tabled import from_tables, is_no_worse, tells
from dprelease.statistics.planning.tabled import parts as divided
from dprelease.statistics.ranked import QuantileTable
from dprelease.statistics.tabulated import TallyStatistic


@dataclass(frozen=True, kw_only=True)
class Division:
    """Parts of a budget by statistic. Weights that are chosen by errors are those of the plan's own ε."""

    plan: Plan
    """Complete."""
    terms: Terms
    statistics: Sequence[TallyStatistic]
    own: Sequence[int | None]
    """Share of the statistic's own by place, in nano of the currency; None where it is by weight."""
    weights: Sequence[Fraction]
    """Weights by place, with those of the statistics that follow from it."""
    taken_from: Mapping[int, int]
    """Place of the statistic that gives the counts, by place of one without a measurement of its own."""
    fitted_to: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Places of the statistics that give the tables, by place of a model without a measurement of its own."""

    @classmethod
    def of(cls, plan: Plan, statistics: Sequence[TallyStatistic], terms: Terms) -> Division:
        """Return a complete plan's division by its own weights. Raises PlanError where a target error cannot be met."""
        whole = budget(plan, terms)
        own = [own_share(place, statistics, plan, terms, whole) for place in range(len(statistics))]
        bare = cls(plan=plan, terms=terms, statistics=statistics, own=own, weights=(), taken_from={})
        return bare.by([Fraction(statistic.weight) for statistic in statistics])

    def by(self, weights: Sequence[Fraction]) -> Division:
        """Return the same by other weights of the statistics, by place: what then follows from what is chosen anew."""
        told = self.told
        given = [
            None if part is not None or place in told else weight
            for place, (part, weight) in enumerate(zip(self.own, weights, strict=True))
        ]
        taken_from = sharing.sources(self.statistics, self.plan.schema, self.terms, given)
        paid = list(weights)
        for index, other in taken_from.items():
            paid[other] += weights[index]
        taken_from |= {place: taken_from.get(other, other) for place, other in told.items()}
        found = replace(self, weights=paid, taken_from=taken_from, fitted_to={})
        if not sharing.ON:
            return found
        return (found if self.plan.expected is None else found._with_ranks())._with_models()

    @property
    def told(self) -> dict[int, int]:
        """Place of the source that the plan itself states, by place of the statistic computed of it. The latter adds
        nothing to what its source gets."""
        places = {statistic.id: place for place, statistic in enumerate(self.statistics)}
        return {place: places[each.follows] for place, each in enumerate(self.statistics) if each.follows is not None}

    def _with_ranks(self) -> Division:
        """Return the same with quantiles read from counts that somebody else pays for, where they err no more by these.

        Their shares go there, so that nobody errs more.
        """
        paying = self._paying_by_weight()
        quantiles = [place for place in paying if isinstance(self.statistics[place], QuantileTable)]
        counts = [place for place in paying if isinstance(self.statistics[place], Cdf | Histogram)]
        ways = {
            place: [
                other for other in counts if ranks(self.statistics[place], self.statistics[other], self.plan.schema)
            ]
            for place in quantiles
        }
        if not any(ways.values()):
            return self
        parts, taken, paid = self.shares(self.plan), dict(self.taken_from), list(self.weights)
        for place, others in ways.items():
            best, payer = self._error(place, parts[place]), None
            for other in others:
                error = self._error(place, parts[other] + parts[place], other)
                if error <= best:
                    best, payer = error, other
            if payer is not None:
                taken[place] = payer
                parts[payer] += parts[place]
                paid[payer] += paid[place]
        return replace(self, weights=paid, taken_from=taken)

    def _paying_by_weight(self) -> list[int]:
        return [place for place, own in enumerate(self.own) if own is None and self.pays(place) == place]

    def _with_models(self) -> Division:
        """Return the same with models that are fitted to tables which others pay for, where they err no more by these.

        Their shares go there, so that nobody errs more.
        """
        found = self
        for place in self._paying_by_weight():
            statistic = self.statistics[place]
            if isinstance(statistic, Binned) and statistic.told_by_tables(self.plan.schema):
                found = found._fitted(place, statistic) or found
        return found

    def _fitted(self, place: int, model: Binned) -> Division | None:
        """Return the same with one model so; None where others do not tell its tables, or it would err more."""
        schema, expected = self.plan.schema, self.plan.expected
        others = [each for each in self._paying_by_weight() if tells(self.statistics[each], schema)]
        if not others:
            return None
        parts = self.shares(self.plan)
        made = [self.measurement(each, parts[each]) for each in others]
        way = from_tables(model, made, schema, expected)
        if way is None:
            return None
        places = {each.id: other for each, other in zip(made, others, strict=True)}
        paid = list(self.weights)
        for name, part in divided(model, way):
            paid[places[name]] += part * self.weights[place]
        payers = tuple(places[each.id] for each in way.measurements)
        found = replace(self, weights=paid, fitted_to={**self.fitted_to, place: payers})
        after = found.shares(self.plan)
        way = from_tables(model, [found.measurement(each, after[each]) for each in payers], schema, expected)
        assert way is not None
        return found if is_no_worse(model, way, self.measurement(place, parts[place]), self.plan) else None

    def _error(self, place: int, share: PrivacyLoss, other: int | None = None) -> float:
        """Return the expected error of a statistic by a measurement at a share: its own, or another's."""
        given = self.measurement(place if other is None else other, share)
        if other is None:
            error = given.statistic.error(self.plan.schema, given.mechanisms, self.plan.expected)
        else:
            way = following(self.statistics[place], given, self.plan.schema)
            assert way is not None
            error = way.error(self.statistics[place], self.plan)
        assert error is not None
        return error.error95

    def shares(self, plan: Plan) -> dict[int, PrivacyLoss]:
        """Return what each statistic that pays gets of the budget of a plan that differs in that alone, by place.

        Raises PlanError where a share would be 0, or own shares exceed the budget.
        """
        paying = [index for index in range(len(self.statistics)) if self.pays(index) == index]
        parts = shares(
            budget(plan, self.terms),
            own=[self.own[index] for index in paying],
            weights=[self.weights[index] for index in paying],
            with_delta=[self.statistics[index].discovers(self.plan.schema) for index in paying],
            places=paying,
        )
        return dict(zip(paying, parts, strict=True))

    def pays(self, place: int) -> int:
        """Return the place of the statistic by whose measurement this one is computed; of several the first."""
        return self.payers(place)[0]

    def payers(self, place: int) -> tuple[int, ...]:
        """Return the places of the statistics by whose measurements this one is computed."""
        return self.fitted_to.get(place) or (self.taken_from.get(place, place),)

    def priced(self, parts: Mapping[int, PrivacyLoss]) -> tuple[StatisticPrice, ...]:
        """Return the price of each statistic at such shares, in the order of the plan."""
        paid = {
            index: priced(self.statistics[index], part, self.plan, self.terms, index) for index, part in parts.items()
        }
        return tuple(
            paid[index]
            if index in paid
            else self._following(index, [paid[payer].derivation.measurement for payer in self.payers(index)])
            for index in range(len(self.statistics))
        )

    def measurement(self, place: int, share: PrivacyLoss) -> PricedMeasurement:
        """Return what a statistic that pays measures at a share."""
        return calibrated(self.statistics[place], share, self.plan.schema, self.terms, place, self.plan.expected)

    def unjudged(self, place: int, made: Sequence[PricedMeasurement]) -> StatisticPrice:
        """Return the price of a statistic that is computed of measurements, without its expected error."""
        if self.pays(place) != place:
            return self._following(place, made)
        statistic = self.statistics[place]
        return StatisticPrice(
            statistic=statistic, derivation=Own(made[0]), size=statistic.size(self.plan.schema), error=None
        )

    def _following(self, place: int, given: Sequence[PricedMeasurement]) -> StatisticPrice:
        item = computed(self.statistics[place], given, self.plan)
        assert item is not None
        return item
