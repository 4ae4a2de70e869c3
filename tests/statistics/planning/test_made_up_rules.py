"""Rules of sharing that nobody wrote: whatever the cells of a table are made of follows, with the noise of those."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.model.plan import Plan
from dprelease.model.privacy import Currency
from dprelease.model.tally import Key
from dprelease.statistics.algebra.linear import coarsening
from dprelease.statistics.answer import answers, draw
from dprelease.statistics.planning.price import Price, price
from dprelease.workspace import Workspace
from tests.statistics.planning.test_sharing import apart
from tests.statistics.ready import ready

COLUMNS: dict[str, Any] = {
    "age": {
        "type": "integer",
        "lower": 0,
        "upper": 99,
        "count_missing_as": 0,
        "levels": {"life": {"edges": [0, 18, 65]}},
    },
    "sex": {"type": "category", "categories": ["f", "m"], "count_missing_as": "f"},
    "place": {
        "type": "category",
        "categories": ["a", "b", "c", "d", "e"],
        "count_missing_as": "a",
        "levels": {"district": {"north": ["a", "d", "e"], "south": ["b", "c"]}},
    },
}
FINE = {"kind": "crosstab", "columns": ["place", "sex"]}
COARSE = {"kind": "crosstab", "columns": ["sex", "place"], "levels": {"place": "district"}}


def priced(*statistics: dict[str, Any], currency: Currency = Currency.ZCDP) -> Price:
    named = [{"id": f"s{place}", **statistic} for place, statistic in enumerate(statistics)]
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 1, "delta": 1e-6}
    plan = {"dprelease": 1, "dataset": "d", "privacy": privacy, "columns": COLUMNS, "statistics": named}
    return price(Plan.parse({**plan, "expected": {"rows": 10_000}}), currency=currency)


def test_a_histogram_by_groups_follows_from_one_by_a_finer_level_of_a_hierarchy() -> None:
    """Districts of places, in another order of keys: sums of the places' noisy counts, each with its own interval."""
    found = priced(FINE | {"weight": 5}, COARSE)
    fine, coarse = found["s0"], found["s1"]
    assert coarse.derivation.name == "counts"
    assert coarse.source is not None
    drawn = draw(found, ready(found, [np.arange(10).reshape(5, 2) * 100]))
    tables = answers(found, drawn)
    table = tables["s1"].named("s1")["s1"]
    places = np.array(tables["s0"].named("s0")["s0"].value).reshape(5, 2)
    assert np.array_equal(
        np.array(table.value).reshape(2, 2), np.stack([places[[0, 3, 4]].sum(axis=0), places[[1, 2]].sum(axis=0)]).T
    )
    halves = (np.array(table.upper95) - np.array(table.value)).reshape(2, 2)
    one = fine.mechanisms[0].scale
    assert np.allclose(halves / (1.96 * one), np.sqrt([[3, 2], [3, 2]]), rtol=0.1)
    assert coarse.error95 == halves.max()
    assert coarse.could_answer(found.plan.schema, tables["s1"])


@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize(
    ("fine", "coarse"),
    [
        ({"kind": "histogram", "column": "age", "bins": 20}, {"kind": "histogram", "column": "age", "bins": 10}),
        (
            {"kind": "crosstab", "columns": ["age", "sex"], "bins": {"age": 4}},
            {"kind": "histogram", "column": "age", "bins": 2},
        ),
        (FINE, {"kind": "count", "by": ["place"], "levels": {"place": "district"}}),
    ],
)
def test_no_table_errs_more_than_by_itself(fine: dict[str, Any], coarse: dict[str, Any], currency: Currency) -> None:
    both = priced(fine, coarse, currency=currency)
    with apart():
        alone = priced(fine, coarse, currency=currency)
    for own, before in zip(both.statistics, alone.statistics, strict=True):
        assert own.error95 is not None
        assert before.error95 is not None
        assert own.error95 <= before.error95


def test_cells_that_cut_one_another_tell_nothing() -> None:
    ages = Key("age", 100, 100)
    assert coarsening(Key("age", 20, 100), Key("age", 10, 100)) == tuple((2 * i, 2 * i + 1) for i in range(10))
    assert coarsening(Key("age", 10, 100), Key("age", 20, 100)) is None
    assert coarsening(Key("age", 20, 100), Key("age", 3, 100)) is None
    assert coarsening(ages, Key("age", 2, 100, (0, 30, 100))) == (tuple(range(30)), tuple(range(30, 100)))
    assert coarsening(ages, Key("age", 2, 100, (0, 10, 30, 100), to=(0, 1, 0))) == (
        (*range(10), *range(30, 100)),
        tuple(range(10, 30)),
    )
    assert coarsening(ages, Key("age", 2, 100, (0, 10, 30, 100), to=(0, -1, 1))) is None, "some are in no cell"
    assert coarsening(ages, Key("age", 3, 100, (0, 30, 100), to=(0, 2))) is None, "a cell of nobody has no noise"
    assert coarsening(Key("age", 3, 100, (0, 30, 100), missing=True), Key("age", 3, 100, missing=True)) is None
    assert coarsening(Key("age", 101, 100, missing=True), Key("age", 2, 100, (0, 100), missing=True)) == (
        tuple(range(100)),
        (100,),
    )


@pytest.mark.one_in(3)
@pytest.mark.parametrize("steps", [[], ["consistent", "nonnegative", "integer"]])
def test_a_release_of_them_verifies(steps: list[str], tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path)
    workspace.add_population("p", unit="person", neighbors="add_remove", epsilon=10, delta="1e-5", currency="zcdp")
    rows = range(1000)
    table = {"age": [row % 100 for row in rows], "sex": ["fm"[row % 2] for row in rows]}
    table["place"] = ["abcde"[row % 5] for row in rows]
    workspace.add_dataset("d", pandas.DataFrame(table), population="p", columns=COLUMNS)
    mapping = priced(FINE | {"weight": 5}, COARSE).plan.to_mapping() | ({"postprocess": steps} if steps else {})
    plan = workspace.plans.submit(Plan.parse(mapping))
    workspace.plans.approve(plan)
    release = workspace.publish(plan)
    assert [each.derivation for each in release.certificate.statistics] == ["own", "counts"]
    assert dprelease.verify(tmp_path / "public" / release.id).checks
