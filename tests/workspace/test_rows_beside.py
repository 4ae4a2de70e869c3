"""True tables beside the synthetic rows of a preview's own draw: beside counts by pandas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.bundle.synthetic import shares
from dprelease.workspace.look import PlanPreview

COLUMNS = {
    "age": {"type": "integer", "lower": 0, "upper": 99},
    "region": {"type": "category", "categories": ["n", "e", "s"], "count_missing_as": "s"},
    "sex": {"type": "category", "categories": ["f", "m"]},
}
OWN = {"id": "made", "kind": "synthetic", "columns": ["region", "age", "sex"], "bins": {"age": 4}, "order": 2}
TABLES = {"id": "all", "kind": "workload", "columns": ["sex", "age", "region"], "bins": {"age": 4}, "order": 2}


def frame(rows: int) -> pandas.DataFrame:
    draws = np.random.default_rng(rows)
    sexes = draws.choice(np.array(["f", "m", None], dtype=object), rows, p=[0.5, 0.4, 0.1])
    return pandas.DataFrame(
        {"age": draws.integers(0, 100, rows), "region": draws.choice(["n", "e", "s"], rows), "sex": sexes}
    )


def look(
    table: pandas.DataFrame, statistics: list[dict[str, Any]], currency: str = "zcdp", rows: Any = None
) -> PlanPreview:
    workspace = dprelease.Workspace.in_memory()
    delta = 1e-6 if currency == "zcdp" else 0
    workspace.add_dataset("d", table, columns=COLUMNS, epsilon=9, delta=delta, currency=currency, unit="person")
    plan = {
        "dprelease": 1,
        "dataset": "d",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 2, "delta": delta},
        "statistics": statistics,
    }
    return workspace.plans.look(dprelease.Plan.parse(plan), invented=bool(rows))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("currency", ["zcdp", "pure"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"order": 3},
        {"order": 1},
        {"method": "mwem", "rounds": 1},
        {"method": "pmw", "rounds": 1},
        {"method": "dual_query", "rounds": 1},
        {"source": "all"},
        {"bins": {"age": 1}},
    ],
    ids=["tree", "order_3", "order_1", "mwem", "pmw", "dual_query", "source", "one_bin"],
)
def test_true_tables_are_counts_of_the_rows_that_count(currency: str, options: dict[str, Any]) -> None:
    """Whatever was measured, and whichever tables were chosen."""
    table = frame(400)
    workload = {**TABLES, "bins": options.get("bins", {"age": 4})}
    found = look(table, [workload, OWN | options], currency).rows_beside("made")
    counted = table.dropna(subset=["sex"])
    bins = options.get("bins", {"age": 4})["age"]
    by = {"region": counted["region"], "sex": counted["sex"], "age": counted["age"] // (100 // bins)}
    places = {"region": ["n", "e", "s"], "sex": ["f", "m"], "age": list(range(bins))}
    assert "region" in found.true
    for name, true in found.true.items():
        names = name.split("_")
        index = pandas.MultiIndex.from_product([places[each] for each in names])
        own = counted.groupby([by[each].rename(each) for each in names]).size()
        expected = own.reindex(index if len(names) > 1 else places[names[0]], fill_value=0)
        assert list(true.value) == expected.tolist(), name
        assert set(true.lower95) == {None}
    assert "300" not in repr(found)
    for true in found.true.values():
        told = shares(found.rows, true)
        assert sum(each.measured for each in told) == pytest.approx(1)
        assert sum(each.rows for each in told) == pytest.approx(1)


@pytest.mark.parametrize("rows", [0, 1])
def test_there_may_be_no_rows_or_one(rows: int) -> None:
    found = look(frame(400).dropna().head(rows), [OWN]).rows_beside("made")
    assert sum(found.true["region"].value) == rows
    assert shares(found.rows, found.true["region"]) == [] or rows


def test_rows_are_of_the_draw_that_is_looked_at() -> None:
    seen = look(frame(400), [OWN])
    drawn = seen.draw("made.region_sex")
    first = seen.rows_beside("made")
    assert first.rows.parts["region_sex"] == drawn
    assert seen.rows_beside("made") is first, "rows are made once"
    again = seen.draw("made.region_sex", anew=True)
    assert again != drawn
    assert seen.rows_beside("made").rows.parts["region_sex"] == again


def test_what_makes_no_rows_has_none() -> None:
    with pytest.raises(KeyError):
        look(frame(50), [TABLES]).rows_beside("all")
