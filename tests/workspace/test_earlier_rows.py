"""In a run that keeps a unit to k periods, rows that replace others are compared with them: none may be gone."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pandas
import pytest

import dprelease
from dprelease.errors import InputError
from dprelease.store import ledger
from tests.trust.world import contents
from tests.workspace.test_runs import PERSON, births, opened

GONE = "of a unit none is left in a period up to 2025-02"
ROWS = births()


def begun(home: Path | None = None, **run: object) -> dprelease.Workspace:
    made = opened(home, **{"unit": PERSON, "at_most": 2, **run})
    for period in ("2025-01", "2025-02"):
        made.runs.publish("births", period)
    return made


def month(rows: pandas.DataFrame) -> pandas.Series:
    return pandas.to_datetime(rows["day"]).dt.month


def kinds(workspace: dprelease.Workspace) -> list[str]:
    return [event.kind for event in ledger.events(workspace._state.database)]


def moved(rows: pandas.DataFrame) -> pandas.DataFrame:
    """The row of January of somebody with rows in February too is dated in March instead."""
    one = (rows["person"] == "p18") & (month(rows) == 1)
    assert (one.sum(), sorted(month(rows)[rows["person"] == "p18"])) == (1, [1, 2, 3])
    return rows.assign(day=rows["day"].where(~one, pandas.Timestamp("2025-03-01").date()))


LACKING: dict[str, Callable[[pandas.DataFrame], pandas.DataFrame]] = {
    "only the newest month": lambda rows: rows[month(rows) == 3],
    "one person of January": lambda rows: rows.drop(index=rows.index[month(rows) == 1][0]),
    "a date that moved": moved,
    "another identifier": lambda rows: rows.assign(person=rows["person"].replace("p0", "P0")),
}


@pytest.mark.parametrize("what", LACKING)
def test_rows_that_lack_earlier_ones_are_asked_about_and_nothing_happens(what: str) -> None:
    workspace = begun()
    before, dataset = kinds(workspace), workspace.datasets.get("births")
    with pytest.raises(InputError, match=GONE) as asked:
        workspace.datasets.replace_rows("births", LACKING[what](ROWS))
    assert all(word in str(asked.value) for word in ("all rows since 2025-01", "--removed-rows", "removed=True"))
    assert not any(person in str(asked.value) for person in ROWS["person"])
    assert kinds(workspace) == [*before, "reading_taken"], "a look, whatever came of it"
    assert workspace.datasets.get("births") == dataset
    workspace.datasets.replace_rows("births", LACKING[what](ROWS), removed=True)
    assert kinds(workspace) == [*before, "reading_taken", "rows_replaced"]


KEPT: dict[str, Callable[[pandas.DataFrame], pandas.DataFrame]] = {
    "more rows": lambda rows: pandas.concat([rows, rows.tail(3)]),
    "other rows of periods to come": lambda rows: rows[month(rows) <= 2],
    "other values": lambda rows: rows.assign(x=~rows["x"]),
    "another day of the same month": lambda rows: rows.assign(day=[each.replace(day=28) for each in rows["day"]]),
    "identifiers written otherwise": lambda rows: rows.assign(person=" " + rows["person"]),
}


@pytest.mark.parametrize("what", KEPT)
def test_rows_that_keep_each_unit_in_each_period_are_taken(what: str) -> None:
    workspace = begun()
    workspace.datasets.replace_rows("births", KEPT[what](ROWS))
    assert workspace.runs.publish("births", "2025-03").tables


def test_identifiers_are_compared_however_they_are_stored() -> None:
    workspace = begun()
    numbers = ROWS.assign(person=ROWS["person"].str.removeprefix("p").astype(int))
    workspace.datasets.replace_rows("births", numbers, removed=True)
    workspace.datasets.replace_rows("births", numbers.assign(person="0" + numbers["person"].astype(str)))
    with pytest.raises(InputError, match=GONE):
        workspace.datasets.replace_rows("births", numbers[numbers["person"] != 0])


def test_nothing_is_compared_where_no_order_counts_or_nothing_comes() -> None:
    few = ROWS[month(ROWS) == 3]
    for run in ({"at_most": "all"}, {"unit": "row", "at_most": 1}):
        workspace = begun(**run)
        workspace.datasets.replace_rows("births", few)
        assert "reading_taken" not in kinds(workspace)
    workspace = opened(unit=PERSON, at_most=2)
    workspace.datasets.replace_rows("births", few)
    workspace = begun()
    workspace.runs.end("births", "stopped")
    workspace.datasets.replace_rows("births", few)
    assert "reading_taken" not in kinds(workspace)


def test_who_may_see_no_rows_is_told_nothing_of_them() -> None:
    workspace = begun()
    workspace.plans.set_preview_policy("blind")
    before = kinds(workspace)
    workspace.datasets.replace_rows("births", ROWS[month(ROWS) == 3])
    assert kinds(workspace) == [*before, "rows_replaced"]


def test_an_answer_given_beforehand_leaves_the_same_traces() -> None:
    seen = []
    for rows in (KEPT["more rows"](ROWS), LACKING["only the newest month"](ROWS)):
        workspace = begun()
        workspace.datasets.replace_rows("births", rows, removed=True)
        workspace.runs.publish("births", "2025-03")
        seen.append(kinds(workspace))
    assert seen[0] == seen[1]


def test_a_refused_file_waits_and_no_public_file_tells_of_it(tmp_path: Path) -> None:
    workspace = begun(tmp_path / "home")
    public = contents(workspace.releases.folder)
    said = {"format": "text"}
    upload = workspace.datasets.uploads.stage("a.csv", io.BytesIO(ROWS[month(ROWS) == 3].to_csv(index=False).encode()))
    with pytest.raises(InputError, match=GONE):
        workspace.datasets.replace_rows("births", upload, reading=said)
    assert workspace.datasets.uploads.find() == [upload]
    assert contents(workspace.releases.folder) == public
    workspace.datasets.replace_rows("births", upload, reading=said, removed=True)
    assert workspace.datasets.uploads.find() == []
