"""Values that were chosen privately come with how many rows they may be off; that holds of what mechanisms draw."""

from __future__ import annotations

import copy
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from numpy.typing import NDArray

import dprelease
from dprelease.bundle.listing import parts
from dprelease.bundle.outputs import release_files
from dprelease.bundle.reliability import rank_statement
from dprelease.errors import IntegrityError
from dprelease.model.grade import grades
from dprelease.model.privacy import Currency
from dprelease.model.release import Release
from dprelease.model.statement import Reason
from dprelease.portal.cells import TextTable
from dprelease.portal.number import NumberPage
from dprelease.portal.shelf import Bundle
from dprelease.statements.ranks import rank_reach
from dprelease.statistics.planning.price import price
from dprelease.statistics.ranked import QuantileTable
from dprelease.verdict.statements import check_statements
from dprelease.words.language import speaking

AGES = 64
DRAWS = 300
PLAN: dict[str, Any] = {
    "dprelease": 1,
    "dataset": "people",
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
    "columns": {
        "age": {"type": "integer", "lower": 0, "upper": AGES - 1},
        "sex": {"type": "category", "categories": ["F", "M", "X"]},
        "one": {"type": "category", "categories": ["a"]},
    },
    "statistics": [
        {"id": "thirds", "kind": "quantiles", "column": "age", "probs": [0.1, 0.5, 0.75]},
        {"id": "middle", "kind": "median", "column": "age", "cells": 8},
        {"id": "five", "kind": "five_numbers", "column": "age", "interval": True},
        {"id": "given", "kind": "median", "column": "age", "candidates": [10, 40]},
        {"id": "most", "kind": "mode", "column": "age"},
        {"id": "only", "kind": "mode", "column": "one"},
        {"id": "sexes", "kind": "mode", "column": "age", "by": ["sex"]},
        {"id": "rows", "kind": "count"},
    ],
}
STEPS = np.arange(AGES)
SHAPES = {
    "even": np.full(AGES, 40),
    "peaked": (4000 * np.exp(-(((STEPS - 20) / 3.0) ** 2))).astype(np.int64),
    "two modes": np.where((STEPS == 5) | (STEPS == 60), 1000, 1),
    "heavy tail": (3000 / (1 + STEPS) ** 2).astype(np.int64),
    "all one value": np.where(STEPS == 33, 2000, 0),
    "no rows": np.zeros(AGES, dtype=np.int64),
}


@pytest.fixture(scope="module", params=["pure", "zcdp"])
def release(request: pytest.FixtureRequest) -> Release:
    workspace = dprelease.Workspace.in_memory()
    people = {"age": [place % AGES for place in range(1000)], "sex": ["F", "M"] * 500, "one": ["a"] * 1000}
    terms: dict[str, Any] = {"neighbors": "add_remove", "epsilon": 4, "currency": request.param}
    workspace.add_population("people", unit="row", **terms, **({"delta": "1e-5"} if request.param == "zcdp" else {}))
    workspace.add_dataset("people", pandas.DataFrame(people), population="people", columns=PLAN["columns"])
    plan = copy.deepcopy(PLAN)
    plan["privacy"] |= {"delta": 1e-6} if request.param == "zcdp" else {}
    return workspace.publish(dprelease.Plan.parse(plan))


def too_many(counts: NDArray[Any], shares: list[float], cells: list[int]) -> float:
    """Rows too many below or above the worst of sorted values, which are places of cells."""
    upto = np.cumsum(counts)
    sides = (
        max((upto[cell] - counts[cell]) - share * upto[-1], (upto[-1] - upto[cell]) - (1 - share) * upto[-1])
        for share, cell in zip(shares, sorted(cells), strict=True)
    )
    return float(max(sides))


