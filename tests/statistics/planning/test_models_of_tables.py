"""Models that are fitted to tables which the plan publishes anyway: at no ε, none worse than alone, each checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

import dprelease
from dprelease.errors import IntegrityError
from dprelease.model.plan import Plan
from dprelease.model.privacy import Currency
from dprelease.model.release import FittedOutput
from dprelease.statistics.planning.price import Price, price
from dprelease.statistics.planning.stated import as_stated
from dprelease.verdict.model_tables import check_models
from tests.statistics.planning.test_sharing import apart

COLUMNS: dict[str, Any] = {
    "ill": {"type": "boolean", "count_missing_as": False},
    "sex": {"type": "category", "categories": ["f", "m"], "count_missing_as": "f"},
    "age": {"type": "integer", "lower": 0, "upper": 99, "count_missing_as": 0},
    "one": {"type": "category", "categories": ["x"], "count_missing_as": "x"},
    "gap": {"type": "category", "categories": ["a", "b"]},
}
SEXES = {"kind": "crosstab", "columns": ["sex", "ill"]}
AGES = {"kind": "crosstab", "columns": ["ill", "age"], "bins": {"age": 10}}
BOTH = {"kind": "crosstab", "columns": ["age", "sex"], "bins": {"age": 10}}
FAMILY = {"kind": "workload", "columns": ["sex", "ill", "age"], "bins": {"age": 10}}
BAYES = {"kind": "naive_bayes", "outcome": "ill", "on": ["sex", "age"], "bins": {"age": 10}}
ALONE = {"kind": "naive_bayes", "outcome": "ill", "on": ["sex"]}
CARD = {**BAYES, "kind": "scorecard"}


def asked(*statistics: dict[str, Any], rows: int | None = 10_000, **others: Any) -> dict[str, Any]:
    named = [{"id": f"s{place}", **statistic} for place, statistic in enumerate(statistics)]
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 1, "delta": others.pop("delta", 0)}
    plan = {"dprelease": 1, "dataset": "d", "privacy": privacy, "columns": COLUMNS, "statistics": named, **others}
    return plan if rows is None else {**plan, "expected": {"rows": rows}}


def priced(*statistics: dict[str, Any], currency: Currency = Currency.PURE, **others: Any) -> Price:
    delta = 1e-6 if currency is Currency.ZCDP else 0
    return price(Plan.parse(asked(*statistics, delta=delta, **others)), currency=currency)


@pytest.mark.parametrize("currency", Currency)
def test_a_model_follows_from_the_tables_of_its_inputs(currency: Currency) -> None:
    """Its share goes to them, half each: so they err less, and it less than by tables of its own."""
    statistics = [SEXES, AGES, BAYES]
    together = priced(*statistics, currency=currency)
    with apart():
        alone = priced(*statistics, currency=currency)
    model = together["s2"]
    assert (model.derivation.name, model.sources) == ("tables", ("s0", "s1"))
    assert together.loss == alone.loss
    assert len(together.measurements) == 2
    assert model.loss.nano == 0 < alone["s2"].loss.nano
    ratio = (model.error95 or 0) / (alone["s2"].error95 or 1)
    assert ratio < (1 / 8 if currency is Currency.PURE else 1 / 2)  # a half of the share instead of a sixth
    assert together["s0"].mechanisms[0].scale < alone["s0"].mechanisms[0].scale


@pytest.mark.parametrize(
    "statistics",
    [
        [SEXES, BAYES],  # a table is missing
        [SEXES, {**AGES, "bins": {"age": 5}}, BAYES],  # other bins
        [SEXES, AGES, {**BAYES, "epsilon": 0.1}],
        [{**SEXES, "epsilon": 0.1}, AGES, BAYES],
        [SEXES, {**AGES, "noise": "laplace"}, BAYES],
        [SEXES, AGES, {**ALONE, "on": ["sex", "age"], "method": "normal"}],
        [{"kind": "crosstab", "columns": ["gap", "ill"]}, SEXES, {**ALONE, "on": ["sex", "gap"]}],
        [SEXES, AGES, {**CARD, "together": "all"}],  # no table of both inputs
        [{"kind": "crosstab", "columns": ["sex", "ill", "age"], "bins": {"age": 10}}, BAYES],  # only sums tell them
    ],
)
def test_where_tables_do_not_tell_the_same_it_measures_its_own(statistics: list[dict[str, Any]]) -> None:
    assert priced(*statistics)[f"s{len(statistics) - 1}"].derivation.name == "own"


def test_a_table_with_missing_values_tells_a_model_of_its_column_alone() -> None:
    found = priced({"kind": "crosstab", "columns": ["gap", "ill"]}, {**ALONE, "on": ["gap"]})
    assert found["s1"].sources == ("s0",)


def test_a_scorecard_takes_pairs_where_their_tables_are_there_and_pay() -> None:
    with_pairs = priced(SEXES, AGES, BOTH, CARD)
    assert with_pairs["s3"].sources == ("s0", "s1", "s2")
    without = priced(SEXES, AGES, BOTH, CARD, rows=100)  # by its rule a table of both would be noise
    assert without["s3"].sources == ("s0", "s1")
    assert priced(SEXES, AGES, CARD)["s2"].derivation.name == "own"  # it would lose its pairs
    assert priced(SEXES, AGES, {**CARD, "together": "none"})["s2"].sources == ("s0", "s1")
    assert priced(SEXES, AGES, BOTH, {**CARD, "together": [["age", "sex"]]})["s3"].sources == ("s0", "s1", "s2")


def test_a_workload_pays_where_its_tables_get_noise_as_they_are() -> None:
    assert priced(FAMILY, CARD)["s1"].sources == ("s0",)
    assert priced(FAMILY, CARD, currency=Currency.ZCDP)["s1"].derivation.name == "own"  # noise is on residuals


TABLES = [SEXES, AGES, BOTH, FAMILY, {**SEXES, "margins": True}, {**AGES, "weight": 0.01}, {**AGES, "shares": ["row"]}]
MODELS = [BAYES, CARD, {**CARD, "together": "all"}, {**CARD, "together": "none"}, ALONE]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from(TABLES), min_size=1, max_size=4),
    st.lists(st.tuples(st.sampled_from(MODELS), st.sampled_from([0.1, 1, 10])), min_size=1, max_size=2),
    st.sampled_from(list(Currency)),
    st.sampled_from([None, 50, 100_000]),
)
def test_nobody_errs_more_and_the_statement_gives_the_same_price(
    tables: list[dict[str, Any]],
    models: list[tuple[dict[str, Any], float]],
    currency: Currency,
    rows: int | None,
) -> None:
    statistics = [*tables, *({**model, "weight": weight} for model, weight in models)]
    together = priced(*statistics, currency=currency, rows=rows)
    with apart():
        alone = priced(*statistics, currency=currency, rows=rows)
    for item, other in zip(together.statistics, alone.statistics, strict=True):
        assert (item.error95 or 0) <= (other.error95 or 0) * (1 + 1e-6)  # found by halving
        one, own = ([each.scale for each in given.derivation.mechanisms] for given in (item, other))
        if item.derivation.name == "tables":
            assert len(one) >= len(own)  # pairs are counted where it would count them itself
            many = 1 if rows is None else 0
            assert all(new <= old * (1 + 1e-9) for new, old in zip(one[:many], own[:many], strict=True))
    stated = [item.stated(together.plan.schema) for item in together.statistics]
    again = as_stated(together.plan, [each.stated() for each in together.measurements], stated, currency=currency)
    assert [item.stated(again.plan.schema) for item in again.statistics] == stated


@pytest.mark.parametrize("measurements", [("s1", "s0"), ("s0",), ("s0", "s1", "s3"), ("s0", "s2"), ("s0", "s0")])
def test_a_statement_of_other_tables_is_refused(measurements: tuple[str, ...]) -> None:
    price = priced(SEXES, AGES, BAYES, {"kind": "crosstab", "columns": ["one", "ill"]})
    stated = [item.stated(price.plan.schema) for item in price.statistics]
    made = [each.stated() for each in price.measurements]
    as_stated(price.plan, made, stated, currency=Currency.PURE)
    stated[2] = structs.replace(stated[2], measurements=measurements)
    with pytest.raises(IntegrityError, match=r"s2|measurements: not those"):
        as_stated(price.plan, made, stated, currency=Currency.PURE)


def rows(count: int) -> pandas.DataFrame:
    rng = np.random.default_rng(8)
    age = rng.integers(0, 100, count)
    return pandas.DataFrame(
        {
            "ill": rng.random(count) < 0.1 + 0.8 * (age > 50),
            "sex": rng.choice(["f", "m"], count),
            "age": age,
            "one": ["x"] * count,
            "gap": rng.choice(["a", "b"], count),
        }
    )


def published(plan: dict[str, Any], count: int = 2000, currency: str = "pure") -> dprelease.Release:
    workspace = dprelease.Workspace.in_memory()
    neighbors = plan["privacy"]["neighbors"]
    workspace.add_population("p", unit="row", neighbors=neighbors, epsilon=2, delta=1e-5, currency=currency)
    workspace.add_dataset("d", rows(count), population="p", columns=COLUMNS)
    workspace.preview(Plan.parse(plan))
    return workspace.publish(Plan.parse(plan))


@pytest.mark.parametrize(
    ("statistics", "count", "currency", "neighbors", "others"),
    [
        pytest.param([SEXES, AGES, BOTH, CARD, BAYES], 2000, "pure", "add_remove", {}, marks=pytest.mark.full),
        pytest.param([{**SEXES, "margins": True}, AGES, BAYES], 0, "zcdp", "substitute", {}, marks=pytest.mark.full),
        pytest.param([FAMILY, {**CARD, "together": "all"}], 2000, "pure", "substitute", {}, marks=pytest.mark.full),
        pytest.param(
            [SEXES, AGES, BAYES],
            1,
            "pure",
            "add_remove",
            {"postprocess": ["consistent", "nonnegative"]},
            marks=pytest.mark.full,
        ),
        (
            [{**SEXES, "columns": ["ill", "one"]}, {**ALONE, "on": ["one"]}],
            50,
            "pure",
            "add_remove",
            {"rows": None},
        ),
    ],
)
def test_it_is_published_of_just_their_integers(
    statistics: list[dict[str, Any]],
    count: int,
    currency: str,
    neighbors: str,
    others: dict[str, Any],
    tmp_path: Path,
) -> None:
    plan = asked(*statistics, delta=1e-6 if currency == "zcdp" else 0, **others)
    plan["privacy"]["neighbors"] = neighbors
    release = published(plan, count, currency)
    verdict = dprelease.verify(release.write(tmp_path))
    fitted = [each for each in release.certificate.statistics if each.is_fitted]
    assert [check.values["count"] for check in verdict.checks if check.code == "check.models"] == [len(fitted)]
    for stated in fitted:
        assert stated.sources
        output = release.outputs[stated.id]
        assert isinstance(output, FittedOutput)
        first = [abs(number) for number in output.facts["integers"][0]]
        if "s0" in stated.sources and "s0" in release.tables:
            own = release.tables["s0"]
            raw = own.extra.get("raw", own.without_totals().value)
            assert sorted(first) == sorted(map(abs, raw))  # type: ignore[type-var, arg-type]


def test_integers_of_no_table_are_told() -> None:
    """Each list is held against the published tables by a second implementation, whichever way round they are."""
    release = published(asked(SEXES, AGES, BAYES))
    assert check_models(release) == 1
    output = release.outputs["s2"]
    assert isinstance(output, FittedOutput)
    for place in (0, 1):
        lists = [list(each) for each in output.facts["integers"]]
        lists[place][0] += 1
        other = FittedOutput(parts=output.parts, facts={**output.facts, "integers": lists})
        with pytest.raises(IntegrityError, match="s2"):
            check_models(replace(release, outputs={**release.outputs, "s2": other}))


def test_the_workbench_draws_it_with_the_tables_that_it_is_fitted_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """True and simulated ones, at the plan's ε and at others: what is opened alone is drawn of several measurements."""
    monkeypatch.setattr("dprelease.workspace.look.DRAWS", 3)
    workspace = dprelease.Workspace.in_memory()
    workspace.add_population("p", unit="row", neighbors="add_remove", epsilon=2)
    workspace.add_dataset("d", rows(3000), population="p", columns=COLUMNS)
    look = workspace.plans.look(Plan.parse(asked(SEXES, AGES, BAYES)), invented=False)
    assert "s2.points" in look.names
    list(look.prepare("s2.points"))
    drawn = look.draw("s2.points")
    assert len(drawn) == 12
    assert look.open("s2.points").to_json()["statistic"] == "s2"
    errors = look.bench.errors["s2"]
    assert len(errors) == len(look.bench.ladder)
    assert all(error is not None for error in errors)
    assert errors[0] > errors[-1]  # type: ignore[operator]
