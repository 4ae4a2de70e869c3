"""Standardised rates: sums of noisy counts with known factors, each with the interval of the whole sum of noises."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.errors import IntegrityError, PlanError
from dprelease.model.plan import Plan
from dprelease.verdict.derived import check_derived
from tests.bundle.entries import key_of
from tests.verdict.forging import signed, written

KEY = key_of(9)
AGES, AREAS = 5, 400
PEOPLE = "region,sex,age,people\n" + "".join(
    f"{region},{sex},{low},{(1000 if region == 'north' else 310.5) + 7 * low}\n"
    for region in ("north", "south", "far")
    for sex in ("F", "M")
    for low in range(0, 100, 20)
    if (region, low) != ("far", 40)
)
WEIGHTS = "age,w\n0,16000\n20,22000\n40,0\n60,27000.5\n80,9000\n"
AREA = "area,band,n\n" + "".join(
    f"{area},{band},{100 + area % 17 * (band + 1)}\n" for area in range(AREAS) for band in range(AGES)
)
PLAN: dict[str, Any] = {
    "dprelease": 1,
    "dataset": "t",
    "charts": False,
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 2},
    "columns": {
        "region": {"type": "category", "categories": ["north", "south", "far"]},
        "sex": {"type": "category", "categories": ["F", "M"], "count_missing_as": "F"},
        "age": {"type": "integer", "lower": 0, "upper": 99},
        "area": {"type": "integer", "lower": 0, "upper": AREAS - 1},
        "band": {"type": "integer", "lower": 0, "upper": AGES - 1},
    },
    "public": {
        "people": {
            "keys": {"sex": "sex", "region": "region", "age_from": "age"},
            "value": "people",
            "source": "Register",
            "content": PEOPLE,
        },
        "standard": {"keys": {"age_from": "age"}, "value": "w", "source": "World", "content": WEIGHTS},
        "areas": {"keys": ["area", "band"], "value": "n", "source": "Census", "content": AREA},
        "bands": {"keys": ["band"], "value": "n", "source": "World", "content": "band,n\n0,1\n1,2\n2,3\n3,4\n4,0.5\n"},
    },
    "statistics": [
        {"id": "cases", "kind": "crosstab", "columns": ["region", "age", "sex"], "bins": {"age": 5}, "margins": True},
        {"id": "spread", "kind": "crosstab", "columns": ["area", "band"]},
        {"id": "by_band", "kind": "count", "by": ["band"]},
    ],
    "derived": [
        {
            "id": "std",
            "of": "cases",
            "per": "people",
            "times": 100_000,
            "standardise": {"over": "age_from", "weights": "standard"},
        },
        {"id": "std_area", "of": "spread", "per": "areas", "standardise": {"over": "band", "weights": "bands"}},
        {"id": "one", "of": "by_band", "per": "flat", "standardise": {"over": "band", "weights": "bands"}},
        {"id": "crude", "of": "by_band", "per": "bands"},
    ],
}
PLAN["public"]["flat"] = {**PLAN["public"]["bands"], "content": "band,n\n0,50\n1,60\n2,7\n3,8\n4,9\n"}
ROWS = 4 * 3 + AREAS + 1 + AGES


@pytest.fixture(scope="module")
def frame() -> pandas.DataFrame:
    random = np.random.default_rng(5)
    rows = 6000
    return pandas.DataFrame(
        {
            "region": random.choice(["north", "south", "far"], rows),
            "sex": random.choice(["F", "M"], rows),
            "age": random.integers(0, 100, rows),
            "area": random.integers(0, AREAS, rows),
            "band": random.integers(0, AGES, rows),
        }
    )


@pytest.fixture(scope="module")
def bundle(frame: pandas.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("t", frame, epsilon=3)
    return written(workspace, PLAN, tmp_path_factory.mktemp("bundle"))


def table(bundle: dict[str, bytes], path: str) -> pandas.DataFrame:
    return pandas.read_csv(io.BytesIO(bundle[path]), dtype={"region": str, "sex": str, "grade": str, "age_from": str})


def test_rates_are_what_pandas_makes_of_counts_figures_and_weights(bundle: dict[str, bytes]) -> None:
    cases, rates = table(bundle, "tables/cases.csv"), table(bundle, "derived/std.csv")
    people = pandas.read_csv(io.StringIO(PEOPLE), dtype={"age": str}).rename(columns={"age": "age_from"})
    weights = pandas.read_csv(io.StringIO(WEIGHTS), dtype={"age": str}).rename(columns={"age": "age_from"})
    weights["w"] /= weights["w"].sum()
    assert [*rates] == ["region", "sex", "value", "lower95", "upper95", "grade"]
    whole = people.merge(cases[["region", "sex", "age_from", "value"]])
    for region, sex, value, lower, upper, _ in rates.values.tolist():
        own = whole[(region == "_T") | whole["region"].eq(region)]
        own = own[(sex == "_T") | own["sex"].eq(sex)]
        by_age = own.groupby("age_from")[["people", "value"]].sum().join(weights.set_index("age_from"))
        wanted = 100_000 * (by_age["w"] * by_age["value"] / by_age["people"]).sum()
        assert value == pytest.approx(wanted, rel=1e-12), "also far, whose only missing figure has no weight"
        assert upper - value == pytest.approx(value - lower)


@pytest.mark.full
def test_a_missing_figure_of_a_group_that_counts_takes_the_rate(frame: pandas.DataFrame, tmp_path: Path) -> None:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("t", frame[:100], epsilon=3)
    standard = PLAN["public"]["standard"] | {"content": WEIGHTS.replace("40,0", "40,1")}
    plan = PLAN | {
        "public": {"people": PLAN["public"]["people"], "standard": standard},
        "derived": PLAN["derived"][:1],
    }
    files = written(workspace, plan, tmp_path)
    rates = table(files, "derived/std.csv").set_index(["region", "sex"])
    assert rates["value"].isna().sum() == 6, "of far and of all regions"
    assert set(rates.loc[["far", "_T"], "grade"]) == {"O"}
    assert [*json.loads(files["release.json"])["reaches"]["std"]][-1] is None
    dprelease.verify(next(tmp_path.iterdir()))


def test_a_program_reads_whose_standard_it_is(bundle: dict[str, bytes]) -> None:
    told = json.loads(bundle["derived/std.json"])
    assert told["standardise"] == {"over": "age_from", "weights": "standard"}
    assert told["weights"]["source"] == "World"
    assert told["question"].endswith("by region and sex, if age were as in the standard population (World)?")
    (one,) = json.loads(bundle["derived/one.json"])["rows"]
    assert one["lower95"] < one["value"] < one["upper95"]
    page = bundle["index.html"].decode()
    assert "public/standard.csv" in page
    assert "averaged with the weights of a standard population: w (World)" in page


def test_true_rates_are_covered(bundle: dict[str, bytes], frame: pandas.DataFrame) -> None:
    """Of 400 independent sums at least 95 % less 4.5 standard deviations: a false alarm in 300,000 runs."""
    rates = table(bundle, "derived/std_area.csv")
    counts = np.zeros((AREAS, AGES))
    np.add.at(counts, (frame["area"], frame["band"]), 1)
    figures = 100 + np.arange(AREAS)[:, None] % 17 * (np.arange(AGES) + 1)
    true = (counts / figures) @ (np.array([1, 2, 3, 4, 0.5]) / 10.5)
    covered = (rates["lower95"] <= true + 1e-12) & (true - 1e-12 <= rates["upper95"])
    assert covered.mean() >= 0.95 - 4.5 * (0.95 * 0.05 / AREAS) ** 0.5
    assert covered.mean() < 1


def test_the_true_bundle_passes_by_a_second_implementation(bundle: dict[str, bytes], tmp_path: Path) -> None:
    verdict = dprelease.verify(signed(bundle, tmp_path, KEY))
    (check,) = (each for each in verdict.checks if each.code == "check.rates")
    assert f" {ROWS} rates " in check.words
    assert check_derived(json.loads(bundle["release.json"]), bundle) == ROWS


Change = Callable[[dict[str, bytes]], dict[str, bytes]]


def _with(path: str, before: str, after: str) -> Change:
    def change(files: dict[str, bytes]) -> dict[str, bytes]:
        assert before.encode() in files[path]
        return {**files, path: files[path].replace(before.encode(), after.encode(), 1)}

    return change


def _reaches(change: Callable[[dict[str, Any]], object]) -> Change:
    def changed(files: dict[str, bytes]) -> dict[str, bytes]:
        told = json.loads(files["release.json"])
        change(told["reaches"])
        return {**files, "release.json": json.dumps(told).encode()}

    return changed


def _narrower(files: dict[str, bytes]) -> dict[str, bytes]:
    """Every interval of one table by a hundredth, in all that is told to programs."""
    told = json.loads(files["release.json"])
    told["reaches"]["one"] = [0.99 * each for each in told["reaches"]["one"]]
    rows = json.loads(files["derived/one.json"])
    (row,) = rows["rows"]
    half = 0.99 * (row["upper95"] - row["value"])
    row |= {"lower95": row["value"] - half, "upper95": row["value"] + half}
    lines = f"value,lower95,upper95,grade\n{','.join(str(each) for each in row.values())}\n"
    return {
        **files,
        "release.json": json.dumps(told).encode(),
        "derived/one.json": json.dumps(rows).encode(),
        "derived/one.csv": lines.encode(),
    }


FORGERIES = [
    (_with("public/standard.csv", "22000", "22001"), "public/standard"),
    (_with("derived/one.csv", ",A", ",C"), "derived/one"),
    (_with("derived/one.json", '"grade":"A"', '"grade":"C"'), "derived/one"),
    (_with("derived/std.csv", "north,F,", "north,F,1"), "derived/std"),
    (_with("derived/std.json", '"upper95":', '"upper95":1'), "derived/std"),
    (_with("derived/std.csv", "north,F", "far,F"), "derived/std"),
    (_narrower, "reaches"),
    (_reaches(lambda told: told.update(one=[2 * told["one"][0]])), "reaches"),
    (_reaches(lambda told: told.update(one=[])), "one|reaches"),
    (_reaches(lambda told: told.update(one=[None])), "reaches"),
    (_reaches(lambda told: told.pop("std")), "std|reaches"),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("change", "why"), FORGERIES)
def test_a_forgery_is_refused_by_each_implementation(
    change: Change, why: str, bundle: dict[str, bytes], tmp_path: Path
) -> None:
    files = change(bundle)
    with pytest.raises(IntegrityError, match=why):
        check_derived(json.loads(files["release.json"]), files)
    with pytest.raises(IntegrityError):
        dprelease.verify(signed(files, tmp_path, KEY))


@pytest.mark.parametrize(
    "change",
    [_reaches(lambda told: told.update(crude=[1.0] * AGES)), _reaches(lambda told: told.update(one=[-1.0]))],
)
def test_reaches_of_something_else_are_refused(change: Change, bundle: dict[str, bytes], tmp_path: Path) -> None:
    with pytest.raises(IntegrityError, match="reaches"):
        dprelease.verify(signed(change(bundle), tmp_path, KEY))


def _public(name: str, **changes: Any) -> dict[str, Any]:
    return {"public": {**PLAN["public"], name: PLAN["public"][name] | changes}}


def _standard(**changes: Any) -> dict[str, Any]:
    first = PLAN["derived"][0]
    return {"derived": [{**first, "standardise": first["standardise"] | changes}, *PLAN["derived"][1:]]}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("changes", "path", "said"),
    [
        (_standard(over="age"), "derived[0].standardise.over", "age_from"),
        (_standard(over=None), "derived[0].standardise.over", "required"),
        (_standard(over=3), "derived[0].standardise.over", "text"),
        (_standard(weights="nobody"), "derived[0].standardise.weights", "standard"),
        (_standard(weights="bands"), "public.bands.keys", "age_from"),
        (_standard(more=1), "derived[0].standardise.more", "over"),
        (_public("standard", content=WEIGHTS.replace("40,0\n", "")), "public.standard.content", "no weight of 40"),
        (_public("standard", content=WEIGHTS.replace("40,0\n", "40,\n")), "public.standard.content", "no weight of 40"),
        (_public("standard", content=WEIGHTS + "7,1\n"), "public.standard.content", "'7'"),
        (
            _public("standard", content="age,w\n0,0\n20,0\n40,0\n60,0\n80,0\n"),
            "public.standard.content",
            "above 0",
        ),
        ({"postprocess": ["nonnegative"]}, "derived[1].standardise", "not independent"),
        ({"derived": PLAN["derived"][1:]}, "public.people", "weights"),
    ],
)
def test_what_is_wrong_is_refused_before_anything_is_charged(
    changes: dict[str, Any], path: str, said: str, frame: pandas.DataFrame
) -> None:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("t", frame[:10], epsilon=3)
    with pytest.raises(PlanError) as caught:
        workspace.publish(Plan.parse(PLAN | changes))
    assert path in [problem.path for problem in caught.value.problems]
    assert said in str(caught.value)
    assert not workspace.releases.find()


def test_a_release_that_is_withheld_states_no_reaches(frame: pandas.DataFrame, tmp_path: Path) -> None:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("t", frame[:50], epsilon=3)
    files = written(workspace, PLAN | {"accept": [{"statistic": "by_band", "ranking": 50}]}, tmp_path)
    assert "reaches" not in json.loads(files["release.json"])
    dprelease.verify(next(tmp_path.iterdir()))


def _stated(changes: dict[str, Any], frame: pandas.DataFrame, folder: Path, **population: Any) -> dict[str, Any]:
    """The certificate of a release of the counts by band, which passes both implementations."""
    workspace = dprelease.Workspace.in_memory()
    workspace.add_population("p", unit="row", epsilon=3, **population)
    workspace.add_dataset("t", frame[:300], population="p")
    public = {name: PLAN["public"][name] for name in ("flat", "bands")}
    written(workspace, PLAN | {"public": public, "derived": PLAN["derived"][2:]} | changes, folder)
    dprelease.verify(next(folder.iterdir()))
    told: dict[str, Any] = json.loads((next(folder.iterdir()) / "release.json").read_text())
    return told


@pytest.mark.one_in(3)
@pytest.mark.parametrize("currency", ["pure", "zcdp"])
@pytest.mark.parametrize("neighbors", ["add_remove", "substitute"])
def test_counts_that_follow_from_others_have_the_noise_of_all_that_they_add_up(
    currency: str, neighbors: str, frame: pandas.DataFrame, tmp_path: Path
) -> None:
    """Both sexes in each band: the sum of two noises is √2 times as wide as one."""
    delta = {"delta": "1e-6"} if currency == "zcdp" else {}
    privacy = PLAN["privacy"] | {"neighbors": neighbors} | delta
    table = {"id": "table", "kind": "crosstab", "columns": ["sex", "band"], "weight": 9}
    alone = {"statistics": PLAN["statistics"][2:], "privacy": privacy}
    both = alone | {"statistics": [table, *alone["statistics"]]}
    reaches, scales = [], []
    for place, changes in enumerate((both, alone)):
        how = delta | {"neighbors": neighbors, "currency": currency}
        told = _stated(changes, frame, tmp_path / str(place), **how)
        reaches.append(told["reaches"]["one"][0])
        (drawn,) = (each["mechanisms"] for each in told["measurements"])
        scales.append(drawn[0]["scale"])
    factors = np.array([1, 2, 3, 4, 0.5]) / 10.5 / np.array([50, 60, 7, 8, 9])
    widths = [reach - factors.max() / 2 for reach in reaches]
    if currency == "zcdp":
        assert widths[1] == pytest.approx(1.959963985 * scales[1] * (factors**2).sum() ** 0.5, rel=1e-6)
    assert widths[0] / scales[0] == pytest.approx(2**0.5 * widths[1] / scales[1], rel=0.03)
