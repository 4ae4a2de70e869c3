"""Levels of a column are counted as pandas counts them: folded from codes, looked up, or compared in SQL."""

from __future__ import annotations

import numpy as np
import pytest

from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import Key, TallyQuery
from dprelease.statistics.algebra.levels import DROP, KEEP, level_key
from dprelease.table import Engine, fold, query
from dprelease.table.duckdb_dialect import DuckDB
from dprelease.table.query import tally_sql
from dprelease.table.rows import RowSource
from dprelease.table.tally import key_sets
from tests.table.calendar_rows import LEVELS, SCHEMA, expected, queries, rows

ENGINE = Engine()
ALL_ROWS = PrivacyUnit("id", 1000)
WAYS = ("folded", "looked up", "compared")


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How cells are told."""
    if request.param != "folded":
        monkeypatch.setattr(fold, "MAX_LABELLED_CODES", 0)
    if request.param == "compared":
        monkeypatch.setattr(query, "MAX_LOOKED_UP", 0)
    return str(request.param)


@pytest.mark.one_in(30)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("partial", [KEEP, DROP])
@pytest.mark.usefixtures("way")
def test_ten_thousand_days_are_counted_as_pandas_counts_them(level: str, partial: str) -> None:
    table = rows()
    answered = ENGINE.answer(ENGINE.hold(table), queries(level, partial), schema=SCHEMA, where=(), unit=ALL_ROWS)
    for tally, right in zip(answered, expected(table, level, partial), strict=True):
        assert np.array_equal(tally.values, right)


def test_no_query_has_a_branch_for_each_of_hundreds_of_weeks() -> None:
    key = level_key(SCHEMA["day"], "week")
    for asked in (TallyQuery((key,)), TallyQuery((key,), units=True)):
        sets = key_sets([fold.finest(asked, SCHEMA)])
        stored = {"id": "BIGINT", "day": "DATE", "g": "VARCHAR", "x": "BIGINT"}
        sql = tally_sql(sets, RowSource("t", stored, SCHEMA, (), PrivacyUnit("id", 3)), DuckDB())
        assert key.cells > 500
        assert sql.count(" WHEN ") < 60


def test_levels_of_one_column_share_one_group_by() -> None:
    asked = [fold.finest(TallyQuery((level_key(SCHEMA["day"], level),)), SCHEMA) for level in ("week", "month")]
    assert len(key_sets(asked)) == 1


def test_a_wide_column_is_compared_by_halves() -> None:
    schema = Schema.parse({"k": {"type": "integer", "lower": 0, "upper": 2_000_000_000}})
    edges = (*range(0, 2_000_000_001, 40_000_000), 2_000_000_001)
    key = Key("k", len(edges) - 1, schema["k"].codes, edges)
    values = [0, 39_999_999, 40_000_000, 1_999_999_999, 2_000_000_000, None]
    import pyarrow as pa

    held = ENGINE.hold(pa.table({"k": pa.array(values, pa.int64())}))
    (tally,) = ENGINE.answer(held, [TallyQuery((key,))], schema=schema, where=(), unit=PrivacyUnit())
    assert {int(cell): int(tally.values[cell]) for cell in np.flatnonzero(tally.values)} == {0: 2, 1: 1, 49: 1, 50: 1}


def test_groups_of_categories_that_lie_apart_are_counted_together() -> None:
    import pyarrow as pa

    schema = Schema.parse(
        {
            "p": {
                "type": "category",
                "categories": list("abcd"),
                "other": True,
                "levels": {"r": {"X": ["a", "d"], "Y": ["b", "c"]}},
            }
        }
    )
    held = ENGINE.hold(pa.table({"p": [*list("aabcddz"), None]}))
    key = level_key(schema["p"], "r")
    (tally,) = ENGINE.answer(held, [TallyQuery((key,))], schema=schema, where=(), unit=PrivacyUnit())
    assert tally.values.tolist() == [4, 2, 1]
