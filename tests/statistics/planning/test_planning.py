"""From goals to statistics, from a schema to a codebook, and from errors back to ε."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from itertools import combinations
from time import process_time
from typing import Any

import pytest

from dprelease.errors import PlanError
from dprelease.model.plan import Plan
from dprelease.model.privacy import Currency
from dprelease.model.schema import Schema
from dprelease.model.statistic import KINDS
from dprelease.statistics.planning.codebook import codebook
from dprelease.statistics.planning.goals import GOALS, suggestions
from dprelease.statistics.planning.naming import suggested_id, unique_ids
from dprelease.statistics.planning.needed import needed_epsilon
from dprelease.statistics.planning.price import price

COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": 0, "upper": 100},
    "answer": {"type": "integer", "lower": 1, "upper": 5},
    "income": {"type": "number", "lower": 0, "upper": 200000, "resolution": 100},
    "region": {"type": "category", "categories": ["n", "s", "e"]},
    "urgent": {"type": "boolean"},
    "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31"},
    "found": {"type": "category", "categories": "discover"},
    "who": {"type": "text"},
}
SCHEMA = Schema.parse(COLUMNS)


def plan(statistics: list[dict[str, Any]], **more: Any) -> Plan:
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 1, "delta": 1e-6, **more.pop("privacy", {})}
    return Plan.parse(
        {"dprelease": 1, "dataset": "d", "privacy": privacy, "expected": {"rows": 10000}, "statistics": statistics}
        | more
    )


def with_ids(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    ids = unique_ids([""] * len(items), (suggested_id(item["kind"], item) for item in items))
    return [{"id": chosen, **item} for chosen, item in zip(ids, items, strict=True)]


@pytest.mark.parametrize("goal", GOALS)
def test_every_suggestion_is_a_statistic_that_has_a_price(goal: str) -> None:
    names = [column.name for column in SCHEMA if GOALS[goal].takes(column)]
    found = [
        item
        for size in range(GOALS[goal].fewest, min(3, GOALS[goal].most) + 1)
        for some in combinations(names, size)
        for item in suggestions(goal, some, SCHEMA, units=True)
    ]
    assert found
    price(plan(with_ids(found)), SCHEMA)


@pytest.mark.parametrize(
    ("goal", "names", "kind"),
    [
        ("how_many", [], "count"),
        ("how_many", ["region"], "histogram"),
        ("how_many", ["region", "urgent"], "crosstab"),
        ("average", ["income"], "mean"),
        ("spread", ["age"], "histogram"),
        ("compare", ["income", "region"], "mean"),
        ("compare", ["region", "urgent"], "crosstab"),
        ("relate", ["age", "income"], "correlation"),
        ("relate", ["age", "region"], "mean"),
        ("common", ["found"], "top"),
        ("model", ["age", "income"], "covariance"),
        ("total", ["income"], "sum"),
    ],
)
def test_the_first_suggestion_is_the_usual_one(goal: str, names: list[str], kind: str) -> None:
    first = suggestions(goal, names, SCHEMA)[0]
    assert first["kind"] == kind
    assert kind in KINDS


@pytest.mark.parametrize(
    ("upper", "level"), [("2025-02-01", "day"), ("2025-12-31", "week"), ("2028-12-31", "month"), ("2100-12-31", "year")]
)
def test_over_time_is_told_at_the_finest_level_that_a_line_can_show(upper: str, level: str) -> None:
    schema = Schema.parse({**COLUMNS, "day": {"type": "date", "lower": "2025-01-01", "upper": upper}})
    assert suggestions("over_time", ["day"], schema)[0]["levels"] == {"day": level}
    crossed = suggestions("over_time", ["region", "day"], schema)[0]
    assert (crossed["columns"], crossed["levels"]) == (["region", "day"], {"day": level})


def test_what_a_goal_cannot_use_suggests_nothing() -> None:
    assert suggestions("average", ["region"], SCHEMA) == ()
    assert suggestions("relate", ["age"], SCHEMA) == ()
    assert suggestions("spread", ["found"], SCHEMA) == ()
    assert suggestions("compare", ["age"], SCHEMA) == ()


def test_a_codebook_says_something_of_every_column() -> None:
    found = codebook(SCHEMA, leaving_out=["urgent"])
    assert [(item["kind"], item.get("column")) for item in found] == [
        ("count", None),
        ("mean", "age"),
        ("histogram", "answer"),
        ("mean", "income"),
        ("histogram", "region"),
        ("histogram", "day"),
    ]
    assert found[-1]["levels"] == {"day": "month"}
    assert price(plan(found), SCHEMA).loss.epsilon == 1


def test_a_codebook_of_many_columns_has_an_id_for_each() -> None:
    schema = Schema.parse({f"q {number} {'x' * 80}": {"type": "boolean"} for number in range(300)})
    ids = [item["id"] for item in codebook(schema)]
    assert len(set(ids)) == 301
    assert all(len(each) <= 60 for each in ids)


@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize(
    "statistics",
    [
        [{"kind": "mean", "column": "income"}, {"kind": "count"}],
        [{"kind": "variance", "column": "age"}, {"kind": "sum", "column": "age", "epsilon": 0.05}],
    ],
)
def test_the_epsilon_that_is_needed_is_enough_and_not_much_more(
    currency: Currency, statistics: list[dict[str, Any]]
) -> None:
    wanted = plan(with_ids(statistics))
    ids = [item.id for item in wanted.statistics]
    errors = {ids[0]: (price(wanted, SCHEMA, currency=currency)[ids[0]].error95 or 0) / 3}
    needed = needed_epsilon(wanted, SCHEMA, currency, errors)
    assert needed > 1

    def error(epsilon: Decimal) -> float:
        at = plan(with_ids(statistics), privacy={"epsilon": str(epsilon)})
        return price(at, SCHEMA, currency=currency)[ids[0]].error95 or 0

    assert error(needed) <= errors[ids[0]] < error((needed * Decimal("0.98")).quantize(Decimal("1e-6")))


def test_several_errors_are_all_kept_to() -> None:
    wanted = plan(with_ids([{"kind": "count"}, {"kind": "mean", "column": "income", "weight": 3}]))
    loose, tight = {"count": 100.0}, {"mean_income": 50.0}
    both = needed_epsilon(wanted, SCHEMA, Currency.PURE, loose | tight)
    assert both == max(needed_epsilon(wanted, SCHEMA, Currency.PURE, each) for each in (loose, tight))


def test_an_error_that_no_epsilon_gives_is_refused_with_a_reason() -> None:
    wanted = plan(with_ids([{"kind": "mean", "column": "income"}]), expected=None)
    with pytest.raises(PlanError, match="expected number of rows"):
        needed_epsilon(wanted, SCHEMA, Currency.PURE, {"mean_income": 5.0})
    with pytest.raises(PlanError, match="above 0"):
        needed_epsilon(wanted, SCHEMA, Currency.PURE, {"mean_income": 0.0})


@pytest.mark.one_in(5)
@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize("mixed", [False, True])
def test_a_plan_of_300_statistics_is_priced_while_somebody_waits(mixed: bool, currency: Currency) -> None:
    """Below 100 ms of a processor; the limit leaves room for a slow one, and none for a second a statistic."""
    columns = {f"c{number}": [*COLUMNS.values()][number % 5] for number in range(300)}
    schema = Schema.parse(columns)
    wanted = plan(with_ids([several(schema, number) for number in range(300)]) if mixed else codebook(schema))
    price(wanted, schema, currency=currency)
    started = process_time()
    for epsilon_nano in (10**9 + 1, 10**9 + 2):
        price(replace(wanted, epsilon_nano=epsilon_nano), schema, currency=currency)
    assert process_time() - started < 2.0


def several(schema: Schema, number: int) -> dict[str, Any]:
    """One of many kinds of statistics, of columns of its own."""
    age, answer, income, region, urgent = (f"c{number // 5 * 5 + place}" for place in range(5))
    asked = [
        ("total", [income]),
        ("average", [age]),
        ("spread", [income]),
        ("compare", [income, region]),
        ("relate", [age, income]),
        ("relate", [region, urgent]),
        ("common", [answer]),
        ("how_many", [urgent]),
    ]
    goal, names = asked[number % len(asked)]
    found = suggestions(goal, names, schema, units=False)
    return found[number // len(asked) % len(found)]


@pytest.mark.parametrize(
    ("column", "expected"),
    [("tamaño_municipio", "mean_tamano_municipio"), ("Łódź", "mean_lodz"), ("Αθήνα 2", "mean_athina_2"), ("—", "mean")],
)
def test_ids_are_spelt_in_ascii(column: str, expected: str) -> None:
    assert suggested_id("mean", {"column": column}) == expected
