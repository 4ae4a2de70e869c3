"""A kind that somebody adds, skewness, is right everywhere: one file, one line, its words and its worst case."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import pytest

import dprelease
from dprelease.charts import process
from dprelease.model.release import Release
from dprelease.model.statistic import KINDS
from dprelease.statements.question import StatisticLabel
from dprelease.ui.workbench import prices
from dprelease.words import catalogue
from dprelease.worstcase.measured import KINDS as MEASURED
from tests.workspace.skewness import POWERS, Skewness

WORDS = {
    "ask_skewness": "How lopsided are the values of {column}?",
    "ask_skewness_by": "How lopsided are the values of {column}, by {by}?",
    "skewness_measure": "skewness of {column}",
}
OWN = catalogue.FOLDER
PLAN: dict[str, Any] = {
    "dprelease": 1,
    "dataset": "people",
    "title": "Lopsided",
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 4},
    "expected": {"rows": 400},
    "statistics": [
        {"id": "skew", "kind": "skewness", "column": "income", "by": ["sex"]},
        {"id": "n", "kind": "count", "by": ["sex"]},
    ],
}
COLUMNS = {
    "income": {"type": "integer", "lower": 0, "upper": 20, "unit": "EUR"},
    "sex": {"type": "category", "categories": ["F", "M"]},
}
ROWS = pandas.DataFrame({"income": [(place * place) % 21 for place in range(400)], "sex": ["F", "M"] * 200})


@pytest.fixture(scope="module", autouse=True)
def listed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What adding it takes beside its file: a line, its words, and its integers a second time."""

    def again(asked: Any) -> Any:
        for power in POWERS:
            yield asked.sums([(code**power,) for code in (0, asked["column"].steps)])

    with pytest.MonkeyPatch.context() as added:
        added.setitem(KINDS, "skewness", Skewness)  # type: ignore[arg-type]
        added.setitem(MEASURED, "skewness", again)  # type: ignore[arg-type]
        folder = tmp_path_factory.mktemp("words")
        shutil.copytree(OWN, folder, dirs_exist_ok=True)
        for code in catalogue.languages():
            with (folder / code / "bundle.po").open("a") as file:
                file.writelines(f'\nmsgid "{key}"\nmsgstr "{text}"\n' for key, text in WORDS.items())
        added.setattr(catalogue, "FOLDER", folder)
        added.setattr(process, "_beside", False)  # a server of another test may draw in a process of its own
        yield


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Release, Path]:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("people", ROWS, columns=COLUMNS, epsilon=8)
    plan_id = workspace.plans.submit(dprelease.Plan.parse(PLAN))
    workspace.plans.approve(plan_id)
    release = workspace.publish(plan_id)
    return release, release.write(tmp_path_factory.mktemp("bundles"))


def test_it_keeps_the_contract_of_kinds() -> None:
    dprelease.check_statistic(Skewness(id="s", column="x", by=("g",)))


def test_its_price_has_no_unit() -> None:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("people", ROWS, columns=COLUMNS, epsilon=8)
    priced = workspace.price(dprelease.Plan.parse(PLAN))
    assert prices.unit_of(priced["skew"], priced.plan.schema) == ""
    assert prices.error(priced["skew"], priced.plan.schema) == "± 2.9"


def test_it_verifies(published: tuple[Release, Path]) -> None:
    assert dprelease.verify(published[1]).release.tables["skew"] == published[0].tables["skew"]


def test_question_and_measure_are_its_own(published: tuple[Release, Path]) -> None:
    asked = StatisticLabel.of(published[0].certificate, "skew")
    assert asked.text == "How lopsided are the values of income (EUR), by sex?"
    assert asked.measure == "skewness of income (EUR)"


def test_every_file_tells_a_number_without_interval(published: tuple[Release, Path]) -> None:
    _, folder = published
    rows = list(csv.DictReader(io.StringIO((folder / "tables" / "skew.csv").read_text())))
    assert [row["grade"] for row in rows] == ["U", "U"]
    assert (folder / "charts" / "skew.svg").read_bytes().startswith(b"<svg")
    page = (folder / "index.html").read_text()
    assert "How lopsided" in page
    assert "No interval is published" in page
    package = json.loads((folder / "datapackage.json").read_text())
    (table,) = (each for each in package["resources"] if each["name"] == "skew")
    assert any("skewness of" in field["description"] for field in table["schema"]["fields"])
    for path in folder.rglob("*"):
        if path.suffix in (".json", ".jsonld", ".csv") and "croissant" in path.name:
            assert "skew" in path.read_text()


def test_without_words_it_is_called_by_its_kind(published: tuple[Release, Path], monkeypatch: Any) -> None:
    monkeypatch.setattr(catalogue, "FOLDER", OWN)
    assert StatisticLabel.of(published[0].certificate, "skew").measure == "Skewness"
