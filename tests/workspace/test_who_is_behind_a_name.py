"""Nobody acts in another's name unnoticed: resets, marks on approvals, showing anew who one is, tokens that end."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from dprelease.errors import AccessError, ConfirmationError, InputError
from dprelease.model.actor import OWNER, Actor, Role
from dprelease.store import account_news, passwords, people, sessions, tokens, tries
from dprelease.workspace import Workspace
from dprelease.workspace.access import ANEW, NEVER_BY_TOKEN, PERMISSIONS
from dprelease.workspace.account import stays
from tests.trust import world

PASSWORD = "correct horse battery"
OTHER = "staple of another kind"
ADA = Actor("ada", frozenset({Role.ADMINISTRATOR, Role.CURATOR}))


@pytest.fixture
def ws() -> Workspace:
    """Of a team: ada administers and makes plans, rex reviews and has a password."""
    made = Workspace.in_memory()
    made.people.invite("ada", ["administrator", "curator"])
    rex = acting(made, made.people.sign_in(made.people.invite("rex", ["reviewer"])))
    made.people.set_password(PASSWORD, actor=rex)
    made.people.require_two_people()
    return made


def acting(ws: Workspace, session: str) -> Actor:
    found = ws.people.session_actor(session)
    assert found is not None
    return found


def acting_by_password(ws: Workspace, name: str) -> Actor:
    return acting(ws, ws.people.sign_in_by_password(name, OTHER))


def ask(ws: Workspace, name: str = "people") -> int:
    """A request that waits for a reviewer."""
    ws.add_population(name, unit="person", neighbors="add_remove", epsilon=1, actor=ADA)
    return ws.populations.requests(actor=ADA)[-1].id


def later(ws: Workspace, **ago: Any) -> None:
    """Makes every session older, as if so much time had passed."""
    moved = timedelta(**ago)
    with ws._state.database.writing() as connection:
        for key, shown, used in connection.execute("SELECT token_hash, shown, used FROM sessions").fetchall():
            old = [(datetime.fromisoformat(at) - moved).isoformat(timespec="microseconds") for at in (shown, used)]
            values = [at.replace("+00:00", "Z") for at in old]
            connection.execute("UPDATE sessions SET shown = ?, used = ? WHERE token_hash = ?", [*values, key])


class TestAnAdministratorCannotSignInAsSomebodyUnnoticed:
    def test_an_invitation_changes_nobody_who_is_there(self, ws: Workspace) -> None:
        for name in ("rex", "ada"):
            with pytest.raises(InputError, match="invited before"):
                ws.people.invite(name, ["administrator"], actor=ADA)
        assert ws.people.get("rex").roles == {Role.REVIEWER}

    def test_a_disabled_person_is_not_revived_by_an_invitation(self, ws: Workspace) -> None:
        ws.people.disable("rex", actor=ADA)
        with pytest.raises(InputError, match="invited before"):
            ws.people.invite("rex", ["reviewer"], actor=ADA)
        with pytest.raises(InputError, match="disabled"):
            ws.people.get("rex")
        with pytest.raises(InputError, match="disabled"):
            ws.people.sign_in_link(Actor("rex", frozenset({Role.REVIEWER})))

    def test_a_reset_ends_everything_and_is_told(self, ws: Workspace) -> None:
        session = ws.people.sign_in_by_password("rex", PASSWORD)
        rex = acting(ws, session)
        _, secret = ws.people.create_token("script", operations=["requests"], actor=rex)
        link = ws.people.reset("rex", actor=ADA)
        assert ws.people.session_actor(session) is ws.people.token_actor(secret) is None
        with pytest.raises(AccessError):
            ws.people.sign_in_by_password("rex", PASSWORD)
        back = acting(ws, ws.people.sign_in(link))
        assert back == rex, "the roles are as they were"
        news = [each for each in ws.people.news(actor=back) if each.kind == "reset"]
        assert [(each.by_whom, each.seen) for each in news] == [("ada", None)]
        event = ws.ledger.events(actor=ADA)[-2]
        assert (event.kind, event.actor, event.body) == ("person_reset", "ada", {"name": "rex"})

    def test_a_reset_is_told_of_until_its_person_was_told(self, ws: Workspace) -> None:
        """ada resets rex, acts as rex, and says that rex was told; rex gets another link later."""
        as_rex = acting(ws, ws.people.sign_in(ws.people.reset("rex", actor=ADA)))
        ws.people.see_news(ws.people.news(actor=as_rex)[0].id, actor=as_rex)
        rex = acting(ws, ws.people.sign_in(ws.people.reset("rex", actor=OWNER)))
        assert [each.by_whom for each in ws.people.news(actor=rex) if each.kind == "reset" and not each.seen] == [
            "owner",
            "ada",
        ]

    def test_whoever_reset_somebody_cannot_take_the_notice_away(self, ws: Workspace) -> None:
        """ada sets a password as rex and signs in by it; a link from the terminal is somebody else's."""
        as_rex = acting(ws, ws.people.sign_in(ws.people.reset("rex", actor=ADA)))
        ws.people.set_password(OTHER, actor=as_rex)
        as_rex = acting_by_password(ws, "rex")

        def untold(rex: Actor) -> list[str | None]:
            news = ws.people.news(actor=rex)
            ws.people.see_news(max(each.id for each in news), actor=rex)
            left = [each for each in ws.people.news(actor=rex) if not each.seen]
            assert all(stays(each, rex) for each in left)
            return [each.by_whom for each in left]

        assert untold(as_rex) == ["ada"]
        assert untold(acting(ws, ws.people.sign_in(ws.people.sign_in_link(ws.people.get("rex"))))) == []

    def test_another_administrator_who_resets_takes_the_notice_away(self, ws: Workspace) -> None:
        ws.people.invite("bea", ["administrator"], actor=OWNER)
        ws.people.reset("rex", actor=ADA)
        rex = acting(ws, ws.people.sign_in(ws.people.reset("rex", actor=ws.people.get("bea"))))
        ws.people.see_news(ws.people.news(actor=rex)[0].id + 9, actor=rex)
        left = [each.by_whom for each in ws.people.news(actor=rex) if each.kind == "reset" and not each.seen]
        assert left == ["bea"]

    def test_what_is_approved_after_a_reset_is_marked(self, ws: Workspace) -> None:
        request = ask(ws)
        as_rex = acting(ws, ws.people.sign_in(ws.people.reset("rex", actor=ADA)))
        ws.populations.approve_request(request, actor=as_rex)
        told = next(each for each in ws.ledger.events(actor=ADA) if each.kind == "request_approved")
        assert told.body["access"] == {"way": "link", "issued": "reset", "by": "ada"}
        ws.people.set_password(OTHER, actor=as_rex)
        again = acting(ws, ws.people.sign_in_by_password("rex", OTHER))
        ws.populations.approve_request(ask(ws, "others"), actor=again)
        told = [each for each in ws.ledger.events(actor=ADA) if each.kind == "request_approved"][-1]
        assert told.body["access"] == {"way": "password", "issued": "reset", "by": "ada"}

    def test_a_token_decides_nothing_for_whoever_made_it(self, ws: Workspace) -> None:
        as_rex = acting(ws, ws.people.sign_in(ws.people.reset("rex", actor=ADA)))
        with pytest.raises(InputError, match="approve_request"):
            ws.people.create_token("one", operations=["create_token", "approve_request"], actor=as_rex)

    def test_a_reset_is_told_of_whatever_was_done_since(self, ws: Workspace) -> None:
        as_rex = acting(ws, ws.people.sign_in(ws.people.reset("rex", actor=ADA)))
        for number in range(account_news.MOST + 1):
            ws.people.create_token(f"noise {number}", operations=["requests"], actor=as_rex)
        assert [each.kind for each in ws.people.news(actor=as_rex)][:2] == ["reset", "token"]

    def test_a_reset_while_somebody_signs_in_keeps_them_out(
        self, ws: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The old password fits when it is looked at; by the time a session would begin it has ended."""
        fits = passwords._fits

        def slowly(hashed: str, password: str) -> bool:
            found = fits(hashed, password)
            ws.people.reset("rex", actor=ADA)
            return found

        monkeypatch.setattr(passwords, "_fits", slowly)
        with pytest.raises(AccessError):
            ws.people.sign_in_by_password("rex", PASSWORD)
        assert ws.people.sessions("rex", actor=ADA) == []

    def test_who_is_disabled_meanwhile_begins_no_session(self, ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        roles, of_subject = frozenset({Role.REVIEWER}), people.of_subject

        def slowly(*given: Any) -> Actor:
            found = of_subject(*given)
            ws.people.disable("bea", actor=ADA)
            return found

        monkeypatch.setattr(people, "of_subject", slowly)
        with pytest.raises(AccessError, match="disabled"):
            ws.people.sign_in_by_provider("https://id.example|7", "bea", roles)
        ws.people.enable("bea", actor=ADA)
        assert ws.people.sessions("bea", actor=ADA) == []

    def test_a_raised_cap_carries_the_mark_of_its_approval(self, ws: Workspace) -> None:
        ws.populations.approve_request(ask(ws), actor=acting(ws, ws.people.sign_in_by_password("rex", PASSWORD)))
        ws.populations.raise_cap("people", epsilon=2, reason="more", actor=ADA)
        as_rex = acting(ws, ws.people.sign_in(ws.people.reset("rex", actor=ADA)))
        ws.populations.approve_request(ws.populations.requests(actor=ADA)[-1].id, actor=as_rex)
        told = next(each for each in ws.ledger.events(actor=ADA) if each.kind == "cap_raised")
        assert told.body["access"] == {"way": "link", "issued": "reset", "by": "ada"}

    def test_a_password_of_ones_own_leaves_no_mark(self, ws: Workspace) -> None:
        ws.populations.approve_request(ask(ws), actor=acting(ws, ws.people.sign_in_by_password("rex", PASSWORD)))
        told = next(each for each in ws.ledger.events(actor=ADA) if each.kind == "request_approved")
        assert "access" not in told.body

    def test_an_invitation_used_by_another_is_marked(self, ws: Workspace) -> None:
        as_eva = acting(ws, ws.people.sign_in(ws.people.invite("eva", ["reviewer"], actor=ADA)))
        ws.populations.approve_request(ask(ws), actor=as_eva)
        told = next(each for each in ws.ledger.events(actor=ADA) if each.kind == "request_approved")
        assert told.body["access"] == {"way": "link", "issued": "invitation", "by": "ada"}

    def test_a_marked_approval_of_a_plan_is_told_to_reviewers(self, tmp_path: Any) -> None:
        team = world.solo(tmp_path / "home")
        plan_id = team.plans.submit(world.plan(), actor=OWNER)
        as_eva = acting(team, team.people.sign_in(team.people.invite("eva", ["reviewer"])))
        team.plans.approve(plan_id, actor=as_eva)
        assert [each.access for each in team.plans.decisions(plan_id)] == [
            {"way": "link", "issued": "invitation", "by": "owner"}
        ]
        assert "eva, let in by a link from owner" in team.ledger.audit_report("people").html()

    def test_a_new_link_ends_the_ones_before(self, ws: Workspace) -> None:
        first = ws.people.invite("eva", ["reviewer"], actor=ADA)
        second = ws.people.reset("eva", actor=ADA)
        third = ws.people.sign_in_link(ws.people.get("eva"))
        for link in (first, second):
            with pytest.raises(AccessError, match="link"):
                ws.people.sign_in(link)
        assert acting(ws, ws.people.sign_in(third)).name == "eva"

    def test_nobody_resets_the_owner_or_whom_a_provider_vouches_for(self, ws: Workspace) -> None:
        ws.people.sign_in_by_provider("https://id.example|7", "bea", frozenset({Role.REVIEWER}))
        for name, why in (("owner", "owner"), ("bea", "identity provider"), ("nobody", "invited")):
            with pytest.raises(InputError, match=why):
                ws.people.reset(name, actor=ADA)

    def test_other_sign_ins_and_changes_are_told(self, ws: Workspace) -> None:
        here = ws.people.sign_in_by_password("rex", PASSWORD)
        ws.people.sign_in_by_password("rex", PASSWORD)
        ws.people.set_roles("rex", ["reviewer", "curator"], actor=ADA)
        rex = acting(ws, here)
        assert rex.session is not None
        told = [
            (each.kind, each.by_whom)
            for each in ws.people.news(actor=rex)
            if each.session != rex.session.key and not each.seen
        ]
        assert told[0] == ("roles", "ada")
        assert told[-1] == ("sign_in", None), "what changed stands above who came"
        ws.people.see_news(ws.people.news(actor=rex)[0].id, actor=rex)
        assert all(each.seen for each in ws.people.news(actor=rex))


class TestDecidingAsksAnewWhoOneIs:
    def test_five_minutes_after_the_sign_in_the_password_is_asked_for(self, ws: Workspace) -> None:
        rex = acting(ws, ws.people.sign_in_by_password("rex", PASSWORD))
        later(ws, minutes=4)
        ws.populations.approve_request(ask(ws), actor=rex)
        later(ws, minutes=2)
        request = ask(ws, "others")
        with pytest.raises(ConfirmationError) as refused:
            ws.populations.approve_request(request, actor=rex)
        assert refused.value.way == "password"
        with pytest.raises(AccessError):
            ws.people.confirm("wrong", actor=rex)
        with pytest.raises(ConfirmationError):
            ws.populations.approve_request(request, actor=rex)
        ws.people.confirm(PASSWORD, actor=rex)
        assert ws.populations.approve_request(request, actor=rex).state == "approved"

    def test_every_such_operation_asks_before_it_looks_at_anything(self, ws: Workspace) -> None:
        everything = ws.people.sign_in(ws.people.invite("eve", [role.value for role in Role], actor=OWNER))
        eve = acting(ws, everything)
        ws.people.set_password(OTHER, actor=eve)
        later(ws, minutes=6)
        for operation in sorted(ANEW):
            with pytest.raises(ConfirmationError):
                ws._act(operation, eve)
        for operation in sorted(PERMISSIONS.keys() - ANEW):
            ws._act(operation, eve)

    def test_the_document_names_them(self) -> None:
        text = (Path(__file__).parents[2] / "docs" / "security.md").read_text()
        listed = text.partition("(a sign-in counts):")[2].partition(".\n\n")[0]
        assert set(re.findall(r"`(\w+)`", listed)) == ANEW

    def test_in_a_team_a_link_alone_is_not_enough(self, ws: Workspace) -> None:
        eva = acting(ws, ws.people.sign_in(ws.people.invite("eva", ["reviewer"], actor=ADA)))
        later(ws, minutes=6)
        with pytest.raises(ConfirmationError) as refused:
            ws.populations.approve_request(ask(ws), actor=eva)
        assert refused.value.way == "link"
        later(ws, minutes=55)
        with pytest.raises(ConfirmationError):
            ws.people.set_password(OTHER, actor=eva)  # a stolen cookie makes no password

    def test_the_owner_of_a_solo_workspace_needs_no_password(self) -> None:
        solo = Workspace.in_memory()
        solo.add_population("people", unit="person", neighbors="add_remove", epsilon=1)
        owner = acting(solo, solo.people.sign_in(solo.people.sign_in_link()))
        later(solo, minutes=30)
        solo.populations.raise_cap("people", epsilon=2, reason="more", actor=owner)
        solo.people.set_password(PASSWORD, actor=owner)
        with pytest.raises(ConfirmationError):
            solo.populations.raise_cap("people", epsilon=3, reason="more", actor=owner)

    def test_the_provider_vouches_anew_for_the_same_session(self, ws: Workspace) -> None:
        roles = frozenset({Role.REVIEWER})
        session = ws.people.sign_in_by_provider("https://id.example|7", "bea", roles)
        bea = acting(ws, session)
        later(ws, minutes=6)
        request = ask(ws)
        with pytest.raises(ConfirmationError) as refused:
            ws.populations.approve_request(request, actor=bea)
        assert refused.value.way == "provider"
        other = ws.people.sign_in_by_provider("https://id.example|8", "bob", roles, again=session)
        assert other != session, "somebody else shows nothing of bea"
        with pytest.raises(ConfirmationError):
            ws.populations.approve_request(request, actor=bea)
        assert ws.people.sign_in_by_provider("https://id.example|7", "bea", roles, again=session) == session
        ws.populations.approve_request(request, actor=bea)

    def test_who_was_signed_in_there_for_hours_shows_nothing_by_coming_back(self, ws: Workspace) -> None:
        """An unlocked screen can be sent to the provider, which asks for nothing; it says when it last did."""
        bea, request = ("https://id.example|7", "bea", frozenset({Role.REVIEWER})), ask(ws)
        now = datetime.now(UTC)
        for shown in (None, now - timedelta(hours=3), now - timedelta(minutes=6)):
            with pytest.raises(ConfirmationError):
                ws.populations.approve_request(
                    request, actor=acting(ws, ws.people.sign_in_by_provider(*bea, shown=shown))
                )
        for shown in (now - timedelta(minutes=4), now + timedelta(hours=1)):
            session = ws.people.sign_in_by_provider(*bea, shown=shown)
        later(ws, minutes=6)
        with pytest.raises(ConfirmationError):  # a clock that goes wrong there opens nothing for longer
            ws.populations.approve_request(request, actor=acting(ws, session))
        ws.populations.approve_request(request, actor=acting(ws, ws.people.sign_in_by_provider(*bea, shown=now)))

    def test_whom_a_provider_vouches_for_has_no_password_here(self, ws: Workspace) -> None:
        """Who leaves there is out here: a password of their own would let them in again."""
        session = ws.people.sign_in_by_provider("https://id.example|7", "bea", frozenset({Role.REVIEWER}))
        with pytest.raises(InputError, match="identity provider"):
            ws.people.set_password(OTHER, actor=acting(ws, session))
        with pytest.raises(AccessError):
            ws.people.sign_in_by_password("bea", OTHER)

    def test_a_stolen_session_guesses_no_faster_than_a_stranger(self, ws: Workspace) -> None:
        rex = acting(ws, ws.people.sign_in_by_password("rex", PASSWORD))
        for guess in range(tries.FREE_FAILURES):
            with pytest.raises(AccessError):
                ws.people.set_password(OTHER, old=f"guess {guess}", actor=rex)
        with pytest.raises(AccessError):
            ws.people.set_password(OTHER, old=PASSWORD, actor=rex)
        assert [each.count for each in ws.people.sign_in_failures(actor=ADA)] == [tries.FREE_FAILURES + 1]

    def test_a_new_password_ends_links_and_an_ended_session_sets_none(self, ws: Workspace) -> None:
        link = ws.people.sign_in_link(ws.people.get("rex"))
        rex = acting(ws, ws.people.sign_in_by_password("rex", PASSWORD))
        ws.people.set_password(OTHER, old=PASSWORD, actor=rex)
        with pytest.raises(AccessError):
            ws.people.sign_in(link)
        assert rex.session is not None
        ws.people.revoke_session(rex.session.key[:12], of="rex", actor=ADA)
        with pytest.raises(AccessError, match="ended"):
            ws.people.set_password(PASSWORD, old=OTHER, actor=rex)

    def test_an_unused_session_is_over(self, ws: Workspace) -> None:
        session = ws.people.sign_in_by_password("rex", PASSWORD)
        later(ws, minutes=119)
        assert ws.people.session_actor(session) is not None
        later(ws, minutes=119)
        assert ws.people.session_actor(session) is not None, "it was used meanwhile"
        later(ws, minutes=121)
        assert ws.people.session_actor(session) is None
        assert [each for each in ws.people.sessions("rex", actor=ADA) if each.way == "password"] == []


class TestTokens:
    @pytest.fixture
    def rex(self, ws: Workspace) -> Actor:
        return acting(ws, ws.people.sign_in_by_password("rex", PASSWORD))

    def test_none_outlives_the_one_that_made_it(self, ws: Workspace, rex: Actor) -> None:
        parent, secret = ws.people.create_token("keys", operations=["create_token", "requests"], days=1, actor=rex)
        child, inner = ws.people.create_token(
            "child", operations=["create_token", "requests"], days=366, actor=ws.people.token_actor(secret)
        )
        grandchild, innermost = ws.people.create_token(
            "grandchild", operations=["requests"], days=366, actor=ws.people.token_actor(inner)
        )
        assert parent.expires == child.expires == grandchild.expires
        assert (child.parent, grandchild.parent) == (parent.id, child.id)
        ws.people.revoke_token(parent.id, actor=rex)
        assert ws.people.token_actor(inner) is ws.people.token_actor(innermost) is None

    def test_none_makes_another_after_it_ended(self, ws: Workspace, rex: Actor) -> None:
        parent, secret = ws.people.create_token("keys", operations=["create_token"], actor=rex)
        held = ws.people.token_actor(secret)
        ws.people.revoke_token(parent.id, actor=rex)
        with pytest.raises(AccessError, match="ended"):
            ws.people.create_token("child", operations=["create_token"], actor=held)

    def test_none_touches_accounts(self, ws: Workspace, rex: Actor) -> None:
        for operation in sorted(NEVER_BY_TOKEN & PERMISSIONS.keys()):
            with pytest.raises(InputError):
                ws.people.create_token("more", operations=[operation], actor=rex)
        old = Actor("rex", rex.roles, frozenset(NEVER_BY_TOKEN), "an-id")
        with pytest.raises(AccessError, match="not for"):
            ws.people.set_password(OTHER, old=PASSWORD, actor=old)

    def test_none_ends_others(self, ws: Workspace, rex: Actor) -> None:
        other, _ = ws.people.create_token("other", operations=["requests"], actor=rex)
        own, secret = ws.people.create_token("own", operations=["revoke_token"], actor=rex)
        held = ws.people.token_actor(secret)
        with pytest.raises(InputError):
            ws.people.revoke_token(other.id, actor=held)
        ws.people.revoke_token(own.id, actor=held)
        assert ws.people.token_actor(secret) is None

    def test_a_new_password_ends_them_where_asked(self, ws: Workspace, rex: Actor) -> None:
        _, secret = ws.people.create_token("script", operations=["requests"], actor=rex)
        ws.people.set_password(OTHER, old=PASSWORD, actor=rex)
        assert ws.people.token_actor(secret) is not None
        ws.people.set_password(PASSWORD, old=OTHER, end_tokens=True, actor=rex)
        assert ws.people.token_actor(secret) is None
        assert ws.people.session_actor("") is None

    def test_uses_are_counted_beside_the_ledger(self, ws: Workspace, rex: Actor) -> None:
        _, secret = ws.people.create_token("script", operations=["requests"], actor=rex)
        before = ws.ledger.count(actor=ADA)
        for _ in range(3):
            ws.people.token_actor(secret)
        (found,) = ws.people.tokens(actor=rex)
        assert (found.uses, found.used is not None) == (3, True)
        assert ws.ledger.count(actor=ADA) == before


class TestFailedSignIns:
    def test_they_are_counted_and_leave_the_ledger_alone(self, ws: Workspace) -> None:
        before = ws.ledger.count(actor=ADA)
        for name in ("rex", "rex", "nobody", "a password typed too early", "another one"):
            with pytest.raises(AccessError):
                ws.people.sign_in_by_password(name, "wrong")
        ws.people.note_failed_visit()
        assert ws.ledger.count(actor=ADA) == before
        found = {(each.name, each.way): each.count for each in ws.people.sign_in_failures(actor=ADA)}
        assert found == {("", "password"): 3, ("", "provider"): 1, ("rex", "password"): 2}

    def test_they_are_forgotten_after_90_days(self, ws: Workspace) -> None:
        database = ws._state.database
        old = (datetime.now(UTC).date() - timedelta(days=91)).isoformat()
        with database.writing() as connection:
            connection.execute("INSERT INTO sign_in_failures VALUES (?, 'rex', 'password', 7)", [old])
        tries.note(database, "", "provider")
        assert [each.name for each in tries.every(database)] == [""]

    @pytest.mark.full
    def test_many_at_a_time_try_no_more_passwords_than_one_after_another(
        self, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ws = world.solo(tmp_path / "home")
        ws.people.set_password(PASSWORD, actor=acting(ws, ws.people.sign_in(ws.people.invite("rex", ["reviewer"]))))
        known = passwords._nobody()
        tried: list[str] = []
        together = threading.Barrier(8)
        fits = passwords._fits

        def counting(hashed: str, password: str) -> bool:
            if hashed != known:
                tried.append(password)
            return fits(hashed, password)

        monkeypatch.setattr(passwords, "_fits", counting)

        def guess(number: int) -> None:
            together.wait(timeout=300)
            with pytest.raises(AccessError):
                ws.people.sign_in_by_password("rex", f"wrong {number}")

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(guess, range(40)))
        assert len(tried) <= tries.FREE_FAILURES + 1


def test_news_are_of_ones_own_account(ws: Workspace) -> None:
    rex = acting(ws, ws.people.sign_in_by_password("rex", PASSWORD))
    assert {each.kind for each in ws.people.news(actor=rex)} == {"sign_in", "password"}
    assert account_news.of_person(ws._state.database, "ada") == []
    assert sessions.person_of_link(ws._state.database, "made-up") is None
    assert tokens.of_person(ws._state.database, "rex") == []
