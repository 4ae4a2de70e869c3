"""A plan at every ε that it might have: what each statistic would err, from public facts alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Context, Decimal
from functools import cached_property
from math import exp, inf, isfinite, log

from dprelease.errors import PlanError
from dprelease.model.plan import MINIMISE, Expected, Plan
from dprelease.model.population import Population
from dprelease.model.privacy import NANO, Currency, PrivacyLoss
from dprelease.model.tally import Query
from dprelease.statistics.planning.division import Division
from dprelease.statistics.planning.price import Price, checked, price
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.statistics.planning.weighing import largest, weighed

RUNGS = 25
LEAST = Decimal("0.05")
DIGITS = 3
"""Significant digits of a rung that is neither an end nor the plan's ε."""
KNOTS = 9
"""Rungs at which a plan of few statistics is priced; the errors between them lie on lines of logarithms."""
FEWEST_KNOTS = 3
PRICED = 300
"""Statistics priced at all knots together, unless a plan has more than a third of that."""
Relative = tuple[float | None, ...]
"""At each rung; None where it is not known, or where the plan cannot be paid."""


@dataclass(frozen=True, kw_only=True)
class PriceLadder:
    """Price and expected error of a plan at each ε of a ladder. Nothing in it depends on a row."""

    plan: Plan
    """Complete."""
    cap: Decimal
    """The ε that all releases of its population may come to."""
    division: Division = field(repr=False)
    ladder: tuple[Decimal, ...]
    """Growing; the plan's own ε is one of them."""
    parts: Mapping[Decimal, Mapping[int, PrivacyLoss]] = field(repr=False)
    """At each ε the share of each statistic that pays, by place; empty where the plan cannot be paid."""
    _given: Price | None = field(default=None, repr=False, compare=False)
    _knots: dict[Decimal, tuple[StatisticPrice, ...]] = field(default_factory=dict, repr=False, compare=False)
    """Prices that are known, by ε."""

    @cached_property
    def price(self) -> Price:
        """Price of the plan as it is."""
        terms = self.division.terms
        return self._given or price(self.plan, currency=terms.currency, discovers=terms.discovers)

    @property
    def epsilon(self) -> Decimal:
        """ε of the plan."""
        return Decimal(self.plan.epsilon_nano) / NANO

    @cached_property
    def errors(self) -> Mapping[str, Relative]:
        """Half of a 95 % interval relative to a typical value by declared guesses, by statistic and rung.

        Guesses are the expected rows and units (else the population's declared size), bounds and the number of cells;
        a mean is relative to the middle of its bounds (`magnitude` of each kind). No tally and no row is looked at.
        """
        known = self._priced_knots()
        return {each.id: self._relative(place, known) for place, each in enumerate(self.division.statistics)}

    def compared(self) -> tuple[float, float] | None:
        """Return the largest expected relative error as planned, and by the other way of sharing the budget.

        That is by the plan's own weights where it has an objective, else so that the sum of relative errors is least.
        None without expected rows, where less than two statistics share it, or where the plan cannot be paid.
        """
        division = self.division
        guess, sharing = division.plan.expected, sum(part is None for part in division.own)
        if guess is None or sharing < 2:
            return None
        aimed = "" if self.plan.weights else MINIMISE
        other = Division.of(replace(division.plan, weights=aimed), division.statistics, division.terms)
        try:
            return largest(division, guess), largest(weighed(other), guess)
        except PlanError:
            return None

    def only(self, statistics: Collection[str], epsilon: Decimal) -> Price | None:
        """Return the price of some statistics at an ε, with the shares that they have in the whole plan.

        Their expected errors are left out. None where the plan cannot be paid at that ε.
        """
        parts, items = self.parts[epsilon], []
        if not parts:
            return None
        for place, statistic in enumerate(self.division.statistics):
            if statistic.id in statistics:
                payers = self.division.payers(place)
                made = [self.division.measurement(payer, parts[payer]) for payer in payers]
                items.append(self.division.unjudged(place, made))
        plan, terms = at(self.plan, epsilon), self.division.terms
        return Price(plan=plan, statistics=tuple(items), currency=terms.currency, discovers=terms.discovers)

    @property
    def queries(self) -> list[Query]:
        """Tallies of all statistics, each once: also of those that follow from others at these shares."""
        asked = (query for each in self.division.statistics for query in each.queries(self.plan.schema))
        return list(dict.fromkeys(asked))

    def at(self, plan: Plan) -> PriceLadder:
        """Return the price ladder of a complete plan: where only its ε is another, next to nothing is computed anew."""
        if self.plan.weights or at(plan, self.epsilon) != self.plan:
            terms = self.division.terms
            return bench_of(plan, terms.currency, terms.discovers, self.cap, self.division.plan.expected)
        return _bench(plan, self.cap, self.division, self.parts, self._knots)

    def _priced_knots(self) -> dict[Decimal, tuple[StatisticPrice, ...]]:
        """Return prices at some rungs, evenly spread; and the plan's own, where it is known."""
        paid = [rung for rung in self.ladder if self.parts[rung]]
        count = min(len(paid), max(FEWEST_KNOTS, min(KNOTS, PRICED // len(self.division.statistics))))
        if len(self._knots) < count:
            for place in range(count):
                rung = paid[round(place * (len(paid) - 1) / max(1, count - 1))]
                if rung not in self._knots:
                    with suppress(PlanError):
                        self._knots[rung] = self.division.priced(self.parts[rung])
        return self._knots

    def _relative(self, place: int, known: Mapping[Decimal, Sequence[StatisticPrice]]) -> Relative:
        payer, size = self.division.pays(place), self._typical(place)
        if size is None:
            return (None,) * len(self.ladder)
        knots = {log(self.parts[each][payer].nano): items[place].error95 for each, items in known.items()}
        found = sorted((share, error) for share, error in knots.items() if error is not None)
        shares = [log(self.parts[rung][payer].nano) if self.parts[rung] else None for rung in self.ladder]
        errors = [None if share is None or not found else _between(found, share) for share in shares]
        return tuple(error / size if error is not None and isfinite(error) else None for error in errors)

    def _typical(self, place: int) -> float | None:
        """Return what an error is relative to; None without expected rows, or where its cells are discovered."""
        plan, statistic = self.division.plan, self.division.statistics[place]
        if plan.expected is None or statistic.discovers(plan.schema):
            return None
        size = float(statistic.magnitude(plan.schema, plan.expected))
        return size if 0 < size < inf else None


def bench(priced: Price, population: Population) -> PriceLadder:
    """Return the price ladder of a priced plan of a population, up to its cap. Reads no row."""
    size = population.size
    guess = priced.plan.expected or (None if size is None else Expected(size, size))
    known = {Decimal(priced.plan.epsilon_nano) / NANO: priced.statistics} if guess == priced.plan.expected else {}
    of = bench_of(priced.plan, priced.currency, priced.discovers, population.cap.epsilon, guess)
    return replace(of, _given=priced, _knots=known)


def bench_of(plan: Plan, currency: Currency, discovers: bool, cap: Decimal, expected: Expected | None) -> PriceLadder:
    """Return the price ladder of a complete plan, by these guesses."""
    guessed = replace(plan, expected=expected)
    terms, statistics = checked(guessed, currency, discovers)
    return _bench(plan, cap, weighed(Division.of(guessed, statistics, terms)), {}, {})


def _bench(
    plan: Plan,
    cap: Decimal,
    division: Division,
    parts: Mapping[Decimal, Mapping[int, PrivacyLoss]],
    knots: Mapping[Decimal, tuple[StatisticPrice, ...]],
) -> PriceLadder:
    rungs = ladder(Decimal(plan.epsilon_nano) / NANO, cap)
    shares = {rung: parts[rung] if rung in parts else _shares(division, plan, rung) for rung in {*rungs, *knots}}
    return PriceLadder(plan=plan, cap=cap, division=division, ladder=rungs, parts=shares, _knots=dict(knots))


def ladder(own: Decimal, cap: Decimal) -> tuple[Decimal, ...]:
    """Return ε from 0.05 to the cap, each about as many times the one before; further where the plan's own is."""
    least = min(LEAST, own, cap / 20)
    most = max(own, cap)
    step = log(most / least) / (RUNGS - 1)
    short = Context(prec=DIGITS)
    between = [short.create_decimal_from_float(float(least) * exp(step * place)) for place in range(1, RUNGS - 1)]
    rungs = sorted({least, *between, most})
    nearest = min(rungs, key=lambda rung: abs(log(rung / own)))
    if own not in rungs and nearest not in (least, most):
        rungs.remove(nearest)
    return tuple(sorted({*rungs, own}))


def at(plan: Plan, epsilon: Decimal) -> Plan:
    """Return the plan with another ε."""
    return replace(plan, epsilon_nano=int(epsilon * NANO))


def _shares(division: Division, plan: Plan, epsilon: Decimal) -> Mapping[int, PrivacyLoss]:
    try:
        return division.shares(at(plan, epsilon))
    except PlanError:
        return {}


def _between(found: Sequence[tuple[float, float]], share: float) -> float:
    """Return the error at a share, on the log line between the two nearest known ones; at those their own."""
    if len(found) == 1 or any(error <= 0 for _, error in found):
        return min(found, key=lambda knot: abs(knot[0] - share))[1]
    high = next((place for place in range(1, len(found)) if found[place][0] >= share), len(found) - 1)
    (first, low), (last, most) = found[high - 1], found[high]
    return exp(log(low) + (log(most) - log(low)) / (last - first) * (share - first))
