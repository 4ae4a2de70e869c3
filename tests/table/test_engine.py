"""The engine keeps to its folder, and nothing it says shows a value or a place."""

from __future__ import annotations

import filecmp
import threading
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from dprelease.errors import DPReleaseError, InputError
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.statistics.algebra.grouping import each_value
from dprelease.table import Engine, Table, Tally
from dprelease.table.answer import TableError, check_columns

SECRET = "SECRET_4711"
SCHEMA = Schema.parse({"g": {"type": "category", "categories": ["a", "b"]}})
QUERY = TallyQuery((each_value(SCHEMA["g"]),))


def ask(engine: Engine, table: Table, **changes: Any) -> list[int]:
    asked = {"schema": SCHEMA, "where": (), "unit": PrivacyUnit()} | changes
    return engine.answer(table, [QUERY], **asked)[0].values.tolist()


def parquet(path: Path, **columns: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pa.table(columns), path)
    return path


def test_no_repr_shows_a_value_or_a_place(tmp_path: Path) -> None:
    engine = Engine()
    stored = engine.parquet(parquet(tmp_path / "SECRET_place" / "rows.parquet", g=["a", SECRET]))
    held = engine.hold(pa.table({"g": ["a", "a", "b", SECRET]}))
    (tally,) = engine.answer(held, [QUERY], schema=SCHEMA, where=(), unit=PrivacyUnit())
    for value in (stored, held, tally, engine, [tally], (stored,)):
        for text in (repr(value), str(value), f"{value}"):
            assert "SECRET" not in text
            assert str(tmp_path) not in text
            assert "[2" not in text
    assert tally.values.tolist() == [2, 1]
    assert "array" not in repr(Tally(QUERY, np.array([47, 11])))


def test_missing_columns_are_named_and_nothing_else() -> None:
    engine = Engine()
    held = engine.hold(pa.table({"h": [SECRET]}))
    with pytest.raises(InputError, match=r"columns\.g: .*a column of the stored table") as caught:
        check_columns(held, SCHEMA, PrivacyUnit())
    assert "SECRET" not in str(caught.value)
    held = engine.hold(pa.table({"g": ["a"], "persons": [SECRET]}))
    with pytest.raises(InputError, match=r"columns\.person"):
        check_columns(held, SCHEMA, PrivacyUnit("person", 1))


def test_a_vanished_or_damaged_file_is_an_error_without_its_place(tmp_path: Path) -> None:
    engine = Engine()
    path = parquet(tmp_path / "rows.parquet", g=["a"])
    table = engine.parquet(path)
    path.write_bytes(b"PAR1" + SECRET.encode() + b"PAR1")
    with pytest.raises(TableError) as damaged:
        ask(engine, table)
    path.unlink()
    with pytest.raises(TableError) as gone:
        engine.parquet(path)
    for error in (damaged.value, gone.value):
        assert "SECRET" not in str(error)
        assert str(tmp_path) not in str(error)
        assert error.__cause__ is None
        assert error.__suppress_context__


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"g": [1, SECRET]}, dtype=object),
        pd.DataFrame({"g": [object(), SECRET]}, dtype=object),
        pd.DataFrame({"g": [{"a": 1}, SECRET]}, dtype=object),
        [SECRET],
        SECRET,
        None,
    ],
)
def test_a_frame_that_cannot_be_stored_is_refused_without_its_cells(frame: Any, tmp_path: Path) -> None:
    engine = Engine()
    for use in (engine.hold, lambda item: engine.save(item, tmp_path / "x.parquet")):
        with pytest.raises(DPReleaseError) as caught:
            use(frame)
        assert "SECRET" not in str(caught.value)


def test_the_same_rows_are_saved_as_the_same_bytes(tmp_path: Path) -> None:
    """A table of many parts, which threads would write in an order of their own."""
    engine, numbers = Engine(), np.arange(2_000_000)
    frame = pd.DataFrame({"n": numbers, "g": np.where(numbers % 7 == 0, None, (numbers % 1000).astype(str))})
    for name in ("one", "other"):
        engine.save(frame.copy(), tmp_path / name)
    assert pyarrow.parquet.read_metadata(tmp_path / "one").num_row_groups > 10
    assert filecmp.cmp(tmp_path / "one", tmp_path / "other", shallow=False)


