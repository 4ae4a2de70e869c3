"""Folders of Parquet files that belong to a table of another format are refused: some of their rows were deleted."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from dprelease.errors import InputError
from dprelease.table import Engine

pytestmark = pytest.mark.quick

LOGS = {"Delta": "_delta_log/0.json", "Iceberg": "metadata/v1.metadata.json", "Hudi": ".hoodie/hoodie.properties"}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", LOGS)
@pytest.mark.parametrize("asked", ["lake", "lake/table", "lake/table/data/day=1"])
def test_a_folder_of_another_format_is_refused(tmp_path: Path, kind: str, asked: str) -> None:
    place = tmp_path / "lake" / "table"
    (place / "data" / "day=1").mkdir(parents=True)
    pyarrow.parquet.write_table(pa.table({"k": [1, 2]}), place / "data" / "day=1" / "one.parquet")
    assert Engine().parquet(tmp_path / asked).columns == ("k",)
    (place / LOGS[kind]).parent.mkdir()
    (place / LOGS[kind]).write_text("{}")
    with pytest.raises(InputError, match=rf"files of a {kind} table.*\?table=catalog"):
        Engine().parquet(tmp_path / asked)
