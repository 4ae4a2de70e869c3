"""Code that readers copy: it is run, on codes that programs like to take for numbers or gaps."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pandas
import pytest

from dprelease.bundle.signing import SigningKey
from dprelease.bundle.write import write
from dprelease.portal.cite import ADDRESS, snippets, snippets_of
from dprelease.portal.shelf import Bundle
from tests.bundle.releases import COLUMNS, listed, make_release, table

CODES = ["01", "02", "NA"]


@pytest.fixture
def bundle(key: SigningKey, tmp_path: Path) -> Bundle:
    columns = COLUMNS | {"O'prov": {"type": "category", "categories": CODES}}
    statistics = [
        ({"id": "n", "kind": "count"}, table((), [7], 3)),
        ({"id": "h", "kind": "histogram", "column": "O'prov"}, table([listed("O'prov", *CODES)], [4, 5, 6], 3)),
    ]
    release = make_release(statistics, columns=columns)  # type: ignore[arg-type]
    return Bundle.open(release.id, write(release, tmp_path / "releases", key))


def test_the_snippets_keep_leading_zeros_and_codes_that_look_like_gaps(bundle: Bundle, tmp_path: Path) -> None:
    found = {name: text.replace(ADDRESS, str(tmp_path)) for name, text in snippets_of(bundle, "h").items()}
    own: dict[str, pandas.DataFrame] = {}
    exec(found["pandas"], own)
    assert own["table"]["O'prov"].tolist() == CODES
    assert own["table"]["value"].tolist() == [4, 5, 6]
    assert [row[0] for row in duckdb.execute(found["DuckDB"]).fetchall()] == CODES
    assert """colClasses = c("O'prov" = "character"), na.strings = "")""" in found["R"]


def test_a_table_without_keys_names_none(bundle: Bundle, tmp_path: Path) -> None:
    found = {name: text.replace(ADDRESS, str(tmp_path)) for name, text in snippets(bundle).items()}
    assert found["pandas"].endswith('/tables/n.csv")')
    assert duckdb.execute(found["DuckDB"]).fetchall()[0][0] == 7
