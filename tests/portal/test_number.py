"""The page of each number of each kind: it is there, and has what a reader of the table sees in that row."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from dprelease.charts.cells import TableText
from dprelease.errors import InputError
from dprelease.model.statistic import KINDS
from dprelease.portal.cells import CellQuery, TextTable
from dprelease.portal.number import NumberPage
from dprelease.portal.shelf import Bundle
from dprelease.words.language import LANGUAGES, speaking
from tests.bundle import kinds
from tests.bundle.kinds import IN_RHO, PLAN


@pytest.fixture(scope="module")
def bundles() -> list[Bundle]:
    written = [kinds.bundle(plan) for plan in (PLAN, IN_RHO)]
    return [Bundle.open(bundle.name, bundle) for bundle in written]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("code", LANGUAGES)
def test_every_number_of_every_kind(code: str, bundles: list[Bundle]) -> None:
    seen = set()
    for bundle in bundles:
        release = bundle.release()
        for table in bundle.tables:
            seen.add(release.certificate.statistic(table).kind)
            cells = TextTable.of(bundle, table)
            rows = cells.page(CellQuery({}, tuple(cells.columns))).mappings()[:40]
            with speaking(code):
                shown = TableText.of(release, table, 40)
                for row, texts in zip(rows, shown.body(), strict=True):
                    address = ",".join(f"{name}={'' if row[name] is None else row[name]}" for name in cells.keys)
                    number = NumberPage.of(release.certificate, table, cells, address)
                    assert number.value == texts[shown.keys]
                    if shown.intervals:
                        assert [number.lower, number.upper] == texts[shown.keys + 1 : shown.keys + 3]
                    if number.letter in ("A", "C"):
                        assert number.value.removesuffix(" (c)") in number.sentence
                    assert number.grade == (texts[-1] if shown.graded else "")
                    check_told(number, shown.question.limits, shown.question.is_share)
    assert seen == set(KINDS)


def check_told(number: NumberPage, limits: tuple[float, float], is_share: bool) -> None:
    """What cannot be is not said, and of what is not told apart from none there is one limit."""
    said = [text.replace("\u202f", "") for text in (number.value, number.lower, number.upper)]
    figures = [re.sub(r"[^0-9,.]", "", text).replace(",", ".") for text in said]
    signed = [float(text) * (-1 if "\u2212" in whole else 1) for text, whole in zip(figures, said, strict=True) if text]
    if number.letter == "N":
        assert number.lower == number.upper == ""
        assert number.value.split()[-1] in number.quotation
    elif number.letter in ("A", "C", "U") and number.lower:
        least, most = (limit * (100 if is_share else 1) for limit in limits)
        assert all("/" not in text for text in said)
        if len(signed) == 3 and not any(re.search("[0-9]-", text) for text in said) and "e" not in "".join(said):
            assert least - 1e-9 <= min(signed), number
            assert max(signed) <= most + 1e-9, number
    for text in (number.sentence, number.tail):
        assert not re.search("let anyone tell|permite saber", text)


def test_a_page_of_cells_is_the_file(bundles: list[Bundle]) -> None:
    """All rows of each table of each kind, asked for without a filter, are the bytes of its file."""
    for bundle in bundles:
        for table in bundle.tables:
            cells, path = TextTable.of(bundle, table), Path(bundle.folder) / "tables" / f"{table}.csv"
            page = cells.page(CellQuery({}, tuple(cells.columns), limit=cells.count or 1))
            with path.open(newline="") as file:
                assert list(csv.reader(page.csv().decode().splitlines(keepends=True)))[1:] == list(csv.reader(file))[1:]


def test_an_address_with_another_number_of_keys_is_nothing(bundles: list[Bundle]) -> None:
    bundle = bundles[0]
    table = next(each for each in bundle.tables if TextTable.of(bundle, each).keys)
    with pytest.raises(InputError):
        NumberPage.of(bundle.certificate, table, TextTable.of(bundle, table), "")
