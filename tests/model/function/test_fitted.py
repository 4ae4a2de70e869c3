"""What a published model predicts, by hand-worked examples; the PMML tests compare 300 rows of every kind."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.errors import InputError
from dprelease.model.function.facts import ModelFacts
from dprelease.model.function.fitted import FittedModel
from tests.model.function.made import MODELS, rows

ROW = {"age": [50], "bmi": [30.0], "sex": ["M"], "smoker": [True], "admitted": ["2024-01-11"]}


def model(name: str, **function: Any) -> FittedModel:
    facts = MODELS[name]
    return FittedModel(ModelFacts.read({**facts, "function": {**facts["function"], **function}}))


def one(columns: dict[str, list[Any]], **changed: Any) -> dict[str, list[Any]]:
    return {**columns, **{name: [value] for name, value in changed.items()}}


def test_a_line_is_added_up_and_cut() -> None:
    days = (date(2024, 1, 11) - date(1970, 1, 1)).days
    expected = -8500 + 21.5 * 50 - 13.0625 * 30 + 310 + 777.25 + 0.5 * days
    assert model("linear").predict(ROW)[0] == expected
    assert model("linear", intercept=0.0).predict(ROW)[0] == 5000
    assert model("linear", intercept=-1e6).predict(ROW)[0] == 0


def test_each_row_is_told_by_the_function_of_its_group() -> None:
    columns = {"age": [50, 50, 50, 50, 50], "sex": ["F", "M", "=x <b>", "Z", None], "smoker": [True] * 5}
    found = model("linear_by").predict(columns)
    assert found[:3].tolist() == [-500 + 31.25 * 50 + 312.5, 80.5 + 12 * 50 + 120, 0]
    assert np.isnan(found[3:]).all()
    parts = model("linear_by").contributions(columns)[:, :, 0]
    assert parts[:3, 0].tolist() == [-500, 80.5, 9]
    assert np.isnan(parts[3:]).all()
    lower, upper = model("linear_by").interval(columns)[:2].T
    half = 1.959963984540054 * np.sqrt(np.array([0.25, 0.5]) * (1 + 50**2 + 1))
    assert upper - lower == pytest.approx(2 * half)


def test_groups_without_a_stated_noise_have_no_interval() -> None:
    groups = [{**each, "function": {**each["function"]}} for each in MODELS["linear_by"]["function"]["groups"]]
    del groups[1]["function"]["covariance"]
    columns = {"age": [50, 50], "sex": ["F", "M"], "smoker": [True, False]}
    lower, _ = model("linear_by", groups=groups).interval(columns).T
    assert np.isnan(lower).tolist() == [False, True]
    for each in groups:
        each["function"].pop("covariance", None)
    with pytest.raises(InputError, match="covariance"):
        model("linear_by", groups=groups).interval(columns)


def test_values_beyond_the_bounds_count_as_the_bound() -> None:
    fitted = model("linear")
    assert fitted.predict(one(ROW, age=200)) == fitted.predict(one(ROW, age=90))
    assert fitted.predict(one(ROW, admitted="1990-01-01")) == fitted.predict(one(ROW, admitted="2024-01-01"))


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("age", None),
        ("age", "x"),
        ("age", float("nan")),
        ("age", float("inf")),
        ("age", True),
        ("sex", "Z"),
        ("sex", None),
        ("smoker", "perhaps"),
        ("admitted", "soon"),
        ("admitted", pandas.NaT),
    ],
)
def test_what_is_no_declared_value_gives_no_prediction(column: str, value: Any) -> None:
    fitted, other = model("linear"), ROW["age"] * 2
    assert np.isnan(fitted.predict(one(ROW, **{column: value}))[0])
    assert np.isnan(fitted.contributions(one(ROW, **{column: value}))).all()
    beside = {name: [*values, *values] for name, values in ROW.items()}
    beside[column] = [beside[column][0], value]
    assert not np.isnan(fitted.predict(beside)[0]), f"a row takes {other} with it"


@pytest.mark.parametrize(
    "day",
    [
        date(2024, 1, 11),
        datetime(2024, 1, 11, 13, tzinfo=UTC),
        pandas.Timestamp("2024-01-11"),
        np.datetime64("2024-01-11"),
    ],
)
def test_days_are_read_from_what_tables_have(day: Any) -> None:
    assert model("linear").predict(one(ROW, admitted=day)) == model("linear").predict(ROW)


@pytest.mark.parametrize(
    ("age", "points"), [(18, -1.5), (29.49, -1.5), (29.5, -0.25), (45, 0.5), (60, 1.25), (90, 1.25), (95, 1.25)]
)
def test_bins_hold_what_is_coded_into_them(age: float, points: float) -> None:
    """Rows are counted by the nearest value of the lattice, halves upwards; the last bin is closed."""
    row = one({"bmi": [20], "sex": ["F"], "admitted": ["2024-01-01"]}, age=age)
    assert model("scorecard").contributions(row)[0, :, 0].tolist() == [points, -0.5, 0.1, 0.3]
    score = -0.75 + points - 0.5 + 0.1 + 0.3
    assert model("scorecard").predict_proba(row)[0, 1] == pytest.approx(1 / (1 + exp(-score)), rel=1e-12)


def test_naive_bayes_is_the_product_of_shares() -> None:
    row = {"age": [35], "sex": ["M"]}
    weights = [0.5 * 0.2 * 0.3, 0.3 * 0.3 * 0.6, 0.2 * 0.25 * 0.2]
    fitted = model("naive_bayes")
    assert fitted.predict_proba(row)[0].tolist() == pytest.approx([weight / sum(weights) for weight in weights])
    assert fitted.predict(row).tolist() == ["b"]


def test_nearest_is_by_widths_and_ties_go_to_the_first() -> None:
    fitted = model("clusters", centres=[[20, 20], [40, 20]])
    assert fitted.predict({"age": [30, 31, 29], "bmi": [20, 20, 20]}).tolist() == [0, 1, 0]
    assert model("clusters", centres=[[20, 20], [20, 35]], widths=[1, 1000]).predict(
        {"age": [25], "bmi": [40]}
    ).tolist() == [1]


def test_memberships_add_up_and_a_centre_is_its_own() -> None:
    shares = model("fuzzy").predict_proba({"age": [30.25, 44, None], "bmi": [22.5, 30, 20]})
    assert shares[0].tolist() == [1, 0]
    assert shares[1].sum() == pytest.approx(1)
    near, far = ((44 - 55) / 72) ** 2 + (1 / 30) ** 2, ((44 - 30.25) / 72) ** 2 + (7.5 / 30) ** 2
    assert shares[1, 1] / shares[1, 0] == pytest.approx((far / near) ** (1 / 0.7))
    assert np.isnan(shares[2]).all()


def test_components_project() -> None:
    (found,) = model("components").predict({"age": [86], "bmi": [42]}).tolist()
    assert found == pytest.approx([0.8 * 0.5 + 0.6 * 0.5, -0.6 * 0.5 + 0.8 * 0.5])


@pytest.mark.parametrize("name", MODELS)
def test_contributions_add_up_to_the_score(name: str) -> None:
    fitted, columns = model(name), rows(50)
    total = np.array(fitted.base) + fitted.contributions(columns).sum(axis=1)
    assert fitted.scores(columns) == pytest.approx(total, nan_ok=True)
    assert fitted.contributions(columns).shape == (50, len(fitted.columns), len(fitted.base))


def test_a_frame_and_lists_are_the_same() -> None:
    columns = rows(40)
    for name in MODELS:
        one, other = model(name).scores(columns), model(name).scores(pandas.DataFrame(columns))
        assert one == pytest.approx(other, nan_ok=True)


def test_an_interval_is_that_of_the_stated_noise() -> None:
    fitted = model(
        "linear", covariance=[[4.0 if row == column == 0 else 0.0 for column in range(7)] for row in range(7)]
    )
    lower, upper = fitted.interval(ROW)[0]
    value = fitted.predict(ROW)[0]
    assert [lower, upper] == pytest.approx([value - 1.959964 * 2, value + 1.959964 * 2], rel=1e-6)
    steep = model(
        "linear", covariance=[[0.01 if row == column == 1 else 0.0 for column in range(7)] for row in range(7)]
    )
    lower, upper = steep.interval(ROW)[0]
    assert upper - lower == pytest.approx(2 * 1.959964 * 0.1 * 50, rel=1e-6)
    with pytest.raises(InputError, match="covariance"):
        model("clusters").interval(ROW)


def test_an_input_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="bmi"):
        model("linear").predict({"age": [1]})


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[]",
        "x",
        '{"kind": "linear"}',
        '{"model": 2, "kind": "linear", "function": {}}',
        '{"model": 1, "kind": "tree", "function": {}}',
    ],
)
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(InputError, match="model"):
        dprelease.load_model(tmp_path / "m.json")
    with pytest.raises(InputError, match="model"):
        dprelease.load_model(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("linear", {"terms": [{"column": "weight", "coefficient": 1}]}),
        ("linear", {"terms": [{"column": "sex", "coefficient": 1}]}),
        ("linear", {"terms": [{"column": "sex", "category": "Z", "coefficient": 1}]}),
        ("linear", {"intercept": "0"}),
        ("linear_by", {"column": "age"}),
        ("linear_by", {"column": "bmi"}),
        ("linear_by", {"groups": MODELS["linear_by"]["function"]["groups"][:2]}),
        ("linear_by", {"groups": MODELS["linear_by"]["function"]["groups"][::-1]}),
        ("linear_by", {"groups": []}),
        ("linear_by", {"groups": [1]}),
        ("scorecard", {"terms": [{"column": "age", "points": [1, 2]}]}),
        ("naive_bayes", {"priors": [0.5]}),
        ("normal_bayes", {"terms": [{"column": "age", "means": [1, 2], "deviations": [0, 1]}]}),
        ("clusters", {"widths": [0, 1]}),
        ("clusters", {"centres": []}),
        ("components", {"axes": [[1]]}),
    ],
)
def test_parts_that_do_not_fit_are_refused(name: str, broken: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="parts do not fit"):
        model(name, **broken)


def test_numbers_that_json_does_not_have_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps(MODELS["linear"]).replace("-8500.0", "NaN"))
    with pytest.raises(InputError, match="model"):
        dprelease.load_model(path)


@pytest.mark.parametrize("name", ["linear", "logistic", "normal_bayes", "clusters"])
def test_scikit_learn_predicts_the_same(name: str) -> None:
    pytest.importorskip("sklearn")
    fitted, columns = model(name, **({"lower": None, "upper": None} if name == "linear" else {})), rows(200)
    known = ~np.isnan(fitted.scores(columns)).any(axis=1)
    kept = {
        column: [value for value, own in zip(values, known, strict=True) if own] for column, values in columns.items()
    }
    estimator = fitted.to_sklearn()
    X = fitted.design(kept)
    found, expected = estimator.predict(X).tolist(), fitted.predict(kept).tolist()
    assert found == (pytest.approx(expected) if name == "linear" else expected)
    if name in ("logistic", "normal_bayes"):
        assert estimator.predict_proba(X) == pytest.approx(fitted.predict_proba(kept))


def test_scikit_learn_predicts_the_same_by_group() -> None:
    pytest.importorskip("sklearn")
    fitted, columns = model("linear_by"), rows(200)
    X, scores = fitted.design(columns), fitted.scores(columns)[:, 0]
    known = ~np.isnan(scores)
    assert (np.isnan(X).any(axis=1) == ~known).all()
    assert fitted.to_sklearn().predict(X[known]) == pytest.approx(scores[known])


def test_features_by_group_are_those_that_coefficients_are_of() -> None:
    fitted, columns = model("linear_by"), rows(200)
    X, scores = fitted.design(columns), fitted.scores(columns)[:, 0]
    each = [group["function"] for group in MODELS["linear_by"]["function"]["groups"]]
    numbers = [[own["intercept"], *(term["coefficient"] for term in own["terms"])] for own in each]
    assert X @ np.ravel(numbers) == pytest.approx(scores, nan_ok=True)


def test_without_scikit_learn_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sklearn.linear_model", None)
    with pytest.raises(InputError, match="scikit-learn"):
        model("linear").to_sklearn()


def test_a_kind_that_scikit_learn_does_not_have_is_refused() -> None:
    with pytest.raises(InputError, match="scorecard"):
        model("scorecard").to_sklearn()