@pytest.mark.parametrize("column", ["g", "rowid"])
def test_tables_in_memory_are_compared_by_rows_whatever_their_order(column: str) -> None:
    engine = Engine()
    held = engine.hold(pa.table({column: ["a", None, "b", "b"]}))
    for values, same in (
        (["a", None, "b", "b"], True),
        (["a", None, "b"], False),
        (["a", None, "b", "b", "b"], False),
        (["a", "b", None, "b"], True),
        (["a", None, "a", "b"], False),
    ):
        assert engine.hold_the_same(held, engine.hold(pa.table({column: values}))) is same
    assert not engine.hold_the_same(held, engine.hold(pa.table({"other": ["a", None, "b", "b"]})))
    nothing = pa.table({column: pa.array([], pa.string())})
    assert engine.hold_the_same(engine.hold(nothing), engine.hold(nothing))


def test_pandas_arrow_and_parquet_are_answered_alike(tmp_path: Path) -> None:
    engine = Engine()
    values = ["a", None, "b", "b", "z"]
    frame = pd.DataFrame({"g": values})
    engine.save(frame, tmp_path / "saved.parquet")
    tables = [
        engine.hold(frame),
        engine.hold(frame.astype("category")),
        engine.hold(frame.astype(object)),
        engine.hold(pa.table({"g": values})),
        engine.parquet(tmp_path / "saved.parquet"),
        engine.parquet(parquet(tmp_path / "other.parquet", g=values)),
    ]
    assert [ask(engine, table) for table in tables] == [[1, 2]] * 6


def test_a_folder_of_parquet_files_is_one_table(tmp_path: Path) -> None:
    parquet(tmp_path / "rows" / "one.parquet", g=["a", "b"])
    parquet(tmp_path / "rows" / "deep" / "two.parquet", g=["b"])
    engine = Engine()
    assert ask(engine, engine.parquet(tmp_path / "rows")) == [1, 2]


def test_an_engine_with_a_folder_reads_nothing_outside_it(tmp_path: Path) -> None:
    inside = parquet(tmp_path / "private" / "in.parquet", g=["a"])
    outside = parquet(tmp_path / "outside.parquet", g=["a"])
    beside = parquet(tmp_path / "private2" / "in.parquet", g=["a"])
    engine = Engine(tmp_path / "private")
    assert ask(engine, engine.parquet(inside)) == [1, 0]
    for path in (outside, beside, tmp_path / "private" / ".." / "outside.parquet"):
        with pytest.raises(DPReleaseError):
            engine.parquet(path)
    cursor = engine.cursor()
    for statement in (
        f"SELECT * FROM read_csv('{outside}')",
        f"SELECT * FROM read_text('{outside}')",
        f"COPY (SELECT 1) TO '{tmp_path / 'leak.csv'}'",
        f"ATTACH '{tmp_path / 'other.db'}'",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM 'https://example.org/x.parquet'",
        "SET enable_external_access = true",
        "SET allowed_directories = ['/']",
        "INSTALL httpfs",
        "LOAD httpfs",
    ):
        with pytest.raises(duckdb.Error):
            cursor.execute(statement)
    assert not (tmp_path / "leak.csv").exists()


def test_every_session_has_the_engines_settings(tmp_path: Path) -> None:
    """A setting made on the first connection alone would not reach the cursors that read."""
    engine = Engine(tmp_path)
    names = (
        "perfect_ht_threshold",
        "TimeZone",
        "temp_file_encryption",
        "autoload_known_extensions",
        "lock_configuration",
    )
    sql = "SELECT " + ", ".join(f"current_setting('{name}')" for name in names)
    assert engine.cursor().execute(sql).fetchall() == [(18, "UTC", True, False, True)]
    spill = engine.cursor().execute("SELECT current_setting('temp_directory')").fetchall()[0][0]
    assert Path(spill).is_relative_to(tmp_path)


def test_many_threads_may_ask_at_once() -> None:
    engine = Engine()
    answers: list[list[int]] = []

    def work(number: int) -> None:
        table = engine.hold(pa.table({"g": ["a"] * number + ["b"]}))
        answers.extend(ask(engine, table) for _ in range(5))

    workers = [threading.Thread(target=work, args=(number,)) for number in range(1, 7)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(answers) == sorted([[number, 1] for number in range(1, 7)] * 5)
