"""Intervals of quantiles by the shares of a cdf are found again from the files, in every kind of column."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pandas
import pytest

import dprelease
from dprelease.bundle.reliability import GradeCounts, reliability
from dprelease.errors import IntegrityError
from dprelease.model.release import Release
from dprelease.model.statistic import KINDS
from dprelease.statistics.algebra.rank_interval import cells_between
from dprelease.verdict.quantile_checks import check_between
from dprelease.words.language import speaking

PLAN: dict[str, Any] = {
    "dprelease": 1,
    "dataset": "people",
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
    "columns": {
        "cold": {"type": "integer", "lower": -40, "upper": 9},
        "part": {"type": "number", "lower": -0.5, "upper": 2.5, "resolution": 0.1},
        "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31"},
    },
    "statistics": [
        {"id": "tenths", "kind": "quantiles", "column": "cold", "probs": [0.1, 0.5, 0.9]},
        {"id": "colds", "kind": "cdf", "column": "cold"},
        {"id": "five", "kind": "five_numbers", "column": "part", "whiskers": [0.02, 0.98]},
        {"id": "parts", "kind": "cdf", "column": "part", "edges": [-0.5, 0, 0.2, 0.5, 1, 2.5]},
        {"id": "middle", "kind": "median", "column": "day"},
        {"id": "days", "kind": "cdf", "column": "day", "bins": 60},
        {"id": "dates", "kind": "histogram", "column": "day", "bins": 60},
        {"id": "given", "kind": "median", "column": "cold", "candidates": [-39, 9]},
        {"id": "paid", "kind": "median", "column": "day", "interval": True},
    ],
}
BOUNDED = {"tenths": "colds", "given": "colds", "five": "parts", "middle": "days"}


@pytest.fixture(scope="module", params=["pure", pytest.param("zcdp", marks=pytest.mark.full)])
def release(request: pytest.FixtureRequest) -> Release:
    random = np.random.default_rng(4)
    frame = pandas.DataFrame(
        {
            "cold": random.normal(-15, 6, 3000).round().clip(-40, 9).astype(int),
            "part": random.exponential(0.5, 3000).clip(-0.5, 2.5).round(1),
            "day": pandas.Timestamp("2025-01-01") + pandas.to_timedelta(random.integers(0, 365, 3000), "D"),
        }
    )
    zcdp = request.param == "zcdp"
    workspace = dprelease.Workspace.in_memory()
    terms: dict[str, Any] = {"delta": "1e-5"} if zcdp else {}
    workspace.add_population("p", unit="row", neighbors="add_remove", epsilon=4, currency=request.param, **terms)
    workspace.add_dataset("people", frame, population="p", columns=PLAN["columns"])
    plan = copy.deepcopy(PLAN)
    plan["privacy"] |= {"delta": 1e-6} if zcdp else {}
    return workspace.publish(dprelease.Plan.parse(plan))


@pytest.fixture(scope="module")
def bundle(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release.write(tmp_path_factory.mktemp("between"))


@pytest.mark.full
def test_the_certificate_says_by_which_shares_and_all_verifies(release: Release, bundle: Path) -> None:
    stated = json.loads((bundle / "release.json").read_text())["statistics"]
    assert {each["id"]: each["bounded_by"] for each in stated if "bounded_by" in each} == BOUNDED
    checks = {check.code: check.words for check in dprelease.verify(bundle).checks}
    assert "10 quantiles" in checks["check.quantiles"]
    for name in BOUNDED:
        table = release.tables[name]
        assert None not in (*table.lower95, *table.upper95)
    assert release.tables["middle"].lower95[0] > "2025-03-31"  # type: ignore[operator]
    assert release.tables["middle"].upper95[0] < "2025-10-01"  # type: ignore[operator]


def test_the_page_says_where_they_come_from(release: Release, bundle: Path) -> None:
    page = (bundle / "index.html").read_text()
    assert page.count("follow from the shares in") == len(BOUNDED)
    counted = GradeCounts.of(release, "middle")
    with speaking("es"):
        assert any("Sus intervalos se siguen de las proporciones de days" in each for each in said(release, counted))
    assert not any("shares in" in each for each in reliability(release, "paid", GradeCounts.of(release, "paid")))


def said(release: Release, counted: GradeCounts) -> list[str]:
    return list(reliability(release, "middle", counted))


Forgery = Callable[[dict[str, Any], dict[str, pandas.DataFrame]], None]


def cell(table: str, row: int, column: str, value: str) -> Forgery:
    def change(certificate: dict[str, Any], tables: dict[str, pandas.DataFrame]) -> None:
        tables[table].loc[row, column] = value

    return change


def stated(name: str, by: str) -> Forgery:
    def change(certificate: dict[str, Any], tables: dict[str, pandas.DataFrame]) -> None:
        next(each for each in certificate["statistics"] if each["id"] == name)["bounded_by"] = by

    return change


FORGERIES: dict[str, Forgery] = {
    "an upper end one step further": cell("tenths", 1, "upper95", "9"),
    "a lower end at the bound": cell("tenths", 2, "lower95", "-40"),
    "an end of a day": cell("middle", 0, "upper95", "2025-12-30"),
    "an end in tenths": cell("five", 3, "lower95", "-0.4"),
    "no end": cell("five", 0, "lower95", ""),
    "other shares": lambda _, tables: tables["days"].update(pandas.DataFrame({"upper95": ["1"] * 60})),
    "other shares above": lambda _, tables: tables["colds"].update(pandas.DataFrame({"lower95": ["0"] * 25})),
    "shares of another column": stated("middle", "colds"),
    "no shares": stated("middle", "dates"),
    "shares that are not there": stated("middle", "nothing"),
    "one that has paid": stated("paid", "days"),
    "a row less": lambda _, tables: tables.update(five=tables["five"][:4]),
}


def check(bundle: Path, forge: Forgery) -> int:
    certificate = json.loads((bundle / "release.json").read_text())
    paths = (bundle / "tables").glob("*.csv")
    tables = {path.stem: pandas.read_csv(path, dtype=str, keep_default_na=False) for path in paths}
    forge(certificate, tables)
    return check_between(
        certificate, {f"tables/{name}.csv": table.to_csv(index=False).encode() for name, table in tables.items()}
    )


def test_the_second_reading_takes_what_was_published(bundle: Path) -> None:
    assert check(bundle, lambda *_: None) == 10


@pytest.mark.parametrize("name", FORGERIES)
def test_other_intervals_are_refused(name: str, bundle: Path) -> None:
    with pytest.raises(IntegrityError):
        check(bundle, FORGERIES[name])


def test_random_bands_are_read_alike_by_both(bundle: Path) -> None:
    """Any shares with any ends in them, in order or not: 300 tables."""
    random = np.random.default_rng(8)
    certificate = json.loads((bundle / "release.json").read_text())
    for asked in certificate["statistics"]:
        if asked["id"] not in ("given",):
            asked.pop("bounded_by", None)
    heads = "cold_up_to,value,lower95,upper95,raw,grade\n"
    ends = [*range(-38, 9, 2), 9]
    for _ in range(300):
        low, high = np.sort(random.integers(0, 21, (2, len(ends))) / 20, axis=0)
        first, last = cells_between(low.tolist(), high.tolist(), Decimal("0.5"))
        value = int(random.integers(-40, 10))
        least = min(value, ends[first - 1] + 1 if first else -40)
        most = max(value, ends[last])
        shares = heads + "".join(f"{end},0,{a},{b},0,A\n" for end, a, b in zip(ends, low, high, strict=True))
        for shift in (0, 1):
            table = f"value,lower95,upper95,grade\n{value},{least},{most + shift},A\n"
            files = {"tables/given.csv": table.encode(), "tables/colds.csv": shares.encode()}
            if shift:
                with pytest.raises(IntegrityError):
                    check_between(certificate, files)
            else:
                assert check_between(certificate, files) == 1


SMALL: dict[str, Any] = {"id": "q", "kind": "median", "column": "x"}
SHARES: dict[str, Any] = {"id": "c", "kind": "cdf", "column": "x"}


@pytest.mark.parametrize(
    ("own", "by"),
    [
        ({"by": ["y"]}, {}),
        ({"interval": True}, {}),
        ({"kind": "mean"}, {}),
        ({}, {"kind": "histogram"}),
        ({}, {"column": "y"}),
        ({}, {"id": "other"}),
    ],
)
def test_shares_of_other_rows_bound_nothing_whatever_they_say(own: dict[str, Any], by: dict[str, Any]) -> None:
    """The numbers fit in all of these: what was asked does not."""
    column = {"type": "integer", "lower": 0, "upper": 9}
    files = {
        "tables/q.csv": b"value,lower95,upper95,grade\n5,4,7,A\n",
        "tables/c.csv": b"x_up_to,value,lower95,upper95,grade\n3,0.2,0.1,0.3,A\n7,0.8,0.7,0.9,A\n9,1,1,1,A\n",
    }

    def certificate(asked: dict[str, Any], shares: dict[str, Any]) -> dict[str, Any]:
        plan = {"columns": {"x": column, "y": column}, "statistics": [asked, shares]}
        shown = [msgspec.to_builtins(KINDS[each["kind"]].presentation) for each in (asked, shares)]
        stated = [{"id": "q", "bounded_by": "c", "presentation": shown[0]}, {"id": "c", "presentation": shown[1]}]
        return {"plan": plan, "criteria": [], "statistics": stated}

    assert check_between(certificate(SMALL, SHARES), files) == 1
    with pytest.raises(IntegrityError, match="intervals of q"):
        check_between(certificate(SMALL | own, SHARES | by), files)


def test_a_release_with_other_intervals_in_all_its_files_does_not_verify(release: Release, tmp_path: Path) -> None:
    before = release.tables["middle"]
    other = replace(before, upper95=["2025-12-30"])
    forged = replace(release, outputs={**release.outputs, "middle": other})
    with pytest.raises(IntegrityError, match="middle are not those that days allows"):
        dprelease.verify(forged.write(tmp_path))
