"""A line through medians in bins: how near it comes, its intervals, what it says of few rows, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.errors import InputError, IntegrityError, PlanError
from dprelease.model.function.facts import ModelFacts
from dprelease.model.function.fitted import FittedModel
from dprelease.model.privacy import Currency
from dprelease.model.release import FittedOutput, Release
from dprelease.model.schema import Schema
from dprelease.statistics.medians import MedianLine, Medians, resistant
from dprelease.statistics.planning.price import Price, price
from dprelease.statistics.remarks import remarks
from dprelease.verdict.through_medians import check_lines
from tests.statistics.kinds.test_linear import COLUMNS, coefficients, drawn, plan, rows

MEDIANS = {"method": "medians", "on": ["age"]}
SCHEMA = Schema.parse(COLUMNS)


def people(count: int, seed: int = 0) -> pandas.DataFrame:
    """Pay goes up by 0.8 a year from 10, but for one in twenty, who has none."""
    table = rows(count, seed=seed)[["age"]]
    rng = np.random.default_rng(seed + 1)
    pay = np.round(2 * (10 + 0.8 * table["age"] + 6 * rng.normal(size=count))) / 2
    return table.assign(pay=np.where(rng.random(count) < 0.05, 0, np.clip(pay, 0, 100)))


def bill_of(asked: dict[str, Any], currency: Currency = Currency.PURE) -> Price:
    return price(dprelease.Plan.parse(asked), currency=currency)


@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize("relation", ["add_remove", "substitute"])
def test_outliers_hardly_move_it(currency: Currency, relation: str) -> None:
    """ε = 20: noise is next to none. Of least squares the slope would be 0.75."""
    (found,) = drawn(people(20_000), plan(20, relation, **MEDIANS), currency)
    assert coefficients(found)["age"] == pytest.approx(0.8, abs=0.04)
    assert coefficients(found)["intercept"] == pytest.approx(10, abs=2)
    own = found.parts["coefficients"]
    assert list(own.value) == list(own.extra["predicts"])
    assert all(low <= value <= high for low, value, high in zip(own.lower95, own.value, own.upper95, strict=True))
    assert found.facts["function"]["method"] == "medians"


@pytest.mark.full
@pytest.mark.parametrize(("currency", "epsilon"), [(Currency.PURE, 0.3), (Currency.ZCDP, 0.3)])
def test_intervals_hold_the_line_by_the_same_weights_through_true_medians(currency: Currency, epsilon: float) -> None:
    """Of 200 releases at least 90 in 100 (95 stated; intervals of medians reach to the next edge, which is beyond).
    False alarms: 2e-3 were it just 95, and none with the 99 that are seen."""
    table, asked = people(8000), plan(epsilon, **MEDIANS)
    inner, item = Medians.of("m", "pay", "age"), bill_of(asked, currency)["m"]
    codes = np.clip((table["age"] - 20) * 8 // 60, 0, 7)
    middles = np.array([float(2 * np.median(table["pay"][codes == each]) / 100 - 1) for each in range(8)])
    held = np.zeros(2)
    for model in drawn(table, asked, currency, 200):
        shapes = item.statistic.sealed_shapes(SCHEMA, item.mechanisms)  # type: ignore[attr-defined]
        sealed = [np.array(each).reshape(shape) for each, shape in zip(model.facts["integers"], shapes, strict=True)]
        line = inner.line(SCHEMA, sealed, item.mechanisms)
        kept = sealed[1] >= inner.least_rows(item.mechanisms[1])
        for place, parts in enumerate(line.parts):
            _, low, high = line.told(parts)
            held[place] += low - 0.01 <= float(np.dot(parts, middles[kept])) <= high + 0.01
    assert held.min() >= 0.9 * 200


@pytest.mark.one_in(3)
@pytest.mark.parametrize("relation", ["add_remove", "substitute"])
@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize("count", [0, 1, 3])
def test_of_few_rows_no_line_is_told(relation: str, currency: Currency, count: int) -> None:
    """Two of eight bins without rows pass with less than 1 in 20,000; a bin of 3 rows hardly more often."""
    for found in drawn(people(3).head(count), plan(0.5, relation, **MEDIANS), currency, times=3):
        assert_nothing(found)


def assert_nothing(model: FittedOutput) -> None:
    """The file says that it predicts nothing, and the table has no number."""
    own = model.parts["coefficients"]
    assert {*own.value, *own.lower95, *own.upper95, *own.extra["predicts"], *own.extra["across"]} == {None}
    assert model.facts["function"]["link"] == "none"
    assert model.facts["function"]["bins_used"] < 2
    with pytest.raises(InputError, match="too few bins"):
        FittedModel(ModelFacts.read(model.facts)).predict({"age": [50]})


def in_part(share: float, count: int) -> pandas.DataFrame:
    """A constant outcome, of ages in so many eighths of the bounds."""
    ages = 20 + np.floor(np.arange(count) / count * 60 * share)
    return pandas.DataFrame({"age": ages.astype(int), "pay": np.full(count, 20.0)})


CROSSING = [(Currency.PURE, 0.3), (Currency.PURE, 1), (Currency.PURE, 5), (Currency.ZCDP, 1), (Currency.ZCDP, 3)]


def in_part_told(
    share: float, count: int, setting: tuple[Currency, float], relation: str, times: int
) -> tuple[int, int]:
    """How many of so many releases tell a line, and how many of these hold (20, 0): a constant's by any weights."""
    currency, epsilon = setting
    told = held = 0
    for found in drawn(in_part(share, count), plan(epsilon, relation, **MEDIANS), currency, times):
        own = found.parts["coefficients"]
        ends: Any = list(zip(own.lower95, (20, 0), own.upper95, strict=True))
        if own.value[0] is not None:
            told += 1
            held += all(low - 1e-6 <= true <= high + 1e-6 for low, true, high in ends)
    return told, held


