"""What every listed statistic must keep: its stated sensitivity above all, against generated neighbours."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dprelease
import dprelease.statistics.kinds as room
from dprelease.errors import InternalError
from dprelease.model.condition import Condition
from dprelease.model.options import option
from dprelease.model.privacy import Currency, NeighboringRelation, PrivacyUnit, Terms
from dprelease.model.statistic import KINDS
from dprelease.model.tally import Query, TallyQuery
from dprelease.statistics import STATISTICS, TallyStatistic
from dprelease.statistics.kinds import count
from dprelease.statistics.kinds.bounds import Bounds
from dprelease.statistics.kinds.count import Count
from dprelease.statistics.kinds.mode import Mode
from dprelease.statistics.kinds.threshold import Threshold
from dprelease.statistics.kinds.top import Top
from dprelease.statistics.kit.check import RELATIONS, accepted_with, mechanisms_of, plan_of, released, undocumented
from dprelease.statistics.kit.distance import check_sensitivity, largest_distances
from dprelease.statistics.kit.pool import Pool, engine, inputs_of, pool_of
from dprelease.statistics.kit.rows import PALETTE, SCHEMA, UNITS, WHERE, Row, stored_table
from dprelease.statistics.medians import Medians
from dprelease.statistics.noisy import NoisyTable
from dprelease.statistics.objective import Objective
from dprelease.statistics.planning.price import price
from dprelease.statistics.ranked import QuantileTable
from dprelease.statistics.tabulated import Measurement
from tests.statistics.kinds.variants import SUBSTITUTE_ROWS_ONLY, VARIANTS, only_in_rho

PEOPLE = UNITS["people, 2 rows"]


PARTS = (Medians, Objective)
"""What regressions ask or make another way, and no plan by itself."""


def unlisted() -> set[type[TallyStatistic]]:
    """Every statistic that a file of the room defines and the list leaves out."""
    modules = [
        importlib.import_module(f"{room.__name__}.{module.name}") for module in pkgutil.iter_modules(room.__path__)
    ]
    found = {item for module in modules for item in vars(module).values() if inspect.isclass(item)}
    kinds = {item for item in found if issubclass(item, TallyStatistic) and hasattr(item, "kind")}
    return kinds - {*STATISTICS, *PARTS}


def test_each_statistic_is_listed_once() -> None:
    assert unlisted() == set()
    assert {cls.kind: cls for cls in STATISTICS} == KINDS
    assert len(KINDS) == len(STATISTICS)


def test_an_unlisted_statistic_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other(Count):
        """Somebody forgot to list it."""

    monkeypatch.setattr(count, "Other", Other, raising=False)
    assert unlisted() == {Other}


def test_each_statistic_is_among_those_tested_here() -> None:
    assert {type(variant) for variant in VARIANTS.values()} == set(STATISTICS)
    for cls in STATISTICS:
        if "by" in cls.options():
            assert {bool(variant.by) for variant in VARIANTS.values() if type(variant) is cls} == {True, False}  # type: ignore[attr-defined]


LONG = (
    "components of k, low, x",
    "correlation of x, far, low",
    "five numbers of day with intervals",
    "linear of far on g, flag, functional",
    "linear of k on x by g",
    "linear of k on x by h, functional",
    "linear of k on x by only",
    "linear of k on x, medians",
    "linear of x on far, medians",
    "linear of x on g, flag",
    "linear of x on g, flag by h",
    "logistic of flag on x",
    "logistic of flag on x, g",
    "logistic of h by only, held out",
    "logistic of h on x, g, functional",
    "logistic of h on x, g, only",
    "median of far by h with intervals",
    "median of x among candidates with an interval",
    "naive Bayes of h, held out",
    "quantiles of k with intervals",
    "scorecard of flag, held out",
    "synthetic rows of chosen tables of g, h, flag",
    "synthetic rows of chosen tables of k, only, x",
    "synthetic rows of drawn cells of g, h, flag",
    "synthetic rows of drawn cells of k, only",
    "synthetic rows of far tables of g, h, flag",
    "synthetic rows of far tables of k, only",
    "synthetic rows of k, only, x",
    "workload of g, h, flag",
)
"""Two seconds and more each: in the full run only, where others of their kinds are tried here."""
FIRST = ("count by g", "mean of x", "histogram of k", "quantiles of k", "mode of g", "top 2 of g", "survey of answer")
"""In `make check`, too."""
MARKS: dict[str, Any] = dict.fromkeys(LONG, pytest.mark.full) | dict.fromkeys(FIRST, pytest.mark.quick)
EVERY = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=MARKS.get(name, ())) for name in VARIANTS], scope="module"
)
"""The scope orders the tests by variant, so that its pools of neighbours are searched once for all of them."""


TRIED = 1
"""Of each kind, so many variants keep the whole contract in `make test`, of those that are not long."""


def sampled() -> set[str]:
    """Names of the variants of `TRIED` a kind, and of `FIRST`."""
    by_kind: dict[str, list[str]] = {}
    for name, variant in VARIANTS.items():
        by_kind.setdefault(variant.kind, []).append(name)
    return {*FIRST, *chain.from_iterable(sorted(names, key=LONG.__contains__)[:TRIED] for names in by_kind.values())}


SAMPLED = sampled()


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=MARKS.get(name, () if name in SAMPLED else pytest.mark.full)) for name in VARIANTS],
    scope="module",
)
def test_it_keeps_the_contract(name: str) -> None:
    """In `make test` one of each kind; all others are held there to their sensitivities in one unit and relation."""
    dprelease.check_statistic(VARIANTS[name])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", LONG)
def test_a_long_one_keeps_it_for_people_with_two_rows(name: str) -> None:
    """One unit and relation of all that the contract tries, in ρ: no pair beats what is stated, and some attains it."""
    terms = Terms(PEOPLE, NeighboringRelation.SUBSTITUTE, Currency.ZCDP)
    check_sensitivity(VARIANTS[name], terms, pool_of(VARIANTS[name], PEOPLE, (), mechanisms_of(VARIANTS[name], terms)))


ONCE = [name for name, variant in VARIANTS.items() if getattr(variant, "max_rows_per_cell", None)]


def spares(name: str, unit: PrivacyUnit, relation: NeighboringRelation, currency: Currency) -> bool:
    """Tells whether a unit that counts once in a cell changes less than one with all its rows in one cell."""
    (query,) = VARIANTS[name].queries(SCHEMA)
    assert isinstance(query, TallyQuery)
    sides = 2 if relation is RELATIONS[1] and query.cells > 1 else 1
    cells = min(query.cells, unit.groups * (1 if relation is RELATIONS[0] else 2))
    by_l2 = currency is Currency.ZCDP and "Laplace" not in name
    return cells < sides * unit.max_rows ** (2 if by_l2 else 1)


HELD_OUT = {name for name, each in VARIANTS.items() if getattr(each, "held_out", None) is not None}
"""Of which no row can be the unit."""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", VARIANTS, scope="module")
def test_it_is_tried_with_every_unit_relation_and_currency(name: str) -> None:
    """The contract leaves out what a statistic refuses: none may begin to refuse."""
    for place, unit in enumerate(UNITS.values()):
        accepted = {(terms.neighbors, terms.currency) for terms in accepted_with(VARIANTS[name], unit)}
        if VARIANTS[name].kind in SUBSTITUTE_ROWS_ONLY:
            assert accepted == (set(product(RELATIONS[1:], Currency)) if place == 0 else set())
        elif name in HELD_OUT and unit.column is None:
            assert accepted == set()
        elif name in ONCE:
            assert accepted == {each for each in product(RELATIONS, Currency) if spares(name, unit, *each)}
        else:
            currencies = [Currency.ZCDP] if only_in_rho(VARIANTS[name]) else list(Currency)
            assert accepted == set(product(RELATIONS, currencies))


def test_an_undocumented_option_is_seen() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Other(Count):
        told: int = option(Count.options()["by"], default=0)
        """What it is."""
        untold: int = option(Count.options()["by"], default=0)

    assert undocumented(Other) == ["untold"]


def two_rows(name: str) -> Pool:
    """Every trial of a variant for people with two rows: what is stated of them changes no row."""
    return pool_of(VARIANTS[name], PEOPLE, (), mechanisms_of(VARIANTS[name], Terms(PEOPLE, RELATIONS[0])))


def halved(measurement: Measurement) -> Measurement:
    stated = measurement.sensitivity
    norms = {name: getattr(stated, name) // 2 for name in ("l0", "l1", "linf", "l2_squared")}
    return replace(measurement, sensitivity=replace(stated, **norms))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("relation", RELATIONS)
@EVERY
def test_a_halved_sensitivity_is_noticed(
    name: str, relation: NeighboringRelation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each statistic in turn, and each of its measurements in turn."""
    cls = type(VARIANTS[name])
    real = cls.measurements
    rows_only = cls.kind in SUBSTITUTE_ROWS_ONLY
    if rows_only and relation is NeighboringRelation.ADD_REMOVE:
        return
    terms = Terms(PrivacyUnit() if rows_only else PEOPLE, relation)
    trials = pool_of(VARIANTS[name], terms.unit, (), ()) if rows_only else two_rows(name)
    for place in range(len(VARIANTS[name].measurements(SCHEMA, terms))):

        def measurements(self: Any, *args: Any, place: int = place) -> tuple[Measurement, ...]:
            stated = real(self, *args)
            return tuple(halved(item) if index == place else item for index, item in enumerate(stated))

        monkeypatch.setattr(cls, "measurements", measurements)
        with pytest.raises(InternalError, match="beats the stated"):
            check_sensitivity(VARIANTS[name], terms, trials)


