"""Shares of rows, columns and tables: quotients of published counts, with intervals that hold, in every file."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from numpy.typing import NDArray

import dprelease
from dprelease.errors import IntegrityError, PlanError
from dprelease.statistics.algebra.combination import Noises, part_interval
from dprelease.statistics.planning.price import price
from tests.bundle.entries import key_of
from tests.verdict.forging import signed

PLAN: dict[str, Any] = {
    "dprelease": 1,
    "dataset": "people",
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
    "columns": {
        "region": {"type": "category", "categories": ["north", "south", "empty"]},
        "age": {"type": "integer", "lower": 0, "upper": 99},
        "sex": {"type": "category", "categories": ["F", "M"]},
        "weight": {"type": "number", "lower": 0.5, "upper": 4, "resolution": 0.5},
    },
    "statistics": [
        {"id": "two", "kind": "crosstab", "columns": ["region", "sex"], "shares": ["row", "column", "table"]},
        {
            "id": "three",
            "kind": "crosstab",
            "columns": ["region", "age", "sex"],
            "bins": {"age": 4},
            "shares": ["column", "row"],
            "margins": True,
        },
        {
            "id": "weighed",
            "kind": "crosstab",
            "columns": ["region", "sex"],
            "shares": ["row"],
            "survey_weights": "weight",
        },
    ],
}


@pytest.fixture(scope="module", params=["pure", "zcdp"])
def bundle(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    random = np.random.default_rng(3)
    frame = pandas.DataFrame(
        {
            "region": random.choice(["north", "south"], 900),
            "age": random.integers(0, 100, 900),
            "sex": random.choice(["F", "M"], 900, p=[0.8, 0.2]),
            "weight": random.integers(1, 9, 900) / 2,
        }
    )
    zcdp = request.param == "zcdp"
    workspace = dprelease.Workspace.in_memory()
    terms: dict[str, Any] = {"delta": "1e-5"} if zcdp else {}
    workspace.add_population("p", unit="row", neighbors="add_remove", epsilon=4, currency=request.param, **terms)
    workspace.add_dataset("people", frame, population="p", columns=PLAN["columns"])
    plan = copy.deepcopy(PLAN)
    plan["privacy"] |= {"delta": 1e-6} if zcdp else {}
    return workspace.publish(dprelease.Plan.parse(plan)).write(tmp_path_factory.mktemp("shares"))


def read(bundle: Path, name: str) -> pandas.DataFrame:
    return pandas.read_csv(bundle / "tables" / f"{name}.csv", dtype={"age_from": str, "age_to": str})


@pytest.mark.one_in(2)
def test_a_share_is_the_quotient_of_published_counts(bundle: Path) -> None:
    table = read(bundle, "two")
    for word, key in (("row", "region"), ("column", "sex")):
        whole = table.groupby(key).value.transform("sum")
        known = whole > 0
        assert np.allclose(table[f"{word}_share"][known], (table.value / whole).clip(0, 1)[known])
        assert table[f"{word}_share"][~known].isna().all()
    assert np.allclose(table.table_share, (table.value / table.value.sum()).clip(0, 1))
    for word in ("row", "column", "table"):
        lower, share, upper = (table[f"{word}_share{end}"].dropna() for end in ("_lower95", "", "_upper95"))
        assert ((lower >= 0) & (lower <= share) & (share <= upper) & (upper <= 1)).all()


def test_totals_are_shared_out_too_and_have_no_share_of_themselves(bundle: Path) -> None:
    table = read(bundle, "three")
    total = table.sex == "_T"
    assert table.row_share[total].isna().all()
    whole = table[~total].groupby(["region", "age_from"]).value.transform("sum")
    known = ~total & (whole.reindex(table.index) > 0)
    assert np.allclose(table.row_share[known], (table.value[known] / whole[known]).clip(0, 1))
    assert table.column_share[table.region == "_T"].isna().all()
    country = table[(table.region == "_T") & (table.age_from == "_T") & ~total]
    assert country.row_share.notna().all()


@pytest.mark.one_in(2)
def test_other_files_and_the_page_have_them_and_all_verifies(bundle: Path) -> None:
    release = dprelease.verify(bundle).release
    shares = list(release.tables["two"].extra["row_share"])
    told = pandas.read_csv(io.BytesIO((bundle / "sdmx" / "two.csv").read_bytes()))
    assert np.allclose(told.ROW_SHARE.astype(float), np.array(shares, dtype=float), equal_nan=True)
    fields = json.loads((bundle / "datapackage.json").read_text())["resources"][0]["schema"]["fields"]
    assert {"row_share", "row_share_lower95", "row_share_upper95"} <= {field["name"] for field in fields}
    page = (bundle / "index.html").read_text()
    assert "Share of its row" in page


def changed(table: str, change: Callable[[pandas.DataFrame], pandas.DataFrame]) -> Callable[[dict[str, bytes]], None]:
    def forge(files: dict[str, bytes]) -> None:
        path = f"tables/{table}.csv"
        frame = change(pandas.read_csv(io.BytesIO(files[path]), dtype=str, keep_default_na=False))
        files[path] = frame.to_csv(index=False, lineterminator="\n").encode()

    return forge


@pytest.mark.parametrize(
    ("column", "by"), [("row_share", 0.01), ("row_share_lower95", -0.002), ("row_share_upper95", 0.002)]
)
def test_a_forged_share_is_found_by_another_reading(bundle: Path, column: str, by: float) -> None:
    from dprelease.verdict.shares import check_shares

    certificate = json.loads((bundle / "release.json").read_text())
    names = [each["id"] for each in PLAN["statistics"]]
    tables = {name: (bundle / "tables" / f"{name}.csv").read_bytes() for name in names}
    check_shares(certificate, tables)
    for name in names:
        frame = pandas.read_csv(io.BytesIO(tables[name]), dtype=str, keep_default_na=False)
        place = frame.index[(frame[column] != "") & (frame[column].astype(str).str.len() > 4)][0]
        frame.loc[place, column] = repr(float(frame.loc[place, column]) + by)
        forged = tables | {name: frame.to_csv(index=False, lineterminator="\n").encode()}
        with pytest.raises(IntegrityError, match=name):
            check_shares(certificate, forged)


def test_a_forged_share_does_not_verify(bundle: Path, tmp_path: Path) -> None:
    files = {str(path.relative_to(bundle)): path.read_bytes() for path in bundle.rglob("*") if path.is_file()}
    frame = pandas.read_csv(io.BytesIO(files["tables/two.csv"]), dtype=str, keep_default_na=False)
    frame.loc[0, "row_share"] = repr(float(frame.loc[0, "row_share"]) - 0.01)
    files["tables/two.csv"] = frame.to_csv(index=False, lineterminator="\n").encode()
    with pytest.raises(IntegrityError):
        dprelease.verify(signed(files, tmp_path / "forged", key_of(9)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"columns": ["sex", "one"], "shares": ["row"]}, "one cell"),
        ({"columns": ["region", "new"], "shares": ["row"]}, "to discover"),
        ({"columns": ["region", "sex"], "shares": ["share"]}, "shares"),
    ],
)
def test_shares_that_tell_nothing_are_refused(change: dict[str, Any], said: str) -> None:
    plan = copy.deepcopy(PLAN)
    plan["columns"] |= {
        "one": {"type": "category", "categories": ["a"]},
        "new": {"type": "category", "categories": "discover"},
    }
    plan["statistics"] = [{"id": "t", "kind": "crosstab", **change}]
    plan["privacy"]["delta"] = 1e-6
    with pytest.raises(PlanError, match=said):
        price(dprelease.Plan.parse(plan))


def test_shares_beside_postprocessing_are_refused() -> None:
    with pytest.raises(PlanError, match="shares beside post-processing"):
        price(dprelease.Plan.parse({**PLAN, "statistics": PLAN["statistics"][:1], "postprocess": ["nonnegative"]}))


def law(scale: float, is_normal: bool) -> NDArray[np.float64]:
    """Probabilities of discrete noise, from its exponent."""
    steps = np.arange(-int(25 * scale + 20), int(25 * scale + 20) + 1)
    weights = np.exp(-((steps / scale) ** 2) / 2) if is_normal else np.exp(-np.abs(steps) / scale)
    return np.asarray(weights / weights.sum())


@pytest.mark.one_in(9)
@pytest.mark.parametrize("is_normal", [False, True])
@pytest.mark.parametrize(("scale", "cells"), [(0.5, 2), (1.0, 3), (2.0, 5), (4.0, 2)])
def test_intervals_hold_by_enumeration(is_normal: bool, scale: float, cells: int) -> None:
    """No chance in it: probabilities of all noises are added up in which the true share is in the interval.

    Of rows that may be few or none of; where there is no value, it counts as held, and as little as that happens.
    """
    one = law(scale, is_normal)
    rest = one
    for _ in range(cells - 2):
        rest = np.convolve(rest, one)
    own, beside = (np.arange(len(each)) - len(each) // 2 for each in (one, rest))
    noises = [Noises((), scale * count**0.5) if is_normal else Noises(((scale, count),)) for count in (1, cells - 1)]
    for part, whole in ((0, 30), (1, 4), (15, 30), (70, 100), (100, 100), (2, 2)):
        first, second = np.meshgrid(part + own, whole - part + beside, indexing="ij")
        _, lower, upper = part_interval(first.astype(float), second.astype(float), *noises)
        held = np.isnan(lower) | ((lower <= part / whole) & (part / whole <= upper))
        assert float((one[:, None] * rest[None] * held).sum()) >= 0.95, (part, whole)


def test_a_share_of_nothing_is_none() -> None:
    parts, noise = np.array([0.0, -3.0, 5.0]), Noises(((1.0, 1),))
    value, lower, upper = part_interval(parts, np.array([0.0, 1.0, -5.0]), noise, noise)
    assert np.isnan([value, lower, upper]).all()
    clear = part_interval(np.array([800.0]), np.array([200.0]), noise, noise)
    assert [round(float(each[0]), 3) for each in clear] == [0.8, 0.797, 0.803]


def test_tables_with_shares_measure_for_themselves() -> None:
    """What others are computed of has no further columns."""
    plan = {**PLAN, "statistics": [*PLAN["statistics"][:1], {"id": "n", "kind": "count", "by": ["region"]}]}
    assert all(item.source is None for item in price(dprelease.Plan.parse(plan)).statistics)
    assert replace(price(dprelease.Plan.parse(plan))["two"].statistic, shares=()).is_plain  # type: ignore[attr-defined]
