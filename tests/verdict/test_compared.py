"""Indices and changes follow from published counts alone, and whoever changes one number or grade is refused."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.bundle.compared import CountNoise
from dprelease.errors import IntegrityError, PlanError
from dprelease.model.plan import Plan
from dprelease.portal.site import write_site
from dprelease.verdict.compared import _holds
from dprelease.verdict.derived import check_derived
from dprelease.verdict.noise import RecomputedNoise
from tests.bundle.entries import key_of
from tests.verdict.forging import signed, written

KEY = key_of(9)
REGIONS = ("north", "=south", "far")
PLAN: dict[str, Any] = {
    "dprelease": 1,
    "dataset": "t",
    "charts": False,
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 2},
    "columns": {
        "region": {"type": "category", "categories": [*REGIONS, "nobody"]},
        "year": {"type": "integer", "lower": 2019, "upper": 2024},
        "day": {"type": "date", "lower": "2024-01-01", "upper": "2024-08-15"},
        "age": {"type": "integer", "lower": 0, "upper": 99},
    },
    "statistics": [
        {"id": "cases", "kind": "crosstab", "columns": ["region", "year"]},
        {"id": "monthly", "kind": "count", "by": ["day"], "levels": {"day": "month"}},
        {"id": "ages", "kind": "histogram", "column": "age", "bins": 4},
    ],
    "derived": [
        {"id": "case_index", "of": "cases", "over": "year", "base": 2019},
        {"id": "to_south", "of": "cases", "over": "region", "base": "=south"},
        {"id": "growth", "of": "cases", "over": "year", "lag": 1},
        {"id": "month_change", "of": "monthly", "over": "day", "lag": 1},
        {"id": "month_index", "of": "monthly", "over": "day", "base": "2024-02"},
        {"id": "two_on", "of": "ages", "over": "age_from", "lag": 2},
    ],
}
ROWS = 4 * 6 + 4 * 6 + 4 * 6 + 8 + 8 + 4


@pytest.fixture(scope="module")
def frame() -> pandas.DataFrame:
    random = np.random.default_rng(4)
    rows = 30_000
    days = pandas.Timestamp("2024-01-01") + pandas.to_timedelta(random.integers(0, 220, rows), unit="D")
    return pandas.DataFrame(
        {
            "region": random.choice(REGIONS, rows, p=[0.6, 0.39, 0.01]),
            "year": random.integers(2019, 2025, rows),
            "day": days.date,
            "age": random.integers(0, 100, rows),
        }
    )


def in_currency(currency: str, frame: pandas.DataFrame, folder: Path, **others: Any) -> dict[str, bytes]:
    workspace = dprelease.Workspace.in_memory()
    budget = {"epsilon": 4, "delta": "1e-5"} if currency == "zcdp" else {"epsilon": 4}
    workspace.add_population("rows", unit="row", neighbors="add_remove", currency=currency, **budget)
    workspace.add_dataset("t", frame, population="rows")
    privacy = PLAN["privacy"] | ({"delta": 1e-6} if currency == "zcdp" else {})
    return written(workspace, PLAN | {"privacy": privacy} | others, folder)


@pytest.fixture(scope="module", params=["pure", "zcdp"])
def bundle(
    request: pytest.FixtureRequest, frame: pandas.DataFrame, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, bytes]:
    return in_currency(request.param, frame, tmp_path_factory.mktemp("bundle"))


def table(files: dict[str, bytes], path: str) -> pandas.DataFrame:
    return pandas.read_csv(io.BytesIO(files[path]), dtype={"region": str, "day": str, "grade": str})


def test_values_are_what_pandas_makes_of_the_counts(bundle: dict[str, bytes]) -> None:
    counts, index, growth = (
        table(bundle, f"{name}.csv") for name in ("tables/cases", "derived/case_index", "derived/growth")
    )
    wide = counts.pivot(index="region", columns="year", values="value").loc[["north", "'=south"]]
    told = index.pivot(index="region", columns="year", values="value").loc[wide.index]
    assert np.allclose(told, 100 * wide.div(wide[2019], axis=0), rtol=1e-12)
    told = growth.pivot(index="region", columns="year", values="value").loc[wide.index]
    assert np.allclose(told, 100 * wide.pct_change(axis=1), rtol=1e-9, atol=1e-9, equal_nan=True)
    first = growth[growth["year"].eq(2019)]
    assert set(first["grade"]) == {"O"}
    assert first["value"].isna().all()
    base = index[index["year"].eq(2019) & index["region"].eq("north")]
    assert base[["value", "lower95", "upper95"]].to_numpy().tolist() == [[100, 100, 100]]


def test_intervals_reach_around_the_values_and_say_nothing_where_nothing_is_known(bundle: dict[str, bytes]) -> None:
    index = table(bundle, "derived/case_index.csv")
    north = index[index["region"].eq("north")]
    assert ((north["lower95"] <= north["value"]) & (north["value"] <= north["upper95"])).all()
    assert (north["upper95"] - north["lower95"] < 6).all()
    assert set(north["grade"]) == {"A"}
    nobody = index[index["region"].eq("nobody") & index["year"].gt(2019)]
    assert set(nobody["grade"]) <= {"U", "O", "N"}


def test_a_period_that_the_bounds_cut_is_compared_with_nothing(bundle: dict[str, bytes]) -> None:
    change, index = table(bundle, "derived/month_change.csv"), table(bundle, "derived/month_index.csv")
    assert list(change["grade"]) == ["O", *"AAAAAA", "O"]
    assert list(index["grade"]) == [*"AAAAAAA", "O"]
    assert list(change["day_partial"])[-1] == "yes"


@pytest.mark.one_in(2)
def test_a_program_reads_what_is_compared(bundle: dict[str, bytes], tmp_path: Path) -> None:
    told = json.loads(bundle["derived/case_index.json"])
    assert (told["of"], told["over"], told["base"]) == ("cases", "year", "2019")
    assert "public" not in told
    assert "2019 is 100" in told["question"]
    assert json.loads(bundle["derived/growth.json"])["lag"] == 1
    folder = signed(bundle, tmp_path / "releases" / json.loads(bundle["release.json"])["id"], KEY)
    write_site([folder], tmp_path / "site")
    for root, said in ((tmp_path / "site", "2019 is 100"), (tmp_path / "site" / "es", "2019 es 100")):
        pages = [page.read_text() for page in root.rglob("*.html") if "case_index" in page.read_text()]
        assert any(said in page for page in pages)


def _with(path: str, before: str, after: str) -> Callable[[dict[str, bytes]], dict[str, bytes]]:
    def change(files: dict[str, bytes]) -> dict[str, bytes]:
        assert before.encode() in files[path], path
        return {**files, path: files[path].replace(before.encode(), after.encode(), 1)}

    return change


def _digit(name: str, column: str, row: int) -> Callable[[dict[str, bytes]], dict[str, bytes]]:
    """One number by a millionth of itself, in CSV and JSON."""

    def change(files: dict[str, bytes]) -> dict[str, bytes]:
        path = f"derived/{name}.csv"
        lines = [line.split(",") for line in files[path].decode().split("\n")]
        place = lines[0].index(column)
        before = lines[1 + row][place]
        after = repr(float(before) * (1 + 1e-6))
        lines[1 + row][place] = after
        told = files[f"derived/{name}.json"].decode().replace(f'"{column}":{before}', f'"{column}":{after}')
        return {**files, path: "\n".join(map(",".join, lines)).encode(), f"derived/{name}.json": told.encode()}

    return change


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "change",
    [
        *(
            _digit(name, end, 3)
            for name in ("case_index", "growth", "month_change")
            for end in ("value", "lower95", "upper95")
        ),
        _digit("case_index", "lower95", 0),
        _with("derived/growth.csv", ",,,,O\n", ",0.0,,,U\n"),
        _with("derived/month_index.csv", ",A\n", ",C\n"),
        _with("derived/month_index.json", '"grade":"A"', '"grade":"C"'),
        _with("derived/month_index.json", '"value":', '"value":1'),
        _with("derived/growth.csv", "north,2020", "north,2021"),
    ],
)
def test_the_second_implementation_refuses_a_forgery_alone(
    change: Callable[[dict[str, bytes]], dict[str, bytes]], bundle: dict[str, bytes]
) -> None:
    certificate = json.loads(bundle["release.json"])
    assert check_derived(certificate, bundle) == ROWS
    with pytest.raises(IntegrityError, match="derived/"):
        check_derived(certificate, change(bundle))


def test_it_refuses_intervals_for_less_noise(bundle: dict[str, bytes]) -> None:
    """Ends for nine tenths of the noise, everything else as it is."""
    certificate = json.loads(bundle["release.json"])
    for measurement in certificate["measurements"]:
        for mechanism in measurement["mechanisms"]:
            mechanism["scale"] *= 0.9
    with pytest.raises(IntegrityError, match="derived/case_index"):
        check_derived(certificate, bundle)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("less", [0, 1], ids=["index", "change"])
@pytest.mark.parametrize("is_normal", [False, True], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("scale", ["0.3", "20.7"])
def test_counts_of_any_size_are_checked(scale: str, is_normal: bool, less: int) -> None:
    """Where nine digits tell no end from the quotient, a change has lost digits of it, and noise is little."""
    noise = CountNoise(Decimal(scale), is_normal)
    again = RecomputedNoise(float(scale), is_normal)
    for count, by in product((9, 62, 999, 10**9, 10**15 + 7, 2**53), repeat=2):
        found = noise.quotient(count, by)
        assert found is not None
        ends = (found.value, found.lower, found.upper)
        cells = ["" if each is None else repr(float(100 * (Fraction(each) - less))) for each in ends]
        assert _holds(again, cells, count, by, less, is_base=False), (count, by)
        for place, end in enumerate(cells):
            wrong = repr(float(end or 0) * (1 + 1e-6) + 1e-6)
            told = [*cells[:place], wrong, *cells[place + 1 :]]
            assert not _holds(again, told, count, by, less, is_base=False), (count, by, told)


def _derived(**changes: Any) -> dict[str, Any]:
    return {"derived": [{**PLAN["derived"][0], **changes}]}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("changes", "path", "said"),
    [
        (_derived(base=None), "derived[0]", "neither `base` nor `lag`"),
        (_derived(lag=1), "derived[0]", "both `base` and `lag`"),
        (_derived(base=2018), "derived[0].base", "2019"),
        (_derived(over="age"), "derived[0].over", "region"),
        (_derived(over=None), "derived[0].over", "required"),
        (_derived(base=None, lag=0), "derived[0].lag", "1"),
        (_derived(base=None, lag=6), "derived[0].lag", "from 1 to 5"),
        (_derived(base=None, lag=1, over="region"), "derived[0].over", "no order"),
        (_derived(times=7), "derived[0].times", "base"),
        (_derived(of="nothing"), "derived[0].of", "cases"),
        (
            {"derived": [{"id": "i", "of": "monthly", "over": "day", "base": "2024-08"}]},
            "derived[0].base",
            "the bounds cut",
        ),
        ({**_derived(), "postprocess": ["nonnegative"]}, "derived[0]", "not independent"),
        (
            {**_derived(), "statistics": [{**PLAN["statistics"][0], "margins": True}]},
            "derived[0].of",
            "without `margins`",
        ),
        (
            {"statistics": [{"id": "ages", "kind": "histogram", "column": "age"}, {"id": "n", "kind": "count"}]}
            | {"derived": [{"id": "i", "of": "n", "over": "age", "base": "1"}]},
            "derived[0].of",
            "by groups",
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


def test_counts_that_are_sums_of_others_are_compared_where_noise_is_normal(
    frame: pandas.DataFrame, tmp_path: Path
) -> None:
    """Sums of normal noises are normal; of Laplace noises they are not, and the plan is refused."""
    region = PLAN["columns"]["region"] | {"count_missing_as": "far"}
    years = {"id": "years", "kind": "count", "by": ["year"]}
    asked = {
        "columns": PLAN["columns"] | {"region": region},
        "statistics": [{**PLAN["statistics"][0], "weight": 100}, years],
        "derived": [{"id": "i", "of": "years", "over": "year", "base": 2019}],
    }
    files = in_currency("zcdp", frame, tmp_path, **asked)
    stated = {each["id"]: each["measurements"] for each in json.loads(files["release.json"])["statistics"]}
    assert stated["years"] == ["cases"], "else this tests nothing"
    dprelease.verify(next(tmp_path.iterdir()))
    with pytest.raises(PlanError, match="with Laplace noise"):
        in_currency("pure", frame, tmp_path, **asked)


def test_a_table_of_one_cell_is_its_own_base(frame: pandas.DataFrame, tmp_path: Path) -> None:
    asked = {
        "statistics": [{"id": "all", "kind": "histogram", "column": "age", "bins": 1}],
        "derived": [{"id": "i", "of": "all", "over": "age_from", "base": 0}],
    }
    files = in_currency("pure", frame[:5000], tmp_path, **asked)
    assert table(files, "derived/i.csv")[["value", "lower95", "upper95", "grade"]].to_numpy().tolist() == [
        [100, 100, 100, "A"]
    ]
    dprelease.verify(next(tmp_path.iterdir()))


def test_a_table_of_three_rows_is_said_to_tell_nothing(frame: pandas.DataFrame, tmp_path: Path) -> None:
    files = in_currency("zcdp", frame[:3], tmp_path)
    for each in PLAN["derived"]:
        told = table(files, f"derived/{each['id']}.csv")
        assert set(told["value"][told["grade"].isin(["A", "C"])]) <= {100}, "a base beside itself"
    dprelease.verify(next(tmp_path.iterdir()))
