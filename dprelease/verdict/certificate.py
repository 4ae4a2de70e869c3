"""The certificate of a release: everything a reader needs to check what was promised."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cache
from importlib.metadata import version

from msgspec import UNSET

from dprelease.accounting.rho_conversion import together, worth
from dprelease.charts.renderer import installed
from dprelease.model.certificate import Certificate
from dprelease.model.column import ORDERED, Column
from dprelease.model.encoding import plain
from dprelease.model.features import FORMAT
from dprelease.model.made import is_narrowed
from dprelease.model.missing import End, OutsideAnswer, as_cell, told
from dprelease.model.plan import Plan
from dprelease.model.population import Population
from dprelease.model.presentation import Trait
from dprelease.model.privacy import NeighboringRelation, PrivacyLoss
from dprelease.model.stated import (
    Approval,
    Caveat,
    Cumulative,
    Grades,
    GroupGuarantee,
    Guarantee,
    JointLoss,
    Overlapping,
    Period,
    Place,
    StatedLoss,
    StatedPopulation,
    StatedPreviews,
    StatedRound,
    StatedRun,
    StatedSelfTest,
)
from dprelease.model.version import VERSION
from dprelease.statistics.planning.criteria import Judgement
from dprelease.statistics.planning.price import Price
from dprelease.statistics.planning.reaches import Reaches
from dprelease.statistics.remarks import remarks
from dprelease.verdict.made_columns import made_of_others


def _adds_up(other: Overlapping, population: Population) -> bool:
    """Return True if an overlapping population has the same units and the same relation, so that their ε add up."""
    return (other.unit, other.neighbors) == (population.unit, population.neighbors)


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """Facts that a certificate states beside the plan and its price."""

    seq: int
    """Number of the charge in the ledger."""
    hash: str
    spent: PrivacyLoss
    """Loss of the population, in all periods, this release included."""
    releases: int
    before: PrivacyLoss = field(default_factory=PrivacyLoss)
    """Loss of the population before the period."""
    overlapping: tuple[Overlapping, ...] = ()
    unattested: int = 0
    """Number of the workspace's populations whose overlap with this one is not attested."""
    earlier_releases: tuple[str, ...] = ()
    team: bool = False
    supersedes: str | None = None
    due: str | None = None
    """Instant until which it was sealed; None where it was not."""


GROUPS = (2, 5, 10, 100)
"""Group sizes, in units, for which a certificate states the protection."""
GROUP = 10
"""Group size in a caveat."""


@cache
def versions() -> dict[str, str]:
    """Return the software that made a release."""
    return {"dprelease": VERSION, "duckdb": version("duckdb"), "opendp": version("opendp"), **installed()}


