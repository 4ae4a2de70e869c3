"""A line for each group: what one unit changes, what is found, and what is refused."""

from __future__ import annotations

from itertools import product
from math import inf, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.errors import PlanError
from dprelease.model.privacy import Currency, NeighboringRelation, PrivacyUnit, Terms
from dprelease.model.release import FittedOutput
from dprelease.model.schema import Schema
from dprelease.statistics.algebra.products import sensitivity
from dprelease.statistics.algebra.weighing import BY_SQUARES, BY_SUM, OBJECTIVE, Weights, of_objective
from dprelease.statistics.planning.price import price
from dprelease.table import Engine, Tally
from tests.statistics.kinds.test_linear import COLUMNS, drawn, plan, rows

NAMES = ["north", "south", "west", "nobody"]
GROUPED = {**COLUMNS, "region": {"type": "category", "categories": NAMES}}


def asked(epsilon: float = 1, relation: str = "add_remove", by: str = "region", **options: Any) -> dict[str, Any]:
    given = {"on": ["age", "member"], "by": [by], **options}
    return {**plan(epsilon, relation, **given), "columns": GROUPED}


def without(given: dict[str, Any]) -> dict[str, Any]:
    """The same plan of one line."""
    (statistic,) = given["statistics"]
    return {**given, "statistics": [{key: value for key, value in statistic.items() if key != "by"}]}


def coefficients(model: FittedOutput) -> dict[str, list[float]]:
    """By group: the constant, then each term's."""
    return {
        each["category"]: [
            each["function"]["intercept"],
            *(term["coefficient"] for term in each["function"]["terms"]),
        ]
        for each in model.facts["function"]["groups"]
    }


def sums_of(weights: Weights, places: tuple[float, ...], columns: int, rows_kept: int) -> np.ndarray:
    """What units of up to so many rows can add to the sums of two groups: rows of terms and outcome at some places."""
    last = columns + 1
    entries = [(i, j) for i in range(last + 1) for j in range(i, last + 1)]
    whole = np.array([(1.0, *each) for each in product(places, repeat=columns + 1)])
    one = np.stack([whole[:, i] * whole[:, j] * weights.of(i, j, last) for i, j in entries], axis=1)
    nothing = np.zeros_like(one)
    alone = np.concatenate([np.zeros((1, 2 * len(entries))), np.hstack([one, nothing]), np.hstack([nothing, one])])
    found = alone
    for _ in range(rows_kept - 1):
        found = np.unique((found[:, None] + alone[None]).reshape(-1, alone.shape[1]), axis=0)
    return found


def terms(relation: NeighboringRelation, rows_kept: int) -> Terms:
    unit = PrivacyUnit(column="person", max_rows=rows_kept) if rows_kept > 1 else PrivacyUnit()
    return Terms(unit=unit, neighbors=relation, currency=Currency.PURE)


