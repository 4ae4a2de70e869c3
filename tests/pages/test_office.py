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
