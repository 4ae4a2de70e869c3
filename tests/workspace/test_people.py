"""People, passwords, sessions and tokens: what is changed holds everywhere at once, and nothing secret is stored."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from zxcvbn.frequency_lists import FREQUENCY_LISTS

import dprelease
from dprelease.errors import AccessError, InputError
from dprelease.model.actor import Actor, Role
from dprelease.store import passwords, tokens, tries
from dprelease.store.event import EventKind
from dprelease.store.passwords import _hasher as argon2_as_it_is
from dprelease.workspace.access import DECIDES
from dprelease.workspace.password import MIN_PASSWORD, check_password

PASSWORD = "correct horse battery"
OTHER = "staple of another kind"


@pytest.fixture
def ws() -> dprelease.Workspace:
    made = dprelease.Workspace.in_memory()
    made.people.invite("ana", ["curator"])
    return made


@pytest.fixture
def ana(ws: dprelease.Workspace) -> Actor:
    person = ws.people.get("ana")
    ws.people.set_password(PASSWORD, actor=person)
    return person


def test_a_new_role_holds_in_the_sessions_that_last(ws: dprelease.Workspace, ana: Actor) -> None:
    session = ws.people.sign_in_by_password("ana", PASSWORD)
    ws.people.set_roles("ana", ["reviewer"])
    acting = ws.people.session_actor(session)
    assert acting == Actor("ana", frozenset({Role.REVIEWER}))
    with pytest.raises(AccessError):
        ws.add_population("p", unit="person", neighbors="add_remove", epsilon=1, actor=acting)


def test_a_disabled_person_is_out_everywhere_until_enabled_again(ws: dprelease.Workspace, ana: Actor) -> None:
    session = ws.people.sign_in_by_password("ana", PASSWORD)
    _, secret = ws.people.create_token("script", operations=["populations"], actor=ana)
    ws.people.disable("ana")
    assert ws.people.session_actor(session) is ws.people.token_actor(secret) is None
    with pytest.raises(AccessError):
        ws.people.sign_in_by_password("ana", PASSWORD)
    with pytest.raises(InputError, match="invited before"):
        ws.people.invite("ana", ["curator"])
    with pytest.raises(InputError, match="disabled"):
        ws.people.reset("ana")
    ws.people.enable("ana")
    assert ws.people.session_actor(session) is None
    again = ws.people.sign_in(ws.people.reset("ana"))
    assert ws.people.session_actor(again) == ana


def test_a_link_from_before_somebody_was_disabled_lets_nobody_in(ws: dprelease.Workspace) -> None:
    before = ws.people.invite("bo", ["reviewer"])
    ws.people.disable("bo")
    ws.people.enable("bo")
    after = ws.people.reset("bo")
    with pytest.raises(AccessError, match="link"):
        ws.people.sign_in(before)
    assert ws.people.session_actor(ws.people.sign_in(after)) is not None


def test_the_owner_stays(ws: dprelease.Workspace) -> None:
    for change in (lambda: ws.people.disable("owner"), lambda: ws.people.set_roles("owner", ["curator"])):
        with pytest.raises(InputError, match="owner"):
            change()


KNOWN = "password1234 123456789012 qwertyuiop12 iloveyou1234 letmein12345 abcdefghijkl adminadmin123 Password123!"
KNOWN += " Summer2026!!!! Verano2026!!!! Contraseña2026 2026-Краснодар P@ssw0rd12345! correcthorsebatterystaple"
WEAK = [
    "Correct Horse Battery Staple",
    "The quick brown fox!",
    "passwordpassword",
    "short",
    "ana-ana-ana-ana"[:12],
    "aaaaaaaaaaaaaaaa",
    "x" * 300,
]
GOOD = [PASSWORD, OTHER, "tr0ub4dor&3xyz", "x7Gq-pl92-mmTs", "vier Wale am Mittwoch", "ñññ aguacate violeta"]


@pytest.mark.parametrize("password", [*KNOWN.split(), *WEAK])
def test_a_password_that_is_easily_guessed_is_refused_and_never_quoted(ws: dprelease.Workspace, password: str) -> None:
    with pytest.raises(InputError) as refused:
        ws.people.set_password(password, actor=ws.people.get("ana"))
    assert password not in str(refused.value)


def test_every_known_password_is_refused(ws: dprelease.Workspace) -> None:
    """All of the 30 000 most used ones that are long enough, and the first 3 000, every tenth, made long enough."""
    ranked = FREQUENCY_LISTS["passwords"]
    tried = [each for each in ranked if len(each) >= MIN_PASSWORD]
    tried += [each + "1234567890"[: MIN_PASSWORD - len(each)] for each in ranked[:3000:10]]
    assert len(tried) > 500
    for each in tried:
        if len(each) >= MIN_PASSWORD:
            with pytest.raises(InputError):
                check_password(each, "ana")


@pytest.mark.parametrize("password", GOOD)
def test_ordinary_ones_are_taken(password: str) -> None:
    check_password(password, "ana")


def test_changing_a_password_takes_the_present_one(ws: dprelease.Workspace, ana: Actor) -> None:
    for old in (None, OTHER):
        with pytest.raises(AccessError):
            ws.people.set_password(OTHER, old=old, actor=ana)
    here, elsewhere = (ws.people.sign_in_by_password("ana", PASSWORD) for _ in range(2))
    ws.people.set_password(OTHER, old=PASSWORD, actor=ws.people.session_actor(here))
    assert ws.people.session_actor(here) == ana
    assert ws.people.session_actor(elsewhere) is None, "whoever knew the old one is out"
    with pytest.raises(AccessError):
        ws.people.sign_in_by_password("ana", PASSWORD)
    assert ws.people.session_actor(ws.people.sign_in_by_password("ana", OTHER)) == ana


def test_after_five_wrong_passwords_even_the_right_one_waits(ws: dprelease.Workspace, ana: Actor) -> None:
    database = ws._state.database
    now = datetime.now(UTC)

    def fits(password: str, at: datetime = now) -> bool:
        try:
            with passwords.checked(database, "ana", password, tries.Guesser.at(""), now=at):
                return True
        except AccessError:
            return False

    assert not any(fits("wrong") for _ in range(tries.FREE_FAILURES))
    assert not fits(PASSWORD)
    assert fits(PASSWORD, now + timedelta(minutes=2))
    assert not fits("wrong")
    assert fits(PASSWORD), "the count begins anew"


def test_a_token_does_what_it_is_for_and_no_more_than_its_person(ws: dprelease.Workspace, ana: Actor) -> None:
    token, secret = ws.people.create_token("nightly", operations=["populations", "remark"], days=1, actor=ana)
    acting = ws.people.token_actor(secret)
    assert ws.populations.find(actor=acting) == []
    with pytest.raises(AccessError, match="token"):
        ws.datasets.find(actor=acting)
    with pytest.raises(AccessError):
        ws.plans.remark("plan-1", text="x", actor=acting)
    later = datetime.now(UTC) + timedelta(days=2)
    assert tokens.actor_of(ws._state.database, secret, now=later) is None
    ws.people.revoke_token(token.id, actor=ana)
    assert ws.people.token_actor(secret) is None
    with pytest.raises(InputError):
        ws.people.create_token("nightly", operations=["everything"], actor=ana)
    for decision in DECIDES:
        with pytest.raises(InputError, match=decision):
            ws.people.create_token("second person", operations=[decision], actor=ana)
    with pytest.raises(InputError, match="dataset"):
        ws.people.create_token("all", operations=["publish"], dataset="none", actor=ana)


def test_a_token_makes_none_that_may_do_more(ws: dprelease.Workspace, ana: Actor) -> None:
    _, secret = ws.people.create_token("keys", operations=["create_token", "populations"], actor=ana)
    acting = ws.people.token_actor(secret)
    with pytest.raises(InputError, match="publish"):
        ws.people.create_token("more", operations=["publish"], actor=acting)
    _, less = ws.people.create_token("less", operations=["populations"], actor=acting)
    found = ws.people.token_actor(less)
    assert found is not None
    assert found.scope == {"populations"}


def test_sessions_are_listed_and_ended_one_by_one(ws: dprelease.Workspace, ana: Actor) -> None:
    first, second = (ws.people.sign_in_by_password("ana", PASSWORD) for _ in range(2))
    listed = ws.people.sessions(actor=ana)
    assert [each.way for each in listed] == ["password", "password"]
    ws.people.revoke_session(listed[0].id, actor=ana)
    assert [ws.people.session_actor(each) is None for each in (first, second)].count(True) == 1
    with pytest.raises(InputError):
        ws.people.revoke_session(listed[1].id, actor=Actor("eve", frozenset({Role.CURATOR})))
    ws.people.revoke_session(listed[1].id, of="ana")
    assert ws.people.sessions(actor=ana) == []


def test_an_identity_provider_vouches_for_people(ws: dprelease.Workspace) -> None:
    roles = frozenset({Role.REVIEWER})
    session = ws.people.sign_in_by_provider("https://id.example|7", "bea", roles)
    assert ws.people.session_actor(session) == Actor("bea", roles)
    ws.people.sign_in_by_provider("https://id.example|7", "another-name", frozenset(Role))
    assert ws.people.session_actor(session) == Actor("bea", frozenset(Role)), "groups there decide roles here, at once"
    with pytest.raises(AccessError):
        ws.people.sign_in_by_provider("https://id.example|8", "ana", roles)


def test_every_change_is_an_event_and_nothing_secret_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_hasher", argon2_as_it_is)
    ws = dprelease.Workspace.create(tmp_path / "home")
    ws.people.invite("ana", ["curator"])
    ana = ws.people.get("ana")
    ws.people.set_password(PASSWORD, actor=ana)
    session = ws.people.sign_in_by_password("ana", PASSWORD)
    with pytest.raises(AccessError):
        ws.people.sign_in_by_password("ana", OTHER)
    token, secret = ws.people.create_token("script", operations=["populations"], actor=ana)
    ws.people.token_actor(secret)
    ws.people.revoke_token(token.id, actor=ana)
    ws.people.sign_out(session)
    ws.people.set_roles("ana", ["reviewer"])
    ws.people.disable("ana")
    told = [event.kind for event in ws.ledger.events()]
    wanted = ["invited", "password_changed", "sign_in", "token_created"]
    wanted += ["token_revoked", "sign_out", "roles_changed", "person_disabled"]
    assert told[1:] == wanted
    assert EventKind(told[-1])
    ws.ledger.verify()
    stored = b"".join(path.read_bytes() for path in (tmp_path / "home").glob("ledger.db*"))
    for hidden in (PASSWORD, OTHER, session, secret):
        assert hidden.encode() not in stored
    hashed = re.search(rb"\$argon2id\$v=19\$m=(\d+),t=(\d+)", stored)
    assert hashed
    assert int(hashed[1]) >= 64 * 1024, "KiB: what makes a guess dear"
    assert int(hashed[2]) >= 3


def test_a_made_up_token_waits_for_nobody_and_is_waited_for_by_nobody(tmp_path: Path) -> None:
    ws = dprelease.Workspace.create(tmp_path / "home")
    with closing(sqlite3.connect(tmp_path / "home" / "ledger.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert ws.people.token_actor("dpr_made-up") is None