@pytest.mark.parametrize(
    ("weights", "places"), [(BY_SUM, (-1.0, 0.5, 1.0)), (BY_SQUARES, (-1.0, 0.0, 1.0)), (OBJECTIVE, (0.0, 0.5, 1.0))]
)
@pytest.mark.parametrize(("columns", "rows_kept"), [(1, 1), (2, 1), (1, 2)])
def test_no_two_units_are_further_apart_than_stated_and_some_are_as_far(
    weights: Weights, places: tuple[float, ...], columns: int, rows_kept: int
) -> None:
    """All of a grid: two groups, one or two rows that may lie in one group or in two, before and after. What is
    stated above that is at most what rounding may add."""
    unit = 2**20
    changes = (
        of_objective(columns, columns, outcome_squared=True, grouped=False)
        if weights is OBJECTIVE
        else weights.changes(columns, columns, outcome_squared=True, grouped=False)
    )
    each = sums_of(weights, places, columns, rows_kept)
    apart = np.abs(each[:, None] - each[None])
    for relation, far in ((NeighboringRelation.SUBSTITUTE, apart), (NeighboringRelation.ADD_REMOVE, np.abs(each))):
        shape = (2, each.shape[1] // 2)
        stated = sensitivity(terms(relation, rows_kept), shape, changes, unit, grouped=False, groups=2)
        largest, square = float(far.sum(axis=-1).max()), float((far**2).sum(axis=-1).max())
        assert largest <= stated.l1 / unit <= largest + 1e-4
        assert square <= stated.l2_squared / unit**2
        assert float(far.max()) <= stated.linf / unit
        if relation is NeighboringRelation.ADD_REMOVE:
            assert stated.l2_squared / unit**2 <= square + 0.1
            assert largest == rows_kept * float(changes.alone)
            assert square == rows_kept**2 * float(changes.alone_square or 0)
        else:
            assert largest == 2 * rows_kept * float(changes.alone)


def test_oracle_of_both_sensitivities() -> None:
    """One ordered column: Σw = 128 and Σw² = 30² + 15² + 40² + 10² + 30² + 3² = 3734 by L1's weights."""
    changes = BY_SUM.changes(1, 1, outcome_squared=True, grouped=False)
    found = {
        each: sensitivity(terms(each, 3), (5, 6), changes, 1, grouped=False, groups=5) for each in NeighboringRelation
    }
    add, move = found[NeighboringRelation.ADD_REMOVE], found[NeighboringRelation.SUBSTITUTE]
    assert (add.l1, add.linf) == (3 * 128 + 3 * 6, 3 * 40)  # three groups of six sums, each rounded
    assert (move.l1, move.linf) == (2 * 3 * 128 + 5 * 6, 2 * 3 * 40)
    assert add.l2_squared >= 9 * 3734
    assert sqrt(move.l2_squared) >= 3 * sqrt(max(2 * 3734, changes.square))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("relation", ["add_remove", "substitute"])
@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize("method", ["moments", "functional"])
def test_each_group_has_its_own_line(relation: str, currency: Currency, method: str) -> None:
    """ε = 1000: noise is next to none, so that each is the line of least squares of its rows."""
    table = rows(4000)
    table.loc[table["region"] == "south", "pay"] = (90 - 0.5 * table["age"]).clip(0, 100)
    (found,) = drawn(table, asked(1000, relation, method=method), currency)
    for name in NAMES[:3]:
        own = table[table["region"] == name]
        design = np.column_stack([np.ones(len(own)), own["age"], own["member"]]).astype(float)
        expected, *_ = np.linalg.lstsq(design, own["pay"].to_numpy(), rcond=None)
        assert coefficients(found)[name] == pytest.approx(list(expected), abs=0.5)
        assert coefficients(found)[name][1] == pytest.approx(expected[1], abs=0.01)
    own = found.parts["coefficients"]
    assert own.key_names == ("region", "term")
    assert [each is None for each in own.value] == [False] * 9 + [True] * 3


def test_a_group_is_fitted_as_it_would_be_alone() -> None:
    """The same integers make the same function as those of one line."""
    (found,) = drawn(rows(500), asked(2))
    item = price(dprelease.Plan.parse(asked(2)), currency=Currency.PURE)["m"]
    one = price(dprelease.Plan.parse(without(asked(2))), currency=Currency.PURE)["m"]
    numbers = np.array(found.facts["integers"][0]).reshape(4, -1)
    schema = Schema.parse(GROUPED)
    for own, group in zip(numbers, found.facts["function"]["groups"], strict=True):
        alone = one.statistic.answered(schema, [own], item.mechanisms)
        assert isinstance(alone, FittedOutput)
        assert alone.facts["function"] == group["function"]
    assert item.could_answer(schema, found)
    swapped = {**found.facts["function"], "groups": found.facts["function"]["groups"][::-1]}
    assert not item.could_answer(schema, FittedOutput(parts=found.parts, facts={**found.facts, "function": swapped}))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("relation", ["add_remove", "substitute"])
@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize("count", [0, 1, 30])
@pytest.mark.parametrize(
    ("by", "on"), [("one", ["age"]), ("region", ["one"]), ("member", ["age", "day"]), ("member", ["region"])]
)
def test_of_few_rows_one_group_and_constant_columns_nothing_fails(
    relation: str, currency: Currency, count: int, by: str, on: list[str]
) -> None:
    (found,) = drawn(rows(30).head(count), asked(0.5, relation, by=by, on=on), currency)
    assert all(abs(number) < inf for own in coefficients(found).values() for number in own)


def test_rows_without_a_group_are_in_none() -> None:
    table = rows(900)
    table.loc[table.index % 3 == 0, "region"] = None
    (found,) = drawn(table, asked(10_000))
    numbers = np.array(found.facts["integers"][0]).reshape(4, -1)[:, 0]
    item = price(dprelease.Plan.parse(asked(10_000)), currency=Currency.PURE)["m"]
    unit = item.statistic.unit(Schema.parse(GROUPED)) * 30  # type: ignore[attr-defined]
    counted = [int((table["region"] == name).sum()) for name in NAMES]
    assert [round(int(number) / unit) for number in numbers] == counted


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "a number": ({"by": "age", "on": ["member"]}, "by"),
    "among the columns": ({"on": ["age", "region"]}, "another column"),
    "medians": ({"on": ["age"], "method": "medians"}, "no groups beside method: medians"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_before_anything_is_charged(case: str) -> None:
    options, words = BAD[case]
    with pytest.raises(PlanError, match=words):
        price(dprelease.Plan.parse(asked(**options)), currency=Currency.PURE)


def test_too_many_coefficients_are_refused() -> None:
    many = {"type": "category", "categories": [f"c{place}" for place in range(301)]}
    given = {**asked(), "columns": {**GROUPED, "region": many}}
    given["statistics"] = [{**given["statistics"][0], "on": ["age"]}]
    with pytest.raises(PlanError, match="602 coefficients"):
        price(dprelease.Plan.parse(given), currency=Currency.PURE)


def test_the_price_is_that_of_the_rows_of_one_group() -> None:
    given = asked(10, on=["age"])
    one, other = (price(dprelease.Plan.parse(each))["m"].error95 for each in (without(given), given))
    assert one is not None
    assert other == pytest.approx(4 * one, rel=1e-4)


def test_a_bundle_is_verified_and_its_model_predicts_by_group(tmp_path: Path) -> None:
    made = dprelease.Workspace.in_memory()
    made.add_dataset("people", rows(4000), epsilon=100, columns=GROUPED)
    plan_id = made.plans.submit(dprelease.Plan.parse(asked(20)))
    made.plans.approve(plan_id)
    bundle = made.publish(plan_id).write(tmp_path)
    assert dprelease.verify(bundle)
    page = (bundle / "index.html").read_text()
    assert "Nothing stood out of the noise in some groups" in page
    assert "nobody" in page
    model = dprelease.load_model(bundle / "models" / "m.json")
    new = pandas.DataFrame({"age": [50, 50, 50], "region": ["south", "west", "?"], "member": [True, True, True]})
    south, west, other = model.predict(new)
    assert south == pytest.approx(10 + 40 + 5 + 6, abs=2)
    assert west == pytest.approx(10 + 40 + 5 - 4, abs=2)
    assert np.isnan(other)


def test_tallies_that_are_integers_of_any_size_are_told_apart_too() -> None:
    """An engine answers with Python's integers where sums might not fit."""
    table = rows(300)
    item = price(dprelease.Plan.parse(asked()), currency=Currency.PURE)["m"]
    schema, engine = Schema.parse(GROUPED), Engine()
    asked_for = item.statistic.queries(schema)
    answered = engine.answer(engine.hold(table), asked_for, schema=schema, where=(), unit=PrivacyUnit())
    tallies = [np.asarray(each.values) for each in answered if isinstance(each, Tally)]
    one, other = (
        item.statistic.exact(schema, [tally.astype(kind) for tally in tallies]) for kind in (np.int64, object)
    )
    assert np.array_equal(one[0], other[0])
