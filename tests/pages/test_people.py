"""The own account and the people of the workspace, on the screen."""

from __future__ import annotations

import re
from collections.abc import Callable

import pyotp
import pytest
from streamlit.testing.v1 import AppTest

from dprelease.errors import AccessError
from dprelease.model.actor import OWNER, Actor, Role
from dprelease.store.account_news import MOST
from dprelease.ui.kit import session
from dprelease.ui.words import WORDS, say
from dprelease.words import texts
from dprelease.workspace import Workspace
from dprelease.workspace.process import COOKIE
from tests.pages.conftest import Opener, SignIn, choose, labels, press, words, write

ENGLISH, SPANISH = texts("ui", "en"), texts("ui", "es")

PASSWORD = "correct horse battery"
ANA = Actor("ana", frozenset({Role.CURATOR}))


@pytest.fixture
def invited(own_workspace: Workspace) -> Workspace:
    own_workspace.people.invite("ana", ["curator"])
    return own_workspace


def test_somebody_is_invited_changed_and_disabled(
    own_workspace: Workspace, sign_in: SignIn, visit: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "address", lambda: "http://here")
    sign_in()
    page = visit("settings")
    write(page, WORDS["invite_name"], "ana")
    next(box for box in page.multiselect if box.label == WORDS["invite_roles"]).select("curator")
    press(page, WORDS["invite_save"])
    link = re.search(r"http://here/sign-in\?token=(\S+)", words(page))
    assert link is not None
    assert own_workspace.people.session_actor(own_workspace.people.sign_in(link[1])) == ANA

    page = choose(visit("settings"), WORDS["roles_person"], "ana")
    roles = next(box for box in page.multiselect if "roles-ana" in str(box.key))
    roles.select("reviewer")
    page.run()
    press(page, WORDS["roles_save"])
    assert own_workspace.people.get("ana").roles == {Role.CURATOR, Role.REVIEWER}

    page = choose(page, WORDS["roles_person"], "ana")
    press(page, WORDS["disable"])
    assert WORDS["disable_mismatch"] in words(page)
    write(page, say("disable_confirm", name="ana"), "ana")
    press(page, WORDS["disable"])
    assert own_workspace.people.find()[0].disabled


@pytest.mark.parametrize("roles", [{Role.ADMINISTRATOR}, set(Role)], ids=["alone", "with every role"])
def test_an_administrator_decides_here_what_previews_show(
    own_workspace: Workspace, sign_in: SignIn, visit: Opener, roles: set[Role]
) -> None:
    sign_in(Actor("dan", frozenset(roles)))
    page = visit("settings")
    next(radio for radio in page.radio if radio.label == WORDS["policy_previews_ask"]).set_value("none")
    press(page.run(), WORDS["policy_save"])
    assert own_workspace.plans.preview_policy == "none"


def test_only_administrators_manage_people(invited: Workspace, sign_in: SignIn, visit: Opener) -> None:
    sign_in(ANA)
    page = visit("settings", query={"tab": "people"})
    assert [each.label for each in page.tabs] == [WORDS["settings_account"]]
    assert WORDS["people_all"] not in words(page)


def test_a_password_is_set_and_changed(invited: Workspace, sign_in: SignIn, visit: Opener) -> None:
    sign_in(ANA)
    page = visit("settings")
    assert WORDS["password_none"] in words(page)
    write(page, WORDS["password_new"], PASSWORD)
    write(page, WORDS["password_again"], "another text")
    press(page, WORDS["password_save"])
    assert WORDS["password_alike"] in words(page)
    write(page, WORDS["password_new"], PASSWORD)
    write(page, WORDS["password_again"], PASSWORD)
    press(page, WORDS["password_save"])
    assert WORDS["password_saved"] in words(page)
    assert invited.people.session_actor(invited.people.sign_in_by_password("ana", PASSWORD)) == ANA
    for name, text in (
        ("old", "wrong password"),
        ("new", "a staple of another kind"),
        ("again", "a staple of another kind"),
    ):
        write(page, WORDS[f"password_{name}"], text)
    press(page, WORDS["password_save"])
    assert WORDS["password_wrong"] in words(page)


def test_sessions_and_tokens_are_listed_and_ended(invited: Workspace, sign_in: SignIn, visit: Opener) -> None:
    other = invited.people.sign_in(invited.people.sign_in_link(ANA))
    sign_in(ANA)
    page = visit("settings")
    first = min(invited.people.sessions(actor=ANA), key=lambda each: each.created)
    press(choose(page, WORDS["session_which"], first.id), WORDS["session_end"])
    assert invited.people.session_actor(other) is None
    write(page, WORDS["token_label"], "nightly")
    next(box for box in page.multiselect if box.label == WORDS["token_or_operations"]).select("populations")
    press(page, WORDS["token_create"])
    secret = re.search(r"dpr_\S+", words(page))
    assert secret is not None
    assert invited.people.token_actor(secret[0]) is not None
    page = visit("settings")
    (token,) = invited.people.tokens(actor=ANA)
    press(choose(page, WORDS["token_which"], token.id), WORDS["token_end"])
    assert invited.people.token_actor(secret[0]) is None
    assert WORDS["token_which"] not in labels(page, "selectbox")


