"""Tables in which a unit counts once in a cell: what they count, what they cost, and that nothing is made of them."""

from __future__ import annotations

from math import isclose
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import dprelease
from dprelease import verify
from dprelease.errors import PlanError
from dprelease.model.privacy import Currency
from dprelease.model.release import Release
from dprelease.statements.question import StatisticLabel
from dprelease.statistics.planning.price import Price, price
from dprelease.verdict.contradiction import contradictions
from dprelease.words.language import speaking

MONTHS, WARDS, VISITS = 12, ("a", "b", "c"), 9
COLUMNS: dict[str, Any] = {
    "month": {"type": "integer", "lower": 1, "upper": MONTHS},
    "ward": {"type": "category", "categories": list(WARDS), "count_missing_as": "a"},
    "w": {"type": "integer", "lower": 0, "upper": 4},
    "name": {"type": "category", "categories": "discover"},
}
PEOPLE = {"column": "person", "max_rows": VISITS}
ONCE = {"max_rows_per_cell": 1}
BY_MONTH = {"id": "months", "kind": "histogram", "column": "month", **ONCE}
BOTH = {"id": "both", "kind": "crosstab", "columns": ["month", "ward"], **ONCE}


def rows() -> pa.Table:
    """300 people: a third come once in each of nine months, a third nine times in one, a third once in all."""
    found = []
    for person in range(300):
        first = person % 4
        months = {0: range(first, first + VISITS), 1: [first] * VISITS, 2: [first]}[person % 3]
        found += [(person, 1 + month, WARDS[person % 2]) for month in months]
    return pa.table(
        {"person": [r[0] for r in found], "month": [r[1] for r in found], "ward": [r[2] for r in found]}
        | {"w": [1] * len(found), "name": ["x"] * len(found)}
    )


def plan(
    *statistics: dict[str, Any], unit: Any = PEOPLE, neighbors: str = "add_remove", **others: Any
) -> dict[str, Any]:
    epsilon = others.pop("epsilon", 1)
    privacy = {"unit": unit, "neighbors": neighbors, "epsilon": epsilon, "delta": 1e-6}
    return {"dprelease": 1, "dataset": "visits", "privacy": privacy, "statistics": list(statistics), **others}


def priced(*statistics: dict[str, Any], currency: Currency = Currency.ZCDP, **others: Any) -> Price:
    return price(dprelease.Plan.parse(plan(*statistics, columns=COLUMNS, **others)), currency=currency)


def scale(statistic: dict[str, Any], **others: Any) -> float:
    (mechanism,) = priced(statistic, **others)[statistic["id"]].mechanisms
    return mechanism.scale


def all_rows(statistic: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in statistic.items() if name not in ONCE}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    workspace = dprelease.Workspace.create(tmp_path_factory.mktemp("once") / "home")
    terms = {"neighbors": "add_remove", "currency": "zcdp", "epsilon": 1_000_000, "delta": 1e-3}
    workspace.add_population("people", unit="patient", size=300, **terms)
    workspace.add_dataset("visits", rows(), population="people", columns=COLUMNS, unit_column="person")
    every = {"id": "rows", "kind": "histogram", "column": "month"}
    plan_id = workspace.plans.submit(dprelease.Plan.parse(plan(BY_MONTH, BOTH, every, epsilon=500_000)))
    workspace.plans.approve(plan_id)
    return workspace.publish(plan_id)


def test_each_person_counts_once_in_each_cell_and_in_all_of_its_cells(release: Release) -> None:
    """With hardly any noise the counts are those of Python's sets; there are more rows where people come again."""
    table = rows().to_pydict()
    seen = {*zip(table["person"], table["month"], table["ward"], strict=True)}
    months = [sum(month == each for _, month, _ in seen) for each in range(1, MONTHS + 1)]
    cells = [
        sum(own == (month, ward) for _, *pair in seen for own in [tuple(pair)])
        for month in range(1, MONTHS + 1)
        for ward in WARDS
    ]
    assert list(release.tables["months"].value) == months
    assert list(release.tables["both"].value) == cells
    assert sum(release.tables["rows"].value) == len(table["person"]) > sum(months)  # type: ignore[arg-type]


def test_the_bundle_says_what_is_counted_and_verifies(release: Release, tmp_path: Path) -> None:
    verdict = verify(release.write(tmp_path))
    assert verdict.release.tables["both"] == release.tables["both"]
    (stated,) = [
        each.values
        for each in release.certificate.caveats
        if each.code == "once_a_cell" and each.values["statistic"] == "both"
    ]
    assert stated["percent"] == 33
    for language, words in (
        ("en", "counting each patient once in a cell"),
        ("es", "una sola vez en cada celda cada patient"),
    ):
        with speaking(language):
            asked = StatisticLabel.of(release.certificate, "both")
            assert words in asked.text
            assert "patient" in asked.measure


