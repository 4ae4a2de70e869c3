"""The same work for everyone: W(N), a table of N rows that is the same for the same N, and one release of it.

The release: count, sum and mean of income, an age histogram, region × sex, income quartiles, mean income by region.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

REGIONS = [f"region{index:02d}" for index in range(20)]
COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": 0, "upper": 100},
    "income": {"type": "number", "lower": 0, "upper": 200000, "resolution": 1},
    "region": {"type": "category", "categories": REGIONS},
    "sex": {"type": "category", "categories": ["F", "M"]},
    "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31"},
}
STATISTICS: list[dict[str, Any]] = [
    {"id": "n", "kind": "count"},
    {"id": "ages", "kind": "histogram", "column": "age", "bins": 20, "weight": 2},
    {"id": "mean_income", "kind": "mean", "column": "income"},
    {"id": "total_income", "kind": "sum", "column": "income"},
    {"id": "income_quartiles", "kind": "quantiles", "column": "income", "probs": [0.25, 0.5, 0.75]},
    {"id": "region_sex", "kind": "crosstab", "columns": ["region", "sex"]},
    {"id": "income_by_region", "kind": "mean", "column": "income", "by": ["region"]},
]
MOST = 5
UNITS: dict[str, Any] = {"row": "row", "person": {"column": "person_id", "max_rows": MOST}}
"""The privacy units that are measured. A person has five rows on average, and three quarters have at most six."""
GROUPED = """
    SELECT region, sex, least(floor(age / 5), 19), floor(income / 200), count(*), sum(income)
    FROM {rows}
    GROUP BY GROUPING SETS ((), (region), (region, sex), (least(floor(age / 5), 19)), (floor(income / 200)))
"""
CUT = f"""(
    SELECT *, row_number() OVER (PARTITION BY person_id) AS place FROM read_parquet('{{path}}') QUALIFY place <= {MOST}
)"""
NON_PRIVATE = {
    "row": GROUPED.format(rows="read_parquet('{path}')"),
    "person": GROUPED.format(rows=CUT),
}
"""By unit, the same numbers without privacy in one query of DuckDB; quartiles are read off 1,000 bins of income."""
CATEGORIES = 1000


def table(folder: Path, rows: int, *, text: bool = False) -> Path:
    """The Parquet file of W(N) in a folder, made by DuckDB's hash of the row's number where it is not there yet.

    `text`: with identifiers that are text.
    """
    path = folder / f"w{rows}{'text' if text else ''}.parquet"
    person = f"(hash(i, 1) % {max(1, rows // 5)})::BIGINT"
    person = f"'P' || lpad({person}::VARCHAR, 12, '0')" if text else person
    return written(
        path,
        f"""
            SELECT {person} AS person_id,
                   (hash(i, 2) % 101)::INTEGER AS age,
                   (hash(i, 3) % 200001)::DOUBLE AS income,
                   'region' || lpad((hash(i, 4) % 20)::VARCHAR, 2, '0') AS region,
                   CASE WHEN hash(i, 5) % 2 = 0 THEN 'F' ELSE 'M' END AS sex,
                   DATE '2025-01-01' + (hash(i, 6) % 365)::INTEGER AS day
            FROM range({rows}) AS t(i)
        """,
    )


def wide_table(folder: Path, rows: int, columns: int) -> Path:
    """Whole numbers 0..99 in so many columns x0, x1, ..."""
    listed = ", ".join(f"(hash(i, {column}) % 100)::INTEGER AS x{column}" for column in range(columns))
    return written(folder / f"wide{rows}x{columns}.parquet", f"SELECT {listed} FROM range({rows}) AS t(i)")


def pairs_table(folder: Path, rows: int) -> Path:
    """Two columns of whole numbers below CATEGORIES."""
    listed = ", ".join(f"(hash(i, {seed}) % {CATEGORIES})::INTEGER AS {name}" for seed, name in enumerate("ab"))
    return written(folder / f"pairs{rows}.parquet", f"SELECT {listed} FROM range({rows}) AS t(i)")


def written(path: Path, query: str) -> Path:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".part")
        duckdb.sql(f"COPY ({query}) TO '{partial}' (FORMAT parquet)")
        partial.rename(path)
    return path


def plan(unit: Any, *, columns: Any = None, statistics: Any = None, title: str = "") -> dict[str, Any]:
    """A plan as a mapping; W(N)'s unless columns and statistics are given."""
    return {
        "dprelease": 1,
        "title": title or "W",
        "dataset": "w",
        "privacy": {"unit": unit, "neighbors": "add_remove", "epsilon": 1},
        "columns": columns or COLUMNS,
        "statistics": statistics or STATISTICS,
    }


def histograms(columns: int) -> dict[str, Any]:
    """A plan of one histogram a column of `wide_table`."""
    declared = {f"x{column}": {"type": "integer", "lower": 0, "upper": 99} for column in range(columns)}
    asked = [{"id": f"h{column}", "kind": "histogram", "column": f"x{column}", "bins": 20} for column in range(columns)]
    return plan("row", columns=declared, statistics=asked)


def cells(each: int) -> dict[str, Any]:
    """A plan of one cross table of each × each cells of `pairs_table`."""
    listed = {"type": "category", "categories": [str(code) for code in range(each)]}
    asked = [{"id": "cross", "kind": "crosstab", "columns": ["a", "b"]}]
    return plan("row", columns={"a": listed, "b": listed}, statistics=asked)