REX = Actor("rex", frozenset({Role.REVIEWER}))


@pytest.fixture
def team(own_workspace: Workspace) -> Workspace:
    """Of two; what rex does is some minutes after he signed in, and a request of the owner waits for him."""
    person = own_workspace.people.session_actor(
        own_workspace.people.sign_in(own_workspace.people.invite("rex", ["reviewer"]))
    )
    own_workspace.people.set_password(PASSWORD, actor=person)
    own_workspace.people.require_two_people()
    own_workspace.add_population("people", unit="person", neighbors="add_remove", epsilon=1, actor=OWNER)
    return own_workspace


def long_ago(workspace: Workspace) -> None:
    with workspace._state.database.writing() as connection:
        connection.execute("UPDATE sessions SET shown = '2026-01-01T00:00:00.000000Z'")


def approve(page: AppTest, tell: Callable[[str], str]) -> AppTest:
    return press(press(page, tell("review_approve")), tell("review_approve_save"))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("code", ["en", "es"])
def test_an_approval_asks_for_the_password_again(
    code: str, team: Workspace, sign_in: SignIn, visit: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "accepted", lambda: code)
    tell = (ENGLISH if code == "en" else SPANISH).__getitem__
    sign_in(REX)
    long_ago(team)
    page = visit("review")
    approve(page, tell)
    assert tell("confirm_text") in words(page)
    assert team.populations.requests(actor=REX)[0].state == "open"
    write(page, tell("confirm_password"), "wrong")
    press(page, tell("confirm_save"))
    assert team.populations.requests(actor=REX)[0].state == "open"
    approve(visit("review"), tell)
    page = visit("review")
    approve(page, tell)
    write(page, tell("confirm_password"), PASSWORD)
    press(page, tell("confirm_save"))
    assert tell("confirmed") in words(page)
    approve(page, tell)
    assert team.populations.requests(actor=REX)[0].state == "approved"


