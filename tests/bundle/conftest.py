"""Two releases and a key for the tests of this room."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dprelease.bundle.signing import SigningKey
from dprelease.bundle.write import write
from dprelease.model.release import Cell, Release
from tests.bundle.entries import key_of
from tests.bundle.releases import COLUMNS, HOSTILE, REGION, SEX, ages, binned, listed, make_release, table


@pytest.fixture(scope="session")
def release() -> Release:
    """Seven statistics, one of each kind of this program's first version."""
    return make_release(
        [
            ({"id": "n", "kind": "count"}, table((), [11873], 105)),
            (
                {"id": "ages", "kind": "histogram", "column": "age", "bins": 20},
                table([binned("age", 0, 100, 20)], ages(20), 105),
            ),
            ({"id": "mean_income", "kind": "mean", "column": "income"}, table((), [41283.47219], 612.25)),
            ({"id": "total_income", "kind": "sum", "column": "income"}, table((), [490_158_320], 7_000_000)),
            (
                {"id": "income_quartiles", "kind": "quantiles", "column": "income", "probs": [0.25, 0.5, 0.75]},
                table([listed("probability", 0.25, 0.5, 0.75)], [21804, 37650, 58112], None),
            ),
            (
                {"id": "region_sex", "kind": "crosstab", "columns": ["region", "sex"]},
                table([REGION, SEX], [1804, 1622, 1377, 1290, 988, 1033, 1711, 1803, -3, 41], 105),
            ),
            (
                {"id": "income_by_region", "kind": "mean", "column": "income", "by": ["region"]},
                table([REGION], [44120.1, 39873.9, 36400.0, 43100.52, 50000.0], 1840.5),
            ),
        ],
        columns=COLUMNS,
        description="Emergency and outpatient visits of adults in 2025.",
    )


@pytest.fixture(scope="session")
def hostile_release() -> Release:
    """Every text that a person can choose is hostile."""
    name = "<b>region</b>\"'=`\N{RIGHT-TO-LEFT OVERRIDE}.[0]"
    columns = {
        name: {
            "type": "category",
            "categories": list(HOSTILE),
            "unit": "</title><script>",
            "description": "<i>x</i>\x02",
        },
        "=income": {"type": "number", "lower": 0, "upper": 10, "resolution": 1},
    }
    values: list[Cell] = [value * 10 for value in range(-3, len(HOSTILE) - 3)]
    return make_release(
        [
            ({"id": "by_category", "kind": "histogram", "column": name}, table([listed(name, *HOSTILE)], values, 5)),
            (
                {"id": "grouped", "kind": "mean", "column": "=income", "by": [name]},
                table([listed(name, *HOSTILE)], [float(value) for value in values], None),
            ),
        ],
        columns=columns,
        title="<script>alert('title')</script> \N{RIGHT-TO-LEFT OVERRIDE}evil\x00",
        description='"><svg onload=alert(1)> & co\n\nsecond paragraph',
        unit="<u>person</u>",
    )


@pytest.fixture(scope="session")
def key() -> SigningKey:
    return key_of(1)  # which signs the ledgers of releases made by hand


@pytest.fixture(scope="session")
def written(release: Release, key: SigningKey, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle of `release` in a folder. Tests copy it before they change it."""
    return write(release, tmp_path_factory.mktemp("bundles"), key)


@pytest.fixture(scope="session")
def hostile_written(hostile_release: Release, key: SigningKey, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(hostile_release, tmp_path_factory.mktemp("hostile"), key)


@pytest.fixture(scope="module")
def mlcroissant() -> Any:
    """Without jsonpath-rw, which comes without wheels and which only Croissant over JSON files needs."""
    lexer = ModuleType("jsonpath_rw.lexer")
    stand_in = ModuleType("jsonpath_rw")
    stand_in.lexer = lexer  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "jsonpath_rw", stand_in)
        patch.setitem(sys.modules, "jsonpath_rw.lexer", lexer)
        yield importlib.import_module("mlcroissant")
