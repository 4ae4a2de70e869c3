"""The ledger on the screen: whether it holds, what each population spent, and every event, however many there are."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dprelease.errors import DPReleaseError, IntegrityError
from dprelease.model.actor import OWNER, Actor, Role
from dprelease.model.plan import Plan
from dprelease.model.privacy import PrivacyLoss
from dprelease.statistics.kinds.count import Count
from dprelease.store import ledger
from dprelease.store.event import EventKind
from dprelease.ui.desk.today import READ as TODAY
from dprelease.ui.ledger import log
from dprelease.ui.ledger.burn_down import MAX_CHARGES
from dprelease.ui.ledger.events import A_PAGE, GROUPS
from dprelease.ui.words import WORDS, say
from dprelease.workspace import Workspace
from tests.pages.conftest import PLAN, Opener, SignIn, choose, html, labels, press, words

BEN = Actor("ben", frozenset({Role.REVIEWER}))


def plan(title: str = "Small", epsilon: float = 1) -> Plan:
    return Plan.parse({**PLAN, "title": title, "privacy": {**PLAN["privacy"], "epsilon": epsilon}})


def release(workspace: Workspace, title: str = "Small", epsilon: float = 1) -> None:
    plan_id = workspace.plans.submit(plan(title, epsilon))
    workspace.plans.approve(plan_id)
    workspace.publish(plan_id)


def chart(page: AppTest) -> str:
    """The picture of the busiest budget, with its words."""
    return next(part for part in html(page).split("<figure")[1:]).partition("</figure>")[0]


def lines(page: AppTest) -> list[list[str]]:
    """The lines of events: number, time, what happened, and what it cost."""
    source = html(page).partition('<ol class="dp-events"')[2].partition("</ol>")[0]
    told = [re.split(r"</span>(?=<span)", item) for item in re.findall(r"<li>(.*?)</li>", source)]
    return [[re.sub(r"<[^>]+>", "", part) for part in parts] for parts in told]


def what(page: AppTest) -> list[str]:
    """What the lines say that happened."""
    return [line[-1 if len(line) < 4 else 2] for line in lines(page)]


def see(page: AppTest, view: str) -> AppTest:
    page.segmented_control[0].set_value(view)
    return page.run()


def table(page: AppTest, caption: str) -> list[list[str]]:
    """The cells of a table, row by row."""
    source = next(part for part in html(page).split("<table") if f"<caption>{caption}</caption>" in part)
    body = source[source.index("<tbody>") : source.index("</tbody>")]
    return [
        [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", body)
    ]


def test_the_ledger_lists_events_and_budgets(sample_workspace: Workspace, sign_in: SignIn, visit: Opener) -> None:
    sign_in()
    page = visit("budget")
    for kind in ("charge", "published", "population_created"):
        assert WORDS[f"event_{kind}"] in words(page)
    assert say("desk_left", symbol="ε", left="2", cap="3") in words(page)


# The chain


def test_the_ledger_is_checked_as_the_page_is_opened(small: Workspace, visit: Opener) -> None:
    page = visit("budget")
    count = small.ledger.count()
    assert small.ledger.verified_events == count
    assert say("ledger_intact", events=say("events", count, count=count)) in words(page)
    small.add_population("others", unit="person", neighbors="add_remove", epsilon=1)
    page.run()
    assert say("ledger_part", events=say("events", count + 1, count=count + 1), checked=count) in words(page)
    press(page, WORDS["ledger_check"])
    assert say("ledger_intact", events=say("events", count + 1, count=count + 1)) in words(page)


def test_a_very_long_ledger_is_checked_when_asked(
    small: Workspace, visit: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "MAX_CHECKED", 3)
    page = visit("budget")
    count = small.ledger.count()
    assert say("ledger_unchecked", events=say("events", count, count=count)) in words(page)
    press(page, WORDS["ledger_check"])
    assert small.ledger.verified_events == small.ledger.count()


def test_a_ledger_that_is_not_whole_is_said_to_be_so_until_it_is_checked_again(small: Workspace, visit: Opener) -> None:
    press(visit("budget"), WORDS["ledger_check"])
    _rewrite(small, "UPDATE ledger SET actor = 'nobody' WHERE seq = 3")
    page = press(visit("budget"), WORDS["ledger_check"])
    assert "ledger event 3: it is not what its hash was made of" in words(page)
    page.run()
    assert "ledger event 3" in words(page)
    assert "chain is intact" not in words(page)


def _rewrite(workspace: Workspace, statement: str) -> None:
    """What somebody with the file can do."""
    with workspace._state.database.writing() as connection:
        triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'ledger'")
        for (name,) in triggers.fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(statement)


# Events


def test_every_kind_of_event_is_in_one_group_that_has_a_name() -> None:
    listed = [kind for kinds in GROUPS.values() for kind in kinds]
    assert sorted(listed) == sorted(EventKind)
    assert {f"group_{group}" for group in GROUPS} <= WORDS.keys()


def test_the_events_of_one_population_leave_the_others_out(small: Workspace, visit: Opener) -> None:
    small.add_population("others", unit="person", neighbors="add_remove", epsilon=1)
    page = choose(visit("budget"), WORDS["population"], "others")
    assert say("ledger_shown", first=1, last=1, count=1) in words(page)
    assert what(page) == [f"owner: {WORDS['event_population_created']}, others"]


@pytest.mark.full
def test_events_are_found_by_what_happened(small: Workspace, visit: Opener) -> None:
    release(small)
    small.preview(plan())
    page = choose(visit("budget"), WORDS["ledger_kind"], "decisions")
    approved, submitted = (f"owner: {WORDS[f'event_plan_{each}']}, few, " for each in ("approved", "submitted"))
    assert [line.startswith(begun) for line, begun in zip(what(page), (approved, submitted), strict=True)] == [True] * 2
    choose(page, WORDS["ledger_kind"], "previews")
    assert what(page) == [say("event_looks_begun", name="owner", about="few")]
    choose(page, WORDS["ledger_kind"], "refusals")
    assert WORDS["ledger_nothing"] in words(page)


def test_events_say_what_somebody_wrote(small: Workspace, visit: Opener) -> None:
    small.populations.raise_cap("few", epsilon=4, reason="Agreed in March.")
    small.populations.open_period("few", "2026", epsilon=1, reason="New rows.")
    page = choose(visit("budget"), WORDS["ledger_kind"], "caps")
    told = {"period_opened": "2026: New rows.", "cap_raised": "Agreed in March."}
    assert what(page) == [f"owner: {WORDS[f'event_{kind}']}, few, {about}" for kind, about in told.items()]


@pytest.mark.full
def test_looks_of_one_day_are_one_line_whatever_happened_between_them(small: Workspace, visit: Opener) -> None:
    small.preview(plan())
    release(small)
    small.preview(plan())
    small.preview(plan("Another"))
    page = choose(visit("budget"), WORDS["population"], "few")
    count = small.ledger.count("few")
    assert say("ledger_shown", first=1, last=count - 2, count=count - 2) in words(page)
    (look,) = [line for line in lines(page) if line[2] == say("event_looks_begun", name="owner", about="few")]
    assert look[0] == str(small.ledger.events("few", newest_first=True)[0].seq), "it stands where the last one is"


@pytest.mark.full
def test_a_charge_says_what_it_cost(small: Workspace, visit: Opener) -> None:
    release(small)
    page = choose(visit("budget"), WORDS["ledger_kind"], "spending")
    assert [line[3] for line in lines(page)] == ["ε = 1, δ = 0"]


def test_a_long_ledger_is_read_a_page_at_a_time(
    small: Workspace, visit: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "MAX_CHECKED", 0)
    charges = MAX_CHARGES + 100
    for _ in range(charges):
        ledger.charge(small._state.database, "few", PrivacyLoss(epsilon_nano=1000), actor=OWNER)
    read, counted = 0, ledger._read

    def reading(*arguments: Any, **more: Any) -> Any:
        nonlocal read
        found = counted(*arguments, **more)
        read += len(found)
        return found

    monkeypatch.setattr(ledger, "_read", reading)
    visit("budget")
    read = 0
    page = visit("budget")
    assert read <= TODAY + A_PAGE + MAX_CHARGES + 10, "the desk, which is opened first, reads today's"
    count = small.ledger.count()
    assert say("ledger_shown", first=1, last=A_PAGE, count=count) in words(page)
    (number,) = page.number_input
    number.set_value(2)
    page.run()
    assert say("ledger_shown", first=A_PAGE + 1, last=2 * A_PAGE, count=count) in words(page)
    assert say("burn_last", shown=MAX_CHARGES, count=charges) in words(see(page, "detail"))


# One population


@pytest.mark.full
def test_the_chart_follows_spending_raised_caps_and_periods(small: Workspace, visit: Opener) -> None:
    release(small)
    small.populations.raise_cap("few", epsilon=4, reason="Agreed.")
    small.populations.open_period("few", "2026", epsilon=2, reason="New rows.")
    release(small, "Second", 0.5)
    page = visit("budget")
    assert say("burn_alt", population="few", spent="ε = 1.5", cap="ε = 3") in chart(page)
    for part in ("2026", WORDS["burn_spent"], WORDS["burn_cap"]):
        assert part in chart(page)
    see(page, "detail")
    rows = [row[1:] for row in table(page, WORDS["burn_caption"])]
    assert rows == [
        [WORDS["event_charge"], "ε = 0.5, δ = 0", "ε = 0.5, δ = 0", "ε = 2, δ = 0", "ε = 1.5, δ = 0"],
        [WORDS["event_period_opened"], "ε = 2, δ = 0", "ε = 0, δ = 0", "ε = 2, δ = 0", "ε = 1, δ = 0"],
        [WORDS["event_cap_raised"], "ε = 4, δ = 0", "ε = 1, δ = 0", "ε = 4, δ = 0", "ε = 1, δ = 0"],
        [WORDS["event_charge"], "ε = 1, δ = 0", "ε = 1, δ = 0", "ε = 3, δ = 0", "ε = 1, δ = 0"],
        [WORDS["event_population_created"], "ε = 3, δ = 0", "ε = 0, δ = 0", "ε = 3, δ = 0", "ε = 0, δ = 0"],
    ]


def test_budgets_count_the_period_and_name_what_was_spent_before(small: Workspace, visit: Opener) -> None:
    release(small)
    small.populations.open_period("few", "2026", epsilon=2, reason="")
    release(small, "Second", 0.5)
    values = {"spent": "ε = 0.5, δ = 0", "cap": "ε = 2, δ = 0", "left": "ε = 1.5, δ = 0", "before": "ε = 1, δ = 0"}
    assert say("budget_now_period", population="few", period="2026", **values) in words(visit("budget"))


def test_the_chart_of_rho(own_workspace: Workspace, sign_in: SignIn, visit: Opener) -> None:
    own_workspace.add_population("few", unit="person", neighbors="add_remove", epsilon=1, delta=1e-6, currency="zcdp")
    ledger.charge(own_workspace._state.database, "few", PrivacyLoss(rho_nano=1_000_000), actor=OWNER)
    sign_in()
    page = visit("budget")
    assert "ρ = 0.001" in chart(page)
    see(page, "detail")
    assert table(page, WORDS["burn_caption"])[0][1:3] == [WORDS["event_charge"], "ρ = 0.001, δ = 0"]


@pytest.mark.full
def test_refused_attempts_and_previews_are_counted_and_listed(small: Workspace, visit: Opener) -> None:
    plan_id, other = (small.plans.submit(plan(title, 2)) for title in ("Dear", "Dear too"))
    small.plans.approve(plan_id)
    small.plans.approve(other)
    small.publish(other)
    with pytest.raises(DPReleaseError):
        small.publish(plan_id)
    for _ in range(21):
        small.preview(plan(), draws=1)
    page = see(visit("budget"), "detail")
    (refused,) = table(page, WORDS["ledger_refused"])
    assert refused[1:] == ["owner", plan_id, "ε = 2, δ = 0", "ε = 1, δ = 0"]
    previews = table(page, WORDS["ledger_looks"])
    assert [row[1:3] for row in previews] == [["owner", "small"]] * 20
    assert say("list_last", shown=20, count=21) in words(page)
    assert say("refused_list", count=1) in labels(page, "expander")


def test_overlaps_and_earlier_releases_are_shown(own_workspace: Workspace, sign_in: SignIn, visit: Opener) -> None:
    for name in ("first", "third"):
        own_workspace.add_population(name, unit="household", neighbors="add_remove", epsilon=1)
    own_workspace.add_population(
        "second",
        unit="person",
        neighbors="add_remove",
        epsilon=1,
        overlaps={"first": "some"},
        earlier_releases=["Annual report 2024"],
    )
    sign_in()
    page = see(choose(visit("budget"), WORDS["population"], "second"), "overlaps")
    assert [row[:3] for row in table(page, say("overlaps_of", population="second"))] == [
        ["first", "household", WORDS["overlap_some"]],
        ["third", "household", WORDS["overlap_open"]],
    ]
    assert WORDS["overlaps_open"] in words(page)
    assert "Annual report 2024" in words(see(page, "detail"))


# What was charged too little for


def underpriced(workspace: Workspace) -> str:
    """A release that spends twice what it was charged, as if its count were priced for one row of each unit."""
    real = Count.measurements

    def wrong(self: Any, *given: Any) -> Any:
        halved = dict.fromkeys(("l1", "linf"), 1)
        return tuple(replace(item, sensitivity=replace(item.sensitivity, **halved)) for item in real(self, *given))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Count, "measurements", wrong)
        release(workspace, "Cheap")
    return workspace.releases.ids()[0]


def test_a_release_that_spends_more_than_it_was_charged_is_named_to_those_who_see_the_ledger(
    small: Workspace, visit: Opener, sign_in: SignIn
) -> None:
    release(small)
    assert WORDS["overspent"] not in words(visit("budget"))
    cheap = underpriced(small)
    for who in (None, BEN):
        sign_in(who)
        page = visit("budget")
        assert WORDS["overspent"] in words(page)
        assert WORDS["overspent_text"] in words(page)
        assert table(page, WORDS["overspent_caption"]) == [[cheap, "n", "ε = 0.666667", "ε = 0.333333"]]


def test_a_release_of_which_the_loss_is_not_known_is_named(
    small: Workspace, visit: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: Any) -> None:
        raise IntegrityError("n: its noise is for the shape [7], not []")

    monkeypatch.setattr("dprelease.workspace.ledger.excesses", fails)
    release(small)
    (found,) = table(visit("budget"), WORDS["overspent_caption"])
    assert found == [small.releases.ids()[0], "", "not known: n: its noise is for the shape [7], not []", ""]


# What was interrupted


def interrupted(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> str:
    """A plan that is charged for and not published; its id."""
    plan_id = workspace.plans.submit(plan())
    workspace.plans.approve(plan_id)

    def fails(*_: Any, **__: Any) -> None:
        raise DPReleaseError("stopped")

    with monkeypatch.context() as patch:
        patch.setattr("dprelease.workspace.publish.draw", fails)
        with pytest.raises(DPReleaseError):
            workspace.publish(plan_id)
    return plan_id


def test_a_public_folder_that_tells_of_a_longer_ledger_is_named(small: Workspace, visit: Opener) -> None:
    path = small.releases.folder / "checkpoint.json"
    longer = replace(small.ledger.checkpoint().checkpoint, size=999)
    keys = small._state.keys
    path.write_text(json.dumps(keys.known(keys.sign(longer)).to_mapping()))
    said = words(visit("budget"))
    assert WORDS["public_problem"].partition("{")[0] in said
    assert str(path) in said
    path.unlink()
    assert WORDS["public_problem"].partition("{")[0] not in words(visit("budget"))


def test_what_was_charged_and_not_published_is_shown_and_finished(
    small: Workspace, visit: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(small, monkeypatch)
    page = visit("budget")
    assert WORDS["unfinished"] in words(page)
    (row,) = table(page, WORDS["unfinished_caption"])
    (begun,) = small.releases.unfinished()
    assert [row[0], row[1], row[2], *row[4:]] == [
        begun.id,
        "few",
        "owner",
        WORDS["unfinished_charged"],
        "ε = 1, δ = 0",
    ]
    press(page, WORDS["unfinished_finish"])
    assert WORDS["unfinished_done"] in words(page)
    assert small.releases.unfinished() == []
    assert small.populations.budget("few").charges == 1


def test_a_reviewer_sees_what_was_interrupted_and_cannot_draw(
    small: Workspace, visit: Opener, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(small, monkeypatch)
    sign_in(BEN)
    page = visit("budget")
    assert WORDS["unfinished"] in words(page)
    assert labels(page, "button") == [WORDS["ledger_check"]]
