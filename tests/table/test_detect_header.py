"""Which row holds the names, and what is asked: of text and of workbooks alike."""

from __future__ import annotations

import pytest

from dprelease.model.row_rules import RowRules
from dprelease.table.detect_header import find_header

pytestmark = pytest.mark.quick

DATA = ("1;2;3", "4;5;6", "7;8;9")
EMPTY = ";;"


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (("a;b;c", *DATA), 1),
        (("Survey of 2024", "Source: office", EMPTY, "a;b;c", *DATA), 4),
        (("Survey;;", ";About the household;", "a;b;c", *DATA), 3),
        (("a;;c", *DATA), 1),
        (("a;a;b", *DATA), 1),
        (("a;b;c", "north;x;y", "south;x;", ";;y"), 1),
        (("a;b;c", "1;2;"), 1),
        (("a;b;c",), 1),
    ],
)
def test_the_names_stand_in_the_first_row_that_fills_the_width(lines: tuple[str, ...], line: int) -> None:
    found = find_header([(number, text.split(";")) for number, text in enumerate(lines, start=1)])
    assert (found.line, found.settled) == (line, True)


@pytest.mark.parametrize("lines", [DATA, ("x;x;y", "x;y;y", "y;x;x"), ("2019;2020;2021", *DATA)])
def test_what_may_be_a_row_of_the_table_is_asked(lines: tuple[str, ...]) -> None:
    assert not find_header([(number, text.split(";")) for number, text in enumerate(lines, start=1)]).settled


def test_a_row_of_units_and_a_band_are_seen() -> None:
    lines = (";2019;;2020;", "id;income;hours;income;hours", ";€;h;(€);h", *(["1;2;3;4;5"] * 3))
    found = find_header([(number, text.split(";")) for number, text in enumerate(lines, start=1)])
    assert (found.line, found.units) == (2, True)
    assert found.bands == ("id", "2019 / income", "2019 / hours", "2020 / income", "2020 / hours")


@pytest.mark.parametrize(
    ("cells", "rule"),
    [
        (["", " ", None], RowRules(empty=True)),
        (["Source: office", "", None], RowRules(note=1)),
        (["Source:", "office", None], RowRules(note=2)),
        (["", " TOTAL ", "3"], RowRules(words=("Total",))),
    ],
)
def test_a_rule_leaves_out_a_row_by_its_own_cells(cells: list[str | None], rule: RowRules) -> None:
    assert rule.leaves_out(cells)
    assert not rule.leaves_out(["Totals", "1", "2"])
    assert not RowRules().leaves_out(cells)
    assert RowRules.parse(rule.to_texts()) == RowRules.parse(rule.to_mapping()) == rule
