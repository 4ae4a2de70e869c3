"""What every listed statistic must keep: its stated sensitivity above all, against generated neighbours."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import textwrap
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dprelease.statistics as room
from dprelease.mechanisms import MECHANISMS
from dprelease.model.condition import Condition
from dprelease.model.options import option
from dprelease.model.plan import Expected
from dprelease.model.privacy import Currency, NeighboringRelation, PrivacyUnit, Terms
from dprelease.model.statistic import KINDS
from dprelease.model.tally import Query
from dprelease.statistics import STATISTICS, Tabulated, count
from dprelease.statistics.answer import draw, exact, queries, tables
from dprelease.statistics.bounds import Bounds
from dprelease.statistics.count import Count
from dprelease.statistics.mode import Mode
from dprelease.statistics.noisy import NoisyTable
from dprelease.statistics.price import price
from dprelease.statistics.quantiles import QuantileTable
from dprelease.statistics.tabulated import Measurement
from dprelease.statistics.threshold import Threshold
from dprelease.statistics.top import Top
from tests.statistics.neighbours import (
    ENGINE,
    PALETTE,
    RELATIONS,
    SCHEMA,
    SUBSTITUTE_ROWS_ONLY,
    UNITS,
    VARIANTS,
    WHERE,
    Pool,
    Row,
    check_sensitivity,
    largest_distances,
    pool,
    stored_table,
)
from tests.statistics.plans import plan_of


def unlisted() -> set[type[Tabulated]]:
    """Every statistic that a file of the room defines and the list leaves out."""
    modules = [
        importlib.import_module(f"{room.__name__}.{module.name}") for module in pkgutil.iter_modules(room.__path__)
    ]
    found = {item for module in modules for item in vars(module).values() if inspect.isclass(item)}
    return {item for item in found if issubclass(item, Tabulated) and not inspect.isabstract(item)} - set(STATISTICS)


def undocumented(cls: type[Tabulated]) -> list[str]:
    """The options of a statistic without a docstring below them."""
    told = set()
    for ancestor in cls.__mro__:
        if "dprelease" in ancestor.__module__ or ancestor.__module__ == __name__:
            (definition,) = ast.parse(textwrap.dedent(inspect.getsource(ancestor))).body
            assert isinstance(definition, ast.ClassDef)
            for field, below in zip(definition.body, definition.body[1:], strict=False):
                match field, below:
                    case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str())):
                        told.add(name)
    return [name for name in cls.options() if name not in told]


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


@pytest.mark.parametrize("cls", STATISTICS)
def test_it_says_what_it_is_what_it_costs_and_what_its_options_mean(cls: type[Tabulated]) -> None:
    documents = " ".join(inspect.getdoc(ancestor) or "" for ancestor in cls.__mro__[:2])
    assert "sensitivity" in documents.lower()
    assert "oise" in documents or "chosen privately" in documents
    assert undocumented(cls) == []


def test_an_undocumented_option_is_seen() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Other(Count):
        told: int = option(Count.options()["by"], default=0)
        """What it is."""
        untold: int = option(Count.options()["by"], default=0)

    assert undocumented(Other) == ["untold"]


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("name", VARIANTS)
def test_its_error_is_priced_before_any_data(name: str, relation: NeighboringRelation) -> None:
    """A stated error says what it rests on; None only where `expected` is needed and not given."""
    if VARIANTS[name].kind in SUBSTITUTE_ROWS_ONLY and relation is NeighboringRelation.ADD_REMOVE:
        return
    for currency, expected in product(Currency, (None, Expected(3000))):
        plan = plan_of(VARIANTS[name], neighbors=relation, expected=expected, delta_atto=10**12)
        priced = price(plan, currency=currency)["s"]
        assert {type(mechanism) for mechanism in priced.mechanisms} <= set(MECHANISMS)
        if priced.error is None:
            assert expected is None
        else:
            assert 0 <= priced.error.error95 < float("inf")
            assert priced.error.basis != "expected" or expected is not None


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("unit", "filtered"), [*((unit, "all") for unit in UNITS), ("people, 2 rows", "filtered")])
@pytest.mark.parametrize("name", VARIANTS)
def test_no_neighbours_beat_the_stated_sensitivity_and_some_attain_it(
    name: str, filtered: str, unit: str, relation: NeighboringRelation
) -> None:
    check_sensitivity(name, relation, pool(unit, filtered))


def halved(measurement: Measurement) -> Measurement:
    stated = measurement.sensitivity
    norms = {name: getattr(stated, name) // 2 for name in ("l0", "l1", "linf", "l2_squared")}
    return replace(measurement, sensitivity=replace(stated, **norms))


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("name", VARIANTS)
def test_a_halved_sensitivity_is_noticed(
    name: str, relation: NeighboringRelation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each statistic in turn, and each of its measurements in turn."""
    cls = type(VARIANTS[name])
    real = cls.measurements
    rows_only = cls.kind in SUBSTITUTE_ROWS_ONLY
    if rows_only and relation is NeighboringRelation.ADD_REMOVE:
        return
    trials = pool("rows" if rows_only else "people, 2 rows", "all")
    terms = trials.terms[relation]
    for place in range(len(VARIANTS[name].measurements(SCHEMA, terms))):

        def measurements(self: Any, *args: Any, place: int = place) -> tuple[Measurement, ...]:
            stated = real(self, *args)
            return tuple(halved(item) if index == place else item for index, item in enumerate(stated))

        monkeypatch.setattr(cls, "measurements", measurements)
        with pytest.raises(AssertionError, match="beats the stated"):
            check_sensitivity(name, relation, trials)


