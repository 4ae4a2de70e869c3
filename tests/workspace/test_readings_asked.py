"""At registration cells propose how they are written, and ask where they leave it open; a person says or accepts it."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.errors import InputError

NUMBER: dict[str, Any] = {"type": "number", "lower": 0, "upper": 1_000_000}
DATE: dict[str, Any] = {"type": "date", "lower": "2020-01-01", "upper": "2025-12-31"}
COLUMNS: dict[str, Any] = {
    "betrag": NUMBER,
    "tag": DATE,
    "erwerb": {"type": "boolean"},
    "region": {"type": "category", "categories": ["Nord", "Süd"]},
}
SETTLED = "betrag;tag;erwerb;region\n48.411,71 €;01.02.2020;J; Nord\n12 €;13.02.2020;N;Süd\n"
OPEN = "betrag;tag;erwerb;region\n200.000;03/04/2021;A;Nord\n1.000;05/06/2021;B;Süd\n"
ACCEPTED = {
    "betrag": {"decimal": ",", "thousands": ["."], "affixes": ["€"]},
    "tag": {"dates": ["d.m.y"]},
    "erwerb": {"yes": ["ja", "j"], "no": ["nein", "n"]},
    "region": {},
}


def file(folder: Path, content: str) -> Path:
    (folder / "amt.csv").write_text(content, "utf-8")
    return folder / "amt.csv"


def added(source: Any, columns: dict[str, Any] = COLUMNS, **said: Any) -> dict[str, Any]:
    workspace = dprelease.Workspace.in_memory()
    found = workspace.add_dataset("amt", source, columns=columns, epsilon=1, **said)
    return {column.name: column.to_mapping().get("reading") for column in found.schema}


def test_what_cells_settle_is_taken_by_whoever_accepts_it(tmp_path: Path) -> None:
    source = file(tmp_path, SETTLED)
    with pytest.raises(InputError) as asked:
        added(source)
    assert {problem.path for problem in asked.value.problems} == {f"columns.{name}.reading" for name in COLUMNS}
    assert "affixes: [€]} (48.411,71 € → 48411.71)" in str(asked.value)
    assert "13.02" not in str(asked.value), "an example is made up"
    assert added(source, written={"accept": True}) == ACCEPTED


def test_a_year_of_two_digits_has_an_example_too(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"13\.4\.25 → 2025-04-13"):
        added(file(tmp_path, "tag\n13.02.20\n14.02.20\n"), {"tag": DATE})


def test_what_cells_leave_open_is_asked_even_of_whoever_accepts(tmp_path: Path) -> None:
    source = file(tmp_path, OPEN)
    with pytest.raises(InputError) as asked:
        added(source, written={"accept": True})
    told = {problem.path: str(problem) for problem in asked.value.problems}
    assert set(told) == {"columns.betrag.reading", "columns.tag.reading", "columns.erwerb.reading"}
    assert "{decimal: .}" in told["columns.betrag.reading"]
    assert "{dates: [d/m/y]}" in told["columns.tag.reading"]
    assert "{dates: [m/d/y]}" in told["columns.tag.reading"]
    said = {"decimal": ",", "dates": "mdy", "yes": ["A"], "no": "B"}
    assert added(source, written=said) == {
        "betrag": {"decimal": ",", "thousands": ["."]},
        "tag": {"dates": ["m/d/y"]},
        "erwerb": {"yes": ["A"], "no": ["B"]},
        "region": None,
    }
    own = {name: {**column, "reading": ACCEPTED[name]} for name, column in COLUMNS.items()}
    assert added(source, own)["tag"] == {"dates": ["d.m.y"]}, "what is declared is not asked"


def test_cells_that_programs_write_are_asked_about_by_nobody(tmp_path: Path) -> None:
    plain = "betrag,tag,erwerb,region\n48411.71,2020-02-01,yes,Nord\n12,2020-02-13,0,Süd\n"
    assert set(added(file(tmp_path, plain)).values()) == {None}


def test_a_day_that_says_there_is_none_is_asked_about(tmp_path: Path) -> None:
    """It would count as the last day of all."""
    source = file(tmp_path, "tag\n2021-01-01\n9999-12-31\n")
    with pytest.raises(InputError) as asked:
        added(source, {"tag": DATE})
    (problem,) = asked.value.questions
    assert (problem.path, problem.answers) == (
        "columns.tag.missing_codes",
        ("{missing_codes: ['9999-12-31']}", "{missing_codes: []}"),
    )
    workspace = dprelease.Workspace.in_memory()
    kept = workspace.add_dataset("amt", source, columns={"tag": DATE}, epsilon=1, written={"accept": True})
    assert kept.schema["tag"].to_mapping()["missing_codes"] == ["9999-12-31"]
    assert added(source, {"tag": {**DATE, "missing_codes": []}}) == {"tag": None}
    assert added(source, {"tag": {**DATE, "upper": "9999-12-31"}}) == {"tag": None}


@pytest.mark.parametrize("wrong", [{"decimal": ";"}, {"dates": "dym"}, {"yes": ["J"]}, {"decimals": ","}])
def test_an_answer_that_is_none_is_refused(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="written"):
        added(file(tmp_path, SETTLED), written=wrong)


def test_an_upload_that_is_asked_about_waits(tmp_path: Path) -> None:
    workspace = dprelease.Workspace.create(tmp_path / "home")
    upload = workspace.datasets.uploads.stage("amt.csv", BytesIO(SETTLED.encode()))
    with pytest.raises(InputError, match="under reading of the column"):
        workspace.add_dataset("amt", upload, columns=COLUMNS, epsilon=1)
    assert workspace.datasets.uploads.find() == [upload]
    workspace.add_dataset("amt", upload, columns=COLUMNS, epsilon=1, written={"accept": True})
    assert workspace.datasets.get("amt").schema["tag"].to_mapping()["reading"] == ACCEPTED["tag"]


def test_a_next_edition_is_read_as_the_one_before_whatever_its_cells_say(tmp_path: Path) -> None:
    workspace = dprelease.Workspace.create(tmp_path / "home")
    workspace.add_dataset("amt", file(tmp_path, SETTLED), columns=COLUMNS, epsilon=1, written={"accept": True})
    american = "betrag;tag;erwerb;region\n$1,000.50;12/31/2021;yes;Nord\n"
    kept = {"population": "amt", "columns": COLUMNS, "after": "amt"}
    found = workspace.add_dataset("next", file(tmp_path, american), **kept, written={"accept": True})
    assert {column.name: column.to_mapping()["reading"] for column in found.schema} == ACCEPTED


def test_where_nobody_sees_rows_no_cell_decides_what_is_asked(tmp_path: Path) -> None:
    """D and D′: two tables that differ in every cell propose, and ask, the same."""
    told = []
    for content in (SETTLED, OPEN):
        workspace = dprelease.Workspace.create(tmp_path / f"home-{len(told)}")
        workspace.plans.set_preview_policy("blind")
        layout = {"encoding": "utf-8", "delimiter": ";", "header": 1, "units": False}
        more: dict[str, Any] = {"columns": COLUMNS, "reading": layout, "epsilon": 1}
        with pytest.raises(InputError) as caught:
            workspace.add_dataset("amt", file(tmp_path, content), **more, written={"accept": True})
        said = {"decimal": ".", "dates": "ymd", "yes": ["1"], "no": ["0"]}
        found = workspace.add_dataset("amt", file(tmp_path, content), **more, written=said)
        again = workspace.add_dataset("next", file(tmp_path, content), columns=COLUMNS, population="amt", after="amt")
        assert again.schema == found.schema
        written = workspace.datasets.written("amt")
        asked = [written.propose(name, column["type"]) for name, column in COLUMNS.items()]
        told.append((found.schema.to_mapping(), asked, dict(written.texts), str(caught.value)))
    assert told[0] == told[1]
    assert [each is not None and each.is_asked for each in told[0][1]] == [True, True, True, False]
    assert told[0][2] == {}
    assert [line.partition(":")[0] for line in told[0][3].splitlines()] == [
        f"columns.{name}.reading" for name in ("betrag", "tag", "erwerb")
    ]
