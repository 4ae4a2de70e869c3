"""The last step: a dialog with the summary, steps that go on by themselves, and never a second charge."""

from __future__ import annotations

import threading

import pytest

from dprelease.errors import DPReleaseError
from dprelease.model.plan import Plan
from dprelease.ui.words import WORDS, say, say_label
from dprelease.workspace import Workspace
from dprelease.workspace import publish as publishing
from tests.pages.conftest import (
    PATIENCE,
    PLAN,
    Opener,
    arrived,
    choose,
    dialog,
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


@pytest.mark.full
def test_publishing_says_what_it_costs_and_takes_one_button(small: Workspace, visit: Opener) -> None:
    page = dialog(visit("workbench", state=in_hand()), "publish")
    shown = words(page)
    assert "ε = 1, δ = 0 per person" in shown
    assert "ε = 2, δ = 0 of a cap of ε = 3, δ = 0. Releases about these people by then: 1" in shown
    assert WORDS["publish_previews_none"] in shown
    assert small.populations.budget("few").charges == 0
    published(page)
    (release,) = small.releases.find()
    assert say("publish_done", title="Small") in words(page)
    assert f"/own/release/{release.id}/" in html(page), "the release has opened"
    assert small.populations.budget("few").charges == 1


def test_the_summary_says_what_the_release_will_say_of_previews(small: Workspace, visit: Opener) -> None:
    small.preview(Plan.parse({**PLAN, "statistics": PLAN["statistics"][:1]}), draws=1)
    small.plans.set_preview_policy("blind")
    shown = words(dialog(visit("workbench", state=in_hand()), "publish"))
    assert WORDS["publish_previews_plan"] in shown
    assert WORDS["publish_policy_blind"] in shown


def test_refresh_back_and_another_tab_never_spend_twice(small: Workspace, visit: Opener) -> None:
    page = published(visit("workbench", state=in_hand()))
    page.run()
    dialog(go(page, "workbench"), "publish")
    assert WORDS["publish_again"] in labels(page, "button")
    assert SPEND not in labels(page, "button")
    dialog(visit("workbench", state=in_hand()), "publish")
    assert small.populations.budget("few").charges == 1


def test_a_refresh_in_the_middle_finds_it_going_on(
    small: Workspace, visit: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting, go_on, draw = threading.Event(), threading.Event(), publishing.draw

    def slow(*given: object) -> object:
        waiting.set()
        assert go_on.wait(PATIENCE)
        return draw(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(publishing, "draw", slow)
    page = dialog(visit("workbench", state=in_hand()), "publish")
    press(page, SPEND)
    assert waiting.wait(PATIENCE)
    try:
        page.run()
        assert WORDS["publish_going_on"] in words(page)
        assert f"{WORDS['step_charging']} {WORDS['state_done']}" in words(page)
        assert f"{WORDS['step_drawing']} {WORDS['state_now']}" in words(page)
        assert labels(page, "button") == []
        refreshed = visit("workbench")
        assert WORDS["publish_going_on"] in words(refreshed), "a new tab knows nothing, and finds it"
        assert labels(refreshed, "button") == []
    finally:
        go_on.set()
    (job,) = small.releases.publishing()
    assert job.ended.wait(PATIENCE)
    for tab in (page, refreshed):
        assert say("publish_done", title="Small") in words(tab.run())
    assert small.populations.budget("few").charges == 1


def test_a_second_click_that_arrives_during_the_first_spends_nothing(small: Workspace, visit: Opener) -> None:
    page = dialog(visit("workbench", state=in_hand()), "publish")
    button = next(item for item in page.button if item.label == SPEND)
    for _ in range(2):
        button.click()
        page.run()
    arrived_jobs = small.releases.publishing()
    assert all(job.ended.wait(PATIENCE) for job in arrived_jobs)
    assert small.populations.budget("few").charges == 1


def test_publishing_again_takes_the_title_and_spends_once(small: Workspace, visit: Opener) -> None:
    published(visit("workbench", state=in_hand()))
    page = press(dialog(visit("workbench", state=in_hand()), "publish"), WORDS["publish_again"])
    dialog(page, "publish")
    again = say("publish_again_button", epsilon=1)
    press(page, again)
    assert say("publish_mismatch", title="Small") in words(page)
    assert small.populations.budget("few").charges == 1
    write(page, say_label("publish_again_confirm", title="Small", epsilon=1), "Small")
    arrived(page, again)
    assert small.populations.budget("few").charges == 2
    assert again not in labels(dialog(go(page, "workbench"), "publish"), "button"), "it has to be asked for anew"
    assert len(small.releases.find()) == 2


def test_a_short_budget_is_refused_in_words(small: Workspace, visit: Opener) -> None:
    dear = {**PLAN, "privacy": {**PLAN["privacy"], "epsilon": 5}}
    page = visit("workbench", state=in_hand(dear))
    assert say("budget_over", population="few", left="ε = 3, δ = 0") in words(page)
    assert next(button for button in page.button if button.label == WORDS["bench_publish"]).disabled
    published(page, epsilon=5)
    assert small.populations.budget("few").charges == 0


@pytest.mark.full
def test_a_lapsed_approval_is_renewed_on_the_way(small: Workspace, visit: Opener) -> None:
    plan_id = small.plans.submit(Plan.parse(PLAN))
    small.plans.approve(plan_id)
    small.populations.raise_cap("few", epsilon=4, reason="Agreed.")
    assert small.plans.lapse(plan_id) is not None
    published(visit("workbench", state=in_hand()))
    assert small.populations.budget("few").charges == 1


@pytest.mark.full
def test_a_published_plan_whose_approval_lapsed_is_still_known_as_published(small: Workspace, visit: Opener) -> None:
    published(visit("workbench", state=in_hand()))
    small.populations.raise_cap("few", epsilon=4, reason="Agreed.")
    small.plans.approve(small.plans.find()[0].id)
    page = dialog(visit("workbench", state=in_hand()), "publish")
    assert say("publish_already", epsilon=1) in words(page)
    assert SPEND not in labels(page, "button")


def test_what_was_charged_and_stopped_is_finished_without_spending(
    small: Workspace, visit: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise DPReleaseError("stopped")

    with monkeypatch.context() as patch:
        patch.setattr("dprelease.workspace.publish.draw", fails)
        page = published(visit("workbench", state=in_hand()))
        assert WORDS["failed"] in words(page)
    assert small.populations.budget("few").charges == 1
    page = dialog(visit("workbench", state=in_hand()), "publish")
    assert WORDS["publish_unfinished"] in words(page)
    arrived(page, WORDS["publish_finish"])
    assert say("publish_done", title="Small") in words(page)
    assert small.populations.budget("few").charges == 1


@pytest.mark.full
def test_a_release_takes_the_place_of_an_earlier_one(small: Workspace, visit: Opener) -> None:
    published(visit("workbench", state=in_hand()))
    (first,) = small.releases.find()
    better = {**PLAN, "title": "Better"}
    page = dialog(visit("workbench", state=in_hand(better)), "publish")
    tick(page, WORDS["publish_replaces"])
    choose(page, WORDS["publish_supersedes"], first.id)
    published(page)
    second = next(release for release in small.releases.find() if release.id != first.id)
    old, new = (visit("releases", query={"release": each.id}) for each in (first, second))
    assert WORDS["notice_superseded"] in words(old)
    assert say("releases_open", title="Better") in words(old)
    assert f"/own/release/{second.id}/" in html(old)
    assert WORDS["notice_superseded"] not in words(new)
    page = visit("releases")
    assert say("releases_open", title="Better") in words(page), "the list leads on"
    assert 'class="dp-box dp-warning"' in html(page)


@pytest.mark.full
def test_a_release_may_wait_for_its_hour_and_be_given_another(small: Workspace, visit: Opener) -> None:
    page = dialog(visit("workbench", state=in_hand()), "publish")
    tick(page, WORDS["embargo_wanted"])
    write(page, WORDS["embargo_due"], "2020-01-15T09:00+01:00")
    press(page, SPEND)
    assert "2020-01-15" in words(page)
    assert small.populations.budget("few").charges == 0
    write(page, WORDS["embargo_due"], "2090-01-15T09:00+01:00")
    arrived(page, SPEND)
    (release,) = small.embargoes.find()
    assert small.releases.find() == []
    assert f"/own/release/{release.id}/" in html(page), "the desk has it"
    page = dialog(go(page, "workbench"), "publish")
    assert SPEND not in labels(page, "button")
    write(page, WORDS["embargo_due"], "2090-02-01T09:00+01:00")
    press(page, WORDS["embargo_move"])
    assert [each.due for each in small.embargoes.find()] == [release.due], "without a reason it stays"
    write(page, WORDS["embargo_due"], "2090-02-01T09:00+01:00")
    write(page, WORDS["embargo_reason"], "A table was late.")
    press(page, WORDS["embargo_move"])
    assert [each.due for each in small.embargoes.find()] == ["2090-02-01T09:00:00+01:00"]
    assert small.populations.budget("few").charges == 1


def test_publishing_begins_with_what_readers_see_first_and_asks_for_a_title(small: Workspace, visit: Opener) -> None:
    page = dialog(visit("workbench", state=in_hand()), "publish")
    first = html(page).partition('class="dp-first"')[2].partition("</section>")[0]
    assert "<h3>" in first
    assert "Small" in first
    assert WORDS["publish_first_lead"] in first
    assert "±" not in first, "no number before a draw"
    assert WORDS["publish_give_title"] not in [each.label for each in page.button]
    page = dialog(visit("workbench", state=in_hand({**PLAN, "title": ""})), "publish")
    page = press(page, WORDS["publish_give_title"])
    assert WORDS["plan_name"] in [each.label for each in page.text_input]
