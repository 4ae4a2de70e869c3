"""What someone without a session sees, and does not see."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dprelease.ui.screens import SCREENS
from dprelease.ui.words import WORDS
from dprelease.workspace import Workspace
from tests.pages.conftest import Opener, html, labels, words
from tests.workspace.test_criteria import HARD, ROWS, asking
from tests.workspace.test_publish import COLUMNS, approved

PUBLIC_PAGES = {"desk", "releases"}
STAFF_PAGES = sorted({screen.key for screen in SCREENS} - PUBLIC_PAGES)


def test_the_desk_leads_a_visitor_to_sign_in(sample_workspace: Workspace, visit: Opener) -> None:
    page = visit("desk")
    assert "/sign-in" in html(page)
    assert WORDS["desk_new"] not in labels(page, "button")


def test_catalogue_states_the_guarantee_whole(sample_workspace: Workspace, visit: Opener) -> None:
    shown = words(visit("releases"))
    for part in ("ε = 1", "δ = 0", "person", "add or remove one", "has spent"):
        assert part in shown


def test_the_catalogue_comes_a_page_at_a_time(
    own_workspace: Workspace, visit: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_workspace.add_dataset("people", ROWS, columns=COLUMNS, epsilon=20)
    plan_id = approved(own_workspace, asking(HARD))
    ids = [own_workspace.publish(plan_id, again=True).id for _ in range(11)][::-1]

    def listed(page: AppTest) -> list[str]:
        return [part for part in ids if f"/own/release/{part}/" in html(page)]

    first = visit("releases")
    assert listed(first) == ids[:10]
    assert WORDS["releases_older"] in labels(first, "page_link")
    second = visit("releases", query={"before": ids[9]})
    assert listed(second) == ids[10:]
    assert WORDS["releases_newest"] in labels(second, "page_link")
    assert WORDS["releases_older"] not in labels(second, "page_link")
    assert listed(visit("releases", query={"before": "typed"})) == ids[:10]


def test_a_release_has_no_form_for_a_visitor(sample_workspace: Workspace, visit: Opener) -> None:
    (release,) = sample_workspace.releases.find()
    page = visit("releases", query={"release": release.id, "do": "correct"})
    assert f'href="/own/release/{release.id}/"' in html(page)
    assert WORDS["all_releases"] in labels(page, "page_link")
    assert not labels(page, "button")
    assert not labels(page, "expander")


def test_unknown_release_is_said_to_be_unknown_above_the_list(sample_workspace: Workspace, visit: Opener) -> None:
    (release,) = sample_workspace.releases.find()
    page = visit("releases", query={"release": "<script>alert(1)</script>"})
    assert WORDS["release_unknown"] in words(page)
    assert release.certificate.called in html(page)


@pytest.mark.parametrize("key", STAFF_PAGES)
def test_staff_pages_say_kindly_that_a_sign_in_is_needed(key: str, sample_workspace: Workspace, visit: Opener) -> None:
    page = visit(key)
    assert WORDS["no_access"] in words(page)
    assert not labels(page, "button")
    for private in ("person_id", "visits", "patients-2025"):
        assert private not in words(page)


def test_an_ended_session_is_a_visitor(sample_workspace: Workspace, visit: Opener, sign_in: object) -> None:
    token = sign_in()  # type: ignore[operator]
    assert WORDS["no_access"] not in words(visit("budget"))
    sample_workspace.people.sign_out(token)
    assert WORDS["no_access"] in words(visit("budget"))


def test_a_release_that_is_withheld_says_so_and_why(own_workspace: Workspace, visit: Opener) -> None:
    own_workspace.add_dataset("people", ROWS, columns=COLUMNS, epsilon=5)
    own_workspace.publish(approved(own_workspace, asking(HARD)))
    told = "No table is published: the release failed what its plan had asked of it"
    assert told in words(visit("releases"))
