"""How cells are written is proposed, asked and chosen on the page of columns, and nothing is guessed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dprelease.model.column_fields import CODED
from dprelease.ui.data.row import Row
from dprelease.ui.data.settling import SettlingState
from dprelease.ui.data.work import Work
from dprelease.ui.words import WORDS, say
from dprelease.workspace import Workspace
from dprelease.workspace.proposed_readings import example, usual
from tests.pages.conftest import Opener, SignIn, press, words, write

CELLS = "edad;coste;fecha_alta;activo;importe\n31;48.411,71 €;01/02/2020;A;200.000\n40;12 €;03/04/2020;B;1.000\n"
DECLARED: dict[str, Any] = {"coste": {"type": "number", "lower": 0, "upper": 100_000}}


@pytest.fixture
def survey(own_workspace: Workspace, sign_in: SignIn, tmp_path: Path) -> Workspace:
    own_workspace.add_population("few", unit="person", neighbors="add_remove", epsilon=3)
    (tmp_path / "survey.csv").write_text(CELLS, "utf-8")
    own_workspace.add_dataset("survey", tmp_path / "survey.csv", population="few")
    sign_in()
    return own_workspace


def opened(visit: Opener) -> AppTest:
    return visit("tables", query={"dataset": "survey"})


def work(page: AppTest) -> Work:
    found: Work = page.session_state["columns-survey-owner"]
    return found


def settle(page: AppTest, name: str) -> AppTest:
    return next(button for button in page.button if button.key == f"settle-{name}").click().run()


def kind(page: AppTest, kind: str) -> AppTest:
    chosen = next(each for each in page.get("button_group") if each.label == WORDS["column_type"])
    return chosen.set_value(kind).run()


def written(page: AppTest) -> Any:
    return next(each for each in page.selectbox if each.label == WORDS["column_reading"])


def test_a_settled_form_is_shown_in_a_line_and_declared_with_its_column(survey: Workspace, visit: Opener) -> None:
    page = settle(opened(visit), "coste")
    assert "48.411,71 € → 48411.71" in words(page)
    page = write(page, WORDS["column_upper"], "60.000 €").run()
    assert work(page).sheet.rows["coste"].upper == "60000", "a bound is read as the cells are"
    page = press(page, WORDS["column_right"])
    assert work(page).state("coste") is SettlingState.SETTLED
    press(page, WORDS["columns_save"])
    said = {"decimal": ",", "thousands": ["."], "affixes": ["€"]}
    assert survey.datasets.get("survey").schema["coste"].to_mapping()["reading"] == said


def test_what_is_declared_otherwise_takes_what_cells_settle_too(survey: Workspace, visit: Opener) -> None:
    """By a codebook, a pasted list, or a guess that is accepted: before it is saved the line shows it."""
    page = opened(visit)
    line = Row.of("coste", DECLARED["coste"])
    work(page).change({"coste": line})
    page = page.run()
    assert "48.411,71 € → 48411.71" in words(page)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("name", "type", "choice"), [("fecha_alta", "date", "d/m/y"), ("importe", "number", "thousands")]
)
def test_what_cells_leave_open_is_chosen_before_the_column_is_settled(
    survey: Workspace, visit: Opener, name: str, type: str, choice: str
) -> None:
    page = kind(settle(opened(visit), name), type)
    lower, upper = ("2020-01-01", "2020-12-31") if type == "date" else ("0", "1000000")
    page = write(page, WORDS["column_lower"], lower).run()
    page = write(page, WORDS["column_upper"], upper).run()
    assert WORDS["reading_asked"] in words(page)
    assert written(page).value is None, "nothing is chosen for anybody"
    page = press(page, WORDS["column_right"])
    assert work(page).state(name) is SettlingState.ASK
    assert WORDS["reading_open"] in words(page)
    option = next(each for each in work(page).proposal(work(page).proposed(name)).readings if choice in str(each))  # type: ignore[union-attr]
    page = written(page).select(example(type, option)).run()
    page = press(page, WORDS["column_right"])
    assert work(page).state(name) is SettlingState.SETTLED
    press(page, WORDS["columns_save"])
    assert survey.datasets.get("survey").schema[name].to_mapping()["reading"] == option


def test_words_of_no_language_are_typed(survey: Workspace, visit: Opener) -> None:
    page = kind(settle(opened(visit), "activo"), "boolean")
    page = write(page, WORDS["reading_yes"], "A").run()
    page = write(page, WORDS["reading_no"], "B, b.").run()
    page = press(page, WORDS["column_right"])
    press(page, WORDS["columns_save"])
    reading = survey.datasets.get("survey").schema["activo"].to_mapping()["reading"]
    assert reading == {"yes": ["A"], "no": ["B", "b."]}


def test_nobody_who_sees_no_rows_is_told_what_cells_say(survey: Workspace, visit: Opener) -> None:
    survey.plans.set_preview_policy("blind")
    page = settle(opened(visit), "coste")
    assert "48.411,71 € → 48411.71" not in words(page)
    assert WORDS["reading_asked"] in words(page)
    assert written(page).value is None
    assert written(page).options == [example("number", each) for each in usual("number")]
    page = kind(settle(page, "edad"), "integer")
    assert WORDS["reading_asked"] in words(page), "of every column of texts alike"


def test_every_usual_reading_has_an_example() -> None:
    for type_ in CODED:
        assert all(" → " in example(type_, each) for each in usual(type_))
    assert say("reading_yes") != say("reading_no")


def test_the_same_by_terminal_is_shown_of_a_declared_dataset(survey: Workspace, visit: Opener) -> None:
    """With the layout and the forms of its columns; `tests/cli/test_same_command.py` types it."""
    assert WORDS["terminal_title"] not in [each.label for each in opened(visit).expander]
    column = {**DECLARED["coste"], "reading": {"decimal": ",", "thousands": ["."], "affixes": ["€"]}}
    survey.datasets.describe("survey", {"coste": column})
    page = opened(visit)
    assert WORDS["terminal_title"] in [each.label for each in page.expander]
    shown = next(each.value for each in page.code if each.value.startswith("dprelease dataset add survey survey.csv"))
    assert "--delimiter ';' \\\n  --no-units \\\n  --schema survey.yaml" in shown
    assert shown.endswith("--column 'coste=decimal:,;thousands:.;affix:€'")
