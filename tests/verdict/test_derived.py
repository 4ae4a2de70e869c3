"""Rates follow from published counts and public figures, and whoever changes one byte of either is refused."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from frictionless import Package

import dprelease
from dprelease.errors import IntegrityError, PlanError
from dprelease.portal.site import write_site
from dprelease.statistics import Plan
from dprelease.verdict.derived import check_derived
from tests.bundle.entries import key_of
from tests.verdict.forging import signed, written

KEY = key_of(9)
AGES = 2000
SEXES = ("F", "M")
PEOPLE = "region,sex,people\nnorth,F,1000\nnorth,M,1100\nsouth,F,20.5\nsouth,M,0\n"
PLAN: dict[str, Any] = {
    "dprelease": 1,
    "dataset": "t",
    "charts": False,
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 2},
    "columns": {
        "region": {"type": "category", "categories": ["north", "south", "far"]},
        "sex": {"type": "category", "categories": ["F", "M"]},
        "age": {"type": "integer", "lower": 0, "upper": AGES - 1},
        "lives": {"type": "boolean"},
    },
    "public": {
        "people": {
            "keys": {"sex": "sex", "region": "region"},
            "value": "people",
            "source": "Register",
            "content": PEOPLE,
        },
        "ages": {
            "keys": {"age": "years"},
            "value": "number",
            "source": "Census of 2025",
            "licence": "CC-BY-4.0",
            "content": "years,number,note\n" + "".join(f"{age},{7 + age % 13},x\n" for age in range(AGES)),
        },
        "decades": {"keys": ["age_from"], "value": "n", "source": "Census", "content": "age_from,n\n0,3\n1000,7\n"},
        "living": {"keys": ["lives"], "value": "n", "source": "Census", "content": "n,lives\n4,true\n,false\n"},
    },
    "statistics": [
        {"id": "cases", "kind": "crosstab", "columns": ["region", "sex"], "margins": True},
        {"id": "by_age", "kind": "histogram", "column": "age", "bins": AGES},
        {"id": "halves", "kind": "histogram", "column": "age", "bins": 2},
        {"id": "alive", "kind": "count", "by": ["lives"]},
    ],
    "derived": [
        {"id": "case_rate", "of": "cases", "per": "people", "times": 1000},
        {"id": "age_rate", "of": "by_age", "per": "ages", "times": 0.3},
        {"id": "half_rate", "of": "halves", "per": "decades"},
        {"id": "living_rate", "of": "alive", "per": "living"},
    ],
}


@pytest.fixture(scope="module")
def frame() -> pandas.DataFrame:
    random = np.random.default_rng(3)
    rows = 20_000
    return pandas.DataFrame(
        {
            "region": random.choice(["north", "south", "far"], rows),
            "sex": random.choice(SEXES, rows),
            "age": random.integers(0, AGES, rows),
            "lives": random.choice([True, False], rows),
        }
    )


@pytest.fixture(scope="module")
def bundle(frame: pandas.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("t", frame, epsilon=3)
    return written(workspace, PLAN, tmp_path_factory.mktemp("bundle"))


def table(bundle: dict[str, bytes], path: str) -> pandas.DataFrame:
    return pandas.read_csv(io.BytesIO(bundle[path]), dtype={"region": str, "sex": str, "grade": str})


def test_rates_are_what_pandas_makes_of_counts_and_figures(bundle: dict[str, bytes]) -> None:
    assert bundle["public/people.csv"].decode() == PEOPLE
    people = table(bundle, "public/people.csv")
    cases, rates = table(bundle, "tables/cases.csv"), table(bundle, "derived/case_rate.csv")
    joined = cases.merge(people, on=["region", "sex"], how="left")
    for end in ("value", "lower95", "upper95"):
        wanted = (1000 * joined[end] / joined["people"]).where(joined["people"] > 0)
        cells = ~joined["region"].eq("_T") & ~joined["sex"].eq("_T")
        assert np.allclose(rates[end][cells], wanted[cells], equal_nan=True, rtol=1e-12)
    told = rates.set_index(["region", "sex"])
    assert list(told.loc[[("south", "M"), ("far", "F"), ("far", "_T"), ("_T", "_T")], "grade"]) == ["O"] * 4
    assert told.loc[("far", "F"), ["value", "lower95", "upper95"]].isna().all()
    by = cases.set_index(["region", "sex"])["value"]
    assert told.loc[("north", "_T"), "value"] == pytest.approx(1000 * by[("north", "_T")] / 2100)
    assert told.loc[("south", "_T"), "value"] == pytest.approx(1000 * by[("south", "_T")] / 20.5), "0 adds nothing"
    own = rates["grade"].ne("O")
    assert list(rates["grade"][own]) == list(cases["grade"][own])


def test_a_program_reads_what_is_divided_by_what(bundle: dict[str, bytes]) -> None:
    told = json.loads(bundle["derived/age_rate.json"])
    assert (told["of"], told["per"], told["times"]) == ("by_age", "ages", 0.3)
    assert told["public"]["source"] == "Census of 2025"
    assert told["public"]["licence"] == "CC-BY-4.0"
    assert told["guarantee"]["epsilon"] == 2, "what protects the counts protects the rates, and nothing more is spent"
    rows = table(bundle, "derived/age_rate.csv")
    assert [row["value"] for row in told["rows"]] == list(rows["value"])
    living = json.loads(bundle["derived/living_rate.json"])["rows"]
    assert {row["lives"]: row["value"] is None for row in living} == {"false": True, "true": False}
    page = bundle["index.html"].decode()
    assert "per 1 000 people" in page.replace("\u2009", " ").replace("\u202f", " ")
    assert "ages (Census of 2025); decades (Census); living (Census); people (Register)" in page, (
        "who vouches for the figures"
    )


@pytest.mark.filterwarnings("ignore")
def test_rates_and_figures_are_described_and_read_by_frictionless(bundle: dict[str, bytes], tmp_path: Path) -> None:
    folder = signed(bundle, tmp_path, KEY)
    package = Package(str(folder / "datapackage.json"))
    assert {"case_rate.rates", "people.public"} <= set(package.resource_names)
    report = package.validate()
    assert report.valid, report.flatten(["rowNumber", "fieldName", "message"])
    rows = package.get_resource("case_rate.rates").read_rows()
    assert [row["grade"] for row in rows] == list(table(bundle, "derived/case_rate.csv")["grade"])


@pytest.mark.full
def test_the_portal_shows_rates_in_each_language(bundle: dict[str, bytes], tmp_path: Path) -> None:
    folder = signed(bundle, tmp_path / "releases" / json.loads(bundle["release.json"])["id"], KEY)
    write_site([folder], tmp_path / "site")
    rates = table(bundle, "derived/case_rate.csv")
    for root, said in (
        (tmp_path / "site", "per 1 000 people, by"),
        (tmp_path / "site" / "es", "por cada 1 000 people, según"),
    ):
        (page,) = root.glob("release/*/index.html")
        text = page.read_text().replace("\u2009", " ").replace("\u202f", " ").replace("\u00a0", " ")
        assert said in text
        (link,) = re.findall(r'href="([^"]*derived/case_rate\.csv)"', text)
        assert (page.parent / link).resolve().read_bytes() == bundle["derived/case_rate.csv"]
        body = text.split('id="statistic-case_rate"')[1].split("</table>")[0]
        assert body.count("<tr>") == 1 + len(rates)
        assert "Register" in body


def test_true_rates_are_covered(bundle: dict[str, bytes], frame: pandas.DataFrame) -> None:
    """Of 2,000 independent cells at least 95 % less 4.5 standard deviations: a false alarm in 300,000 runs."""
    rates, figures = table(bundle, "derived/age_rate.csv"), table(bundle, "public/ages.csv")
    true = 0.3 * np.bincount(frame["age"], minlength=AGES) / figures["number"]
    near = 1e-9 * (1 + true)
    covered = (rates["lower95"] <= true + near) & (true - near <= rates["upper95"])
    assert covered.mean() >= 0.95 - 4.5 * (0.95 * 0.05 / AGES) ** 0.5
    assert covered.mean() < 1


def test_the_true_bundle_passes_by_a_second_implementation(bundle: dict[str, bytes], tmp_path: Path) -> None:
    verdict = dprelease.verify(signed(bundle, tmp_path, KEY))
    (check,) = (each for each in verdict.checks if each.code == "check.rates")
    assert f" {12 + AGES + 2 + 2} rates " in check.words


def _without(path: str) -> Callable[[dict[str, bytes]], dict[str, bytes]]:
    return lambda files: {name: data for name, data in files.items() if name != path}


def _with(path: str, before: str, after: str) -> Callable[[dict[str, bytes]], dict[str, bytes]]:
    def change(files: dict[str, bytes]) -> dict[str, bytes]:
        assert before.encode() in files[path]
        return {**files, path: files[path].replace(before.encode(), after.encode(), 1)}

    return change


def _other_rate(files: dict[str, bytes]) -> dict[str, bytes]:
    """The last digit of one rate, in every file that shows it."""
    lines = files["derived/half_rate.csv"].decode().split("\n")
    value = lines[1].split(",")[2]
    other = value[:-1] + ("3" if value[-1] != "3" else "4")
    changed = {path: data.replace(value.encode(), other.encode()) for path, data in files.items()}
    return {
        **files,
        **{path: changed[path] for path in ("derived/half_rate.csv", "derived/half_rate.json", "index.html")},
    }


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_with("public/people.csv", "1000", "1001"), "public/people.csv"),
        (_with("public/people.csv", "south,M,0\n", ""), "public/people.csv"),
        (_other_rate, "derived/half_rate"),
        (_with("derived/living_rate.csv", ",O\n", ",A\n"), "derived/living_rate"),
        (_with("derived/living_rate.json", '"grade":"O"', '"grade":"A"'), "derived/living_rate"),
        (_with("derived/case_rate.json", "Register", "Nobody"), "derived/case_rate.json"),
        (_without("derived/age_rate.csv"), "derived/age_rate.csv"),
        (_without("derived/age_rate.json"), "derived/age_rate.json"),
        (_without("public/ages.csv"), "public/ages.csv"),
        (lambda files: {**files, "public/more.csv": b"a,b\n"}, "public/more.csv"),
        (lambda files: {**files, "derived/half_rate.csv": b'"'}, "derived/half_rate"),
        (lambda files: {**files, "derived/half_rate.json": b"[]"}, "derived/half_rate"),
        (_with("index.html", 'id="statistic-half_rate"', 'id="statistic-halves"'), "halves"),
    ],
)
def test_a_forgery_is_refused(
    change: Callable[[dict[str, bytes]], dict[str, bytes]], why: str, bundle: dict[str, bytes], tmp_path: Path
) -> None:
    """By whoever has a key and a ledger of his own: everything else is made to fit."""
    with pytest.raises(IntegrityError) as caught:
        dprelease.verify(signed(change(bundle), tmp_path, KEY))
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("public/people.csv", "1000", "1001"),
        ("derived/half_rate.csv", "0,999,", "0,999,1"),
        ("derived/half_rate.json", '"value":', '"value":1'),
        ("derived/half_rate.json", '"upper95":', '"upper95":1'),
        ("derived/living_rate.json", '"grade":"O"', '"grade":"A"'),
        ("derived/living_rate.csv", ",O\n", ",A\n"),
    ],
)
def test_the_second_implementation_refuses_it_alone(
    path: str, before: str, after: str, bundle: dict[str, bytes]
) -> None:
    certificate = json.loads(bundle["release.json"])
    assert check_derived(certificate, bundle) == 12 + AGES + 2 + 2
    with pytest.raises(IntegrityError, match=path.split(".")[0]):
        check_derived(certificate, _with(path, before, after)(bundle))


def _public(**changes: Any) -> dict[str, Any]:
    return {"public": {**PLAN["public"], "people": PLAN["public"]["people"] | changes}}


def _derived(**changes: Any) -> dict[str, Any]:
    return {"derived": [PLAN["derived"][0] | changes, *PLAN["derived"][1:]]}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("changes", "path", "said"),
    [
        (_public(content=PEOPLE + "north,F,7\n"), "public.people.content", "line 6"),
        (_public(content=PEOPLE + "north,X,7\n"), "public.people.content", "'X' in the column 'sex'"),
        (_public(content=PEOPLE + "north,F\n"), "public.people.content", "3 cells"),
        (_public(content="region,sex,people\nnorth,F,-1\n"), "public.people.content", "from 0 on"),
        (_public(content="region,sex,people\nnorth,F,1e400\n"), "public.people.content", "from 0 on"),
        (_public(content="region,sex,people\nnorth,=F,1\n"), "public.people.content", "spreadsheet"),
        (_public(content="region,sex,people,=1+1\nnorth,F,1,x\n"), "public.people.content", "spreadsheet"),
        (_public(content="region,sex,people\n"), "public.people.content", "a heading and no row"),
        (_public(content="region,sex\nnorth,F\n"), "public.people.content", "each of region, sex, people once"),
        (_public(content='region,sex,people\n"north,F,1\n'), "public.people.content", "quotes"),
        (_public(content=None), "public.people.content", "--public people=FILE"),
        (_public(source=None), "public.people.source", "required"),
        (
            _public(keys={"region": "region"}, content="region,people\nnorth,1\n"),
            "public.people.keys",
            "sum the file",
        ),
        (_public(content=PEOPLE + "x" * 1_000_000), "public.people.content", "1000000"),
        (_derived(per="nothing"), "derived[0].per", "people"),
        (_derived(of="nothing"), "derived[0].of", "cases"),
        (_derived(times=0), "derived[0].times", "0.000001"),
        (_derived(id="cases"), "derived[0].id", "id"),
        (_derived(times=1, per="ages"), "public.ages.keys", "age"),
        ({"derived": PLAN["derived"][1:]}, "public.people", "per"),
        (
            {
                "statistics": [
                    {"id": "cases", "kind": "mean", "column": "age", "by": ["region"]},
                    *PLAN["statistics"][1:],
                ]
            },
            "derived[0].of",
            "cross table",
        ),
        (
            {"statistics": [{"id": "cases", "kind": "count", "survey_weights": "age", "by": ["region"]}]}
            | {"derived": PLAN["derived"][:1], "public": {"people": PLAN["public"]["people"]}},
            "derived[0].of",
            "without survey weights",
        ),
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


def test_files_become_the_figures_of_a_plan(tmp_path: Path) -> None:
    """A byte order mark and Windows' line ends are not part of what is published."""
    import yaml

    file, plan = tmp_path / "people.csv", tmp_path / "plan.yaml"
    without = {name: told for name, told in PLAN["public"]["people"].items() if name != "content"}
    plan.write_text(yaml.safe_dump(PLAN | {"public": {**PLAN["public"], "people": without}}, sort_keys=False))
    file.write_bytes(b"\xef\xbb\xbf" + PEOPLE.replace("\n", "\r\n").encode())
    assert Plan.load(plan, {"people": file}) == Plan.parse(PLAN)
    for given, why in (({"persons": file}, "people"), ({"people": tmp_path / "none"}, "a file that can be read")):
        with pytest.raises(PlanError, match=why):
            Plan.load(plan, given)


