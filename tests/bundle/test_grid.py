"""A cross table on a page: one key down, one across, the numbers of the table each in its place."""

from __future__ import annotations

from pathlib import Path

import pytest

import dprelease
from dprelease.bundle.page.grid import MAX_ACROSS, MAX_CELLS, MAX_WITH_RANGES, grid
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


@pytest.mark.parametrize(("down", "across"), [(1, 2), (5, 2), (2, 5), (25, MAX_ACROSS), (3, 100)])
def test_each_number_stands_in_its_row_and_column(down: int, across: int) -> None:
    found = grid(crossed(down, across), "x", None)
    assert found is not None
    turned = across > MAX_ACROSS
    assert (found.down, found.over) == (("sex", "region") if turned else ("region", "sex"))
    for row, (name, cells) in enumerate(found.rows):
        assert name == f"{'s' if turned else 'r'}{row}"
        for column, cell in enumerate(cells):
            number = 100 * column + row if turned else 100 * row + column
            assert number < 10 or f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}") in cell.value
            assert bool(cell.range) == (down * across <= MAX_WITH_RANGES and number > 2), "none to a limit has no range"


def test_bars_are_shares_of_the_greatest_number_of_a_row_that_can_be_quoted() -> None:
    found = grid(crossed(3, 4), "x", None)
    assert found is not None
    first, *_, last = (cells for _, cells in found.rows)
    assert [cell.is_quotable for cell in first] == [False] * 4, "0 to 3 do not stand out of the noise"
    assert [cell.share for cell in first] == [0] * 4
    assert [cell.share for cell in last] == [99, 99, 100, 100]


def test_each_cell_leads_to_the_page_of_its_number() -> None:
    found = grid(crossed(2, 2), "x", lambda name, table, row: f"{name}/{row[0]}-{row[1]}")
    assert found is not None
    assert [cell.link for _, cells in found.rows for cell in cells] == ["x/r0-s0", "x/r0-s1", "x/r1-s0", "x/r1-s1"]


@pytest.mark.parametrize("release", [crossed(MAX_CELLS + 1, 1), crossed(20, 20), crossed(1, 1)])
def test_other_tables_are_lists_with_a_chart_or_a_number(release: Release) -> None:
    assert grid(release, "x", None) is None


def test_one_key_is_no_cross_table() -> None:
    counted = ({"id": "n", "kind": "count", "by": ["region"]}, table([REGION], [1, 2, 3, 4, 5], 2))
    release = make_release([counted, (CROSSED, table([REGION, SEX], range(10), 2))], columns=COLUMNS)
    assert grid(release, "n", None) is None
    assert grid(release, "x", None) is not None


def test_two_numbers_of_it_exchanged_are_refused(tmp_path: Path) -> None:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("t", FRAME, unit_column="id", epsilon=5)
    columns = PLAN["columns"] | {"x": {"type": "integer", "lower": 0, "upper": 9}}  # type: ignore[operator]
    statistics = [{"id": "x", "kind": "crosstab", "columns": ["c", "x"]}]
    bundle = written(workspace, PLAN | {"columns": columns, "statistics": statistics}, tmp_path / "own")
    page = bundle["index.html"].decode()
    assert '<table class="m">' in page
    begin = page.index('<table class="m">')
    first, last = page.index("<bdi>a</bdi>", begin), page.index("<bdi>b</bdi>", begin)
    forged = page[:first] + "<bdi>b</bdi>" + page[first + 12 : last] + "<bdi>a</bdi>" + page[last + 12 :]
    with pytest.raises(IntegrityError, match="page"):
        dprelease.verify(signed(bundle | {"index.html": forged.encode()}, tmp_path / "forged", key_of(8)))
