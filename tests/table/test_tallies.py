"""The engine's answers are those of a slow second opinion; and `max_rows` is kept by each unit's own rows alone."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dprelease.table.again
from dprelease.errors import InternalError
from dprelease.model.condition import Condition
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import Addend, Measure, ScoreKey, TallyQuery
from dprelease.statistics import Plan
from dprelease.statistics.algebra.grouping import each_value, group_keys
from dprelease.statistics.answer import queries
from dprelease.statistics.planning.price import price
from dprelease.statistics.predictors import Predictors
from dprelease.table import Engine, Table
from dprelease.table.again import again
from dprelease.table.answer import COLUMNS_A_SCAN
from dprelease.table.duckdb_dialect import DuckDB
from dprelease.table.engine import SETS_A_SCAN, STREAM
from dprelease.table.query import tally_sql
from dprelease.table.rows import RowSource
from dprelease.table.tally import key_sets
from tests.model.plans import EXAMPLE, example
from tests.table import reference
from tests.table.rows import CONDITIONS, QUERIES, SCHEMA, SCORES, STORED, arrow, filters, rows, tables
from tests.tries import tries

ENGINE = Engine()
ROW = PrivacyUnit()
quick = settings(
    max_examples=tries(20), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def answers(
    table: pa.Table,
    *,
    asked: list[TallyQuery] = QUERIES,
    where: tuple[Condition, ...] = (),
    unit: PrivacyUnit = ROW,
    schema: Schema = SCHEMA,
) -> list[np.ndarray[Any, Any]]:
    held = ENGINE.hold(table)
    return [tally.values for tally in ENGINE.answer(held, asked, schema=schema, where=where, unit=unit)]


def same(first: list[np.ndarray[Any, Any]], second: list[np.ndarray[Any, Any]]) -> bool:
    return all(np.array_equal(a, b) and a.shape == b.shape for a, b in zip(first, second, strict=True))


@quick
@given(tables, filters, st.sampled_from([ROW, *[PrivacyUnit("id", most) for most in (1, 2, 3)]]))
def test_answers_agree_with_the_reference(
    table: list[dict[str, Any]], where: tuple[Condition, ...], unit: PrivacyUnit
) -> None:
    expected = reference.tallies(table, QUERIES, schema=SCHEMA, where=where, unit=unit)
    assert same(answers(arrow(table), where=where, unit=unit), expected)


MODEL = Predictors((SCHEMA["k"], SCHEMA["d"], SCHEMA["h"], SCHEMA["g"]), SCHEMA["x"]).queries


@quick
@given(tables, filters, st.sampled_from([ROW, PrivacyUnit("id", 2)]))
def test_sums_over_rows_that_have_every_column(
    table: list[dict[str, Any]], where: tuple[Condition, ...], unit: PrivacyUnit
) -> None:
    """Codes that all measures need are compared with NULL once a row, and no sum is another for it."""
    expected = reference.tallies(table, MODEL, schema=SCHEMA, where=where, unit=unit)
    assert same(answers(arrow(table), asked=list(MODEL), where=where, unit=unit), expected)


def test_a_model_compares_a_code_with_null_once_a_row() -> None:
    held = RowSource("t", dict.fromkeys(STORED, "DOUBLE"), SCHEMA, (), ROW)
    sql = tally_sql(key_sets([query for query in MODEL if not query.keys]), held, DuckDB())
    summed = sql.partition(" AS t0")[0].rpartition("(SELECT COUNT")[2].partition("FROM (SELECT *")[0]
    assert summed.count("SUM(") > 6
    assert "NULL" not in summed


IDENTIFIERS = {
    "text": (pa.string(), ["a", "b", "", "é", "x" * 500, None]),
    "negative": (pa.int16(), [-1, -2, 3, None]),
    "huge": (pa.int64(), [2**63 - 1, -(2**63), 2**62, None]),
    "unsigned": (pa.uint64(), [2**64 - 1, 2**63, 0, None]),
    "floats": (pa.float64(), [1.0, 2.0, 0.5, float("nan"), -float("nan"), None]),
    "booleans": (pa.bool_(), [True, False, None]),
}


@quick
@given(st.data(), st.sampled_from(sorted(IDENTIFIERS)), st.integers(1, 3))
def test_identifiers_of_every_kind(data: st.DataObject, kind: str, most: int) -> None:
    type_, values = IDENTIFIERS[kind]
    table = data.draw(st.lists(st.tuples(st.sampled_from(values), rows).map(lambda pair: pair[1] | {"id": pair[0]})))
    if kind == "booleans":
        expected_rows = [row | {"id": None if row["id"] is None else str(row["id"]).lower()} for row in table]
    elif kind == "unsigned":
        expected_rows = [row | {"id": None if row["id"] is None else str(row["id"])} for row in table]
    else:
        expected_rows = table
    unit = PrivacyUnit("id", most)
    expected = reference.tallies(expected_rows, QUERIES, schema=SCHEMA, unit=unit)
    assert same(answers(arrow(table, id=type_), unit=unit), expected)


def test_rows_without_an_identifier_are_dropped() -> None:
    columns = {"id": pa.array([1.0, float("nan"), -float("nan"), None], from_pandas=False), "k": [1, 1, 1, 1]}
    table = pa.table(columns)
    schema = Schema({"k": SCHEMA["k"]})
    assert answers(table, asked=[TallyQuery()], unit=PrivacyUnit("id", 5), schema=schema)[0] == 1
    assert answers(table, asked=[TallyQuery()], schema=schema)[0] == 4


@pytest.mark.parametrize("most", [1, 2, 3, 7])
def test_max_rows_is_kept_exactly(most: int) -> None:
    """A unit with fewer rows keeps them all, one with more keeps exactly max_rows; after `where`, not before."""
    sizes = dict(enumerate([1, 2, 3, 4, 8, 20]))
    table = pa.table(
        {
            "id": [identifier for identifier, size in sizes.items() for _ in range(size)],
            "k": [number % 8 for size in sizes.values() for number in range(size)],
            "u": [identifier for identifier, size in sizes.items() for _ in range(size)],
        }
    )
    schema = Schema.parse(
        {"k": {"type": "integer", "lower": 0, "upper": 7}, "u": {"type": "integer", "lower": 0, "upper": 5}}
    )
    query = TallyQuery((each_value(schema["u"]),), Measure((), ("k",)))
    kept = answers(table, asked=[query], unit=PrivacyUnit("id", most), schema=schema)[0]
    assert kept.tolist() == [min(size, most) for size in sizes.values()]
    where = (Condition("k", (("equals", 0),)),)
    filtered = answers(table, asked=[query], unit=PrivacyUnit("id", most), schema=schema, where=where)[0]
    assert filtered.tolist() == [min(-(-size // 8), most) for size in sizes.values()]


@quick
@given(tables, tables, st.integers(1, 3))
def test_one_units_kept_rows_do_not_depend_on_others(
    table: list[dict[str, Any]], others: list[dict[str, Any]], most: int
) -> None:
    """The tally of two groups of units together is the sum of their tallies apart."""
    mine = [row | {"id": 1} for row in table]
    theirs = [row | {"id": (row["id"] or 0) % 5 + 2} for row in others]
    unit = PrivacyUnit("id", most)
    apart = [a + b for a, b in zip(answers(arrow(mine), unit=unit), answers(arrow(theirs), unit=unit), strict=True)]
    assert same(answers(arrow(mine + theirs), unit=unit), apart)


@quick
@given(tables, st.integers(1, 3), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(table: list[dict[str, Any]], most: int, shuffle: random.Random) -> None:
    unit = PrivacyUnit("id", most)
    other = list(table)
    shuffle.shuffle(other)
    assert same(answers(arrow(table), unit=unit), answers(arrow(other), unit=unit))


def big(seed: int, size: int = 30_000) -> pa.Table:
    draw = np.random.default_rng(seed)
    return pa.table(
        {
            "id": draw.integers(0, size // 6, size),
            "x": draw.normal(0, 3, size),
            "k": draw.integers(-1, 9, size),
            "g": draw.choice(["a", "b", "c", "z"], size),
            "h": draw.choice([1.0, 2.0, 3.0], size),
            "b": draw.choice(["yes", "no", ""], size),
            "d": pa.array(draw.integers(20_085, 20_105, size).astype("datetime64[D]")),
        }
    )


@pytest.mark.full
@pytest.mark.parametrize("unit", [ROW, PrivacyUnit("id", 2)])
def test_threads_and_row_order_do_not_change_a_large_answer(unit: PrivacyUnit) -> None:
    found = []
    shuffled = big(1).take(pa.array(np.random.default_rng(2).permutation(30_000)))
    for table in (big(1), shuffled):
        for threads in (1, 4):
            with duckdb.connect(config={"threads": threads}) as connection:
                connection.register("t", table)
                storage = {str(row[0]): str(row[1]) for row in connection.execute("DESCRIBE t").fetchall()}
                held = RowSource("t", storage, SCHEMA, tuple(CONDITIONS[:1]), unit)
                sql = tally_sql(key_sets(QUERIES), held, DuckDB())
                found.append(sorted(connection.execute(sql).fetchall()))
    assert found[0] == found[1] == found[2] == found[3]
    assert len(found[0]) > 50


class Recorder:
    """A cursor that remembers what it was asked."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection, asked: list[str]) -> None:
        self.cursor, self.asked = cursor, asked

    def execute(self, sql: str, *rest: Any) -> Any:
        self.asked.append(sql)
        return self.cursor.execute(sql, *rest)

    def sql(self, sql: str) -> Any:
        self.asked.append(sql)
        return self.cursor.sql(sql)

    def register(self, *given: Any) -> Any:
        self.cursor.register(*given)
        return self