def test_a_release_that_is_withheld_has_no_rates(frame: pandas.DataFrame, tmp_path: Path) -> None:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("t", frame[:50], epsilon=3)
    files = written(workspace, PLAN | {"accept": [{"statistic": "by_age", "ranking": 50}]}, tmp_path)
    assert not [name for name in files if name.startswith(("derived/", "public/", "tables/"))]
    dprelease.verify(next(tmp_path.iterdir()))


def test_figures_that_were_chosen_after_a_preview_are_said_to_be(frame: pandas.DataFrame, tmp_path: Path) -> None:
    """Somebody who saw true counts could have written them into the figures: that is no change of titles."""
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("t", frame[:50], epsilon=3)
    plan = {**PLAN, "statistics": PLAN["statistics"][:1], "derived": PLAN["derived"][:1]}
    plan["public"] = {"people": PLAN["public"]["people"]}
    workspace.preview(Plan.parse(plan))
    told = workspace.plans.told_of_previews(Plan.parse(plan))
    assert not told.plan_changed_after
    plan["public"] = {"people": PLAN["public"]["people"] | {"content": PEOPLE.replace("1000", "1001")}}
    told = workspace.plans.told_of_previews(Plan.parse(plan))
    assert (told.plan_changed_after, told.changed) == (True, "measured")


@pytest.mark.full
def test_rates_of_adjusted_counts_are_theirs(frame: pandas.DataFrame, tmp_path: Path) -> None:
    """Counts that are no whole numbers any more, and none below 0, with their own intervals and grades."""
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("t", frame[:40], epsilon=3)
    statistics = [{"id": "cases", "kind": "crosstab", "columns": ["region", "sex"]}, *PLAN["statistics"][1:]]
    plan = PLAN | {"statistics": statistics, "postprocess": ["consistent", "nonnegative"]}
    files = written(workspace, plan, tmp_path)
    counts, rates = table(files, "tables/by_age.csv"), table(files, "derived/age_rate.csv")
    assert "raw" in counts
    assert "raw" not in rates
    assert any(value % 1 for value in counts["value"])
    figures = table(files, "public/ages.csv")["number"]
    for end in ("value", "lower95", "upper95"):
        assert np.allclose(rates[end], 0.3 * counts[end] / figures, rtol=1e-12)
    assert list(rates["grade"]) == list(counts["grade"])
    dprelease.verify(next(path for path in tmp_path.iterdir()))
