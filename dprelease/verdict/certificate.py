"""The certificate of a release: everything a reader needs to check what was promised."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cache
from importlib.metadata import version
from itertools import product
from typing import Literal

from dprelease.accounting.worth import half, together, worth
from dprelease.model.certificate import (
    Approval,
    Certificate,
    Cumulative,
    Group,
    Guarantee,
    Loss,
    Overlapping,
    Period,
    Place,
    StatedPopulation,
    StatedPreviews,
    Together,
)
from dprelease.model.encoding import plain
from dprelease.model.population import Overlap, Population
from dprelease.model.presentation import Trait
from dprelease.model.privacy import NeighboringRelation, PrivacyLoss, decimal_text
from dprelease.model.version import VERSION
from dprelease.statistics.planning.criteria import Judgement
from dprelease.statistics.planning.price import Price
from dprelease.statistics.remarks import remarks
from dprelease.verdict.left_out import left_out


def stated_overlap(overlap: Overlap, population: Population, spent: PrivacyLoss, releases: int) -> Overlapping:
    """Returns what is stated of another population, with what it has spent."""
    told = worth(spent, population)
    return Overlapping(
        population=population.name,
        unit=population.unit,
        neighbors=population.neighbors,
        overlap=overlap.value,  # type: ignore[arg-type]  # who shares nothing is not among them
        epsilon=told.epsilon,
        delta=told.delta,
        loss=Loss.of(spent),
        releases=releases,
    )


def _adds_up(other: Overlapping, population: Population) -> bool:
    """Whether its ε is about the same units and the same relation as a population's."""
    return (other.unit, other.neighbors) == (population.unit, population.neighbors)


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What a certificate states beside the plan and its price."""

    seq: int
    """Of the charge in the ledger."""
    hash: str
    spent: PrivacyLoss
    """By the population, in all periods, this release included."""
    releases: int
    before: PrivacyLoss = field(default_factory=PrivacyLoss)
    """What it had spent before the period."""
    overlapping: tuple[Overlapping, ...] = ()
    unattested: int = 0
    """Of how many populations of the workspace it is not attested whether they overlap."""
    earlier_releases: tuple[str, ...] = ()
    team: bool = False
    supersedes: str | None = None


GROUPS = (2, 5, 10, 100)
"""Of how many units together a certificate states the protection."""


@cache
def versions() -> dict[str, str]:
    """The software that made a release."""
    return {"dprelease": VERSION, "duckdb": version("duckdb"), "opendp": version("opendp")}


def certificate(
    *,
    release_id: str,
    price: Price,
    population: Population,
    stands: Circumstances,
    previewed: StatedPreviews,
    published: date,
    judgements: Sequence[Judgement] = (),
) -> Certificate:
    """The content of release.json.

    `previewed`: what previews showed here and whether true values of the population were previewed, both before the
    charge; whether plan and schema were created or changed after that.
    """
    plan = price.plan
    return Certificate(
        id=release_id,
        title=plan.title or f"Statistics of {plan.dataset}",
        description=plan.description,
        published=published,
        plan=plan.to_mapping(),
        plan_hash=plan.hash,
        population=StatedPopulation(
            name=population.name,
            unit=population.unit,
            neighbors=population.neighbors,
            currency=population.currency,
            epsilon_cap=plain(population.cap.epsilon),
            delta_cap=plain(population.cap.delta),
            size=population.size,
            period=population.period,
        ),
        guarantee=_guarantee(price, population),
        measurements=tuple(each.stated() for each in price.measurements),
        statistics=tuple(item.stated(plan.schema) for item in price.statistics),
        loss=Loss.of(price.loss),
        ledger=Place(seq=stands.seq, hash=stands.hash),
        cumulative=_cumulative(stands, population),
        approval=Approval(workspace="team" if stands.team else "solo"),
        previews=previewed,
        caveats=(*caveats(price, population, stands, previewed), *_met(judgements)),
        versions=versions(),
        earlier_releases=stands.earlier_releases,
        supersedes=stands.supersedes,
        notices=f"notices/{release_id}.json",
        criteria=tuple(judgement.stated() for judgement in judgements),
    )


def _guarantee(price: Price, population: Population) -> Guarantee:
    plan, told = price.plan, worth(price.loss, population)
    add_remove = plan.neighbors is NeighboringRelation.ADD_REMOVE
    return Guarantee(
        epsilon=told.epsilon,
        delta=told.delta,
        rho=told.rho,
        unit=population.unit,
        unit_column=plan.unit.column,
        max_rows=plan.unit.max_rows,
        max_groups=plan.unit.max_groups,
        neighbors=plan.neighbors,
        groups=tuple(_group(price, population, size) for size in GROUPS),
        exchange_epsilon=_group(price, population, 2).epsilon if add_remove else None,
    )


def _cumulative(stands: Circumstances, population: Population) -> Cumulative:
    """What the population has spent in all its releases, in its period, and together with those that overlap it."""
    told = worth(stands.spent, population)
    alike = [each for each in stands.overlapping if _adds_up(each, population)]
    return Cumulative(
        epsilon=told.epsilon,
        delta=told.delta,
        rho=told.rho,
        loss=Loss.of(stands.spent),
        releases=stands.releases,
        period=_period(stands, population),
        overlapping=stands.overlapping,
        overlap_not_attested=stands.unattested,
        together=Together(
            epsilon=_sum(told.epsilon, *(each.epsilon for each in alike)),
            delta=_sum(told.delta, *(each.delta for each in alike)),
        )
        if alike
        else None,
    )


def _period(stands: Circumstances, population: Population) -> Period | None:
    if population.period is None:
        return None
    told = worth(stands.spent - stands.before, population)
    return Period(
        name=population.period,
        before=Loss.of(stands.before),
        epsilon=told.epsilon,
        delta=told.delta,
        rho=told.rho,
    )


def _sum(*numbers: int | float) -> int | float:
    return plain(sum((Decimal(repr(number)) for number in numbers), Decimal(0)))


def _answered(price: Price, unit: str) -> list[str]:
    """What randomized response does not hide."""
    names = [item.id for item in price.statistics if item.statistic.presented.has(Trait.ROWS_EXACT)]
    if not names:
        return []
    told = f"The number of rows is published exactly, by {', '.join(names)}: that hides what one {unit} answered, "
    return [f"{told}not whether there is such a {unit}."]


def _group(price: Price, population: Population, units: int) -> Group:
    """The (ε, δ) that a group of so many units together is protected with, in the measure of the population."""
    return together(price.loss, price.currency, half(population), units)


def _group_text(price: Price, population: Population, units: int) -> str:
    stated = _group(price, population, units)
    delta = f", δ = {decimal_text(Decimal(repr(stated.delta)))}" if stated.delta else ""
    return f"{decimal_text(Decimal(repr(stated.epsilon)))}{delta}"


def caveats(price: Price, population: Population, stands: Circumstances, previewed: StatedPreviews) -> list[str]:
    """Returns what the guarantee does not cover, in sentences."""
    plan, unit = price.plan, population.unit
    if plan.neighbors is NeighboringRelation.ADD_REMOVE:
        hidden = (
            f"It hides whether one {unit} is in the data at all. Exchanging the values of a {unit} who is present is "
            f"hidden less well, as if two were at stake: ε = {_group_text(price, population, 2)}."
        )
    else:
        counted = any(item.statistic.presented.has(Trait.ROWS_EXACT) for item in price.statistics)
        hidden = f"It hides what the rows of one {unit} are{'' if counted else ', including that there are none'}."
    if plan.unit.column is None:
        rows = f"Each row is taken to be one {unit}: the curator attests that nobody has two rows."
    else:
        rows = (
            f"At most {plan.unit.max_rows} rows of each {unit} were used; further rows, and rows that do not say whose "
            "they are, were left out, so totals can be lower than in the full table."
        )
    return [
        "The guarantee takes the plan and the declared columns as given: it does not protect how they were chosen.",
        *_looked(previewed),
        hidden,
        (
            "A group of such units is protected less well the larger it is: 10 units with ε = "
            f"{_group_text(price, population, 10)}."
        ),
        rows,
        *_answered(price, unit),
        *left_out(plan),
        *remarks(price),
        "Intervals bound the noise only: not sampling, clipping or the leaving out of rows.",
        *_beside(population, stands),
        "Two people decided: who wrote the plan did not approve it."
        if stands.team
        else "One person wrote, approved and published this release (solo workspace).",
    ]


def caveats_otherwise(price: Price, population: Population) -> Iterator[str]:
    """Says what would be said of a release of this plan in other circumstances: by one person or two, other previews,
    or with another outcome. At most one of each is true."""
    policies: tuple[Literal["true", "blind", "none"], ...] = ("true", "blind", "none")
    before = StatedPreviews(policy="true", taken=False, plan_changed_after=False, schema_changed_after=False)
    for policy, (taken, plan, schema) in product(policies, product((False, True), repeat=3)):
        yield from _looked(
            StatedPreviews(policy=policy, taken=taken, plan_changed_after=plan, schema_changed_after=schema)
        )
    for is_so in (False, True):
        stands = Circumstances(seq=0, hash="", spent=PrivacyLoss(), releases=0, team=is_so)
        yield from caveats(price, population, stands, before)
        yield from _met([Judgement(criterion, is_so) for criterion in price.plan.accept])


def _met(judgements: Sequence[Judgement]) -> list[str]:
    """What follows from the criteria of the plan."""
    if not judgements:
        return []
    if all(judgement.held for judgement in judgements):
        return [
            "It is published because its noisy values met the criteria of its plan; intervals do not account for that."
        ]
    return [
        (
            "This release failed what was asked of it beforehand, the criteria of its plan, so its tables are not "
            "published and not kept. What they cost stays spent."
        ),
    ]


def _looked(previewed: StatedPreviews) -> list[str]:
    """What is said of previews of true values."""
    changed = {"plan": previewed.plan_changed_after, "schema": previewed.schema_changed_after}
    after = [word for word, is_after in changed.items() if is_after]
    if after:
        sentence = (
            f"Created or changed after true values of this population were previewed: the {' and the '.join(after)}. "
            "What that choice tells is outside the guarantee."
        )
    elif previewed.taken:
        sentence = "Neither the plan nor the schema was changed after true values of this population were previewed."
    else:
        sentence = "No true values of this population were previewed in this workspace before this release."
    policies = {
        "blind": "Previews in this workspace show invented rows only, made up from the declared columns.",
        "none": "Previews are turned off in this workspace.",
    }
    policy = policies.get(previewed.policy)
    return [sentence] if policy is None else [sentence, policy]


def _beside(population: Population, stands: Circumstances) -> list[str]:
    """What else is known of the same units, or is not."""
    sentences = []
    if population.period is not None:
        sentences.append(
            f"The budget was opened anew for the period {population.period}; what was spent before it is summed up too."
        )
    if stands.overlapping:
        names = ", ".join(each.population for each in stands.overlapping)
        sentences.append(f"Other populations have some or all of the same units, and their spending adds up: {names}.")
        others = [each.population for each in stands.overlapping if not _adds_up(each, population)]
        if others:
            sentences.append(
                "Not in the sum, because they protect another unit or another neighbouring relation: "
                f"{', '.join(others)}."
            )
    if stands.unattested:
        sentences.append(
            f"Whether other populations of this workspace have the same units is not attested: {stands.unattested}."
        )
    if stands.earlier_releases:
        told = "; ".join(stands.earlier_releases)
        sentences.append(f"Published about these units without a guarantee that is counted here: {told}.")
    return sentences
