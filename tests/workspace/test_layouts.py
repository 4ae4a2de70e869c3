"""Rows of a dataset are read as its first ones were, whatever would be detected of them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.errors import InputError
from dprelease.model.encoding import digest
from dprelease.model.reading import Format, Reading
from dprelease.model.row_rules import RowRules
from dprelease.store.event import EventKind
from dprelease.store.verify import verify

COLUMNS: dict[str, Any] = {
    "born": {"type": "date", "lower": "2020-01-01", "upper": "2020-12-31", "reading": {"dates": ["d.m.y", "d/m/y"]}},
    "income": {"type": "number", "lower": 0, "upper": 4, "resolution": 0.5, "reading": {"decimal": ","}},
}
STATISTICS: list[dict[str, Any]] = [
    {"kind": "histogram", "id": "days", "column": "born", "bins": 366},
    {"kind": "histogram", "id": "incomes", "column": "income", "bins": 9},
]
FIRST = "id;born;income\n1;13.02.2020;1,5\n2;05.06.2020;2,5\n3;05.07.2020;0,5\n"
LAYOUT = Reading(format=Format.TEXT, delimiter=";")
NEXT = "id;born;income\n1;02/03/2020;1,5\n2;04/05/2020;2,5\n"
"""Of which nobody can tell whether the day or the month comes first."""
FLIPS = (
    "3;12/31/2020;3,5\n",  # one date that only fits month first
    "3;05/06/2020;1.5\n" * 3,  # more points than commas
    "3;2020-05-06;x\n",
)
"""Rows with which something else would be detected of all."""


@pytest.fixture(params=["on disk", "in memory"])
def workspace(request: pytest.FixtureRequest, tmp_path: Path) -> dprelease.Workspace:
    made = dprelease.Workspace.create(tmp_path / "home") if request.param == "on disk" else None
    made = made or dprelease.Workspace.in_memory()
    made.add_dataset("people", file(tmp_path, FIRST), unit_column="id", columns=COLUMNS, epsilon=9)
    return made


def file(folder: Path, content: str, name: str = "rows.csv") -> Path:
    path = folder / name
    path.write_text(content, "utf-8")
    return path


def counted(workspace: dprelease.Workspace, dataset: str = "people") -> list[list[float]]:
    """The true counts of every day and of every income."""
    plan = dprelease.Plan.parse(
        {
            "dprelease": 1,
            "title": "People",
            "dataset": dataset,
            "privacy": {"unit": {"column": "id", "max_rows": 9}, "neighbors": "add_remove", "epsilon": 1},
            "columns": COLUMNS,
            "statistics": STATISTICS,
        }
    )
    preview = workspace.preview(plan, draws=2)
    return [[float(x) for x in preview[name].true.value] for name in ("days", "incomes")]


def test_the_layout_that_was_accepted_is_kept_and_its_digest_is_an_event(workspace: dprelease.Workspace) -> None:
    assert workspace.datasets.layout("people") == LAYOUT
    (event,) = [each for each in workspace.ledger.events() if each.kind == EventKind.DATASET_REGISTERED]
    assert event.body["layout"] == digest(LAYOUT.to_mapping())
    assert workspace.ledger.events()[-1] == event


@pytest.mark.one_in(2)
@pytest.mark.parametrize("flips", FLIPS)
def test_one_row_changes_no_other_row(workspace: dprelease.Workspace, tmp_path: Path, flips: str) -> None:
    """D and D′: what a row adds is added, and every other count stays what it was."""
    workspace.datasets.replace_rows("people", file(tmp_path, NEXT))
    before = counted(workspace)
    assert [sum(counts) for counts in before] == [2, 2], "both rows are read by the layout"
    workspace.datasets.replace_rows("people", file(tmp_path, NEXT + flips))
    for had, has in zip(before, counted(workspace), strict=True):
        more = [new - old for old, new in zip(had, has, strict=True)]
        assert min(more) >= 0
        assert sum(more) <= flips.count("\n")


def test_a_new_edition_is_read_as_the_one_before(workspace: dprelease.Workspace, tmp_path: Path) -> None:
    workspace.datasets.replace_rows("people", file(tmp_path, NEXT))
    for name, said in (("alike", {}), ("stated", {"reading": LAYOUT})):
        source = file(tmp_path, NEXT + FLIPS[0])
        after = {} if said else {"after": "people"}
        kept: dict[str, Any] = {"population": "people", "unit_column": "id", "columns": COLUMNS}
        workspace.add_dataset(name, source, **kept, **said, **after)
    assert counted(workspace, "alike") == counted(workspace, "stated")
    assert workspace.datasets.layout("alike") == LAYOUT


def test_rows_that_the_layout_cannot_read_are_refused_and_nothing_changes(
    workspace: dprelease.Workspace, tmp_path: Path
) -> None:
    before = (workspace.datasets.get("people"), workspace.ledger.events())
    for content in (NEXT.replace(";", ","), "Title\n" + NEXT, '{"id": 1, "born": "2020-01-01", "income": 1}\n'):
        with pytest.raises(InputError, match="register it as another dataset, or change the layout") as refused:
            workspace.datasets.replace_rows("people", file(tmp_path, content))
        assert "2020" not in str(refused.value)
    assert (workspace.datasets.get("people"), workspace.ledger.events()) == before


def test_another_layout_is_an_act_and_an_event(workspace: dprelease.Workspace, tmp_path: Path) -> None:
    comma = NEXT.replace(",", ".").replace(";", ",")
    then = Reading(format=Format.TEXT)
    workspace.datasets.replace_rows("people", file(tmp_path, comma), reading=then)
    assert workspace.datasets.layout("people") == then
    changed, replaced = workspace.ledger.events()[-2:]
    assert (changed.kind, changed.body) == (
        EventKind.LAYOUT_CHANGED,
        {"dataset": "people", "layout": digest(then.to_mapping())},
    )
    assert replaced.kind == EventKind.ROWS_REPLACED
    workspace.datasets.replace_rows("people", file(tmp_path, comma + "3,01/02/2020,1\n"), reading={"units": False})
    assert workspace.ledger.events()[-1].seq == replaced.seq + 1, "the same layout again is no event"
    verify(workspace._state.database)


def test_whoever_brings_rows_is_warned_unless_nobody_may_look(workspace: dprelease.Workspace, tmp_path: Path) -> None:
    source = file(tmp_path, NEXT + FLIPS[0])
    workspace.datasets.replace_rows("people", source)
    (warned,) = workspace.datasets.unlike("people", source)
    assert str(warned) == "33 % of the cells of born are written otherwise than it is read: 4/13/2025 → 2025-04-13."
    other = file(tmp_path, (NEXT + FLIPS[0]).replace(",", ";"))
    assert len(workspace.datasets.unlike("people", other)) > 0
    for policy in ("blind", "none"):
        workspace.plans.set_preview_policy(policy)
        assert workspace.datasets.unlike("people", source) == ()
        assert workspace.datasets.unlike("people", other) == ()


def test_an_upload_that_was_detected_otherwise_is_read_by_the_layout(tmp_path: Path) -> None:
    workspace = dprelease.Workspace.create(tmp_path / "home")
    workspace.add_dataset("people", file(tmp_path, FIRST), unit_column="id", columns=COLUMNS, epsilon=9)
    stream = io.BytesIO((NEXT + FLIPS[0]).encode())
    upload = workspace.datasets.uploads.stage("next.csv", stream)
    workspace.datasets.replace_rows("people", upload)
    assert sum(counted(workspace)[0]) == 2
    assert workspace.datasets.layout("people") == LAYOUT


EVERY_RULE = RowRules(empty=True, note=1, words=("Total",))
MORE_ROWS = ("Total;;\n", ";;\n", "Note: provisional\n", "TOTAL;05.06.2020;9\n")


def test_rows_that_a_rule_leaves_out_change_no_other_row_wherever_they_stand(tmp_path: Path) -> None:
    workspace, found = dprelease.Workspace.in_memory(), []
    lines = FIRST.splitlines(keepends=True)
    reading = {**LAYOUT.to_mapping(), "skip": EVERY_RULE.to_mapping()}
    for place in range(len(lines) + 1):
        more = MORE_ROWS if place else ()
        source = file(tmp_path, "".join([*lines[:place], *more, *lines[place:]]))
        workspace.add_dataset(f"d{place}", source, unit_column="id", columns=COLUMNS, epsilon=9, reading=reading)
        found.append(counted(workspace, f"d{place}"))
    assert all(each == found[0] for each in found)
    assert [sum(counts) for counts in found[0]] == [3, 3]