NOT_BY_ROWS = {
    "units",
    "units by only",
    "histogram of x in 1 bin, once a cell",
    "crosstab of day, g at levels, once a cell",
}
"""Those whose sensitivity does not depend on how many rows a unit has, beside those of single rows."""


@pytest.mark.one_in(3)
@EVERY
def test_an_overstated_sensitivity_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise that nothing calls for is a defect too."""
    if name in NOT_BY_ROWS or VARIANTS[name].kind in SUBSTITUTE_ROWS_ONLY:
        return
    cls = type(VARIANTS[name])
    real = cls.measurements

    def more(terms: Terms) -> Terms:
        return replace(terms, unit=replace(terms.unit, max_rows=terms.max_rows + 1))

    monkeypatch.setattr(cls, "measurements", lambda self, schema, terms: real(self, schema, more(terms)))
    with pytest.raises(InternalError, match="no pair attains"):
        check_sensitivity(VARIANTS[name], Terms(PEOPLE, RELATIONS[0]), two_rows(name))


def test_the_wrong_relation_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("histogram of k", "mean of x", "quantiles of k", "count by g", "sum of x"):
        cls = type(VARIANTS[name])
        real = cls.measurements
        monkeypatch.setattr(
            cls,
            "measurements",
            lambda self, schema, terms, real=real: real(self, schema, replace(terms, neighbors=RELATIONS[0])),
        )
        with pytest.raises(InternalError, match=r"beats the stated|not monotone"):
            check_sensitivity(VARIANTS[name], Terms(PEOPLE, RELATIONS[1]), two_rows(name))
        monkeypatch.undo()


Asked = Callable[[Sequence[Query]], dict[Query, Any]]


def taken_with(unit: PrivacyUnit, *, rounds: bool) -> list[TallyStatistic]:
    """Those that take the unit; without `rounds`, those that look at the rows once."""
    terms = Terms(unit, RELATIONS[1])
    found = [each for name, each in VARIANTS.items() if unit.column is not None or name not in HELD_OUT]
    return [each for each in found if rounds or not any(item.round for item in each.measurements(SCHEMA, terms))]


def ask(
    chosen: Sequence[TallyStatistic], rows: list[Row], where: tuple[Condition, ...], unit: PrivacyUnit
) -> tuple[dict[Query, Any], Asked]:
    """The tallies of statistics for one table of its own, and what answers later rounds'."""
    asked = list(dict.fromkeys(query for each in chosen for query in each.queries(SCHEMA)))
    held = engine().hold(stored_table([item | {"trial": 0} for item in rows]))

    def more(wanted: Sequence[Query]) -> dict[Query, Any]:
        answered = engine().answer(held, wanted, schema=SCHEMA, where=where, unit=unit, after=asked)
        return {tally.query: tally.values for tally in answered}

    return more(asked), more


