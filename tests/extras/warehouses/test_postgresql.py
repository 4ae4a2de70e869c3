"""PostgreSQL says what DuckDB says, to the last digit, and nothing is left there. The server is a real one."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, nan

import pyarrow as pa
import pytest

from dprelease.errors import InputError
from dprelease.extras.warehouses.postgresql import PostgreSQL
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import Measure, TallyQuery
from dprelease.statistics.algebra.grouping import each_value
from dprelease.statistics.kit.rows import UNITS
from dprelease.table import Engine, Table, fold, query
from dprelease.table.address import read_address
from dprelease.table.answer import TableError
from dprelease.table.identifier import canonical, canonical_sql
from dprelease.table.warehouse import Warehouse, open_warehouse
from dprelease.workspace.reading_report import report
from tests.statistics.kinds.variants import FILTERS
from tests.table import awkward, calendar_rows
from tests.table.servers import READER, PostgresServer, ended, postgres_binary, postgres_server
from tests.table.test_cell_states import CELLS as DIRTY
from tests.table.test_identifiers import ONE_EACH, ONE_UNIT, SAME

pytestmark = pytest.mark.skipif(postgres_binary("initdb") is None, reason="PostgreSQL's server is not installed")
ENGINE = Engine()
ROW = PrivacyUnit()
TYPES = {
    pa.float64(): "double precision",
    pa.int64(): "bigint",
    pa.string(): "text",
    pa.bool_(): "boolean",
    pa.date32(): "date",
}
SMALL = Schema.parse({"k": {"type": "integer", "lower": 0, "upper": 7}})
ASKED = [TallyQuery((each_value(SMALL["k"]),))]


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with postgres_server() as started:
        for name, table, types in (
            ("people", awkward.people(), {}),
            ("stored", awkward.stored_types(), {name: type_ for name, (_, _, type_) in awkward.TYPES.items()}),
        ):
            declared = {field.name: types.get(field.name) or TYPES[field.type] for field in table.schema}
            started.load(
                f"health.{name}", declared, [*zip(*(column.to_pylist() for column in table.columns), strict=True)]
            )
        yield started


def at(server: PostgresServer, table: str) -> tuple[Warehouse, Table]:
    warehouse = open_warehouse(*read_address(server.address(table)))
    return warehouse, warehouse.table()


@pytest.fixture
def small(server: PostgresServer) -> tuple[Warehouse, Table]:
    server.load("health.small", {"id": "integer", "k": "integer", "secret": "text"}, [(1, 3, "x"), (2, 4, "SECRET")])
    return at(server, "health.small")


def ask(place: tuple[Warehouse, Table], *, unit: PrivacyUnit = ROW, empty: bool = False) -> list[int]:
    warehouse, table = place
    asked = table.without_rows() if empty else table
    answered = warehouse.answer(asked, ASKED, schema=SMALL, where=(), unit=unit)
    return [int(value) for value in answered[0].values]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("where", FILTERS)
def test_every_statistic_has_the_same_tallies(server: PostgresServer, unit: str, where: str) -> None:
    warehouse, table = at(server, "health.people")
    options = {"schema": awkward.EVERY_KIND, "where": FILTERS[where], "unit": UNITS[unit]}
    expected = ENGINE.answer(ENGINE.hold(awkward.people()), awkward.ASKED, **options)
    assert awkward.same(expected, warehouse.answer(table, awkward.ASKED, **options))
    again = warehouse.answer(table, awkward.SCORED, **options, after=awkward.ASKED)
    assert awkward.same(expected[-len(awkward.SCORED) :], again)
    expected = ENGINE.answer(ENGINE.hold(awkward.people()), awkward.MODEL, **options)
    assert awkward.same(expected, warehouse.answer(table, awkward.MODEL, **options))
    if options["unit"].column is not None:
        asked = [*awkward.ASKED, *awkward.PARTED]
        parted = ENGINE.answer(ENGINE.hold(awkward.people()), asked, **options)
        assert awkward.same(parted, warehouse.answer(table, asked, **options))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("coded", [False, True])
@pytest.mark.parametrize("kind", [*awkward.DECLARED, "discover"])
def test_every_stored_type_has_the_same_codes(server: PostgresServer, kind: str, coded: bool) -> None:
    warehouse, table = at(server, "health.stored")
    held = ENGINE.hold(awkward.stored_types())
    schema, asked = awkward.discovered(coded=coded) if kind == "discover" else awkward.declared_as(kind, coded=coded)
    for unit in (PrivacyUnit(), PrivacyUnit("person", 3)):
        options = {"schema": schema, "where": (), "unit": unit}
        expected = ENGINE.answer(held, asked, **options)
        found = warehouse.answer(table, asked, **options)
        for one, other in zip(expected, found, strict=True):
            assert awkward.same([one], [other]), one.query


def test_the_reading_report_is_the_same(server: PostgresServer) -> None:
    """Its counts and the shapes of what is unreadable."""
    cells = [*(text for states in DIRTY["integer"].values() for text in states), None, "", "Müller 1234567", "99,99 €"]
    server.load("health.dirty", {"pay": "text"}, [(cell,) for cell in [*cells, *cells]])
    warehouse, table = at(server, "health.dirty")
    schema = Schema.parse({"pay": {"type": "integer", "lower": 1, "upper": 100, "outside": {"below": "missing"}}})
    held = ENGINE.hold(pa.table({"pay": [*cells, *cells]}))
    expected = report(ENGINE, held, "dirty", schema=schema)
    assert report(warehouse, table, "dirty", schema=schema) == expected
    assert expected["pay"].rows == 2 * len(cells)
    assert ("x 9999…", 2) in expected["pay"].shapes


@pytest.mark.one_in(3)
@pytest.mark.parametrize("column", awkward.TYPES)
def test_identifiers_of_every_type_keep_the_same_rows(server: PostgresServer, column: str) -> None:
    warehouse, table = at(server, "health.stored")
    declared = {"type": "integer", "lower": 0, "upper": 3}
    schema = Schema.parse({"person": {"type": "integer", "lower": 0, "upper": 16}, "small": declared})
    asked = [TallyQuery((each_value(item),)) for item in schema]
    options = {"schema": schema, "where": (), "unit": PrivacyUnit(column, 1)}
    expected = ENGINE.answer(ENGINE.hold(awkward.stored_types()), asked, **options)
    assert awkward.same(expected, warehouse.answer(table, asked, **options))


def test_identifiers_are_compared_by_the_one_rule(server: PostgresServer) -> None:
    texts = [*ONE_UNIT, *ONE_EACH, *(text for pair in SAME for text in pair), "", " ", "0", "-1.0", "nobody"]
    server.load("health.texts", {"id": "text"}, [(text,) for text in texts])
    rule = canonical_sql('"id"', PostgreSQL())
    found = server.run(f'SELECT "id", {rule} FROM health.texts')
    assert dict(found) == {text: canonical(text) for text in texts}
    warehouse, table = at(server, "health.texts")
    for codes in ((), ("0", "-1", "nobody")):
        unit = PrivacyUnit("id", 1, missing_codes=codes)
        (counted,) = warehouse.answer(table, [TallyQuery(units=True)], schema=SMALL, where=(), unit=unit)
        assert counted.values == len({canonical(text) for text in texts} - {None, *codes})


def test_floats_that_stand_for_several_numbers_are_nobody(server: PostgresServer) -> None:
    for type_, exact in (("double precision", 2**53), ("real", 2**24)):
        values = [0.0, -0.0, 1.0, float(exact - 1), float(exact), -float(exact), inf, nan, None]
        server.load("health.floats", {"id": type_}, [(value,) for value in values])
        warehouse, table = at(server, "health.floats")
        unit = PrivacyUnit("id", 1)
        (counted,) = warehouse.answer(table, [TallyQuery(units=True)], schema=SMALL, where=(), unit=unit)
        assert counted.values == 3


def test_sums_beyond_64_bits_are_exact(server: PostgresServer) -> None:
    top = 2**31 - 2
    schema = Schema.parse({"k": {"type": "integer", "lower": 0, "upper": top}})
    server.load("health.large", {"k": "bigint"}, [(top,)] * 5)
    warehouse, table = at(server, "health.large")
    (square,) = warehouse.answer(
        table, [TallyQuery((), Measure(("k", "k")))], schema=schema, where=(), unit=PrivacyUnit()
    )
    assert int(square.values) == 5 * top * top > 2**63


def test_a_plan_reads_the_table_once(server: PostgresServer) -> None:
    """Told by the server's own count of rows read, which it writes down when a connection has ended."""
    warehouse, table = at(server, "health.people")
    ((height,),) = server.run("SELECT count(*) FROM health.people")
    count = "SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'people'"
    server.run("SELECT pg_stat_reset()")
    tallies = [query for query in awkward.ASKED if isinstance(query, TallyQuery)][:8]
    assert len({query.keys for query in tallies}) > 2
    warehouse.answer(table, tallies, schema=awkward.EVERY_KIND, where=(), unit=ROW)
    for _ in range(100):
        if server.run(count) != [(0,)]:
            break
        assert not ended(server.process)
    assert server.run(count) == [(height,)]


