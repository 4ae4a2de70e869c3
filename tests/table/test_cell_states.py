"""The reading report: each cell of a declared column is in one state, whatever it holds, and is counted once."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprelease.model.condition import Condition
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.reading_report import STATES, CellState, ReadingReport
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.table import Engine
from dprelease.table.cell_state import readable_columns, state_counts, state_queries
from dprelease.table.kit.reader import counts_of
from dprelease.workspace.reading_report import report
from tests.tries import tries

ENGINE = Engine()
NOBODY = {CellState.EMPTY: [None, "", "  ", "\t"], CellState.MISSING: ["-9", " -9 ", "refused"]}
CELLS: dict[str, dict[CellState, list[str | None]]] = {
    "integer": {
        CellState.UNDERSTOOD: ["1", "100", " 50", "1e1", "100.4"],
        CellState.UNREADABLE: ["1.000.000", "48.411,71 €", "x", "1 2", "(3)"],
        CellState.BELOW: ["-300", "0.2", "-inf"],
        CellState.ABOVE: ["101", "1e300", "100.6"],
    },
    "date": {
        CellState.UNDERSTOOD: ["2020-01-01", "2020/12/31", "2020-05-05 12:00"],
        CellState.UNREADABLE: ["01/02/2020", "2020-02-30", "Mai 2020", "x"],
        CellState.BELOW: ["2019-12-31", "0001-01-01"],
        CellState.ABOVE: ["2021-01-01", "9999-12-31"],
    },
    "boolean": {
        CellState.UNDERSTOOD: ["true", "No", " 1 ", "f"],
        CellState.UNREADABLE: ["J", "maybe", "2"],
    },
    "category": {
        CellState.UNDERSTOOD: ["North", "South"],
        CellState.UNDECLARED: ["NORTH", "North ", "Sud"],
    },
}
"""Cells of known meaning, by type and state."""
ENDS = {"integer": {"lower": 1, "upper": 100}, "date": {"lower": "2020-01-01", "upper": "2020-12-31"}}
FILLED = {"integer": [1, 7, 100], "date": ["2020-01-01", "2020-06-01"], "boolean": [True], "category": ["North"]}


@st.composite
def columns(draw: st.DrawFn) -> tuple[dict[str, Any], dict[CellState, list[str | None]]]:
    """One declared column, and the cells that can stand in it by their state."""
    kind = draw(st.sampled_from(sorted(CELLS)))
    declared: dict[str, Any] = {"type": kind, **ENDS.get(kind, {})}
    if kind in ENDS:
        ends = st.sampled_from(["clip", "missing"])
        declared["outside"] = {"below": draw(ends), "above": draw(ends)}
    if kind == "category":
        declared["categories"] = ["North", "South"]
    cells = NOBODY | CELLS[kind]
    if draw(st.booleans()):
        declared["missing_codes"] = ["refused"] if kind == "date" else [-9, "refused"]
        if kind == "date":
            cells = cells | {CellState.MISSING: ["refused", " refused "]}
    else:
        cells = {state: cells[state] for state in cells if state is not CellState.MISSING}
    if draw(st.booleans()):
        declared["count_missing_as"] = draw(st.sampled_from(FILLED[kind]))
    return declared, cells


@st.composite
def tables(draw: st.DrawFn) -> tuple[Schema, pa.Table, dict[str, dict[CellState, int]]]:
    """A schema, a table of dirty cells, and how many of them are in each state."""
    made = draw(st.lists(columns(), min_size=1, max_size=6))
    rows = draw(st.integers(0, 12))
    schema, arrays, counts = {}, {}, {}
    for place, (declared, cells) in enumerate(made):
        states = draw(st.lists(st.sampled_from(sorted(cells)), min_size=rows, max_size=rows))
        name = f"column {place}"
        schema[name] = declared
        arrays[name] = pa.array([draw(st.sampled_from(cells[state])) for state in states], pa.string())
        counts[name] = {state: states.count(state) for state in STATES}
    return Schema.parse(schema), pa.table(arrays), counts


def read(table: pa.Table, schema: Schema, where: tuple[Condition, ...] = ()) -> ReadingReport:
    return report(ENGINE, ENGINE.hold(table), "table", schema=schema, where=where)


@settings(max_examples=tries(40), deadline=None)
@given(tables())
def test_each_cell_is_counted_once_in_the_state_that_it_is_in(
    made: tuple[Schema, pa.Table, dict[str, dict[CellState, int]]],
) -> None:
    schema, table, counts = made
    found = read(table, schema)
    assert {each.column: dict(each.counts) for each in found} == counts
    for each in found:
        assert each.rows == table.num_rows
        assert sum(cells for _, cells in each.shapes) == each[CellState.UNREADABLE]
        assert counts_of(schema[each.column], table[each.column].to_pylist()) == each.counts, "the kit reads otherwise"


@pytest.mark.parametrize(
    ("values", "type_", "declared", "state"),
    [
        ([float("nan"), None], pa.float64(), {"type": "number", "lower": 0, "upper": 9}, CellState.EMPTY),
        ([float("nan")], pa.float32(), {"type": "integer", "lower": 0, "upper": 9}, CellState.EMPTY),
        ([None, None], pa.null(), {"type": "integer", "lower": 0, "upper": 9}, CellState.EMPTY),
        ([0, 9], pa.int8(), {"type": "integer", "lower": 0, "upper": 9}, CellState.UNDERSTOOD),
        ([10, 2**62], pa.int64(), {"type": "integer", "lower": 0, "upper": 9}, CellState.ABOVE),
        (["", "a"], pa.string(), {"type": "category", "categories": "discover"}, CellState.UNDERSTOOD),
        (["q", "a"], pa.string(), {"type": "category", "categories": ["b"], "other": True}, CellState.UNDERSTOOD),
        (["-9", ""], pa.string(), {"type": "category", "categories": ["-1"], "missing_codes": ["-9", ""]}, "missing"),
    ],
)
def test_stored_values_have_states_too(
    values: list[Any], type_: pa.DataType, declared: dict[str, Any], state: str
) -> None:
    found = read(pa.table({"x": pa.array(values, type_)}), Schema.parse({"x": declared}))["x"]
    assert {name: count for name, count in found.counts.items() if count} == {state: len(values)}


def test_the_states_of_many_columns_come_with_other_tallies() -> None:
    """Of eleven columns, in one call; nothing of them is cut, and nothing of the other tally changes."""
    schema = Schema.parse({f"c{place}": {"type": "integer", "lower": 0, "upper": 9} for place in range(11)})
    table = ENGINE.hold(pa.table({f"c{place}": [place, -1, None, 99] for place in range(11)}))
    queries = [TallyQuery(), *state_queries(readable_columns(schema), schema)]
    tallies = ENGINE.answer(table, queries, schema=schema, where=(), unit=PrivacyUnit())
    assert int(tallies[0].values) == 4  # type: ignore[call-overload]
    found = state_counts(tallies)
    assert list(found) == list(schema.columns)
    for place in range(11):
        inside = place < 10
        assert found[f"c{place}"][CellState.UNDERSTOOD] == inside
        assert found[f"c{place}"][CellState.ABOVE] == (1 if inside else 2)
        assert found[f"c{place}"][CellState.BELOW] == found[f"c{place}"][CellState.EMPTY] == 1


def test_only_rows_that_pass_the_conditions_are_reported() -> None:
    schema = Schema.parse({"age": {"type": "integer", "lower": 0, "upper": 99}, "who": {"type": "boolean"}})
    table = pa.table({"age": ["1", "x", "200", "y"], "who": [True, True, False, None]})
    found = read(table, schema, (Condition("who", (("equals", True),)),))
    assert (found["age"][CellState.UNDERSTOOD], found["age"][CellState.UNREADABLE], found["age"].rows) == (1, 1, 2)


def test_unreadable_cells_are_told_by_shape_and_never_by_value() -> None:
    schema = Schema.parse({"pay": {"type": "number", "lower": 0, "upper": 99}})
    cells = ["48.411,71 €", "11.317,05 €", "Müller 1234567", "Schmidt 98765", "(3)", "5"]
    found = read(pa.table({"pay": cells}), schema)["pay"]
    assert found.shapes == (("99.999,99 €", 2), ("x 9999…", 2), ("", 1)), "what one cell has alone is not shown"
    assert found.many
    assert "48" not in repr(found)


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("rows", [0, 2])
def test_a_table_without_rows_or_values_has_a_report(rows: int, columns: int) -> None:
    schema = Schema.parse({f"c{place}": {"type": "boolean"} for place in range(columns)})
    found = read(pa.table({f"c{place}": pa.array([None] * rows, pa.string()) for place in range(columns)}), schema)
    assert [(each.rows, each[CellState.EMPTY], each.share, each.many) for each in found] == [
        (rows, rows, 0.0, rows > 0)
    ] * columns


def test_no_declared_column_is_an_empty_report() -> None:
    assert read(pa.table({"x": [1]}), Schema({})).columns == ()