people = st.lists(st.tuples(st.sampled_from(PALETTE), st.integers(0, 4)), max_size=14)
own_rows = st.lists(st.sampled_from(PALETTE), max_size=5)


TABLES = given(people, own_rows, own_rows, st.sampled_from(sorted(UNITS)), st.sampled_from([(), WHERE]))


def few(examples: int) -> settings:
    return settings(max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.full
@few(2)
@TABLES
def test_whole_tables_with_many_rows_a_unit(
    others: list[tuple[Row, int]], before: list[Row], after: list[Row], unit_name: str, where: tuple[Condition, ...]
) -> None:
    """Table by table, where other units have more rows than are kept: what they lose may not depend on this unit."""
    check_whole_tables(others, before, after, unit_name, where, rounds=False)


@pytest.mark.full
@few(50)
@TABLES
def test_many_whole_tables_with_many_rows_a_unit(
    others: list[tuple[Row, int]], before: list[Row], after: list[Row], unit_name: str, where: tuple[Condition, ...]
) -> None:
    check_whole_tables(others, before, after, unit_name, where, rounds=True)


def check_whole_tables(
    others: list[tuple[Row, int]],
    before: list[Row],
    after: list[Row],
    unit_name: str,
    where: tuple[Condition, ...],
    *,
    rounds: bool,
) -> None:
    unit = UNITS[unit_name]
    chosen = taken_with(unit, rounds=rounds)
    base = [item | {"person": person} for item, person in others]
    if unit.column is None:
        before, after = before[:1], after[:1]
    answered = [ask(chosen, base + [item | {"person": 99} for item in own], where, unit) for own in ([], before, after)]
    tallies = {query: [table[query] for table, _ in answered] for query in answered[0][0]}

    def more(wanted: Sequence[Query]) -> dict[Query, Any]:
        found = [own(wanted) for _, own in answered]
        return {query: [table[query] for table in found] for query in wanted}

    for variant in chosen:
        own = [[tallies[query][place] for query in variant.queries(SCHEMA)] for place in range(3)]
        by = mechanisms_of(variant, Terms(unit, RELATIONS[1]))
        trial = Pool(np.array([[0, 1, 2]]), inputs_of(variant, tallies, 3, by), own, more)
        for relation in RELATIONS if variant.kind not in SUBSTITUTE_ROWS_ONLY else ():
            largest_distances(variant, Terms(unit, relation), trial)
        if variant.kind in SUBSTITUTE_ROWS_ONLY and unit == PrivacyUnit():
            largest_distances(variant, Terms(unit, RELATIONS[1]), trial)


@pytest.mark.one_in(3)
@EVERY
def test_what_is_published_lies_on_the_lattice(name: str) -> None:
    variant = VARIANTS[name]
    relation = RELATIONS[variant.kind in SUBSTITUTE_ROWS_ONLY or name in ONCE]
    once = {"unit": PEOPLE} if name in ONCE else {}
    people = {"unit": PEOPLE} if name in HELD_OUT else once
    plan = plan_of(variant, epsilon=0.5, neighbors=relation, delta_atto=10**12, **people)
    priced = price(plan, currency=Currency.ZCDP if once or only_in_rho(variant) else Currency.PURE)
    answers = [released(variant, priced, rows).named(variant.id) for rows in ((), PALETTE * 3)]
    for estimate in chain(*(table for each in answers for table in each.values())):
        if isinstance(variant, NoisyTable) and not isinstance(variant, Top):
            assert float(estimate.value) / float(variant.step(SCHEMA)) % 1 == 0  # type: ignore[arg-type]
            assert estimate.lower95 < estimate.value < estimate.upper95  # type: ignore[operator]
        elif isinstance(variant, QuantileTable) and variant.interval:
            assert estimate.lower95 <= estimate.value <= estimate.upper95  # type: ignore[operator]
        elif isinstance(variant, QuantileTable | Mode | Top | Bounds | Threshold):
            assert (estimate.lower95, estimate.upper95) == (None, None)
