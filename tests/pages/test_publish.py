"""The last step: a summary, the typed title, steps that go on by themselves, and never a second charge."""

from __future__ import annotations

import threading

import pytest

from dprelease.errors import DPReleaseError
from dprelease.model.plan import Plan
from dprelease.ui.words import WORDS, say, say_label
from dprelease.workspace import Workspace
from dprelease.workspace import publish as publishing
from tests.pages.conftest import (
    PLAN,
    Opener,
    arrived,
    choose,
    go,
    html,
    in_hand,
    labels,
    press,
    published,
    tick,
    words,
    write,
)

SPEND = say("publish_button", epsilon=1)


def test_publishing_takes_the_title_and_says_what_it_costs(small: Workspace, visit: Opener) -> None:
    page = visit("publish", state=in_hand())
    shown = words(page)
    assert "ε = 1, δ = 0 per person" in shown
    assert "ε = 2, δ = 0 of a cap of ε = 3, δ = 0. Releases of this population by then: 1" in shown
    assert WORDS["publish_previews_none"] in shown
    for typed in ("", "small", "Smal"):
        write(page, say_label("publish_confirm", title="Small", epsilon=1), typed)
        press(page, SPEND)
        assert say("publish_mismatch", title="Small") in words(page)
    assert small.populations.budget("few").charges == 0
    published(page)
    (release,) = small.releases.find()
    assert say("publish_done", title="Small") in words(page)
    assert WORDS["release_results"] in words(page), "the release has opened"
    assert small.populations.budget("few").charges == 1
    assert WORDS["release_results"] in words(visit("release", query={"id": release.id}))


def test_the_summary_says_what_the_release_will_say_of_previews(small: Workspace, visit: Opener) -> None:
    small.preview(Plan.parse({**PLAN, "title": "Seen"}), draws=1)
    small.plans.set_preview_policy("blind")
    shown = words(visit("publish", state=in_hand()))
    assert WORDS["publish_previews_plan"] in shown
    assert WORDS["publish_policy_blind"] in shown


def test_refresh_back_and_another_tab_never_spend_twice(small: Workspace, visit: Opener) -> None:
    page = published(visit("publish", state=in_hand()))
    page.run()
    go(go(page, "plan"), "publish")
    assert WORDS["publish_again"] in labels(page, "button")
    assert SPEND not in labels(page, "button")
    visit("publish", state=in_hand())
    assert small.populations.budget("few").charges == 1