@pytest.mark.one_in(10)
@pytest.mark.parametrize("shape", SHAPES)
def test_no_side_has_more_rows_too_many_than_is_said(release: Release, shape: str) -> None:
    """False alarm: 5 % of 300 draws would be 15; more than 45 come with less than 1 in 10^10."""
    stated = release.certificate
    priced = price(stated_plan(release), currency=stated.population.currency)
    for name in ("thirds", "middle"):
        item, reach = priced[name], rank_reach(stated, name)
        assert isinstance(item.statistic, QuantileTable)
        assert reach is not None
        cells = item.statistic.key(priced.plan.schema).cells
        counts = SHAPES[shape].reshape(cells, -1).sum(axis=1)
        scores = item.statistic.exact(priced.plan.schema, [counts])
        shares = [float(share) for share in item.statistic.probabilities()]
        drawn = [
            [int(mechanism.release(each)[0]) for mechanism, each in zip(item.mechanisms, scores, strict=True)]
            for _ in range(DRAWS)
        ]
        off = np.array([too_many(counts, shares, cells) for cells in drawn])
        assert (off > reach).sum() <= 45


def test_a_mode_has_no_fewer_rows_than_is_said(release: Release) -> None:
    """The same false alarm."""
    stated = release.certificate
    priced = price(stated_plan(release), currency=stated.population.currency)["most"]
    reach = rank_reach(stated, "most")
    assert reach is not None
    for counts in SHAPES.values():
        chosen = [int(priced.mechanisms[0].release(counts[None])[0]) for _ in range(DRAWS)]
        assert (counts.max() - counts[chosen] > reach).sum() <= 45


def stated_plan(release: Release) -> dprelease.Plan:
    return dprelease.Plan.parse(release.certificate.plan)


def test_the_sentence_says_the_number_in_both_languages(release: Release) -> None:
    stated = release.certificate
    reach = rank_reach(stated, "thirds")
    assert reach is not None
    assert f"at most {ceil(reach)} rows too many" in rank_statement(stated, "thirds")
    with speaking("es"):
        assert f"como mucho {ceil(reach)} filas de más" in rank_statement(stated, "thirds")
    assert "one of 8 between the bounds" in rank_statement(stated, "middle")
    assert rank_statement(stated, "five").endswith("on either side.")
    assert "rows fewer than the most common one" in rank_statement(stated, "sexes")
    assert "at most 0 rows fewer" in rank_statement(stated, "only")
    assert [rank_statement(stated, name) for name in ("given", "rows")] == ["", ""]


@pytest.mark.one_in(2)
def test_the_page_says_it_and_verifies(release: Release, tmp_path: Any) -> None:
    folder = release.write(tmp_path)
    assert "rows too many lie on either side" in (folder / "index.html").read_text()
    dprelease.verify(folder)


def test_more_cells_and_more_answers_say_more(release: Release) -> None:
    """What is said follows from the certificate: twice the noise, twice the rows."""
    reaches = {name: rank_reach(release.certificate, name) or 0 for name in ("thirds", "middle", "five")}
    assert reaches["five"] > reaches["thirds"] > reaches["middle"] > 0
    assert release.certificate.population.currency in Currency


