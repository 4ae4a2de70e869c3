"""Rows without an answer as one further cell of a key: what the other cells hold stays the same, bit for bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dprelease.model.condition import Condition
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import Key, Measure, TallyQuery
from dprelease.statistics.algebra.levels import DROP, level_key
from dprelease.statistics.algebra.unanswered import with_missing
from dprelease.table import Engine, fold, query
from tests.table.rows import QUERIES, SCHEMA, arrow, filters, tables
from tests.tries import tries

ENGINE = Engine()
ROW = PrivacyUnit()
KEYED = [each for each in QUERIES if each.keys and not any(key.missing for key in each.keys)]
quick = settings(
    max_examples=tries(15), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def answered(table: pa.Table, asked: list[TallyQuery], schema: Schema, **options: Any) -> list[Any]:
    return [tally.values for tally in ENGINE.answer(ENGINE.hold(table), asked, schema=schema, **options)]


def with_groups(asked: TallyQuery, grouped: set[str]) -> TallyQuery:
    return replace(asked, keys=tuple(with_missing(key) if key.column in grouped else key for key in asked.keys))


def of_answers(asked: TallyQuery, cells: Any) -> Any:
    """The cells of rows that have an answer."""
    scored = [slice(None)] if asked.score else []
    return cells[*(slice(key.coded) for key in asked.keys), *scored]


@quick
@given(
    tables,
    filters,
    st.lists(st.sampled_from(KEYED), min_size=1, max_size=3, unique=True),
    st.sets(st.sampled_from("xkghbd"), min_size=1),
    st.sampled_from([ROW, PrivacyUnit("id", 2)]),
)
def test_without_their_last_cell_tallies_are_those_without_the_group(
    table: list[dict[str, Any]],
    where: tuple[Condition, ...],
    asked: list[TallyQuery],
    grouped: set[str],
    unit: PrivacyUnit,
) -> None:
    groups = [with_groups(each, grouped) for each in asked]
    stored, options = arrow(table), {"where": where, "unit": unit}
    plain = answered(stored, asked, SCHEMA, **options)
    for own, group, cells in zip(plain, groups, answered(stored, groups, SCHEMA, **options), strict=True):
        assert cells.shape == group.shape
        assert np.array_equal(of_answers(group, cells), own)


@quick
@given(tables, st.sampled_from([each for each in KEYED if not each.score and each.measure == Measure()]))
def test_with_a_group_for_each_key_no_row_is_left_out(table: list[dict[str, Any]], asked: TallyQuery) -> None:
    group = with_groups(asked, {key.column for key in asked.keys})
    (cells,) = answered(arrow(table), [group], SCHEMA, where=(), unit=ROW)
    assert cells.sum() == len(table)


@pytest.mark.parametrize("way", ["folded", "looked up", "compared"])
def test_days_that_a_level_leaves_out_are_answers(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A day of a week of which the bounds hold a part is in no cell, also not in that of the rows without a day."""
    if way != "folded":
        monkeypatch.setattr(fold, "MAX_LABELLED_CODES", 0)
    if way == "compared":
        monkeypatch.setattr(query, "MAX_LOOKED_UP", 0)
    schema = Schema.parse({"d": {"type": "date", "lower": "2025-01-01", "upper": "2025-12-30"}})
    key: Key = level_key(schema["d"], "week", DROP)
    assert (key.cells, with_missing(key).cells) == (51, 52)
    stored = pa.table({"d": ["2025-01-01", "2025-01-06", "2025-12-28", "2025-12-30", None, "none"]})
    options: dict[str, Any] = {"where": (), "unit": ROW}
    plain, group = answered(stored, [TallyQuery((key,)), TallyQuery((with_missing(key),))], schema, **options)
    assert np.array_equal(group[:-1], plain)
    assert (group[0], group[-2], group[-1], group.sum()) == (1, 1, 2, 4)


def test_a_table_without_rows_has_the_cell_too() -> None:
    schema = Schema.parse({"only": {"type": "category", "categories": ["a"]}})
    key = with_missing(Key("only", 1, 1))
    for rows, expected in (([], [0, 0]), ([None, None], [0, 2]), (["a"], [1, 0])):
        stored = pa.table({"only": pa.array(rows, pa.string())})
        (cells,) = answered(stored, [TallyQuery((key,))], schema, where=(), unit=ROW)
        assert cells.tolist() == expected


def test_where_units_count_in_few_groups_no_answer_is_one_of_them() -> None:
    """Each unit has a row of `a` and one without an answer, and counts once: it takes the place of some of `a`."""
    schema, units = Schema.parse({"only": {"type": "category", "categories": ["a"]}}), 100
    stored = pa.table({"id": [*range(units)] * 2, "only": pa.array(["a"] * units + [None] * units, pa.string())})
    key = Key("only", 1, 1)
    asked = [TallyQuery((key,), units=True), TallyQuery((with_missing(key),), units=True)]
    (plain, group), (_, both) = (
        answered(stored, asked, schema, where=(), unit=PrivacyUnit("id", 2, groups)) for groups in (1, 2)
    )
    assert plain.tolist() == [units]
    assert both.tolist() == [units, units]
    assert group.sum() == units
    assert 0 < group[1] < units