@pytest.mark.parametrize(("neighbors", "sides"), [("add_remove", 1), ("substitute", 2)])
def test_noise_is_for_the_root_of_the_rows(neighbors: str, sides: int) -> None:
    """σ = √(m / 2ρ) rather than m / √(2ρ): a third of it with nine rows, in either relation."""
    once, every = (scale(each, neighbors=neighbors) for each in (BOTH, all_rows(BOTH)))
    assert isclose(once, every / 3, rel_tol=1e-9)
    rho = float(priced(BOTH, neighbors=neighbors)["both"].loss.rho)
    assert isclose(once, (sides * VISITS / (2 * rho)) ** 0.5, rel_tol=1e-6)


def test_max_groups_and_few_cells_spare_more() -> None:
    few = scale(BOTH, unit={**PEOPLE, "max_groups": 4})
    assert isclose(few, scale(BOTH) * 2 / 3, rel_tol=1e-9)
    wards = {"id": "wards", "kind": "histogram", "column": "ward"}
    pure = [scale({**wards, **each}, currency=Currency.PURE) for each in (ONCE, {})]
    assert isclose(pure[0], pure[1] * 3 / VISITS, rel_tol=1e-9), "in three cells a unit changes three counts at most"


def test_it_shares_no_measurement_and_is_not_made_consistent() -> None:
    every = [
        {"id": "rows", "kind": "crosstab", "columns": ["month", "ward"], "bins": {"month": 12}},
        {"id": "wards", "kind": "count", "by": ["ward"]},
        {"id": "shares", "kind": "cdf", "column": "month"},
    ]
    found = priced(BOTH, BY_MONTH, *every, postprocess=["consistent"])
    assert {each.id for each in found.measurements} >= {"both", "months"}
    assert all(item.source is None or item.source.id not in ("both", "months") for item in found.statistics)


def test_the_workbench_adds_up_no_units_of_several_cells() -> None:
    """Its summary of counts has a total; one of units that are in several cells compares the cells instead."""
    workspace = dprelease.Workspace.in_memory()
    terms = {"neighbors": "add_remove", "currency": "zcdp", "epsilon": 10, "delta": 1e-3}
    workspace.add_population("people", unit="patient", size=300, **terms)
    workspace.add_dataset("visits", rows(), population="people", columns=COLUMNS, unit_column="person")
    asked = plan(BY_MONTH, {**all_rows(BY_MONTH), "id": "rows"})
    look = workspace.plans.look(dprelease.Plan.parse(asked), invented=True)
    assert [look.open(name).to_json()["overlapping"] for name in ("months", "rows")] == [True, False]


def test_fewer_units_than_rows_are_no_contradiction(release: Release) -> None:
    """Nine rows of a person in a cell count as one of it, which the same rows' counts do not contradict."""
    again = price(dprelease.Plan.parse(release.certificate.plan), currency=Currency.ZCDP)
    assert contradictions(again, release.tables, 300) == []
    beyond = contradictions(again, release.tables, 20)
    assert any("months" in each.values.values() for each in beyond), "more units in a cell than there are"


@pytest.mark.parametrize(
    ("statistic", "others", "said"),
    [
        (BOTH, {"currency": Currency.PURE}, "noise would be as large without it"),
        (BOTH, {"unit": {**PEOPLE, "max_rows": 1}}, "noise would be as large without it"),
        (BOTH, {"unit": "row"}, "ask for `units`"),
        ({**BOTH, "noise": "laplace"}, {}, "noise would be as large without it"),
        ({**BOTH, "shares": ["row"]}, {}, "both `max_rows_per_cell` and 'shares'"),
        ({**BOTH, "margins": True}, {}, "both `max_rows_per_cell` and 'margins'"),
        ({**BOTH, "survey_weights": "w"}, {}, "both `max_rows_per_cell` and 'survey_weights'"),
        ({**BY_MONTH, "column": "name"}, {}, "nothing, where categories are discovered"),
        ({**BOTH, "max_rows_per_cell": 2}, {}, "found 2; allowed: 1"),
        ({**BOTH, "max_rows_per_cell": True}, {}, "allowed: 1"),
    ],
)
def test_what_brings_nothing_or_means_nothing_is_refused(
    statistic: dict[str, Any], others: dict[str, Any], said: str
) -> None:
    with pytest.raises(PlanError) as refused:
        priced(statistic, **others)
    assert said in str(refused.value)
