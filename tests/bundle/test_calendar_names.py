"""Weekdays and months of the year are called by their names, as the Unicode CLDR has them; files keep their numbers."""

from __future__ import annotations

import copy
import io
from pathlib import Path
from typing import Any

import pandas
import pytest
from babel.dates import get_day_names, get_month_names

import dprelease
from dprelease.errors import IntegrityError
from dprelease.statements.question import StatisticLabel
from dprelease.words.language import LANGUAGES, speaking
from dprelease.words.releases import say
from tests.bundle.entries import key_of
from tests.verdict.forging import signed

DAYS = pandas.date_range("2024-01-01", "2025-12-31")
PLAN: dict[str, Any] = {
    "dprelease": 1,
    "dataset": "visits",
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
    "columns": {
        "day": {"type": "date", "lower": "2024-01-01", "upper": "2025-12-31"},
        "sex": {"type": "category", "categories": ["1", "2"]},
    },
    "statistics": [
        {"id": "week", "kind": "count", "by": ["day"], "levels": {"day": "weekday"}},
        {"id": "year", "kind": "crosstab", "columns": ["sex", "day"], "levels": {"day": "month_of_year"}},
        {"id": "month", "kind": "count", "by": ["day"], "levels": {"day": "month"}},
    ],
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_are_those_of_the_cldr(language: str) -> None:
    days, months = (get("wide", "stand-alone", language) for get in (get_day_names, get_month_names))
    with speaking(language):
        assert [say(f"weekday_{place + 1}") for place in range(7)] == [days[place] for place in range(7)]
        assert [say(f"month_of_year_{place:02}") for place in range(1, 13)] == [months[place] for place in range(1, 13)]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    workspace = dprelease.Workspace.in_memory()
    frame = pandas.DataFrame(
        {"day": DAYS.strftime("%Y-%m-%d"), "sex": [str(1 + place % 2) for place in range(len(DAYS))]}
    )
    workspace.add_dataset("visits", frame, epsilon=1)
    return workspace.publish(dprelease.Plan.parse(copy.deepcopy(PLAN))).write(tmp_path_factory.mktemp("calendar"))


def test_the_page_and_the_charts_say_them_and_verify(bundle: Path) -> None:
    page = (bundle / "index.html").read_text()
    assert "Monday" in page
    assert "December" in page
    assert "Saturday" in (bundle / "charts" / "week.svg").read_text()
    dprelease.verify(bundle)


def test_signed_numbers_keep_the_codes(bundle: Path) -> None:
    table = pandas.read_csv(io.BytesIO((bundle / "tables" / "week.csv").read_bytes()), dtype=str)
    assert list(table.day) == ["1", "2", "3", "4", "5", "6", "7"]


def test_other_codes_have_no_such_name(bundle: Path) -> None:
    certificate = dprelease.verify(bundle).release.certificate
    month, year = (StatisticLabel.of(certificate, name) for name in ("month", "year"))
    assert month.coded("day", "2024-01") == ("", "")
    assert year.coded("sex", "1") == ("", "")
    with speaking("es"):
        assert year.coded("day", "01") == ("enero", "es")


def test_another_name_does_not_verify(bundle: Path, tmp_path: Path) -> None:
    files = {str(path.relative_to(bundle)): path.read_bytes() for path in bundle.rglob("*") if path.is_file()}
    files["index.html"] = files["index.html"].replace(b"Monday", b"Sunday")
    with pytest.raises(IntegrityError, match=r"index\.html, line"):
        dprelease.verify(signed(files, tmp_path / "forged", key_of(9)))
