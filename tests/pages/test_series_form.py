"""A series, named on the page of releases by a curator; what cannot be said is refused, and nothing typed is lost."""

from __future__ import annotations

from dprelease.ui.words import WORDS
from dprelease.workspace import Workspace
from tests.pages.conftest import Opener, words


def test_a_curator_says_what_a_series_is(sample_workspace: Workspace, visit: Opener, sign_in: object) -> None:
    sign_in()  # type: ignore[operator]
    page = visit("releases")
    page.text_input(key="series-name").input("visits").run()
    page.text_input(key="series-title-en-visits").input("Hospital visits")
    page.selectbox(key="series-frequency-visits").select("yearly")
    page.text_input(key="series-next-visits").input("soon")
    next(each for each in page.button if each.label == WORDS["series_save"]).click().run()
    assert "2027-01-15" in words(page)
    assert not sample_workspace.releases.series("visits").title
    assert page.text_input(key="series-title-en-visits").value == "Hospital visits"
    page.text_input(key="series-next-visits").input("2027-01")
    next(each for each in page.button if each.label == WORDS["series_save"]).click().run()
    assert sample_workspace.releases.series("visits").to_mapping() == {
        "title": {"en": "Hospital visits"},
        "frequency": "yearly",
        "next": "2027-01",
    }
    assert WORDS["series_saved"] in words(page)