@pytest.mark.parametrize("relation", ["add_remove", "substitute"])
def test_rows_in_a_part_of_the_declared_range(relation: str) -> None:
    """With rows in half of the range intervals hold at least 90 % of 20 releases (95 stated, 100 seen; false alarms 8 %
    were it 95, and none with what is seen); with rows in one bin a line is told in 1 of 20 at most."""
    told, held = in_part_told(1 / 2, 2000, (Currency.PURE, 1), relation, 20)
    assert told == 20
    assert held >= 18
    told, _ = in_part_told(1 / 8, 2000, (Currency.PURE, 1), relation, 20)
    assert told <= 1


@pytest.mark.full
@pytest.mark.parametrize("relation", ["add_remove", "substitute"])
@pytest.mark.parametrize("setting", CROSSING)
@pytest.mark.parametrize("count", [100, 500, 2000, 50_000])
@pytest.mark.parametrize("share", [1 / 8, 1 / 4, 1 / 2, 1])
def test_the_coverage_of_the_crossing(share: float, count: int, setting: tuple[Currency, float], relation: str) -> None:
    """Of 200 releases 92 in 100 of those that tell a line hold both coefficients; of rows in one bin 0.9 % tell one.

    False alarms: 100 % are seen to hold; more than 9 of 200 tell one with 1e-5 a setting."""
    told, held = in_part_told(share, count, setting, relation, 200)
    assert held >= 0.92 * told
    if share == 1 / 8:
        assert told <= 9
    elif count >= 2000:
        assert told >= 190


def test_noise_that_is_next_to_none_keeps_no_bin_without_rows() -> None:
    """ε = 10,000: a bin without rows has exactly 0, which is not more than noise reaches."""
    for found in drawn(in_part(1 / 8, 100), plan(10_000, **MEDIANS), times=3):
        assert_nothing(found)
    (found,) = drawn(in_part(1 / 4, 100), plan(10_000, **MEDIANS))
    assert found.facts["function"]["bins_used"] == 2


