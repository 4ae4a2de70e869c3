"""Rows counted by how a cell is read, beside the cut of a unit's rows: states of cells decide which rows are kept."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprelease.model.condition import Condition
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.reading_report import STATES, CellState
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.statistic import read_statistic
from dprelease.model.tally import DiscoveryQuery, TallyQuery
from dprelease.statistics.algebra.grouping import each_value
from dprelease.statistics.kinds.answered import Answered
from dprelease.table import Engine
from dprelease.table.kit.reader import counts_of
from tests.table.test_cell_states import CELLS, NOBODY
from tests.tries import tries

ENGINE = Engine()
SCHEMA = Schema.parse(
    {
        "pay": {"type": "integer", "lower": 1, "upper": 100, "missing_codes": ["-9", "refused"]},
        "who": {"type": "category", "categories": ["North", "South"], "count_missing_as": "South"},
        "twice": {"made": {"sum": {"of": {"pay": 2}}}, "upper": 120},
        "found": {"type": "category", "categories": "discover"},
    }
)
PAYS = [cell for cells in (NOBODY | CELLS["integer"]).values() for cell in cells]
WHO = [None, "", "North", "South", "NORTH", "Sud"]
ROWS = st.tuples(st.sampled_from(PAYS), st.sampled_from(WHO))
STATED = [TallyQuery(states=(name,)) for name in ("pay", "who", "twice")]
BY_WHO = TallyQuery((each_value(SCHEMA["who"]),), states=("pay",))
QUERIES = [TallyQuery(), TallyQuery((each_value(SCHEMA["pay"]),)), *STATED, BY_WHO]


def counts(rows: list[tuple[Any, ...]], most: int, *, queries: list[Any] = QUERIES, text: bool = False) -> list[Any]:
    """Tallies of rows (unit, pay, who), at most so many of a unit. `text`: units have names, not numbers."""
    units = pa.array([f"u{unit}" if text else unit for unit, _, _ in rows], pa.string() if text else pa.int64())
    cells = {name: pa.array([row[place] for row in rows], pa.string()) for place, name in ((1, "pay"), (2, "who"))}
    table = ENGINE.hold(pa.table({"id": units, **cells, "found": cells["who"]}))
    found = ENGINE.answer(table, queries, schema=SCHEMA, where=(), unit=PrivacyUnit("id", most))
    return [tally.values for tally in found]


@settings(max_examples=tries(8), deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), ROWS), max_size=12),
    st.lists(ROWS, max_size=5),
    st.lists(ROWS, max_size=5),
    st.integers(1, 3),
    st.booleans(),
)
def test_one_unit_moves_no_more_rows_than_are_kept_of_it(
    others: list[tuple[int, tuple[Any, Any]]],
    before: list[tuple[Any, Any]],
    after: list[tuple[Any, Any]],
    most: int,
    text: bool,
) -> None:
    """Neighbours of cells that share a code and differ in their state: such as empty and not understood."""
    base = [(unit, *cells) for unit, cells in others]
    tables = [base + [(9, *cells) for cells in own] for own in ([], before, after)]
    absent, first, second = (counts(rows, most, text=text) for rows in tables)
    for one, other, sides in ((absent, first, 1), (absent, second, 1), (first, second, 2)):
        for place, (own, same) in enumerate(zip(one, other, strict=True)):
            assert np.abs(own - same).sum() <= sides * most, QUERIES[place]
    for rows, *tallies in (absent, first, second):
        assert all(tally.sum() == rows for tally in tallies[1:]), "each kept row is in one state of a cell"


@settings(max_examples=tries(8), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), ROWS), max_size=16), st.integers(1, 3), st.booleans(), st.randoms())
def test_which_rows_are_kept_is_not_up_to_the_order_of_rows(
    rows: list[tuple[int, tuple[Any, Any]]], most: int, text: bool, shuffled: random.Random
) -> None:
    listed = [(unit, *cells) for unit, cells in rows]
    other = shuffled.sample(listed, len(listed))
    for one, same in zip(counts(listed, most, text=text), counts(other, most, text=text), strict=True):
        assert np.array_equal(one, same)


def test_rows_of_many_units_are_kept_alike_in_memory_and_by_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers close together are ranked by NumPy, where many codes tell rows apart; else the engine sorts."""
    draw = random.Random(4)
    rows = [(unit, draw.choice(PAYS), draw.choice(WHO)) for unit in range(300) for _ in range(draw.randint(1, 5))]
    by_engine = counts(rows, 2)
    monkeypatch.setattr("dprelease.table.engine.DIFFERENT", 0)
    for one, same in zip(by_engine, counts(rows, 2), strict=True):
        assert np.array_equal(one, same)


def test_discovered_categories_keep_the_rows_that_the_states_keep() -> None:
    """Each of a unit's rows has its own category and state: both tables are of the same rows."""
    rows = [(unit, pay, who) for unit in range(40) for pay, who in (("5", "a"), ("x", "b"), ("300", "c"))]
    states, found = counts(rows, 1, queries=[TallyQuery(states=("pay",)), DiscoveryQuery(("found",))])
    wanted = {'["a"]': CellState.UNDERSTOOD, '["b"]': CellState.UNREADABLE, '["c"]': CellState.ABOVE}
    assert {cell: states[STATES.index(state)] for cell, state in wanted.items()} == found


@pytest.mark.parametrize("column", ["pay", "who", "twice"])
@pytest.mark.parametrize("cells", [PAYS, ["x", "1 2"], []])
def test_the_cells_of_a_column_are_told_in_full(column: str, cells: list[Any]) -> None:
    """By the plain reader: of any cells, of none that is understood, and of no rows."""
    report = Report()
    asked = read_statistic({"id": "s", "kind": "answered", "columns": [column], "detail": True}, "s", report)
    assert isinstance(asked, Answered)
    asked.check("s", SCHEMA, report)
    assert report.problems == []
    held = ENGINE.hold(pa.table({name: pa.array(cells, pa.string()) for name in ("pay", "who", "found")}))
    tallies = ENGINE.answer(held, asked.queries(SCHEMA), schema=SCHEMA, where=(), unit=PrivacyUnit())
    (found,) = asked.exact(SCHEMA, [tally.values for tally in tallies])
    told = dict(zip(asked.cells(SCHEMA), found.tolist(), strict=True))
    assert sum(told.values()) == len(cells)
    if column == "twice":
        read = counts_of(SCHEMA["pay"], cells)
        assert told["none"] == read[CellState.EMPTY] + read[CellState.MISSING] + read[CellState.UNREADABLE]
        return
    read = counts_of(SCHEMA[column], cells)
    assert told["none"] == read[CellState.EMPTY] + read[CellState.MISSING]
    assert told["not_understood"] == read[CellState.UNREADABLE] + read[CellState.UNDECLARED]
    assert told["within"] == read[CellState.UNDERSTOOD]
    assert [told.get("below"), told.get("above")] == (
        [read[CellState.BELOW], read[CellState.ABOVE]] if column == "pay" else [None, None]
    )


def test_only_rows_that_pass_the_filter_are_counted() -> None:
    table = ENGINE.hold(pa.table({"pay": ["5", "x", "300"], "who": ["North", "North", "South"]}))
    where = (Condition("who", (("equals", "North"),)),)
    (found,) = ENGINE.answer(table, STATED[:1], schema=SCHEMA, where=where, unit=PrivacyUnit())
    assert dict(zip(STATES, found.values, strict=True)) == {
        state: int(state in (CellState.UNDERSTOOD, CellState.UNREADABLE)) for state in STATES
    }
