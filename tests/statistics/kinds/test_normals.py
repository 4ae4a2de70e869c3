"""Naive Bayes by normal distributions: what it publishes, how often its intervals hold, and what degenerate rows do."""

from __future__ import annotations

from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.errors import PlanError
from dprelease.model.privacy import Currency
from dprelease.model.release import FittedOutput
from dprelease.model.schema import Schema
from dprelease.statistics.planning.price import price
from tests.extras.federation.combining import Site
from tests.extras.federation.combining import plan as site_plan
from tests.statistics.kinds.test_classifiers import COLUMNS, drawn, fitted, integers, judged, plan, rows


def normal(epsilon: float = 1, **options: Any) -> dict[str, Any]:
    return plan("naive_bayes", epsilon, **{"method": "normal", "bins": None, **options})


def term(model: FittedOutput, column: str) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in model.facts["function"]["terms"] if each["column"] == column)
    return found


@pytest.mark.parametrize("currency", Currency)
def test_it_tells_classes_nearly_as_well_as_the_rows_do(currency: Currency, tmp_path: Path) -> None:
    """At ε = 2 and 5,000 rows the AUC is above 0.74, as with bins; noise moves it by a hundredth."""
    test = rows(4000, seed=2)
    (model,) = drawn(rows(5000), normal(2), currency)
    auc, loss = judged(model, test, tmp_path)
    share = float((test["ill"] == "yes").mean())
    assert auc > 0.74
    assert loss < -(share * log(share) + (1 - share) * log(1 - share)) - 0.03


def test_means_and_deviations_are_those_of_each_class() -> None:
    """At ε = 1000 to a thousandth of the width, which is a hundred standard deviations of the noise and more."""
    table = rows(3000)
    (model,) = drawn(table, normal(1000))
    assert list(model.parts) == ["means", "deviations", "points", "classes"]
    found = term(model, "age")
    for place, own in enumerate(("no", "yes")):
        ages = table["age"][table["ill"] == own]
        assert found["means"][place] == pytest.approx(ages.mean(), abs=0.06)
        assert found["deviations"][place] == pytest.approx(ages.std(), abs=0.1)
        assert model.parts["means"].value[place] == found["means"][place]
    assert set(term(model, "region")) == {"column", "logs"}


def test_columns_with_bins_and_those_of_one_value_are_counted() -> None:
    (model,) = drawn(rows(500), normal(on=["age", "bmi", "one"], bins={"bmi": 3}))
    assert set(term(model, "age")) == {"column", "means", "deviations"}
    assert set(term(model, "bmi")) == set(term(model, "one")) == {"column", "logs"}
    inputs = {each["column"]: each for each in model.facts["inputs"]}
    assert "edges" not in inputs["age"]
    assert len(inputs["bmi"]["edges"]) == 4
    assert [len(part) for part in model.facts["integers"]] == [6, 2, 6]


def test_without_listed_columns_no_points_are_published() -> None:
    asked = normal(on=["age"])
    (model,) = drawn(rows(500), asked)
    assert list(model.parts) == ["means", "deviations", "classes"]
    assert price(dprelease.Plan.parse(asked))["m"].statistic.table_names(dprelease.Plan.parse(asked).schema) == (
        "m.means",
        "m.deviations",
        "m.classes",
    )


@pytest.mark.full
@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize("epsilon", [0.3, 2])
def test_intervals_hold_what_is_true_of_the_rows(currency: Currency, epsilon: float) -> None:
    """Of 120 releases of 600 rows at most 24 give an interval that misses, of each of eight numbers; 6 are stated.

    False alarms: more than 24 have a chance below 6e-9 each, and intervals hold more often than they say."""
    table = rows(600)
    models = drawn(table, normal(epsilon, on=["age", "bmi"]), currency, 120)
    for part, how in (("means", "mean"), ("deviations", "std")):
        for place, (column, own) in enumerate((column, own) for column in ("age", "bmi") for own in ("no", "yes")):
            values = table[column][table["ill"] == own].to_numpy(dtype=float)
            true = float(getattr(values, how)())
            told = [(model.parts[part].lower95[place], model.parts[part].upper95[place]) for model in models]
            known = [(low, high) for low, high in told if low is not None and high is not None]
            assert sum(low - 1e-6 <= true <= high + 1e-6 for low, high in known) >= len(known) - 24


@pytest.mark.parametrize("currency", Currency)
def test_without_rows_every_class_is_alike(currency: Currency, tmp_path: Path) -> None:
    """Of 20 releases of no rows at least five tell no class from another, and one says nothing of ages at all.

    Noise alone is above 2 of its deviations in less than one of 20 classes: false alarms are below 1e-12."""
    models = drawn(rows(0), normal(1, on=["age"]), currency, 20)
    alike = [model for model in models if len(set(term(model, "age")["means"])) == 1]
    assert len(alike) >= 5
    for model in models:
        assert np.isfinite(np.asarray(fitted(model, tmp_path).predict_proba(rows(50)))).all()
    untold = next(model for model in alike if term(model, "age")["means"][0] == 49.5)
    assert model_is_untold(untold)


def model_is_untold(model: FittedOutput) -> bool:
    same = term(model, "age")["deviations"] == [29.5, 29.5]
    return same and not any(model.parts["means"].value) and not any(model.parts["deviations"].upper95)