def test_middles_of_bins_lie_where_the_values_do() -> None:
    """Of nine values the last of eight bins holds two: its middle is between them."""
    schema = Schema.parse({name: {"type": "integer", "lower": 0, "upper": 8} for name in ("x", "y")})
    asked = {**plan(1000), "columns": {name: column.to_mapping() for name, column in schema.columns.items()}}
    asked["statistics"] = [{"id": "m", "kind": "linear", "outcome": "y", "on": ["x"], "method": "medians"}]
    item = bill_of(asked)["m"]
    sealed = [np.zeros(8, dtype=int), np.full(8, 50), np.full((8, 9), 5)]
    found = Medians.of("m", "y", "x").line(schema, sealed, item.mechanisms)
    assert found.x == [-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.875]


def test_the_price_says_which_rows_a_bin_needs() -> None:
    bill = bill_of(plan(1, **MEDIANS))
    (remark,) = [each for each in remarks(bill) if each.code == "bins_left_out"]
    assert remark.values == {"statistic": "m", "column": "age", "bins": 8, "rows": remark.values["rows"]}
    noise = bill["m"].mechanisms[1]
    assert 0.0 < 2 * np.exp(-int(remark.values["rows"]) / noise.scale) / (1 + np.exp(-1 / noise.scale)) <= 0.0025
    assert not [each for each in remarks(bill_of(plan(1))) if each.code == "bins_left_out"]


@pytest.mark.parametrize(
    ("options", "alone"), [(MEDIANS, True), ({"intercept": False, "on": ["age"]}, True), ({}, False)]
)
def test_the_price_says_which_lines_tell_nothing_of_sampling(options: dict[str, Any], alone: bool) -> None:
    """Medians and a line through 0 take neither rows nor squares of the outcome, which such an interval needs."""
    asked = plan(1, **options)
    assert ("line_of_noise_alone" in [each.code for each in remarks(bill_of(asked))]) is alone


def test_of_two_values_it_is_the_line_through_both_medians() -> None:
    columns = {"z": {"type": "integer", "lower": 0, "upper": 1}, "pay": COLUMNS["pay"]}
    asked = {**plan(50), "columns": columns}
    asked["statistics"] = [{"id": "m", "kind": "linear", "outcome": "pay", "on": ["z"], "method": "medians"}]
    table = pandas.DataFrame({"z": [0, 1] * 500, "pay": [20.0, 60.0] * 500})
    (found,) = drawn(table, asked)
    assert coefficients(found) == {"intercept": pytest.approx(20, abs=0.5), "z": pytest.approx(40, abs=1)}


def test_a_point_off_the_line_counts_less() -> None:
    x = [-0.75, -0.25, 0.25, 0.75]
    found = resistant(x, [-0.375, -0.125, 0.9, 0.375], [1.0] * 4)
    assert found[2] < 0.2 * min(found[0], found[3])
    flat = resistant(x, [0.5, 0.5, 0.5, 0.5], [1.0, 2.0, 3.0, 4.0])
    assert flat == [1.0, 2.0, 3.0, 4.0]
    _, low, high = MedianLine(x, flat, [0.0] * 4, [(-0.1, 0.2)] * 4).told([0.5, -0.5, 0.0, 0.0])
    assert (low, high) == (pytest.approx(-((0.0025 + 0.01) ** 0.5)), pytest.approx((0.01 + 0.0025) ** 0.5))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"on": ["age", "member"]}, "one numeric column"),
        ({"on": ["region"]}, "one numeric column"),
        ({"on": ["age"], "noise": "laplace"}, "medians are chosen"),
        ({"on": ["pay"]}, "outcome"),
    ],
)
def test_what_has_no_such_line_is_refused_before_any_charge(options: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=said):
        bill_of(plan(**{"method": "medians", **options}))


