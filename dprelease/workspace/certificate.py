"""The certificate of a release: everything a reader needs to check what was promised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from decimal import Decimal
from functools import cache
from importlib.metadata import version
from typing import Any

from dprelease.accounting.worth import half, together, worth
from dprelease.model.encoding import plain
from dprelease.model.population import Population
from dprelease.model.privacy import NeighboringRelation, PrivacyLoss, decimal_text
from dprelease.model.version import VERSION
from dprelease.statistics.criteria import Judgement
from dprelease.statistics.price import Price
from dprelease.statistics.priced import StatisticPrice
from dprelease.statistics.remarks import remarks
from dprelease.statistics.survey import Survey
from dprelease.workspace.left_out import left_out


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlapping:
    """Another population that is attested to share units, and what it has spent."""

    population: str
    unit: str
    neighbors: str
    overlap: str
    """same or some."""
    epsilon: int | float
    delta: int | float
    loss: Mapping[str, int]
    """What that comes from, in whole numbers."""
    releases: int

    @classmethod
    def of(cls, overlap: str, population: Population, spent: PrivacyLoss, releases: int) -> Overlapping:
        """A population with what it has spent."""
        stated = worth(spent, population)
        return cls(
            population=population.name,
            unit=population.unit,
            neighbors=population.neighbors.value,
            overlap=overlap,
            epsilon=stated["epsilon"],
            delta=stated["delta"],
            loss=spent.to_mapping(),
            releases=releases,
        )

    def adds_up(self, population: Population) -> bool:
        """Whether its ε is about the same units and the same relation as another population's."""
        return (self.unit, self.neighbors) == (population.unit, population.neighbors.value)

    def to_mapping(self) -> dict[str, Any]:
        return asdict(self)


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
    previewed: Mapping[str, Any],
    published: date,
    judgements: Sequence[Judgement] = (),
) -> dict[str, Any]:
    """The content of release.json.

    `previewed`: what previews showed here (`policy`) and whether true values of the population were previewed
    (`taken`), both before the charge; whether plan and schema were created or changed after that.
    """
    plan, loss = price.plan, price.loss
    guarantee: dict[str, Any] = {
        **worth(loss, population),
        "unit": population.unit,
        "unit_column": plan.unit.column,
        "max_rows": plan.unit.max_rows,
        "neighbors": plan.neighbors.value,
        "groups": [_group(price, population, size) for size in GROUPS],
    }
    if plan.unit.max_groups is not None:
        guarantee["max_groups"] = plan.unit.max_groups
    if plan.neighbors is NeighboringRelation.ADD_REMOVE:
        guarantee["exchange_epsilon"] = _group(price, population, 2)["epsilon"]
    return {
        "dprelease_release": 1,
        "id": release_id,
        "title": plan.title or f"Statistics of {plan.dataset}",
        "description": plan.description,
        "published": published.isoformat(),
        "plan": plan.to_mapping(),
        "plan_hash": plan.hash,
        "population": {
            "name": population.name,
            "unit": population.unit,
            "neighbors": population.neighbors.value,
            "currency": population.currency.value,
            "epsilon_cap": plain(population.cap.epsilon),
            "delta_cap": plain(population.cap.delta),
            "size": population.size,
            "period": population.period,
        },
        "guarantee": guarantee,
        "statistics": [_statistic(item) for item in price.statistics],
        "loss": loss.to_mapping(),
        "ledger": {"seq": stands.seq, "hash": stands.hash},
        "cumulative": _cumulative(stands, population),
        "approval": {"workspace": "team" if stands.team else "solo"},
        "previews": dict(previewed),
        "caveats": [*caveats(price, population, stands, previewed), *_met(judgements)],
        "versions": versions(),
        "earlier_releases": list(stands.earlier_releases),
        "supersedes": stands.supersedes,
        "notices": f"notices/{release_id}.json",
        **({"criteria": [judgement.to_mapping() for judgement in judgements]} if judgements else {}),
    }


def _cumulative(stands: Circumstances, population: Population) -> dict[str, Any]:
    """What the population has spent in all its releases, in its period, and together with those that overlap it."""
    result = {**worth(stands.spent, population), "loss": stands.spent.to_mapping(), "releases": stands.releases}
    if population.period is not None:
        result["period"] = {
            "name": population.period,
            "before": stands.before.to_mapping(),
            **worth(stands.spent - stands.before, population),
        }
    result["overlapping"] = [each.to_mapping() for each in stands.overlapping]
    result["overlap_not_attested"] = stands.unattested
    alike = [each for each in stands.overlapping if each.adds_up(population)]
    if alike:
        result["together"] = {
            "epsilon": _sum(result["epsilon"], *(each.epsilon for each in alike)),
            "delta": _sum(result["delta"], *(each.delta for each in alike)),
        }
    return result


def _sum(*numbers: int | float) -> int | float:
    return plain(sum((Decimal(repr(number)) for number in numbers), Decimal(0)))


def _statistic(item: StatisticPrice) -> dict[str, Any]:
    mapping = item.to_mapping()
    del mapping["mechanism"], mapping["scale"]
    return {**mapping, **item.loss.to_mapping()}


def _answered(price: Price, unit: str) -> list[str]:
    """What randomized response does not hide."""
    names = [item.id for item in price.statistics if isinstance(item.statistic, Survey)]
    if not names:
        return []
    told = f"The number of rows is published exactly, by {', '.join(names)}: that hides what one {unit} answered, "
    return [f"{told}not whether there is such a {unit}."]


def _group(price: Price, population: Population, units: int) -> dict[str, Any]:
    """The (ε, δ) that a group of so many units together is protected with, in the measure of the population."""
    return together(price.loss, price.currency, half(population), units)


def _group_text(price: Price, population: Population, units: int) -> str:
    stated = _group(price, population, units)
    delta = f", δ = {decimal_text(Decimal(repr(stated['delta'])))}" if stated["delta"] else ""
    return f"{decimal_text(Decimal(repr(stated['epsilon'])))}{delta}"


def caveats(price: Price, population: Population, stands: Circumstances, previewed: Mapping[str, Any]) -> list[str]:
    """What the guarantee does not cover, in sentences."""
    plan, unit = price.plan, population.unit
    if plan.neighbors is NeighboringRelation.ADD_REMOVE:
        hidden = (
            f"It hides whether one {unit} is in the data at all. Exchanging the values of a {unit} who is present is "
            f"hidden less well, as if two were at stake: ε = {_group_text(price, population, 2)}."
        )
    else:
        counted = any(isinstance(item.statistic, Survey) for item in price.statistics)
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


def _looked(previewed: Mapping[str, Any]) -> list[str]:
    """What is said of previews of true values."""
    after = [word for word in ("plan", "schema") if previewed[f"{word}_changed_after"]]
    if after:
        sentence = (
            f"Created or changed after true values of this population were previewed: the {' and the '.join(after)}. "
            "What that choice tells is outside the guarantee."
        )
    elif previewed.get("taken", True):
        sentence = "Neither the plan nor the schema was changed after true values of this population were previewed."
    else:
        sentence = "No true values of this population were previewed in this workspace before this release."
    policies = {
        "blind": "Previews in this workspace show invented rows only, made up from the declared columns.",
        "none": "Previews are turned off in this workspace.",
    }
    policy = policies.get(previewed.get("policy", ""))
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
        others = [each.population for each in stands.overlapping if not each.adds_up(population)]
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