def test_who_signs_in_at_the_provider_is_offered_no_password(
    team: Workspace, visit: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = team.people.sign_in_by_provider("https://id.example|7", "bea", frozenset({Role.REVIEWER}))
    monkeypatch.setattr(session, "cookies", lambda: {COOKIE: token})
    page = visit("settings")
    assert WORDS["password_provider"] in words(page)
    assert WORDS["password_new"] not in labels(page, "text_input")


def test_without_a_password_the_dialog_says_what_to_do(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    team.people.invite("eva", ["reviewer"], actor=OWNER)
    sign_in(team.people.get("eva"))
    long_ago(team)
    page = visit("review")
    approve(page, WORDS.__getitem__)
    assert WORDS["confirm_link_text"] in words(page)


def test_somebody_is_reset_and_told_so(
    team: Workspace, sign_in: SignIn, visit: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "address", lambda: "http://here")
    sign_in()
    page = choose(visit("settings"), WORDS["roles_person"], "rex")
    press(page, WORDS["reset"])
    link = re.search(r"http://here/sign-in\?token=(\S+)", words(page))
    assert link is not None
    token = team.people.sign_in(link[1])
    monkeypatch.setattr(session, "cookies", lambda: {COOKIE: token})
    page = visit("desk")
    assert "owner ended your sessions" in words(page)
    press(page, WORDS["news_seen"])
    assert "owner ended your sessions" in words(visit("desk")), "another may have used that link"
    team.people.set_password(PASSWORD, actor=team.people.session_actor(token))
    again = team.people.sign_in_by_password("rex", PASSWORD)
    monkeypatch.setattr(session, "cookies", lambda: {COOKIE: again})
    page = visit("desk")
    assert WORDS["news_stays"] in words(page), "it may be the administrator's password"
    press(page, WORDS["news_seen"])
    assert "owner ended your sessions" not in words(page)
    assert WORDS["news_reset_line"].partition("{at}")[0].format(name="owner") in words(page)
    assert "owner ended your sessions" in words(visit("desk"))


def test_nothing_is_noted_as_seen_that_was_not_shown(invited: Workspace, sign_in: SignIn, visit: Opener) -> None:
    for number in range(12):
        invited.people.create_token(f"label {number};", operations=["plans"], actor=ANA)
    for _ in range(MOST):
        invited.people.sign_in(invited.people.sign_in_link(ANA))
    sign_in(ANA)
    shown = words(visit("desk"))
    assert [number for number in range(12) if f"label {number};" not in shown] == []


def test_a_disabled_person_is_enabled(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    team.people.disable("rex", actor=OWNER)
    sign_in()
    page = choose(visit("settings"), WORDS["roles_person"], "rex")
    press(page, WORDS["enable"])
    assert team.people.get("rex") == REX


def test_failed_sign_ins_are_counted_on_the_page(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    for name in ("rex", "nobody", "nobody"):
        with pytest.raises(AccessError):
            team.people.sign_in_by_password(name, "wrong")
    sign_in()
    assert say("people_failed", count="2") in words(visit("settings"))


def test_the_last_sign_in_is_told(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    sign_in()
    assert "was last signed in to" not in words(visit("desk"))
    sign_in()
    assert "was last signed in to" in words(visit("desk"))
    assert "was last signed in to" in words(visit("settings")), "the menu is on every page"


def secret_on(page: AppTest) -> str:
    """As it stands there in groups of four."""
    found = re.search(r"(?:\b[A-Z2-7]{4} ){7}[A-Z2-7]{4}\b", words(page))
    assert found is not None
    return found[0].replace(" ", "")


def test_a_second_factor_is_set_up_and_turned_off(own_workspace: Workspace, sign_in: SignIn, visit: Opener) -> None:
    own_workspace.people.invite("ana", ["curator"])
    sign_in(ANA)
    assert WORDS["second_no_password"] in words(visit("settings"))
    own_workspace.people.set_password(PASSWORD, actor=ANA)
    page = visit("settings")
    press(page, WORDS["second_set_up"])
    secret = secret_on(page)
    assert [True for each in page.get("html") if "data:image/svg+xml" in each.proto.body]
    assert f"otpauth://totp/dprelease:ana?secret={secret}&issuer=dprelease" in words(page)

    def give(password: str, code: str, button: str) -> None:
        write(page, WORDS["confirm_password"], password)
        write(page, WORDS["second_code"], code)
        press(page, WORDS[button])

    give(PASSWORD, "000", "second_turn_on")
    assert WORDS["second_wrong"] in words(page)
    give(PASSWORD, pyotp.TOTP(secret).now(), "second_turn_on")
    codes = re.findall(r"\b(?:[a-z2-7]{4}-){3}[a-z2-7]{4}\b", words(page))
    assert len(codes) == 10
    press(page, WORDS["second_kept"])
    assert codes[0] not in words(page)
    assert "Recovery codes left: 10" in words(page)
    assert secret not in words(visit("settings"))
    give(PASSWORD, codes[0], "second_renew")
    new = re.findall(r"\b(?:[a-z2-7]{4}-){3}[a-z2-7]{4}\b", words(page))
    assert len({*new, *codes}) == 20
    press(page, WORDS["second_kept"])
    give(PASSWORD, new[0], "second_turn_off")
    assert WORDS["second_turned_off"] in words(page)
    assert own_workspace.people.second_factor(actor=ANA).since is None


def test_who_needs_a_second_factor_is_led_to_it_from_every_page(
    own_workspace: Workspace, sign_in: SignIn, visit: Opener
) -> None:
    own_workspace.people.invite("ana", ["curator"])
    own_workspace.people.require_second_factor(["curator"])
    sign_in(ANA)
    page = visit("tables")
    assert WORDS["set_up_lead"] in words(page)
    for name in ("new", "again"):
        write(page, WORDS[f"password_{name}"], PASSWORD)
    press(page, WORDS["password_save"])
    assert WORDS["population_add"] not in words(page)
    press(page, WORDS["second_set_up"])
    secret = secret_on(page)
    write(page, WORDS["confirm_password"], PASSWORD)
    write(page, WORDS["second_code"], pyotp.TOTP(secret).now())
    press(page, WORDS["second_turn_on"])
    assert WORDS["second_codes"] in words(page), "before anything else"
    press(page, WORDS["second_kept"])
    assert WORDS["set_up_lead"] not in words(page)
    assert WORDS["tables_title"] in words(page)


def test_an_administrator_decides_who_needs_one(own_workspace: Workspace, sign_in: SignIn, visit: Opener) -> None:
    sign_in()
    page = visit("settings")
    next(box for box in page.multiselect if box.label == WORDS["second_required_roles"]).select("reviewer")
    press(page.run(), WORDS["second_required_save"])
    assert "one of your own, before it is required of others" in words(page), "the owner reviews too"
    sign_in(Actor("dan", frozenset({Role.ADMINISTRATOR})))
    page = visit("settings")
    box = next(box for box in page.multiselect if box.label == WORDS["second_required_roles"])
    box.select("reviewer")
    press(page.run(), WORDS["second_required_save"])
    assert own_workspace.people.second_factor_roles() == {Role.REVIEWER}


def test_what_counts_asks_for_a_code_too(team: Workspace, visit: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = team.people.prepare_second_factor(actor=REX).secret
    codes = team.people.turn_on_second_factor(PASSWORD, pyotp.TOTP(secret).now(), actor=REX)
    token = team.people.sign_in_by_code(team.people.sign_in_by_password("rex", PASSWORD), codes[0])
    monkeypatch.setattr(session, "cookies", lambda: {COOKIE: token})
    long_ago(team)
    page = visit("review")
    approve(page, WORDS.__getitem__)
    assert WORDS["confirm_code_text"] in words(page)
    write(page, WORDS["confirm_password"], PASSWORD)
    write(page, WORDS["second_code"], codes[1])
    press(page, WORDS["confirm_save"])
    approve(page, WORDS.__getitem__)
    assert team.populations.requests(actor=REX)[0].state == "approved"