def test_the_price_falls_with_epsilon_and_needs_expected_rows() -> None:
    errors = [bill_of(plan(epsilon, **MEDIANS))["m"].error95 for epsilon in (0.03, 0.3, 3)]
    assert errors == sorted(errors, reverse=True)  # type: ignore[type-var]
    assert 0 < errors[2] < errors[0] <= 100  # type: ignore[operator]
    without = {key: value for key, value in plan(**MEDIANS).items() if key != "expected"}
    assert bill_of(without)["m"].error95 is None


def published(table: pandas.DataFrame, epsilon: float = 5) -> tuple[dict[str, Any], Release]:
    """The plan of a release of a line through medians, and the release."""
    made = dprelease.Workspace.in_memory()
    made.add_dataset("people", table, epsilon=100, columns={name: COLUMNS[name] for name in ("age", "pay")})
    asked = {**plan(epsilon, **MEDIANS), "columns": {name: COLUMNS[name] for name in ("age", "pay")}}
    plan_id = made.plans.submit(dprelease.Plan.parse(asked))
    made.plans.approve(plan_id)
    return asked, made.publish(plan_id)


def test_a_line_that_is_not_told_is_published_in_words_and_verified(tmp_path: Path) -> None:
    """Rows in one bin at ε = 50, where noise reaches 3 rows or less: the others stay out in all but 1 % of releases."""
    _, release = published(in_part(1 / 8, 400), 50)
    bundle = release.write(tmp_path)
    assert dprelease.verify(bundle, pictures=False)
    page = (bundle / "index.html").read_text()
    for said in ("Too few bins with rows", "only 1 had rows", "The file predicts nothing"):
        assert said in page
    assert "The function as a table" not in page
    assert [line.rsplit(",", 1)[1] for line in (bundle / "tables" / "m.coefficients.csv").read_text().split()[1:]] == [
        "O",
        "O",
    ]
    assert not (bundle / "models" / "m.pmml").exists()
    with pytest.raises(InputError, match="too few bins"):
        dprelease.load_model(bundle / "models" / "m.json").predict({"age": [50]})


def test_the_second_implementation_refuses_a_line_of_other_bins() -> None:
    """What the first would make of them, were its rule another one."""
    _, release = published(people(4000))
    assert check_lines(release) == 1
    output = release.outputs["m"]
    assert isinstance(output, FittedOutput)
    table, function = output.parts["coefficients"], output.facts["function"]
    start, slope = table.value
    assert isinstance(slope, float)
    moved = replace(table, value=[start, slope * 1.01], extra={**table.extra, "predicts": [start, slope * 1.01]})
    others = [
        replace(output, parts={"coefficients": moved}),
        replace(output, facts={**output.facts, "function": {**function, "bins_used": function["bins_used"] - 1}}),
        replace(output, facts={**output.facts, "integers": [[*reversed(each)] for each in output.facts["integers"]]}),
    ]
    for other in others:
        with pytest.raises(IntegrityError, match="medians"):
            check_lines(replace(release, outputs={"m": other}))


def test_a_bundle_is_verified_made_again_and_forgeries_are_seen(tmp_path: Path) -> None:
    asked, release = published(people(4000))
    bundle = release.write(tmp_path)
    assert dprelease.verify(bundle)
    assert "medians in eight bins" in (bundle / "index.html").read_text()
    predicted = dprelease.load_model(bundle / "models" / "m.json").predict({"age": [50]})
    assert predicted[0] == pytest.approx(50, abs=8)
    output, item = release.outputs["m"], bill_of(asked)["m"]
    assert isinstance(output, FittedOutput)
    schema = Schema.parse(asked["columns"])
    for place, number in ((0, 10**6), (0, -1), (1, "x"), (2, None)):
        integers = [list(each) for each in output.facts["integers"]]
        integers[place][0] = number
        forged = FittedOutput(parts=output.parts, facts={**output.facts, "integers": integers})
        assert not item.could_answer(schema, forged)
    assert item.could_answer(schema, output)