def certificate(
    *,
    release_id: str,
    price: Price,
    population: Population,
    stands: Circumstances,
    previewed: StatedPreviews,
    published: date,
    judgements: Sequence[Judgement] = (),
    limits: Grades,
    reaches: Reaches,
    several: StatedRound | None = None,
    run: StatedRun | None = None,
    noise_library: str,
) -> Certificate:
    """Return the content of release.json.

    `previewed`: what previews showed here and whether true values of the population were previewed, both before the
    charge; whether plan and schema were created or changed after that. `limits`: of grades, by the policy of the
    workspace. `reaches`: of standardised rates, as they were worked
    out for its price. `run`: of which it is an edition. `several`: the round of several institutions that it is
    the sum of.
    `noise_library`: the version of OpenDP that passed its test before the charge.
    """
    plan = price.plan
    return Certificate(
        format=FORMAT,
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
            discovers=UNSET if population.discovers else False,
        ),
        guarantee=_guarantee(price, population),
        measurements=tuple(each.stated() for each in price.measurements),
        statistics=tuple(item.stated(plan.schema) for item in price.statistics),
        loss=StatedLoss.of(price.loss),
        ledger=Place(seq=stands.seq, hash=stands.hash),
        cumulative=_cumulative(stands, population),
        approval=Approval(workspace="team" if stands.team else "solo"),
        previews=previewed,
        caveats=(
            *caveats(price, population, stands, previewed),
            *_of_run(run),
            *_masked(several, population),
            *_met(judgements),
        ),
        versions=versions(),
        noise_self_test=StatedSelfTest(library="opendp", version=noise_library, result="passed"),
        earlier_releases=stands.earlier_releases,
        supersedes=stands.supersedes,
        due=UNSET if stands.due is None else stands.due,
        notices=f"notices/{release_id}.json",
        criteria=tuple(judgement.stated() for judgement in judgements),
        grades=limits,
        reaches=dict(reaches) if reaches and all(judgement.held for judgement in judgements) else UNSET,
        federation=UNSET if several is None else several,
        run=UNSET if run is None else run,
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
    """Return the population's loss in all its releases, in its period, and together with those that overlap it."""
    told = worth(stands.spent, population)
    alike = [each for each in stands.overlapping if _adds_up(each, population)]
    return Cumulative(
        epsilon=told.epsilon,
        delta=told.delta,
        rho=told.rho,
        loss=StatedLoss.of(stands.spent),
        releases=stands.releases,
        period=_period(stands, population),
        overlapping=stands.overlapping,
        overlap_not_attested=stands.unattested,
        together=JointLoss(
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
        before=StatedLoss.of(stands.before),
        epsilon=told.epsilon,
        delta=told.delta,
        rho=told.rho,
    )


def _sum(*numbers: int | float) -> int | float:
    return plain(sum((Decimal(repr(number)) for number in numbers), Decimal(0)))


def _answered(price: Price, unit: str) -> list[Caveat]:
    """Return the caveat on what randomized response does not hide."""
    names = [item.id for item in price.statistics if item.statistic.presented.has(Trait.ROWS_EXACT)]
    return [Caveat.of("rows_exact", statistics=", ".join(names), unit=unit)] if names else []


def _group(price: Price, population: Population, units: int) -> GroupGuarantee:
    """Return the (ε, δ) that a group of so many units together is protected with, in the measure of the population."""
    return together(price.loss, price.currency, population.rho_delta_atto, units)


def _protected(code: str, group: GroupGuarantee, **values: str | int) -> Caveat:
    """Return a caveat with the ε and δ of a group, which is named where it is one."""
    if group.delta:
        return Caveat.of(f"{code}_delta", epsilon=group.epsilon, delta=group.delta, **values)
    return Caveat.of(code, epsilon=group.epsilon, **values)


def caveats(price: Price, population: Population, stands: Circumstances, previewed: StatedPreviews) -> list[Caveat]:
    """Return what the guarantee does not cover."""
    plan, unit = price.plan, population.unit
    if plan.neighbors is NeighboringRelation.ADD_REMOVE:
        hidden = _protected("presence", _group(price, population, 2), unit=unit)
    else:
        counted = any(item.statistic.presented.has(Trait.ROWS_EXACT) for item in price.statistics)
        hidden = Caveat.of("values_counted" if counted else "values", unit=unit)
    by_row = plan.unit.column is None
    return [
        Caveat.of("as_given"),
        *_looked(previewed),
        hidden,
        _protected("group", _group(price, population, GROUP), units=GROUP),
        Caveat.of("one_row", unit=unit) if by_row else Caveat.of("most_rows", rows=plan.unit.max_rows, unit=unit),
        *_answered(price, unit),
        *left_out(plan),
        *_from_elsewhere(plan),
        *remarks(price),
        Caveat.of("intervals"),
        *_beside(population, stands),
        Caveat.of("two_people" if stands.team else "one_person"),
    ]


def _from_elsewhere(plan: Plan) -> list[Caveat]:
    """Return the caveat on whose figures counts are divided by."""
    sources = "; ".join(f"{each.name} ({each.source})" for each in plan.public)
    return [Caveat.of("public_figures", sources=sources)] if sources else []


def _masked(several: StatedRound | None, population: Population) -> list[Caveat]:
    """Return the caveats on what a sum of several institutions rests on."""
    if several is None:
        return []
    return [
        Caveat.of("masked", institutions=len(several.sites), federation=several.name, lost=several.lost_sites),
        Caveat.of("masked_rows"),
        Caveat.of("masked_most", unit=population.unit, most=several.max_sites),
    ]


def _of_run(run: StatedRun | None) -> list[Caveat]:
    """Return the caveats on what the editions of a run promise together, and what that rests on."""
    if run is None:
        return []
    found = [Caveat.of("run", periods=run.periods, most=run.at_most, factor=run.factor)]
    if run.attested != "nothing":
        found.append(Caveat.of(f"run_{run.attested}", most=run.at_most))
    if run.closed:
        found.append(Caveat.of("run_closed", periods=", ".join(run.closed)))
    return found


def _met(judgements: Sequence[Judgement]) -> list[Caveat]:
    """Return the caveat on the criteria of the plan."""
    if not judgements:
        return []
    return [Caveat.of("criteria_met" if all(judgement.held for judgement in judgements) else "criteria_failed")]


def _looked(previewed: StatedPreviews) -> list[Caveat]:
    """Return the caveats on previews of true values."""
    plan, schema = previewed.plan_changed_after, previewed.schema_changed_after
    if previewed.changed == "budget":
        codes = ["changed_budget", *(["changed_schema"] if schema else [])]
    elif plan or schema:
        codes = ["changed_both" if plan and schema else "changed_plan" if plan else "changed_schema"]
    else:
        codes = ["unchanged" if previewed.taken else "no_preview"]
    policy = [] if previewed.policy == "true" else [Caveat.of(f"previews_{previewed.policy}")]
    names = previewed.readings_proposed or ()
    proposed = [Caveat.of("readings_proposed", columns=", ".join(names))] if names else []
    return [*map(Caveat.of, codes), *policy, *proposed]


def _beside(population: Population, stands: Circumstances) -> list[Caveat]:
    """Return the caveats on what else is known of the same units, or is not."""
    found = []
    if population.period is not None:
        found.append(Caveat.of("period", period=population.period))
    if stands.overlapping:
        found.append(Caveat.of("overlapping", populations=", ".join(each.population for each in stands.overlapping)))
        others = [each.population for each in stands.overlapping if not _adds_up(each, population)]
        if others:
            found.append(Caveat.of("not_in_sum", populations=", ".join(others)))
    if stands.unattested:
        found.append(Caveat.of("not_attested", count=stands.unattested))
    if stands.earlier_releases:
        found.append(Caveat.of("earlier", releases="; ".join(stands.earlier_releases)))
    return found


MOST = 20
"""Codes that are named; the plan has all of them."""


def left_out(plan: Plan) -> list[Caveat]:
    """Return a caveat on each thing that happens to a row, with the columns in which it does."""
    columns = list(plan.schema)
    coded = [f"{column.name} ({_codes(column)})" for column in columns if column.missing_codes]
    filled = [f"{column.name} ({as_cell(column.count_missing_as)})" for column in columns if column.complete]
    readings = [f"{column.name} ({form})" for column in columns if (form := column.reading_told)]
    bounded = [each for each in columns if each.type in ORDERED]
    found = [*_outside([each for each in bounded if each.made is None or is_narrowed(each, plan.schema.columns)])]
    if plan.unit.missing_codes:
        nobody = ", ".join(plan.unit.missing_codes[:MOST]) + (", …" if len(plan.unit.missing_codes) > MOST else "")
        found.append(Caveat.of("nobody", codes=nobody))
    if readings:
        found.append(Caveat.of("read_as", columns=", ".join(readings)))
    if coded:
        found.append(Caveat.of("codes", columns=", ".join(coded)))
    if filled:
        found.append(Caveat.of("filled", columns=", ".join(filled)))
    return [*found, *made_of_others(plan.schema)]


def _outside(columns: Sequence[Column]) -> Iterable[Caveat]:
    """Yield the caveats on values beyond the bounds; the columns are named where they are not all alike."""
    kinds = dict.fromkeys(column.outside for column in columns)
    for outside in kinds:
        names = ", ".join(column.name for column in columns if column.outside == outside)
        code = f"outside_{_beyond(outside)}"
        yield Caveat.of(f"{code}_of", columns=names) if len(kinds) > 1 else Caveat.of(code)


def _beyond(outside: OutsideAnswer) -> str:
    if outside.below is outside.above:
        return "clip" if outside.below is End.CLIP else "missing"
    return "missing_below" if outside.below is End.MISSING else "missing_above"


def _codes(column: Column) -> str:
    codes = column.missing_codes or ()
    return told(codes[:MOST]) + (", …" if len(codes) > MOST else "")
