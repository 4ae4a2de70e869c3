"""A format and an engine that somebody adds take as few files as docs/design.md says, and work from end to end."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pandas
import pytest

import dprelease
from dprelease import registry
from dprelease.bundle.formats import FILES
from dprelease.bundle.listing import CHECKSUMS
from dprelease.errors import InputError, IntegrityError
from dprelease.table.address import Address, Scheme
from dprelease.table.answer import Session, Table
from dprelease.table.dialect import Dialect
from dprelease.table.duckdb_dialect import DuckDB
from dprelease.table.engine import Engine
from dprelease.table.warehouse import Warehouse
from dprelease.words import verbatim

ROWS = pandas.DataFrame({"sex": ["F", "M"] * 200})
COLUMNS = {"sex": {"type": "category", "categories": ["F", "M"]}}
PLAN = {
    "dprelease": 1,
    "dataset": "people",
    "title": "Added",
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 4},
    "expected": {"rows": 400},
    "statistics": [{"id": "n", "kind": "count", "by": ["sex"]}],
}
ENGINE = Engine()
HELD = ENGINE.hold(ROWS)


class Shelf(Warehouse):
    """An engine elsewhere that knows one table: a second DuckDB."""

    dialect: ClassVar[type[Dialect]] = DuckDB

    @contextlib.contextmanager
    def session(self) -> Iterator[Session]:
        yield ENGINE.session()

    def table(self) -> Table:
        return HELD


def _read(address: Address, _path: str) -> Address:
    return address


SHELF = Scheme(
    name="shelf",
    form=verbatim("shelf://host/table"),
    options=frozenset(),
    read=_read,
    module=__name__,
    warehouse="Shelf",
)


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> None:
    room = registry.Room(engines={"shelf": f"{__name__}:SHELF"})
    rooms = (*registry.rooms(), room)
    monkeypatch.setattr(registry, "rooms", lambda: rooms)


def published(workspace: dprelease.Workspace, source: object, folder: Path) -> Path:
    workspace.add_dataset("people", source, columns=COLUMNS, epsilon=8)
    return workspace.publish(dprelease.Plan.parse(PLAN)).write(folder)


@pytest.mark.usefixtures("shelf")
def test_a_table_of_an_engine_that_is_added_is_published(tmp_path: Path) -> None:
    bundle = published(dprelease.Workspace.in_memory(), "shelf://here/people", tmp_path)
    release = dprelease.verify(bundle).release
    assert all(abs(value - 200) < 40 for _, value, *_ in release.tables["n"].rows())  # fails once in e^158


@pytest.mark.usefixtures("shelf")
def test_its_address_is_among_those_that_are_allowed() -> None:
    with pytest.raises(InputError, match=r"spark://host.*shelf://host/table"):
        dprelease.Workspace.in_memory().add_dataset("people", "mysql://h/t", columns=COLUMNS, epsilon=8)


def test_a_format_that_is_added_is_written_listed_and_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FILES, "title.txt", lambda described: described.title.encode())
    bundle = published(dprelease.Workspace.in_memory(), ROWS, tmp_path)
    assert (bundle / "title.txt").read_text() == "Added"
    assert "title.txt" in (bundle / CHECKSUMS).read_text()
    dprelease.verify(bundle)
    monkeypatch.setitem(FILES, "title.txt", lambda described: b"Another")
    with pytest.raises(IntegrityError, match=r"title\.txt: it does not say"):
        dprelease.verify(bundle)


def test_a_bundle_from_before_a_format_verifies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = published(dprelease.Workspace.in_memory(), ROWS, tmp_path)
    monkeypatch.setitem(FILES, "title.txt", lambda described: described.title.encode())
    assert dprelease.verify(bundle)