NOT_BY_ROWS = {"units", "units by only"}
GROWING = [name for name in VARIANTS if VARIANTS[name].kind not in SUBSTITUTE_ROWS_ONLY and name not in NOT_BY_ROWS]
"""Those whose sensitivity depends on how many rows a unit has."""


@pytest.mark.parametrize("name", GROWING)
def test_an_overstated_sensitivity_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise that nothing calls for is a defect too."""
    cls = type(VARIANTS[name])
    real = cls.measurements

    def more(terms: Terms) -> Terms:
        return replace(terms, unit=replace(terms.unit, max_rows=terms.max_rows + 1))

    monkeypatch.setattr(cls, "measurements", lambda self, schema, terms: real(self, schema, more(terms)))
    with pytest.raises(AssertionError, match="no pair attains"):
        check_sensitivity(name, NeighboringRelation.ADD_REMOVE, pool("people, 2 rows", "all"))


def test_the_wrong_relation_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("histogram of k", "mean of x", "quantiles of k", "count by g", "sum of x"):
        cls = type(VARIANTS[name])
        real = cls.measurements
        monkeypatch.setattr(
            cls,
            "measurements",
            lambda self, schema, terms, real=real: real(self, schema, replace(terms, neighbors=RELATIONS[0])),
        )
        with pytest.raises(AssertionError, match=r"beats the stated|not monotone"):
            check_sensitivity(name, NeighboringRelation.SUBSTITUTE, pool("people, 2 rows", "all"))
        monkeypatch.undo()


def ask(rows: list[Row], where: tuple[Condition, ...], unit: PrivacyUnit) -> dict[Query, Any]:
    """The tallies of all statistics for one table of its own."""
    asked = list(dict.fromkeys(query for chosen in VARIANTS.values() for query in chosen.queries(SCHEMA)))
    held = ENGINE.hold(stored_table([item | {"trial": 0} for item in rows]))
    answered = ENGINE.answer(held, asked, schema=SCHEMA, where=where, unit=unit)
    return {tally.query: tally.values for tally in answered}


people = st.lists(st.tuples(st.sampled_from(PALETTE), st.integers(0, 4)), max_size=14)
own_rows = st.lists(st.sampled_from(PALETTE), max_size=5)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(people, own_rows, own_rows, st.sampled_from(sorted(UNITS)), st.sampled_from([(), WHERE]))
def test_whole_tables_with_many_rows_a_unit(
    others: list[tuple[Row, int]], before: list[Row], after: list[Row], unit_name: str, where: tuple[Condition, ...]
) -> None:
    """Table by table, where other units have more rows than are kept: what they lose may not depend on this unit."""
    unit = UNITS[unit_name]
    base = [item | {"person": person} for item, person in others]
    if unit.column is None:
        before, after = before[:1], after[:1]
    answered = [ask(base + [item | {"person": 99} for item in own], where, unit) for own in ([], before, after)]
    tallies = {query: [table[query] for table in answered] for query in answered[0]}
    trial = Pool(unit, np.array([[0, 1, 2]]), 3, tallies)
    for name, relation in product(VARIANTS, RELATIONS):
        largest_distances(name, relation, trial)


@pytest.mark.parametrize("name", VARIANTS)
def test_what_is_published_has_the_same_keys_and_lattice_whatever_the_rows(name: str) -> None:
    """An empty table and a full one differ in numbers only: same rows, same keys, values on the declared lattice."""
    variant = VARIANTS[name]
    relation = RELATIONS[variant.kind in SUBSTITUTE_ROWS_ONLY]
    priced = price(plan_of(variant, epsilon=0.5, neighbors=relation, delta_atto=10**12))
    published = []
    for rows in ([], [*PALETTE] * 3):
        stored = stored_table([item | {"person": 0, "trial": 0} for item in rows])
        asked = queries(priced)
        tallies = ENGINE.answer(ENGINE.hold(stored), asked, schema=priced.plan.schema, where=(), unit=priced.plan.unit)
        drawn = draw(priced, exact(priced, tallies))
        assert all(isinstance(number, int) for part in drawn[0] for number in _flat(part))
        published.append(tables(priced, drawn)["s"])
    empty, full = published
    assert list(empty.frame().columns) == list(full.frame().columns)
    if not variant.discovers(SCHEMA):
        assert empty.axes == full.axes
        assert len(empty) == len(full) == priced["s"].size
    for table in published:
        assert variant.could_be(priced.plan.schema, table, priced["s"].mechanisms)
    for estimate in (*empty, *full):
        if isinstance(variant, NoisyTable) and not isinstance(variant, Top):
            assert float(estimate.value) / float(variant.step(SCHEMA)) % 1 == 0  # type: ignore[arg-type]
            assert estimate.lower95 < estimate.value < estimate.upper95  # type: ignore[operator]
        elif isinstance(variant, QuantileTable | Mode | Top | Bounds | Threshold):
            assert (estimate.lower95, estimate.upper95) == (None, None)
        elif None not in (estimate.value, estimate.lower95, estimate.upper95):
            assert estimate.lower95 <= estimate.value <= estimate.upper95  # type: ignore[operator]


def _flat(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return [number for part in value for number in _flat(part)] if isinstance(value, list) else [value]