def test_a_class_without_rows_has_the_mean_of_all(tmp_path: Path) -> None:
    """In at least 10 of 20 releases, since noise alone is above 2 of its deviations in less than one of 20: false
    alarms are below 1e-8."""
    table = rows(400).assign(ill="no")
    models = drawn(table, normal(100, on=["age"]), times=20)
    pooled = [model for model in models if model.parts["means"].value[1] is None]
    assert len(pooled) >= 10
    for model in pooled:
        means = term(model, "age")["means"]
        assert means[1] == pytest.approx(means[0], abs=1)
        assert np.isfinite(np.asarray(fitted(model, tmp_path).predict_proba(table))).all()


def test_a_constant_column_has_the_least_deviation(tmp_path: Path) -> None:
    """3 % of the width of 59 years, with hardly any noise: at ε = 10^6 the noise of a variance is below it."""
    (model,) = drawn(rows(400).assign(age=40), normal(1_000_000, on=["age"]))
    found = term(model, "age")
    assert found["means"] == pytest.approx([40, 40], abs=0.01)
    assert found["deviations"] == pytest.approx([1.77, 1.77], abs=0.001)
    assert np.isfinite(np.asarray(fitted(model, tmp_path).predict_proba(rows(50)))).all()


def test_noise_makes_them_wider_never_narrower_than_is_told() -> None:
    (model,) = drawn(rows(300), normal(0.5, on=["age"]))
    told = model.parts["deviations"].value
    for wide, deviation in zip(term(model, "age")["deviations"], told, strict=True):
        assert deviation is None or wide >= min(deviation, 59 / 2) > 0


def test_the_integers_are_sums_that_add_up_to_the_rows() -> None:
    """At ε = 10^6 nearly without noise: Σ c² + 2Σ c(K - c) + Σ (K - c)² = n·K², K = 59. A sum is off by 2 in e^-500."""
    table = rows(200)
    (model,) = drawn(table, normal(1_000_000, on=["age"]))
    sums = integers(model).reshape(2, 3)
    codes = table["age"].to_numpy() - 20
    for place, own in enumerate(("no", "yes")):
        c = codes[(table["ill"] == own).to_numpy()]
        exact = [(c * c).sum(), (2 * c * (59 - c)).sum(), ((59 - c) ** 2).sum()]
        assert sums[place] == pytest.approx(exact, abs=2)


def test_a_table_is_priced_by_what_its_noise_does() -> None:
    """Half the noise takes the excess of log-loss to a quarter."""
    errors = [price(dprelease.Plan.parse(normal(epsilon, on=["age"])))["m"].error95 for epsilon in (1, 2)]
    assert errors[0] is not None
    assert errors[1] is not None
    assert sqrt(errors[0] / errors[1]) == pytest.approx(2, rel=0.01)


def test_units_are_not_held_out() -> None:
    asked = normal(held_out=0.2)
    asked["privacy"]["unit"] = {"column": "person", "max_rows": 1}
    with pytest.raises(PlanError, match="a score that bins add up to"):
        price(dprelease.Plan.parse(asked))


def published(frame: pandas.DataFrame, asked: dict[str, Any], folder: Path) -> tuple[dprelease.Release, Path]:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("people", frame, epsilon=100, columns=asked["columns"])
    release = workspace.publish(dprelease.Plan.parse(asked))
    return release, release.write(folder)


def test_a_bundle_is_verified_made_again_and_forgeries_are_seen(tmp_path: Path) -> None:
    asked = normal(5)
    asked["columns"] = {name: COLUMNS[name] for name in ("age", "bmi", "region", "ill")}
    asked["privacy"] = {"unit": "row", "neighbors": "add_remove", "epsilon": 5}
    release, bundle = published(rows(3000)[list(asked["columns"])], asked, tmp_path)
    assert dprelease.verify(bundle)
    page = (bundle / "index.html").read_text()
    assert "What is the mean of each numeric column, by the value of ill?" in page
    assert "standard deviation, in the unit of each column" in page
    assert "GaussianDistribution" in (bundle / "models" / "m.pmml").read_text()
    model = dprelease.load_model(bundle / "models" / "m.json")
    likely = np.asarray(model.predict_proba({"age": [25, 75], "bmi": [20, 35], "region": ["north", "south"]}))[:, 1]
    assert likely[0] < likely[1]
    output, item = release.outputs["m"], price(dprelease.Plan.parse(asked))["m"]
    assert isinstance(output, FittedOutput)
    schema = Schema.parse(asked["columns"])
    assert item.could_answer(schema, output)
    for place, number in ((1, 10**6), (1, "x"), (2, None), (0, -(10**6))):
        integers = [list(each) for each in output.facts["integers"]]
        integers[place][0] = number
        assert not item.could_answer(
            schema, FittedOutput(parts=output.parts, facts={**output.facts, "integers": integers})
        )


def test_two_sites_add_up(tmp_path: Path) -> None:
    """At ε = 20 and 4,000 rows the means are those of all rows to 2 of 99 years: more than 100 deviations of the noise
    and what uniform ages differ by."""
    own = {"id": "m", "kind": "naive_bayes", "outcome": "ill", "on": ["age", "sex"], "method": "normal"}
    asked = site_plan(statistics=[own], privacy={"unit": "row", "neighbors": "add_remove", "epsilon": 20})
    sites = [Site(seed, 2000) for seed in (1, 2)]
    found = dprelease.combine(*(site.publish(tmp_path / str(at), asked) for at, site in enumerate(sites)))
    table, every = found.estimates["m.means"], pandas.concat([site.frame for site in sites])
    means = every["age"].groupby(every["ill"]).mean().tolist()
    assert table["value"].tolist() == pytest.approx(means, abs=2)
    assert (table["lower95"] <= table["value"]).all()
    assert (table["value"] <= table["upper95"]).all()
