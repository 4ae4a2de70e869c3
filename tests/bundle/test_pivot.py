"""A cross table on a page: one key down, one across, the numbers of the table each in its place."""

from __future__ import annotations

from pathlib import Path

import pytest

import dprelease
from dprelease.bundle.pivot import MAX_ACROSS, MAX_DOWN, pivot
from dprelease.errors import IntegrityError
from dprelease.model.release import Release
from tests.bundle.entries import key_of
from tests.bundle.releases import COLUMNS, REGION, SEX, listed, make_release, table
from tests.verdict.forging import FRAME, PLAN, signed, written

CROSSED = {"id": "x", "kind": "crosstab", "columns": ["region", "sex"]}


def crossed(down: int, across: int) -> Release:
    """A count of 100 · row + column in each cell."""
    values = [100 * row + column for row in range(down) for column in range(across)]
    axes = [
        listed("region", *(f"r{row}" for row in range(down))),
        listed("sex", *(f"s{each}" for each in range(across))),
    ]
    columns = COLUMNS | {
        axis.names[0]: {"type": "category", "categories": [*(str(cell[0]) for cell in axis.cells), "x"]}
        for axis in axes
    }
    return make_release([(CROSSED, table(axes, values, 2))], columns=columns)


@pytest.mark.parametrize(("down", "across"), [(1, 1), (5, 2), (2, 5), (MAX_DOWN, MAX_ACROSS), (3, MAX_DOWN)])
def test_each_number_stands_in_its_row_and_column(down: int, across: int) -> None:
    found = pivot(crossed(down, across), "x")
    assert found is not None
    turned = across > MAX_ACROSS
    assert (found.down, found.over) == (("sex", "region") if turned else ("region", "sex"))
    for row, (name, cells) in enumerate(found.rows):
        assert name == f"{'s' if turned else 'r'}{row}"
        for column, (value, within) in enumerate(cells):
            number = 100 * column + row if turned else 100 * row + column
            assert number < 10 or f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}") in value
            assert within or "–" in value, "none to a limit is its own interval"


@pytest.mark.parametrize(
    "release",
    [crossed(MAX_DOWN + 1, 2), crossed(MAX_ACROSS + 1, MAX_ACROSS + 1)],
    ids=["too long", "too wide"],
)
def test_other_tables_are_lists(release: Release) -> None:
    assert pivot(release, "x") is None


def test_one_key_is_no_cross_table() -> None:
    counted = ({"id": "n", "kind": "count", "by": ["region"]}, table([REGION], [1, 2, 3, 4, 5], 2))
    release = make_release([counted, (CROSSED, table([REGION, SEX], range(10), 2))], columns=COLUMNS)
    assert pivot(release, "n") is None
    assert pivot(release, "x") is not None


def test_two_numbers_of_it_exchanged_are_refused(tmp_path: Path) -> None:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("t", FRAME, unit_column="id", epsilon=5)
    columns = PLAN["columns"] | {"x": {"type": "integer", "lower": 0, "upper": 9}}  # type: ignore[operator]
    statistics = [{"id": "x", "kind": "crosstab", "columns": ["c", "x"]}]
    bundle = written(workspace, PLAN | {"columns": columns, "statistics": statistics}, tmp_path / "own")
    page = bundle["index.html"].decode()
    assert '<table class="pivot">' in page
    begin = page.index('<table class="pivot">')
    first, last = page.index("<bdi>a</bdi>", begin), page.index("<bdi>b</bdi>", begin)
    forged = page[:first] + "<bdi>b</bdi>" + page[first + 12 : last] + "<bdi>a</bdi>" + page[last + 12 :]
    with pytest.raises(IntegrityError, match="page"):
        dprelease.verify(signed(bundle | {"index.html": forged.encode()}, tmp_path / "forged", key_of(8)))
