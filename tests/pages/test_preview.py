"""The page of previews: what it shows, what it never gives away, and what the workspace allows."""

from __future__ import annotations

import pytest

from dprelease.model.actor import Actor, Role
from dprelease.model.plan import Plan
from dprelease.ui.kit import session
from dprelease.ui.words import WORDS, say
from dprelease.workspace import Workspace
from tests.pages.conftest import PLAN, Opener, SignIn, choose, go, html, in_hand, labels, press, words

BEN = Actor("ben", frozenset({Role.REVIEWER}))
CROSSED = {
    **PLAN,
    "statistics": [
        {"id": "x", "kind": "crosstab", "columns": ["age", "region"]},
        {"id": "five", "kind": "five_numbers", "column": "age", "by": ["region"]},
        {"id": "top", "kind": "top", "column": "region", "k": 2},
        {"id": "total", "kind": "sum", "column": "age"},
    ],
}


def test_a_preview_shows_true_beside_simulated_and_offers_no_export(small: Workspace, visit: Opener) -> None:
    page = press(visit("preview", state=in_hand()), WORDS["preview_take"])
    shown = words(page)
    assert WORDS["preview_watermark"] in shown
    assert WORDS["preview_warning"] in shown
    for head in ("true", "noisy", "interval"):
        assert WORDS[head] in shown
    for kind in ("dataframe", "table", "vega_lite_chart", "download_button", "link_button", "page_link"):
        assert not page.get(kind)
    assert html(page).count("data:image/svg+xml;base64,") == 2
    assert "/api/" not in html(page)


def test_another_draw_differs_and_the_truth_stays(small: Workspace, visit: Opener) -> None:
    page = press(visit("preview", state=in_hand()), WORDS["preview_take"])
    first = page.session_state[session.PREVIEW].preview
    assert say("preview_draw", number=1, count=100) in words(page)
    press(page, WORDS["preview_next"])
    assert say("preview_draw", number=2, count=100) in words(page)
    assert page.session_state[session.PREVIEW].preview is first


def test_a_preview_is_forgotten_on_leaving_the_page(small: Workspace, visit: Opener) -> None:
    page = press(visit("preview", state=in_hand()), WORDS["preview_take"])
    go(page, "plan")
    assert session.PREVIEW not in page.session_state
    assert WORDS["preview_take"] in labels(go(page, "preview"), "button")


def test_a_preview_of_another_plan_is_not_shown(small: Workspace, visit: Opener) -> None:
    page = press(visit("preview", state=in_hand()), WORDS["preview_take"])
    page.session_state[session.DRAFT].epsilon = 0.5
    page.run()
    assert session.PREVIEW not in page.session_state


def test_who_was_signed_out_sees_no_preview_that_the_tab_still_holds(
    small: Workspace, visit: Opener, sign_in: SignIn
) -> None:
    token = sign_in()
    page = press(visit("preview", state=in_hand()), WORDS["preview_take"])
    small.people.sign_out(token)
    page.run()
    assert WORDS["no_access"] in words(page)
    assert "data:image" not in html(page)


def test_a_reviewer_never_sees_the_page_and_sees_what_changed(small: Workspace, visit: Opener, sign_in: SignIn) -> None:
    press(visit("preview", state=in_hand()), WORDS["preview_take"])
    small.plans.submit(Plan.parse({**PLAN, "title": "Other"}))
    sign_in(BEN)
    page = visit("preview", state=in_hand())
    assert WORDS["no_role"] in words(page)
    assert "data:image" not in html(page)
    shown = words(visit("review"))
    assert WORDS["since_previews"] in shown
    assert "title Small Other" in shown


def test_what_readers_might_see_and_where_the_error_comes_from(small: Workspace, visit: Opener) -> None:
    page = press(visit("preview", state=in_hand(CROSSED)), WORDS["preview_take"])
    assert WORDS["failed"] not in words(page)
    assert say("preview_agreement", hits="", draws="").split(" of ")[-1].strip() in words(page)
    pictures = html(page).count("data:image/svg+xml;base64,")
    assert pictures == 2, "a map of errors, boxes"

    page.radio[0].set_value("outcomes")
    page.run()
    shown = words(page)
    assert WORDS["failed"] not in shown
    assert say("ranks_title", count=10) in shown
    assert "draws say so too" in shown
    choose(page, WORDS["survival_second"], 3)
    assert WORDS["failed"] not in words(page)
    press(page, WORDS["preview_next_six"])
    assert page.session_state[session.PREVIEW].draw == 6

    page.radio[0].set_value("sources")
    page.run()
    shown = words(page)
    assert WORDS["sources_warning"] in shown
    assert f"{WORDS['sources_cut']} 120" in shown, "40 persons with five rows each, of which two are used"
    assert WORDS["sources_largest_cutting"] in shown or WORDS["sources_largest_noise"] in shown


@pytest.mark.parametrize("policy", ["blind", "none"])
def test_the_page_keeps_to_the_policy(
    policy: str, small: Workspace, visit: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.plans.set_preview_policy(policy)
    monkeypatch.setattr(type(small._state), "tallies", lambda *_, **__: pytest.fail("rows were read"))
    monkeypatch.setattr(type(small._state), "table", lambda *_: pytest.fail("the table was opened"))
    page = visit("preview", state=in_hand())
    assert WORDS["preview_take"] not in labels(page, "button")
    if policy == "none":
        assert WORDS["preview_none"] in words(page)
        assert {WORDS["go_draft"], WORDS["plan_publish"]} <= set(labels(page, "page_link"))
        return
    press(page, WORDS["preview_take_blind"])
    shown = words(page)
    assert WORDS["preview_watermark_blind"] in shown
    assert WORDS["preview_watermark"] not in shown
    assert say("preview_invented", rows=80) in shown
    assert WORDS["true_blind"] in shown
    assert WORDS["view_sources"] not in page.radio[0].options
    assert "preview_taken" not in {event.kind for event in small.ledger.events()}


def test_the_policy_is_decided_on_the_page_and_what_was_seen_is_dropped(small: Workspace, visit: Opener) -> None:
    page = press(visit("preview", state=in_hand()), WORDS["preview_take"])
    choice = next(radio for radio in page.radio if radio.label == WORDS["policy_previews_ask"])
    choice.set_value("blind").run()
    press(page, WORDS["policy_save"])
    assert small.plans.preview_policy == "blind"
    assert session.PREVIEW not in page.session_state
    assert say("policy_saved", policy=WORDS["previews_blind"]) in words(page)


def test_without_a_plan_the_page_says_where_to_make_one(small: Workspace, visit: Opener) -> None:
    assert WORDS["preview_no_plan"] in words(visit("preview"))