def test_a_refresh_in_the_middle_finds_it_going_on(
    small: Workspace, visit: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting, go_on, draw = threading.Event(), threading.Event(), publishing.draw

    def slow(*given: object) -> object:
        waiting.set()
        assert go_on.wait(60)
        return draw(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(publishing, "draw", slow)
    page = visit("publish", state=in_hand())
    write(page, say_label("publish_confirm", title="Small", epsilon=1), "Small")
    press(page, SPEND)
    assert waiting.wait(60)
    try:
        page.run()
        assert WORDS["publish_going_on"] in words(page)
        assert f"{WORDS['step_charging']} {WORDS['state_done']}" in words(page)
        assert f"{WORDS['step_drawing']} {WORDS['state_now']}" in words(page)
        assert labels(page, "button") == []
        refreshed = visit("publish")
        assert WORDS["publish_going_on"] in words(refreshed), "a new tab knows nothing, and finds it"
        assert labels(refreshed, "button") == []
    finally:
        go_on.set()
    (job,) = small.releases.publishing()
    assert job.ended.wait(60)
    for tab in (page, refreshed):
        assert say("publish_done", title="Small") in words(tab.run())
    assert small.populations.budget("few").charges == 1


def test_a_second_click_that_arrives_during_the_first_spends_nothing(small: Workspace, visit: Opener) -> None:
    page = visit("publish", state=in_hand())
    write(page, say_label("publish_confirm", title="Small", epsilon=1), "Small")
    button = next(item for item in page.button if item.label == SPEND)
    button.click()
    page.run()
    button.click()
    arrived_jobs = small.releases.publishing()
    page.run()
    assert all(job.ended.wait(60) for job in arrived_jobs)
    assert small.populations.budget("few").charges == 1


def test_publishing_again_takes_the_title_and_spends_once(small: Workspace, visit: Opener) -> None:
    published(visit("publish", state=in_hand()))
    page = press(visit("publish", state=in_hand()), WORDS["publish_again"])
    again = say("publish_again_button", epsilon=1)
    press(page, again)
    assert say("publish_mismatch", title="Small") in words(page)
    assert small.populations.budget("few").charges == 1
    write(page, say_label("publish_again_confirm", title="Small", epsilon=1), "Small")
    arrived(page, again)
    assert small.populations.budget("few").charges == 2
    assert again not in labels(go(page, "publish"), "button"), "it has to be asked for anew"
    assert len(small.releases.find()) == 2


def test_a_short_budget_is_refused_in_words(small: Workspace, visit: Opener) -> None:
    dear = {**PLAN, "privacy": {**PLAN["privacy"], "epsilon": 5}}
    page = published(visit("publish", state=in_hand(dear)), epsilon=5)
    assert "few" in words(page)
    assert "Nothing was spent" in words(page)
    assert small.populations.budget("few").charges == 0


def test_without_a_plan_the_page_says_where_to_make_one(small: Workspace, visit: Opener) -> None:
    assert WORDS["publish_no_plan"] in words(visit("publish"))


def test_a_lapsed_approval_is_renewed_on_the_way(small: Workspace, visit: Opener) -> None:
    plan_id = small.plans.submit(Plan.parse(PLAN))
    small.plans.approve(plan_id)
    small.populations.raise_cap("few", epsilon=4, reason="Agreed.")
    assert small.plans.lapse(plan_id) is not None
    published(visit("publish", state=in_hand()))
    assert small.populations.budget("few").charges == 1


def test_a_published_plan_whose_approval_lapsed_is_still_known_as_published(small: Workspace, visit: Opener) -> None:
    published(visit("publish", state=in_hand()))
    small.populations.raise_cap("few", epsilon=4, reason="Agreed.")
    small.plans.approve(small.plans.find()[0].id)
    page = visit("publish", state=in_hand())
    assert say("publish_already", epsilon=1) in words(page)
    assert SPEND not in labels(page, "button")


def test_what_was_charged_and_stopped_is_finished_without_spending(
    small: Workspace, visit: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise DPReleaseError("stopped")

    with monkeypatch.context() as patch:
        patch.setattr("dprelease.workspace.publish.draw", fails)
        page = published(visit("publish", state=in_hand()))
        assert WORDS["failed"] in words(page)
    assert small.populations.budget("few").charges == 1
    page = visit("publish", state=in_hand())
    assert WORDS["publish_unfinished"] in words(page)
    arrived(page, WORDS["publish_finish"])
    assert say("publish_done", title="Small") in words(page)
    assert small.populations.budget("few").charges == 1


def test_a_release_takes_the_place_of_an_earlier_one(small: Workspace, visit: Opener) -> None:
    published(visit("publish", state=in_hand()))
    (first,) = small.releases.find()
    better = {**PLAN, "title": "Better"}
    page = tick(visit("publish", state=in_hand(better)), WORDS["publish_replaces"])
    choose(page, WORDS["publish_supersedes"], first.id)
    published(page, title="Better")
    second = next(release for release in small.releases.find() if release.id != first.id)
    old, new = (visit("release", query={"id": each.id}) for each in (first, second))
    assert WORDS["notice_superseded"] in words(old)
    assert say("releases_open", title="Better") in labels(old, "page_link")
    assert say("release_supersedes", id=first.id) in words(new)
    assert say("releases_open", title="Small") in labels(new, "page_link")
    for key in ("home", "releases"):
        page = visit(key)
        assert say("releases_open", title="Better") in labels(page, "page_link"), "the list leads on"
        assert 'class="dp-box dp-warning"' in html(page)