def test_a_read_only_account_suffices_and_nothing_is_left(
    server: PostgresServer, small: tuple[Warehouse, Table]
) -> None:
    """`reader` may make no table, temporary or other; every query runs in a transaction that could not write."""
    before = server.run("SELECT count(*) FROM pg_class")
    assert sum(ask(small, unit=PrivacyUnit("id", 1))) == 2
    assert server.run("SELECT count(*) FROM pg_class") == before
    assert server.run("SELECT count(*) FROM pg_prepared_statements, pg_cursors") == [(0,)]
    rights = f"SELECT rolsuper, rolcreatedb, has_database_privilege('{READER}', 'postgres', 'TEMP') FROM pg_roles"
    assert server.run(f"{rights} WHERE rolname = '{READER}'") == [(False, False, False)]
    log = (server.folder / "log").read_text()
    assert "REPEATABLE READ, READ ONLY" in log
    assert log.split("REPEATABLE READ, READ ONLY")[-1].count("ROLLBACK") == 1


def test_only_the_columns_that_are_used_need_a_grant(server: PostgresServer, small: tuple[Warehouse, Table]) -> None:
    server.run(f"REVOKE ALL ON health.small FROM {READER}", f"GRANT SELECT (k) ON health.small TO {READER}")
    assert sum(ask(small)) == 2
    with pytest.raises(InputError, match="no permission to read it"):
        ask(small, unit=PrivacyUnit("id", 1), empty=True)