METADATA = "SELECT COUNT(*)"
"""How a question begins that a file's footer answers: how many rows there are, and between which identifiers."""


def asked_by(monkeypatch: pytest.MonkeyPatch, engine: Engine, table: Table, plan: dict[str, Any]) -> list[str]:
    asked: list[str] = []
    real = engine.cursor
    monkeypatch.setattr(engine, "cursor", lambda: Recorder(real(), asked))
    priced = price(Plan.parse(plan))
    complete = priced.plan
    engine.answer(table, queries(priced), schema=complete.schema, where=complete.where, unit=complete.unit)
    monkeypatch.undo()
    return asked


def scans(plan: Any) -> Iterator[str]:
    """The operators of a query plan that read a stored table."""
    if isinstance(plan, list):
        for part in plan:
            yield from scans(part)
    elif isinstance(plan, dict):
        name = str(plan.get("name", "")).upper().replace(" ", "_")
        if "SCAN" in name and "CTE" not in name:
            yield name
        yield from scans(plan.get("children", []))


@pytest.mark.parametrize("unit", ["row", {"column": "person_id", "max_rows": 5}])
def test_a_plan_is_answered_by_one_query_with_one_scan(monkeypatch: pytest.MonkeyPatch, unit: Any) -> None:
    engine = Engine()
    columns = {"person_id": [1, 2], "age": [1, 2], "income": [1, 2], "region": ["north", "south"], "sex": ["F", "M"]}
    table = engine.hold(pa.table(columns))
    plan = example(privacy=EXAMPLE["privacy"] | {"unit": unit})
    asked = asked_by(monkeypatch, engine, table, plan)
    (sql,) = (each for each in asked if STREAM not in each and not each.startswith(METADATA))
    explained = engine.cursor().execute(f"EXPLAIN (FORMAT json) {sql}").fetchall()
    assert len(list(scans(json.loads(explained[0][1])))) == 1


