"""The office on the page of people: set by an administrator, refused kindly."""

from __future__ import annotations

from dprelease.ui.words import WORDS
from dprelease.workspace import Workspace
from tests.pages.conftest import Opener, words


def test_an_administrator_names_the_office(sample_workspace: Workspace, visit: Opener, sign_in: object) -> None:
    sign_in()  # type: ignore[operator]
    page = visit("settings")
    page.text_input(key="office-name-en").input("Office of Statistics")
    page.text_input(key="office-accent").input("#7FD1D6")
    save = next(each for each in page.button if each.label == WORDS["office_save"])
    save.click().run()
    assert "1.7 : 1" in words(page)
    assert not sample_workspace.releases.office().name
    page.text_input(key="office-accent").input("")
    next(each for each in page.button if each.label == WORDS["office_save"]).click().run()
    assert sample_workspace.releases.office().said("name") == "Office of Statistics"
    assert WORDS["office_saved"] in words(page)


def test_an_administrator_says_what_is_to_come(sample_workspace: Workspace, visit: Opener, sign_in: object) -> None:
    sign_in()  # type: ignore[operator]
    page = visit("settings", query={"tab": "office"})
    next(each for each in page.text_input if each.label == f"{WORDS['calendar_what']} (English)").input("Costs")
    when = next(each for each in page.text_input if each.label == WORDS["calendar_when"])
    when.input("2020-06")
    next(each for each in page.button if each.label == WORDS["calendar_add"]).click().run()
    assert "2020-06" in words(page)
    assert sample_workspace.calendar.find() == []
    next(each for each in page.text_input if each.label == WORDS["calendar_when"]).input("2090-06")
    next(each for each in page.button if each.label == WORDS["calendar_add"]).click().run()
    (entry,) = sample_workspace.calendar.find()
    assert (entry.title, entry.when, entry.state) == ({"en": "Costs"}, "2090-06", "provisional")
    assert WORDS["calendar_saved"] in words(page)