@pytest.mark.parametrize("empty", [True, False])
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("REVOKE ALL ON health.small FROM reader", "no permission"),
        ("REVOKE USAGE ON SCHEMA health FROM reader", "no permission"),
        ("ALTER TABLE health.small DROP COLUMN k", "no longer there"),
        ("DROP TABLE health.small", "no longer there"),
        ("ALTER ROLE reader NOLOGIN", "account"),
    ],
)
def test_what_went_wrong_is_said_also_without_rows(
    server: PostgresServer, small: tuple[Warehouse, Table], change: str, said: str, empty: bool
) -> None:
    server.run(change)
    try:
        with pytest.raises(InputError, match=said) as caught:
            ask(small, empty=empty)
    finally:
        server.run(f"ALTER ROLE {READER} LOGIN", f"GRANT USAGE ON SCHEMA health TO {READER}")
    assert "s3cret" not in str(caught.value)
    assert "SECRET" not in str(caught.value)


def test_what_the_server_says_of_a_value_is_not_repeated(
    server: PostgresServer, small: tuple[Warehouse, Table]
) -> None:
    """The SQL was made for whole numbers, and the column was changed to text since."""
    server.run("ALTER TABLE health.small ALTER COLUMN k TYPE text USING 'SECRET'")
    with pytest.raises(TableError) as caught:
        ask(small)
    assert "SECRET" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert sum(ask(at(server, "health.small"))) == 0


@pytest.mark.full
def test_a_server_that_stops_is_an_error_and_comes_back(server: PostgresServer, small: tuple[Warehouse, Table]) -> None:
    server.stop()
    with pytest.raises(InputError, match="cannot be reached") as caught:
        ask(small)
    assert "s3cret" not in str(caught.value)
    assert str(server.port) not in str(caught.value)
    server.start()
    assert sum(ask(small)) == 2


def test_a_connection_cut_in_the_middle_is_an_error(server: PostgresServer, small: tuple[Warehouse, Table]) -> None:
    with pytest.raises(InputError, match="a connection that broke"), small[0].session() as session:  # noqa: PT012
        server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'dprelease'")
        session.rows("SELECT 1")


@pytest.mark.parametrize("name", ["missing", "no.such", "other.schema"])
def test_a_table_that_is_not_there(server: PostgresServer, name: str) -> None:
    with pytest.raises(InputError, match=r"no table of this name|no permission"):
        at(server, name)


def test_views_and_odd_names(server: PostgresServer, small: tuple[Warehouse, Table]) -> None:
    view = """CREATE OR REPLACE VIEW health."Of "" two/words" AS SELECT k FROM health.small"""
    server.run(view, f"""GRANT SELECT ON health."Of "" two/words" TO {READER}""")
    assert sum(ask(at(server, "health.Of%20%22%20two%2Fwords"))) == 2
    server.run('''DROP VIEW health."Of "" two/words"''')


@pytest.mark.full
@pytest.mark.parametrize("way", ["folded", "looked up", "compared"])
def test_levels_of_the_calendar_are_counted_as_pandas_counts_them(
    server: PostgresServer, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = calendar_rows.rows()
    rows = [*zip(*(column.to_pylist() for column in table.columns), strict=True)]
    server.load("health.days", {field.name: TYPES[field.type] for field in table.schema}, rows)
    if way != "folded":
        monkeypatch.setattr(fold, "MAX_LABELLED_CODES", 0)
    if way == "compared":
        monkeypatch.setattr(query, "MAX_LOOKED_UP", 0)
    warehouse, stored = at(server, "health.days")
    asked = {level: calendar_rows.queries(level) for level in calendar_rows.LEVELS}
    options = {"schema": calendar_rows.SCHEMA, "where": (), "unit": PrivacyUnit("id", 1000)}
    answered = iter(warehouse.answer(stored, [each for several in asked.values() for each in several], **options))
    for level in asked:
        for right in calendar_rows.expected(table, level):
            assert next(answered).values.tolist() == right.tolist()