def wide(columns: int) -> tuple[pa.Table, Schema, list[TallyQuery]]:
    draw = np.random.default_rng(3)
    values = {f"c{index}": draw.integers(0, 4, 200) for index in range(columns)}
    schema = Schema.parse({name: {"type": "integer", "lower": 0, "upper": 3} for name in values})
    asked = [TallyQuery(group_keys(schema, [name])) for name in values]
    return pa.table({"id": draw.integers(0, 60, 200), **values}), schema, asked


@pytest.mark.full
def test_three_hundred_columns_are_answered_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    table, schema, asked = wide(300)
    engine = Engine()
    held = engine.hold(table)
    said: list[str] = []
    real = engine.cursor
    monkeypatch.setattr(engine, "cursor", lambda: Recorder(real(), said))
    found = engine.answer(held, asked, schema=schema, where=(), unit=ROW)
    assert len([each for each in said if not each.startswith(METADATA)]) == 300 // COLUMNS_A_SCAN
    for index, tally in enumerate(found):
        assert tally.query == asked[index]
        assert tally.values.tolist() == np.bincount(table[f"c{index}"].to_numpy(), minlength=4).tolist()


def test_many_tables_are_answered_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    table, schema, _ = wide(8)
    names = list(combinations([f"c{index}" for index in range(8)], 3))
    asked = [TallyQuery(group_keys(schema, each)) for each in names]
    engine = Engine()
    held = engine.hold(table)
    said: list[str] = []
    real = engine.cursor
    monkeypatch.setattr(engine, "cursor", lambda: Recorder(real(), said))
    found = engine.answer(held, asked, schema=schema, where=(), unit=ROW)
    assert len([each for each in said if not each.startswith(METADATA)]) == -(-len(names) // SETS_A_SCAN) == 3
    for query, own, tally in zip(asked, names, found, strict=True):
        place = sum(table[name].to_numpy() * 4**power for power, name in zip((2, 1, 0), own, strict=True))
        assert tally.query == query
        assert tally.values.ravel().tolist() == np.bincount(place, minlength=64).tolist()


@quick
@given(tables, filters, st.integers(1, 3))
def test_a_later_round_keeps_the_rows_of_the_first(
    table: list[dict[str, Any]], where: tuple[Condition, ...], most: int
) -> None:
    """Asked alone, a query of few columns keeps other rows of a unit than beside the rest of its plan."""
    options: dict[str, Any] = {"schema": SCHEMA, "where": where, "unit": PrivacyUnit("id", most)}
    held = ENGINE.hold(arrow(table))
    first = ENGINE.answer(held, QUERIES, **options)
    for place in (5, 10, 16, 20):
        (later,) = ENGINE.answer(held, [QUERIES[place]], **options, after=QUERIES)
        assert later.query == QUERIES[place]
        assert np.array_equal(later.values, first[place].values)


def in_memory() -> list[str]:
    found = ENGINE.ask("SELECT table_name FROM duckdb_tables()", lambda cursor: cursor.fetchall())
    return [name for (name,) in found]


@quick
@given(tables, filters, st.sampled_from([ROW, PrivacyUnit("id", 1), PrivacyUnit("id", 2)]))
def test_codes_that_are_kept_in_memory_answer_as_the_rows_do(
    table: list[dict[str, Any]], where: tuple[Condition, ...], unit: PrivacyUnit
) -> None:
    options: dict[str, Any] = {"schema": SCHEMA, "where": where, "unit": unit}
    held = ENGINE.hold(arrow(table))
    before = in_memory()
    first = ENGINE.answer(held, QUERIES, **options)
    with again(ENGINE, QUERIES, SCHEMA) as session:
        assert in_memory() == before
        for few in (QUERIES[3::5], QUERIES[4::5]):
            later = [each.values for each in session.answer(held, few, **options, after=QUERIES)]
            assert same(later, [tally.values for tally in first if tally.query in few])
            assert len(in_memory()) == len(before) + 1
    assert in_memory() == before


def test_codes_that_are_too_many_or_do_not_fit_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds read the rows again, as they would otherwise."""
    held, wanted = ENGINE.hold(arrow([])), [QUERIES[5]]
    options: dict[str, Any] = {"schema": SCHEMA, "where": (), "unit": ROW, "after": QUERIES}
    (expected,) = ENGINE.answer(held, wanted, **options)
    before = in_memory()
    for name, value in (("MAX_BYTES", -1), ("codes_sql", lambda *_: "SELECT error('none left')")):
        monkeypatch.setattr(dprelease.table.again, name, value)
        with again(ENGINE, QUERIES, SCHEMA) as session:
            (found,) = session.answer(held, wanted, **options)
            assert np.array_equal(found.values, expected.values)
            assert in_memory() == before
        monkeypatch.undo()


def test_a_later_round_looks_at_no_other_column() -> None:
    with pytest.raises(InternalError, match="a column that the first did not"):
        ENGINE.answer(
            ENGINE.hold(arrow([])), [QUERIES[5]], schema=SCHEMA, where=(), unit=ROW, after=[TallyQuery(score=SCORES[2])]
        )


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (ScoreKey(0, (Addend("k", 2**60),), 4, 8), "may reach"),
        (ScoreKey(2**62, (), 4, 8), "may reach"),
        (ScoreKey(0, (), 54, 256), "may reach"),
        (ScoreKey(0, (Addend("g", of_code=(1, 2, 3)),), 4, 8), "3 numbers for the codes of"),
    ],
)
def test_a_score_that_could_overflow_is_refused_whatever_the_rows(score: ScoreKey, words: str) -> None:
    with pytest.raises(InternalError, match=words):
        answers(arrow([]), asked=[TallyQuery(score=score)])


def test_scores_are_exact_at_the_largest_sums() -> None:
    """2^61 and nearby need more digits than doubles have: cells there are one apart."""
    schema = Schema.parse({"k": {"type": "integer", "lower": 0, "upper": 2**31 - 2}})
    table = pa.table({"k": [2**31 - 2 - number for number in range(5)]})
    score = ScoreKey(-(2**30) * (2**31 - 2) + 1, (Addend("k", 2**30),), 0, 2)
    (found,) = answers(table, asked=[TallyQuery(score=score)], schema=schema)
    assert found.tolist() == [4, 0, 0, 1, 0]


def test_rows_are_cut_alike_for_all_of_a_wide_plan() -> None:
    """Every statistic of a plan must look at the same kept rows: one scan, however wide."""
    table, schema, asked = wide(60)
    found = answers(table, asked=asked, schema=schema, unit=PrivacyUnit("id", 2))
    listed = table.to_pylist()
    expected = reference.tallies(listed, asked, schema=schema, unit=PrivacyUnit("id", 2))
    assert same(found, expected)


def test_sums_beyond_64_bits_are_exact() -> None:
    """(2^31 − 2)² fits 62 bits; two of them do not, and five overflow 64 bits."""
    top = 2**31 - 2
    schema = Schema.parse(
        {"k": {"type": "integer", "lower": 0, "upper": top}, "n": {"type": "integer", "lower": 1, "upper": 5}}
    )
    table = pa.table({"k": [top] * 15, "n": [number for number in range(1, 6) for _ in range(number)]})
    square = TallyQuery((each_value(schema["n"]),), Measure(("k", "k")))
    plain = TallyQuery((each_value(schema["n"]),), Measure(("k",)))
    products, sums = answers(table, asked=[square, plain], schema=schema)
    assert products.tolist() == [top * top * number for number in range(1, 6)]
    assert sums.tolist() == [top * number for number in range(1, 6)]


def test_an_empty_table_has_every_cell() -> None:
    for unit in (ROW, PrivacyUnit("id", 2)):
        found = answers(arrow([]), unit=unit)
        assert [tally.shape for tally in found] == [query.shape for query in QUERIES]
        assert sum(int(tally.sum()) for tally in found) == 0


def test_a_query_asked_twice_is_answered_twice() -> None:
    found = answers(arrow([]), asked=[QUERIES[0], QUERIES[5], QUERIES[0]])
    assert [tally.shape for tally in found] == [(), (4,), ()]


def test_the_kept_rows_do_not_depend_on_how_identifiers_are_stored() -> None:
    """7, 7.0 and '7' are the same person, and lose the same rows: a table saved another way gives the same tallies."""
    table = big(4, 3000)
    unit = PrivacyUnit("id", 2)
    expected = answers(table, unit=unit)
    for type_ in (pa.float64(), pa.string(), pa.int32(), pa.uint64()):
        other = table.set_column(0, "id", table["id"].cast(type_))
        assert same(answers(other, unit=unit), expected), type_
