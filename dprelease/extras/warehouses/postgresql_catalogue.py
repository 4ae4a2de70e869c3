"""The catalogue of PostgreSQL: types, enumerations, constraints, comments, and the tables that foreign keys refer to.

No row of the table itself is read, and no statistics: `pg_stats` holds sampled values.
"""

from __future__ import annotations

from typing import Any

from dprelease.extras.warehouses.postgresql import Server
from dprelease.model.catalogue import CatalogueColumn
from dprelease.table.answer import Session

MAX_LOOKUP = 10_000
"""Rows of a table of codes; a larger one is left out."""
COLUMNS = """
    WITH RECURSIVE own AS (
        SELECT attnum, attname, atttypid AS type FROM pg_attribute
        WHERE attrelid = to_regclass({table}) AND attnum > 0 AND NOT attisdropped
        UNION ALL SELECT attnum, attname, typbasetype FROM own JOIN pg_type ON oid = type WHERE typtype = 'd'
    )
    SELECT attname, CASE WHEN typtype = 'e' THEN 'enum' ELSE format_type(oid, NULL) END,
        COALESCE(col_description(to_regclass({table})::oid, attnum), ''),
        ARRAY(SELECT enumlabel::text FROM pg_enum WHERE enumtypid = type ORDER BY enumsortorder)
    FROM own JOIN pg_type ON oid = type WHERE typtype <> 'd' ORDER BY attnum
"""
CHECKS = """
    WITH RECURSIVE own AS (
        SELECT attnum, attname, atttypid AS type FROM pg_attribute
        WHERE attrelid = to_regclass({table}) AND attnum > 0 AND NOT attisdropped
        UNION ALL SELECT attnum, attname, typbasetype FROM own JOIN pg_type ON oid = type WHERE typtype = 'd'
    )
    SELECT DISTINCT attname, pg_get_expr(conbin, conrelid), conname FROM own JOIN pg_constraint
    ON contype = 'c' AND convalidated
        AND ((conrelid = to_regclass({table}) AND conkey = ARRAY[attnum]) OR (contypid = type AND contypid <> 0))
    ORDER BY attname, conname
"""
"""Query of check constraints of one column each, or of its domain; those that hold for all rows."""
LOOKUPS = """
    SELECT own.attname, pg_namespace.nspname, pg_class.relname, other.attname, (
        SELECT words.attname FROM pg_attribute AS words JOIN pg_type ON pg_type.oid = words.atttypid
        WHERE words.attrelid = confrelid AND words.attnum > 0 AND NOT words.attisdropped
            AND words.attnum <> other.attnum AND typcategory = 'S' ORDER BY words.attnum LIMIT 1
    )
    FROM pg_constraint
    JOIN pg_attribute AS own ON own.attrelid = conrelid AND conkey = ARRAY[own.attnum]
    JOIN pg_attribute AS other ON other.attrelid = confrelid AND confkey = ARRAY[other.attnum]
    JOIN pg_class ON pg_class.oid = confrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE contype = 'f' AND convalidated AND conrelid = to_regclass({table}) AND confrelid <> conrelid
        AND has_schema_privilege(relnamespace, 'USAGE') AND has_table_privilege(confrelid, 'SELECT')
    ORDER BY own.attname, conname
"""


def read_catalogue(warehouse: Server) -> tuple[CatalogueColumn, ...]:
    """Return the columns of a table as PostgreSQL's catalogue describes them."""
    dialect = warehouse.dialect()
    table = dialect.text(".".join(dialect.name(part) for part in warehouse.address.table))
    with warehouse.session() as session:
        columns = session.rows(COLUMNS.format(table=table))
        checks: dict[str, list[str]] = {}
        for name, check, _ in session.rows(CHECKS.format(table=table)):
            checks.setdefault(name, []).append(check)
        lookups = {found[0]: found[1:] for found in session.rows(LOOKUPS.format(table=table))}
        return tuple(
            CatalogueColumn(
                name=name,
                storage=storage,
                comment=comment,
                enum=tuple(enum),
                checks=tuple(checks.get(name, ())),
                lookup=_lookup(session, dialect, lookups[name]) if name in lookups else (),
            )
            for name, storage, comment, enum in columns
        )


def _lookup(session: Session, dialect: Any, place: tuple[str, str, str, str | None]) -> tuple[tuple[str, str], ...]:
    """Return keys, with what the first column of text beside them says; none where there are too many."""
    schema, relation, key, label = place
    code = f"CAST({dialect.name(key)} AS TEXT)"
    words = "''" if label is None else f"COALESCE(CAST({dialect.name(label)} AS TEXT), '')"
    source = f"{dialect.name(schema)}.{dialect.name(relation)}"
    where = f"{dialect.name(key)} IS NOT NULL"
    order = f"ORDER BY {dialect.name(key)} LIMIT {MAX_LOOKUP + 1}"
    found = session.rows(f"SELECT {code}, {words} FROM {source} WHERE {where} {order}")
    return () if len(found) > MAX_LOOKUP else tuple((str(code), str(label)) for code, label in found)