def middles(folder: Path, rows: int, *further: dict[str, Any], **more: Any) -> Release:
    """Medians of all and by sex, chosen among all declared ages, beside whatever counts answers; published and read."""
    workspace = dprelease.Workspace.in_memory()
    people = {"age": [place % AGES for place in range(rows)], "sex": ["F", "M"] * (rows // 2)}
    workspace.add_population("people", unit="row", neighbors="add_remove", epsilon=8)
    age = PLAN["columns"]["age"] | more
    columns = {"age": age, "sex": {"type": "category", "categories": ["F", "M"]}}
    workspace.add_dataset("people", pandas.DataFrame(people), population="people", columns=columns)
    own: list[dict[str, Any]] = [
        {"id": "all", "kind": "median", "column": "age"},
        {"id": "each", "kind": "median", "column": "age", "by": ["sex"]},
        {"id": "low", "kind": "quantiles", "column": "age", "probs": [0.02, 0.5]},
        {"id": "wide", "kind": "median", "column": "age", "cells": 8},
    ]
    plan = {**PLAN, "columns": columns, "statistics": [*own, *further], "charts": False}
    plan["privacy"] = PLAN["privacy"] | {"epsilon": 8}
    release = workspace.publish(dprelease.Plan.parse(plan))
    return dprelease.verify(release.write(folder)).release


COUNTS: list[dict[str, Any]] = [
    {"id": "n", "kind": "count", "column": "age"},
    {"id": "n_each", "kind": "answered", "columns": ["age"], "by": ["sex"]},
]
ROWS: list[dict[str, Any]] = [{"id": "n", "kind": "count"}, {"id": "n_each", "kind": "count", "by": ["sex"]}]


def letters(release: Release, name: str) -> str:
    return "".join(grades(release.certificate, name, release.tables[name]))


def test_a_value_is_told_by_its_rank_where_the_rows_with_an_answer_are_published(tmp_path: Path) -> None:
    """Not an outer quantile of which the smaller side has hardly any rows, nor one of a cell of several values."""
    release = middles(tmp_path / "own", 2000, *COUNTS)
    stated = release.certificate.statements
    assert stated
    assert stated.ranks.keys() == {"all", "each", "low"}
    assert {name: letters(release, name) for name in ("all", "each", "low", "wide")} == {
        "all": "C",
        "each": "CC",
        "low": "UC",
        "wide": "U",
    }
    assert stated.reasons["all"] == (Reason.RANK,)
    own = stated.ranks["each"]
    assert own.off == ceil(rank_reach(release.certificate, "each") or 0)
    assert all(960 < rows < 1000 for rows in own.rows)
    (folder,) = {path.parent for path in (tmp_path / "own").rglob("release.json")}
    text = (folder / "index.html").read_text()
    each = text[text.index('id="statistic-each') : text.index('id="statistic-low')]
    assert "how many rows may be on the wrong side of a value is told" in each
    assert "is not known" not in each
    cells = TextTable.of(Bundle.open(folder.name, folder), "each")
    for code, expected in (("en", "on the wrong side of it"), ("es", "en el lado equivocado")):
        with speaking(code):
            number = NumberPage.of(release.certificate, "each", cells, "sex=M")
            assert expected in number.sentence
            assert f"{own.off} " in number.sentence
            assert f" {own.rows[1]} " in number.sentence
            assert number.tail
            assert number.value.endswith("(c)")


@pytest.mark.parametrize(
    ("rows", "further"),
    [
        (2000, []),
        (20, COUNTS),
        (2000, [{"id": "n", "kind": "count"}, {"id": "n_each", "kind": "count", "by": ["sex"]}]),
    ],
    ids=["no count", "few rows", "rows without an answer may be among them"],
)
def test_no_value_is_told_by_its_rank_else(rows: int, further: list[dict[str, Any]], tmp_path: Path) -> None:
    release = middles(tmp_path / "own", rows, *further)
    assert release.certificate.statements
    assert release.certificate.statements.ranks == {}
    assert letters(release, "each") == "UU"


def test_all_rows_have_an_answer_where_missing_ones_count_as_a_value(tmp_path: Path) -> None:
    release = middles(tmp_path / "own", 2000, {"id": "n", "kind": "count"}, count_missing_as=0)
    assert release.certificate.statements
    assert release.certificate.statements.ranks.keys() == {"all", "low"}


def test_another_rank_is_refused(tmp_path: Path) -> None:
    release = middles(tmp_path / "own", 2000, *COUNTS)
    told = release.certificate.to_mapping()
    files = release_files(release)
    tables = {name: b"".join(parts(files[f"tables/{name}.csv"])) for name in release.tables}
    check_statements(told, tables)
    for change in ({"off": 0}, {"rows": [10**6]}, {"places": []}):
        forged = copy.deepcopy(told)
        forged["statements"]["ranks"]["all"] |= change
        with pytest.raises(IntegrityError, match="by rank"):
            check_statements(forged, tables)
    del told["statements"]["ranks"]["all"]
    with pytest.raises(IntegrityError, match="by rank"):
        check_statements(told, tables)
