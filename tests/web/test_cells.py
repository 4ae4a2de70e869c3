"""Cells of a table by the codes of their keys: the same rows as a filter of its file, a page at a time."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import urlencode

import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from starlette.testclient import TestClient

from dprelease import Plan, Workspace
from dprelease.portal.cells import MOST, TableCache, TextTable
from dprelease.portal.shelf import Bundle
from dprelease.web.alone import application
from dprelease.web.served import FOREVER
from tests.tries import tries
from tests.web.conftest import ADDRESS
from tests.workspace.test_publish import approved

REGIONS = ["north", "south", "east, far", '=cmd"', "", "O'Hara"]
COLUMNS = {
    "region": {"type": "category", "categories": REGIONS},
    "limit": {"type": "category", "categories": ["F", "M"]},
    "age": {"type": "integer", "lower": 0, "upper": 100},
}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """A cross table with categories that files have to quote, and a column called as a parameter is."""
    home = tmp_path_factory.mktemp("cells") / "home"
    workspace = Workspace.create(home)
    source = home.parent / "t.csv"
    source.write_text("region,limit,age\nnorth,F,1\nsouth,M,2\n")
    workspace.add_dataset("t", source, columns=COLUMNS, epsilon=10)
    plan = Plan.parse(
        {
            "dprelease": 1,
            "title": "Regions",
            "dataset": "t",
            "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
            "columns": COLUMNS,
            "statistics": [
                {"id": "t", "kind": "crosstab", "columns": ["region", "limit"]},
                {"id": "ages", "kind": "histogram", "column": "age", "bins": 100},
            ],
        }
    )
    release_id = workspace.publish(approved(workspace, plan)).id
    return Bundle.open(release_id, workspace.releases.bundle(release_id))


@pytest.fixture(scope="module")
def own(bundle: Bundle) -> Iterator[TestClient]:
    with TestClient(application(bundle.folder.parent), base_url=ADDRESS) as found:
        yield found


@pytest.fixture(scope="module")
def address(bundle: Bundle) -> str:
    return f"/api/releases/{bundle.id}/tables/t"


def file_of(bundle: Bundle, table: str = "t") -> pandas.DataFrame:
    """The file of a table with every cell as text."""
    return pandas.read_csv(Path(bundle.folder) / "tables" / f"{table}.csv", dtype=str, keep_default_na=False)


def query(regions: list[str], letters: list[str], **more: object) -> str:
    chosen = [("region", each) for each in regions] + [("key.limit", each) for each in letters]
    return urlencode([*chosen, *more.items()])


@settings(max_examples=tries(60), deadline=None)
@given(
    regions=some.lists(some.sampled_from(REGIONS), unique=True),
    letters=some.lists(some.sampled_from(["F", "M"]), unique=True),
    columns=some.lists(some.sampled_from(["region", "limit", "value", "lower95", "upper95"]), min_size=1, unique=True),
    limit=some.integers(1, 13),
)
def test_every_filter_is_that_of_the_file(
    regions: list[str],
    letters: list[str],
    columns: list[str],
    limit: int,
    own: TestClient,
    address: str,
    bundle: Bundle,
) -> None:
    """All pages together are the rows that pandas selects in the file, in its order."""
    whole = file_of(bundle)
    codes = [f"'{each}" if each.startswith("=") else each for each in regions]
    kept = whole[(whole.region.isin(codes) | (not codes)) & (whole.limit.isin(letters) | (not letters))]
    expected = kept[[name for name in whole.columns if name in columns]]
    asked = f"{address}?{query(regions, letters, columns=','.join(columns), limit=limit, format='csv')}"
    pages = []
    while asked:
        answer = own.get(asked)
        assert answer.status_code == 200
        pages.append(pandas.read_csv(StringIO(answer.text), dtype=str, keep_default_na=False))
        assert len(pages[-1]) <= limit
        asked = answer.links.get("next", {}).get("url", "")
    found = pandas.concat(pages)
    assert found.columns.tolist() == expected.columns.tolist()
    assert found.to_numpy().tolist() == expected.to_numpy().tolist()
    assert len(pages) == max(1, -(-len(expected) // limit))


def test_json_has_the_same_numbers_and_says_where_the_next_page_is(
    own: TestClient, address: str, bundle: Bundle
) -> None:
    answer = own.get(f"{address}?limit=5")
    found = answer.json()
    assert (found["release"], found["table"], found["found"]) == (bundle.id, "t", 12)
    assert found["next"] == answer.links["next"]["url"] == f"{address}?limit=5&after=5"
    assert found["columns"] == file_of(bundle).columns.tolist()
    rows = own.get(f"{address}.json").json()["rows"]
    assert found["rows"] == [{name: row[name] for name in found["columns"]} for row in rows[:5]]
    assert own.get(f"{address}?limit=12").json()["next"] is None


def test_codes_stand_between_commas_or_in_quotes(own: TestClient, address: str) -> None:
    def regions(value: str) -> list[str]:
        return sorted({row["region"] for row in own.get(address, params={"region": value}).json()["rows"]})

    assert regions("north,south") == ["north", "south"]
    assert regions("east, far") == ["east, far"]
    assert regions('"east, far",north') == ["east, far", "north"]
    assert regions('=cmd"') == ['=cmd"']
    assert regions("") == [""]


@pytest.mark.parametrize(
    ("asked", "error", "parameter", "nearest"),
    [
        ("regoin=north", "unknown_parameter", None, "region"),
        ("region=nroth", "unknown_code", "region", "north"),
        ("region=north,suoth", "unknown_code", "region", "south"),
        ("columns=valu", "unknown_value", "columns", "value"),
        ("columns=", "unknown_value", "columns", None),
        ("key.limit=", "unknown_code", "limit", None),
        ("format=cvs", "unknown_value", "format", "csv"),
        ("limit=0", "not_whole", "limit", None),
        ("limit=F", "not_whole", "limit", None),
        ("after=-1", "not_whole", "after", None),
        (f"limit={MOST + 1}", "not_whole", "limit", None),
    ],
)
def test_what_means_nothing_is_refused_with_the_nearest_that_does(
    asked: str, error: str, parameter: str | None, nearest: str | None, own: TestClient, address: str
) -> None:
    answer = own.get(f"{address}?{asked}")
    found = answer.json()
    assert (answer.status_code, answer.headers["cache-control"]) == (400, "no-store")
    assert (found["error"], found["parameter"], found["nearest"]) == (error, parameter, nearest)
    assert found["allowed"]
    spanish = own.get(f"{address}?{asked}", headers={"accept-language": "es"}).json()
    assert spanish["message"] != found["message"]


def test_grades_choose_cells_too(own: TestClient, bundle: Bundle) -> None:
    whole = file_of(bundle, "ages")
    for letter in set(whole.grade):
        found = own.get(f"/api/releases/{bundle.id}/tables/ages?grade={letter}").json()
        assert found["found"] == (whole.grade == letter).sum()
        assert {row["grade"] for row in found["rows"]} == {letter}


def test_an_error_repeats_nothing_that_was_sent(own: TestClient, address: str) -> None:
    for asked in ("<script>=1", "region=<script>", "columns=<script>", "format=<script>", "limit=<script>"):
        assert "script" not in own.get(f"{address}?{asked}").text


def test_a_page_never_changes_and_is_confirmed_by_its_etag(own: TestClient, address: str) -> None:
    first = own.get(f"{address}?region=north")
    assert first.headers["cache-control"] == FOREVER
    again = own.get(f"{address}?region=north", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert own.get(f"{address}?region=south").headers["etag"] != first.headers["etag"]


@pytest.mark.parametrize(
    ("accepted", "squeezed"),
    [("gzip", True), ("br, GZIP;q=0.5", True), ("*", True), ("identity", False), ("gzip;q=0", False), ("", False)],
)
def test_it_is_compressed_where_the_client_takes_it(
    accepted: str, squeezed: bool, own: TestClient, bundle: Bundle
) -> None:
    address = f"/api/releases/{bundle.id}/tables/ages"
    plain = own.get(address, headers={"accept-encoding": "identity"})
    with own.stream("GET", address, headers={"accept-encoding": accepted}) as answer:
        raw = b"".join(answer.iter_raw())
    assert ("content-encoding" in answer.headers) is squeezed
    assert (gzip.decompress(raw) if squeezed else raw) == plain.content
    assert (answer.headers["etag"] != plain.headers["etag"]) is squeezed
    assert answer.headers["vary"] == "Accept-Encoding"


def test_a_spreadsheet_runs_neither_cells_nor_headings(tmp_path: Path) -> None:
    columns = {"=1+1": {"type": "category", "categories": ["@a", "b"]}}
    workspace = Workspace.create(tmp_path / "home")
    source = tmp_path / "t.csv"
    source.write_text("=1+1\nb\n")
    workspace.add_dataset("t", source, columns=columns, epsilon=10)
    plan = Plan.parse(
        {
            "dprelease": 1,
            "title": "Formulas",
            "dataset": "t",
            "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
            "columns": columns,
            "statistics": [{"id": "t", "kind": "count", "by": ["=1+1"]}],
        }
    )
    release_id = workspace.publish(approved(workspace, plan)).id
    path = workspace.releases.bundle(release_id) / "tables" / "t.csv"
    with TestClient(application(path.parents[2]), base_url=ADDRESS) as client:
        answer = client.get(f"/api/releases/{release_id}/tables/t", params={"=1+1": "@a,b", "format": "csv"})
    assert answer.content == path.read_bytes()


def test_what_is_not_published_is_missing(own: TestClient, bundle: Bundle, address: str) -> None:
    for path in (f"{address}x", f"/api/releases/{bundle.id}/tables/..%2Ft", "/api/releases/x-12345678/tables/t"):
        assert own.get(path).status_code == 404


def test_changed_bytes_are_never_served(bundle: Bundle, tmp_path: Path) -> None:
    copy = tmp_path / bundle.id
    shutil.copytree(bundle.folder, copy)
    table = copy / "tables" / "t.csv"
    table.write_bytes(table.read_bytes().replace(b"north", b"notth"))
    with TestClient(application(tmp_path), base_url=ADDRESS) as client:
        assert client.get(f"/api/releases/{bundle.id}/tables/t").status_code == 500


def test_a_table_is_read_once_and_the_least_recently_asked_for_is_forgotten(
    bundle: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    whole: Any = TextTable.of.__func__  # type: ignore[attr-defined]
    monkeypatch.setattr(TextTable, "of", classmethod(lambda cls, *given: read.append(given[1]) or whole(cls, *given)))
    held = TableCache(most=1)
    for table in ("t", "t", "ages", "ages", "t"):
        held.cells(bundle, table)
    assert read == ["t", "ages", "t"]
    wide = TableCache()
    for table in ("t", "ages", "t"):
        wide.cells(bundle, table)
    assert read == ["t", "ages", "t", "t", "ages"]


def test_while_one_table_is_read_another_one_is_answered(bundle: Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    """The large one waits, and is read once for both who ask for it; what fails is tried again."""
    begun, goes_on, read = Event(), Event(), list[str]()
    whole: Any = TextTable.of.__func__  # type: ignore[attr-defined]

    def slowly(cls: type[TextTable], of: Bundle, table: str) -> TextTable:
        read.append(table)
        if table == "t":
            begun.set()
            assert goes_on.wait(timeout=60)
        return whole(cls, of, table)  # type: ignore[no-any-return]

    monkeypatch.setattr(TextTable, "of", classmethod(slowly))
    held = TableCache()
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(held.cells, bundle, "t") for _ in range(2)]
        assert begun.wait(timeout=60)
        other = Thread(target=held.cells, args=(bundle, "ages"), daemon=True)
        other.start()
        other.join(timeout=30)
        answered = not other.is_alive()
        goes_on.set()
        assert both[0].result() is both[1].result()
    assert answered
    assert read == ["t", "ages"]
    assert not held._reading


def test_numbers_are_those_of_the_file(own: TestClient, bundle: Bundle) -> None:
    """Keys that are numbers are asked for as the file writes them."""
    whole = file_of(bundle, "ages")
    key = whole.columns[0]
    code = whole[key][3]
    (row,) = own.get(f"/api/releases/{bundle.id}/tables/ages", params={key: code}).json()["rows"]
    assert row["value"] == json.loads(whole["value"][3])
