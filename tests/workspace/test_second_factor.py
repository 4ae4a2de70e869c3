"""A code beside the password: taken once, counted like passwords, asked for before anything else, ended by a reset."""

from __future__ import annotations

import base64
import multiprocessing
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyotp
import pytest

from dprelease.errors import AccessError, ConfirmationError, InputError, IntegrityError
from dprelease.model.actor import OWNER, Actor, Role
from dprelease.store import second_factor, sessions, tries
from dprelease.store.tries import Guesser
from dprelease.workspace import Workspace
from dprelease.workspace.access import ANEW, FIRST, PERMISSIONS
from tests.codes import STEP, steady_codes

PASSWORD = "correct horse battery"
OTHER = "staple of another kind"
ADA = Actor("ada", frozenset({Role.ADMINISTRATOR, Role.CURATOR}))


@pytest.fixture(autouse=True)
def _steady(request: pytest.FixtureRequest) -> Iterator[None]:
    """But where codes are those of the standard."""
    if "as_they_are" in request.fixturenames:
        yield
        return
    with steady_codes():
        yield


@pytest.fixture
def as_they_are() -> None:
    """Of half a minute each."""


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Workspace]:
    """Of a team: ada administers and makes plans, rex reviews and has a password."""
    made = Workspace.create(tmp_path / "home")
    made.people.invite("ada", ["administrator", "curator"])
    rex = acting(made, made.people.sign_in(made.people.invite("rex", ["reviewer"])))
    made.people.set_password(PASSWORD, actor=rex)
    made.people.require_two_people()
    yield made
    made._state.database.close()


@pytest.fixture
def secret(ws: Workspace) -> str:
    """Of rex, whose second factor is on."""
    return turn_on(ws, rex(ws))[0]


def turn_on(ws: Workspace, actor: Actor) -> tuple[str, list[str]]:
    """Some steps ago, so that no present code was taken."""
    secret, earlier = ws.people.prepare_second_factor(actor=actor).secret, datetime.now(UTC) - 10 * STEP
    code, key = pyotp.TOTP(secret).at(earlier), ws._state.codes_key
    with ws._state.database.writing() as connection:
        codes = second_factor.turn_on_within(connection, code, key, actor=actor, now=earlier)
    assert codes is not None
    return secret, codes


def rex(ws: Workspace) -> Actor:
    return acting(ws, ws.people.sign_in_by_password("rex", PASSWORD))


def acting(ws: Workspace, session: str) -> Actor:
    found = ws.people.session_actor(session)
    assert found is not None
    return found


def code_of(secret: str, steps: int = 0) -> str:
    return pyotp.TOTP(secret).at(datetime.now(UTC), counter_offset=steps)


def wrong(secret: str) -> str:
    near = {code_of(secret, steps) for steps in range(-3, 4)}
    return next(f"{number:06}" for number in range(10) if f"{number:06}" not in near)


def states(ws: Workspace) -> tuple[int, str | None]:
    with ws._state.database.reading() as connection:
        row = connection.execute(
            "SELECT failures, locked_until FROM tries WHERE name = 'rex' AND known IS NOT NULL"
        ).fetchone()
    return row[0], row[1]


def kinds(ws: Workspace) -> list[str]:
    return [event.kind for event in ws.ledger.events(actor=ADA)]


class TestSigningIn:
    def test_a_password_alone_opens_nothing(self, ws: Workspace, secret: str) -> None:
        before = kinds(ws)
        half = ws.people.sign_in_by_password("rex", PASSWORD)
        assert ws.people.awaits_code(half) == "rex"
        assert ws.people.session_actor(half) is ws.people.token_actor(half) is None
        assert kinds(ws) == before, "nobody signed in"
        session = ws.people.sign_in_by_code(half, code_of(secret))
        assert session != half
        assert acting(ws, session).roles == {Role.REVIEWER}
        assert ws.ledger.events(actor=ADA)[-1].body == {"way": "password", "second": "code"}
        assert ws.people.awaits_code(half) is None
        with pytest.raises(AccessError):
            ws.people.sign_in_by_code(half, code_of(secret, 1))

    def test_a_link_alone_opens_nothing_either(self, ws: Workspace, secret: str) -> None:
        half = ws.people.sign_in(ws.people.sign_in_link(ws.people.get("rex")))
        assert ws.people.session_actor(half) is None
        assert acting(ws, ws.people.sign_in_by_code(half, code_of(secret))).name == "rex"
        assert ws.ledger.events(actor=ADA)[-1].body == {"second": "code"}

    def test_without_a_second_factor_nothing_changes(self, ws: Workspace) -> None:
        assert ws.people.awaits_code(ws.people.sign_in_by_password("rex", PASSWORD)) is None
        assert ws.ledger.events(actor=ADA)[-1].body == {"way": "password"}

    def test_half_a_sign_in_is_over_after_ten_minutes(self, ws: Workspace, secret: str) -> None:
        half, database = ws.people.sign_in_by_password("rex", PASSWORD), ws._state.database
        for minutes, name in ((9, "rex"), (11, None)):
            now = datetime.now(UTC) + timedelta(minutes=minutes)
            assert sessions.person_of_half(database, half, now=now) == name
        late = datetime.now(UTC) + timedelta(minutes=11)
        with pytest.raises(AccessError):
            sessions.finish(database, half, pyotp.TOTP(secret).at(late), ws._state.codes_key, now=late)

    @pytest.mark.parametrize("ending", ["reset", "disable", "set_password"])
    def test_half_a_sign_in_ends_with_what_it_stood_on(self, ws: Workspace, secret: str, ending: str) -> None:
        half = ws.people.sign_in_by_password("rex", PASSWORD)
        if ending == "set_password":
            ws.people.set_password(OTHER, old=PASSWORD, actor=ws.people.get("rex"))
        else:
            getattr(ws.people, ending)("rex", actor=ADA)
        assert ws.people.awaits_code(half) is None
        with pytest.raises(AccessError):
            ws.people.sign_in_by_code(half, code_of(secret))

    def test_whom_a_provider_vouches_for_is_not_asked(self, ws: Workspace) -> None:
        ws.people.require_second_factor(["reviewer"], actor=ADA)
        session = ws.people.sign_in_by_provider("https://id.example|7", "bea", frozenset({Role.REVIEWER}))
        assert acting(ws, session).roles == {Role.REVIEWER}


class TestACodeIsTakenOnce:
    def test_not_twice_in_its_window(self, ws: Workspace, secret: str) -> None:
        code = code_of(secret)
        ws.people.sign_in_by_code(ws.people.sign_in_by_password("rex", PASSWORD), code)
        for again in (code, code_of(secret, -1)):
            with pytest.raises(AccessError):
                ws.people.sign_in_by_code(ws.people.sign_in_by_password("rex", PASSWORD), again)
        ws.people.sign_in_by_code(ws.people.sign_in_by_password("rex", PASSWORD), code_of(secret, 1))

    @pytest.mark.parametrize("steps", range(-3, 4))
    def test_clocks_may_differ_by_one_step(self, ws: Workspace, secret: str, steps: int) -> None:
        now = datetime.now(UTC)
        code = pyotp.TOTP(secret).at(now, counter_offset=steps)
        with ws._state.database.writing() as connection:
            taken = second_factor.check_within(connection, "rex", code, ws._state.codes_key, Guesser.at(""), now)
        assert taken == ("code" if abs(steps) <= 1 else None)

    @pytest.mark.parametrize(("second", "code"), [(59, "287082"), (1111111109, "081804"), (20000000000, "353130")])
    def test_codes_are_those_of_the_standard(self, ws: Workspace, as_they_are: None, second: int, code: str) -> None:
        """RFC 6238, appendix B, for SHA-1; the last six digits, as every authenticator shows them."""
        sealed = ws._state.codes_key.encrypt(base64.b32encode(b"12345678901234567890")).decode()
        with ws._state.database.writing() as connection:
            row = ["rex", sealed, "", "", 0]
            connection.execute("INSERT INTO second_factors VALUES (?, ?, ?, ?, ?)", row)
            at = datetime.fromtimestamp(second, UTC)
            key, guesser = ws._state.codes_key, Guesser.at("")
            assert second_factor.check_within(connection, "rex", code, key, guesser, at) == "code"

    @pytest.mark.full
    def test_of_two_processes_one_takes_it(self, ws: Workspace, secret: str) -> None:
        halves = [ws.people.sign_in_by_password("rex", PASSWORD) for _ in range(4)]
        context = multiprocessing.get_context("spawn")
        code, home = code_of(secret), str(ws.home)
        with context.Pool(2) as pool:
            taken = pool.starmap(_try, [(home, half, code) for half in halves])
        assert sorted(taken) == [False, False, False, True]

    def test_a_recovery_code_works_once_and_is_told(self, ws: Workspace) -> None:
        person = rex(ws)
        _, codes = turn_on(ws, person)
        assert len(set(codes)) == 10
        typed = codes[3].upper().replace("-", " ")
        session = ws.people.sign_in_by_code(ws.people.sign_in_by_password("rex", PASSWORD), typed)
        assert ws.ledger.events(actor=ADA)[-1].body == {"way": "password", "second": "recovery"}
        with pytest.raises(AccessError):
            ws.people.sign_in_by_code(ws.people.sign_in_by_password("rex", PASSWORD), codes[3])
        told = [each for each in ws.people.news(actor=acting(ws, session)) if each.kind == "recovery_code_used"]
        assert [each.detail for each in told] == ["9"]
        assert ws.people.second_factor(actor=person).recovery_codes == 9

    def test_new_recovery_codes_end_the_old_ones(self, ws: Workspace) -> None:
        person = rex(ws)
        secret, old = turn_on(ws, person)
        new = ws.people.renew_recovery_codes(PASSWORD, code_of(secret), actor=person)
        with pytest.raises(AccessError):
            ws.people.sign_in_by_code(ws.people.sign_in_by_password("rex", PASSWORD), old[0])
        ws.people.sign_in_by_code(ws.people.sign_in_by_password("rex", PASSWORD), new[0])


def _try(home: str, half: str, code: str) -> bool:
    with steady_codes():
        try:
            Workspace.open(home).people.sign_in_by_code(half, code)
        except AccessError:
            return False
    return True


class TestWrongOnesCount:
    def test_like_wrong_passwords_and_with_them(self, ws: Workspace, secret: str) -> None:
        half = ws.people.sign_in_by_password("rex", PASSWORD)
        for _ in range(3):
            with pytest.raises(AccessError):
                ws.people.sign_in_by_code(half, wrong(secret))
        for _ in range(2):
            with pytest.raises(AccessError):
                ws.people.sign_in_by_password("rex", "wrong")
        for known in (code_of(secret), code_of(secret, 1)):
            with pytest.raises(AccessError, match="wait"):
                ws.people.sign_in_by_code(half, known)
        with pytest.raises(AccessError, match="wait"):
            ws.people.sign_in_by_password("rex", PASSWORD)
        counted = {(each.name, each.way): each.count for each in ws.people.sign_in_failures(actor=ADA)}
        assert counted == {("rex", "code"): 5, ("rex", "password"): 3}

    def test_a_known_password_gives_no_new_tries(self, ws: Workspace, secret: str) -> None:
        """Whoever has the password guesses codes, and signs in by it between two guesses."""
        tried = 0
        for _ in range(20):
            try:
                half = ws.people.sign_in_by_password("rex", PASSWORD)
            except AccessError:
                break
            with pytest.raises(AccessError):
                ws.people.sign_in_by_code(half, wrong(secret))
            tried += 1
        assert tried == tries.FREE_FAILURES

    def test_a_right_password_keeps_nobody_from_their_code(self, ws: Workspace, secret: str) -> None:
        """After many wrong tries and the wait, the right password and the right code let in at once."""
        with ws._state.database.writing() as connection:
            past = "2026-01-01T00:00:00.000000Z"
            connection.execute("UPDATE tries SET failures = 9, locked_until = ? WHERE name = 'rex'", [past])
        half = ws.people.sign_in_by_password("rex", PASSWORD)
        assert states(ws) == (9, past)
        acting(ws, ws.people.sign_in_by_code(half, code_of(secret)))
        assert states(ws) == (0, None)

    def test_a_wait_that_another_try_set_is_not_taken_back(self, ws: Workspace, secret: str) -> None:
        now = datetime.now(UTC)
        with ws._state.database.writing() as connection:
            connection.execute("UPDATE tries SET failures = 3 WHERE name = 'rex'")
            mine = tries.take_within(connection, "rex", Guesser.at(""), now)
            other = tries.take_within(connection, "rex", Guesser.at(""), now)
            assert mine is not None
            assert other is not None
            tries.give_back_within(connection, mine)
        assert states(ws) == (4, other.own.until)

    def test_nonsense_is_a_wrong_code(self, ws: Workspace, secret: str) -> None:
        for nonsense in ("", "x" * 10_000, "１２３４５６", "\ud800", "12345", "-1"):
            with ws._state.database.writing() as connection:
                connection.execute("UPDATE tries SET failures = 0, locked_until = NULL")
            with pytest.raises(AccessError):
                ws.people.sign_in_by_code(ws.people.sign_in_by_password("rex", PASSWORD), nonsense)
            assert states(ws)[0] == 1, nonsense


class TestTurningItOnAndOff:
    def test_takes_the_password_and_a_code(self, ws: Workspace) -> None:
        person, stays = rex(ws), ws.people.sign_in_by_password("rex", PASSWORD)
        secret = ws.people.prepare_second_factor(actor=person).secret
        assert ws.people.awaits_code(ws.people.sign_in_by_password("rex", PASSWORD)) is None, "it is not on yet"
        for password, code in (("wrong", code_of(secret)), (PASSWORD, wrong(secret)), (PASSWORD, "x")):
            with pytest.raises(AccessError):
                ws.people.turn_on_second_factor(password, code, actor=person)
        assert ws.people.session_actor(stays) is not None
        ws.people.turn_on_second_factor(PASSWORD, code_of(secret), actor=person)
        assert ws.people.session_actor(stays) is None, "other sessions gave no code"
        assert ws.people.second_factor(actor=person).since is not None
        with pytest.raises(InputError, match="Turn that one off"):
            ws.people.prepare_second_factor(actor=person)

    def test_off_takes_both_too(self, ws: Workspace, secret: str) -> None:
        person = ws.people.get("rex")
        for password, code in (("wrong", code_of(secret)), (PASSWORD, wrong(secret))):
            with pytest.raises(AccessError):
                ws.people.turn_off_second_factor(password, code, actor=person)
        ws.people.turn_off_second_factor(PASSWORD, code_of(secret), actor=person)
        assert acting(ws, ws.people.sign_in_by_password("rex", PASSWORD)).name == "rex"
        assert kinds(ws)[-2] == "second_factor_off"

    def test_it_stands_beside_a_password(self, ws: Workspace) -> None:
        with pytest.raises(InputError, match="no password"):
            ws.people.prepare_second_factor(actor=ADA)

    def test_a_reset_ends_it_and_is_marked_and_told(self, ws: Workspace, secret: str) -> None:
        ws.add_population("people", unit="person", neighbors="add_remove", epsilon=1, actor=ADA)
        back = acting(ws, ws.people.sign_in(ws.people.reset("rex", actor=ADA)))
        assert ws.people.second_factor(actor=back).since is None
        assert [each.by_whom for each in ws.people.news(actor=back) if each.kind == "reset"] == ["ada"]
        ws.populations.approve_request(ws.populations.requests(actor=ADA)[-1].id, actor=back)
        told = next(each for each in ws.ledger.events(actor=ADA) if each.kind == "request_approved")
        assert told.body["access"] == {"way": "link", "issued": "reset", "by": "ada"}

    def test_the_mark_of_a_reset_goes_through_the_code(self, ws: Workspace) -> None:
        ws.add_population("people", unit="person", neighbors="add_remove", epsilon=1, actor=ADA)
        back = acting(ws, ws.people.sign_in(ws.people.reset("rex", actor=ADA)))
        ws.people.set_password(PASSWORD, actor=back)
        secret, _ = turn_on(ws, back)
        person = acting(ws, ws.people.sign_in_by_code(ws.people.sign_in_by_password("rex", PASSWORD), code_of(secret)))
        ws.populations.approve_request(ws.populations.requests(actor=ADA)[-1].id, actor=person)
        told = next(each for each in ws.ledger.events(actor=ADA) if each.kind == "request_approved")
        assert told.body["access"] == {"way": "password", "issued": "reset", "by": "ada"}

    def test_the_owner_is_reset_from_the_terminal_alone(self, ws: Workspace) -> None:
        here = acting(ws, ws.people.sign_in(ws.people.sign_in_link()))
        for by in (ADA, here):
            with pytest.raises(InputError, match="owner"):
                ws.people.reset("owner", actor=by)
        assert acting(ws, ws.people.sign_in(ws.people.reset("owner", actor=OWNER))) == OWNER

    def test_deciding_asks_for_both_again(self, ws: Workspace, secret: str) -> None:
        person = acting(ws, ws.people.sign_in_by_code(ws.people.sign_in_by_password("rex", PASSWORD), code_of(secret)))
        with ws._state.database.writing() as connection:
            connection.execute("UPDATE sessions SET shown = '2026-01-01T00:00:00.000000Z'")
        for operation in sorted(ANEW & {name for name in PERMISSIONS if Role.REVIEWER in PERMISSIONS[name]}):
            with pytest.raises(ConfirmationError) as refused:
                ws._act(operation, person)
            assert refused.value.way == "code"
        for password, code in ((PASSWORD, ""), (PASSWORD, code_of(secret)), ("wrong", code_of(secret, 1))):
            with pytest.raises(AccessError):
                ws.people.confirm(password, code, actor=person)
            with pytest.raises(ConfirmationError):
                ws._act("approve", person)
        ws.people.confirm(PASSWORD, code_of(secret, 1), actor=person)
        ws._act("approve", person)


class TestRequiringIt:
    def test_who_has_none_can_do_nothing_but_set_it_up(self, ws: Workspace) -> None:
        session = ws.people.sign_in_by_password("rex", PASSWORD)
        ws.people.require_second_factor(["reviewer"], actor=ADA)
        person = acting(ws, session)
        assert person.roles == frozenset()
        public = {name for name, roles in PERMISSIONS.items() if not roles}
        for operation in sorted(PERMISSIONS):
            if operation in FIRST | public:
                ws._act(operation, person)
            else:
                with pytest.raises(AccessError):
                    ws._act(operation, person)
        assert ws.people.second_factor(actor=person).required
        turn_on(ws, person)
        assert acting(ws, session).roles == {Role.REVIEWER}

    def test_who_was_invited_sets_a_password_first(self, ws: Workspace) -> None:
        ws.people.require_second_factor(["reviewer"], actor=ADA)
        session = ws.people.sign_in(ws.people.invite("eva", ["reviewer"], actor=ADA))
        with pytest.raises(InputError, match="no password"):
            ws.people.prepare_second_factor(actor=acting(ws, session))
        ws.people.set_password(PASSWORD, actor=acting(ws, session))
        turn_on(ws, acting(ws, session))
        assert acting(ws, session).roles == {Role.REVIEWER}

    def test_other_roles_are_not_asked(self, ws: Workspace) -> None:
        ws.people.require_second_factor(["administrator"], actor=ADA)
        assert rex(ws).roles == {Role.REVIEWER}
        ws.people.set_roles("rex", ["reviewer", "administrator"], actor=ADA)
        assert rex(ws).roles == frozenset(), "a new role may need one"

    def test_it_is_decided_and_undone_by_events(self, ws: Workspace) -> None:
        ws.people.require_second_factor(["reviewer", "administrator"], actor=ADA)
        ws.people.require_second_factor(["administrator", "reviewer"], actor=ADA)
        assert ws.people.second_factor_roles(actor=ADA) == {Role.ADMINISTRATOR, Role.REVIEWER}
        ws.people.require_second_factor([], actor=ADA)
        told = [each.body["value"] for each in ws.ledger.events(actor=ADA) if each.kind == "policy_changed"]
        assert told == ["administrator reviewer", ""]
        assert rex(ws).roles == {Role.REVIEWER}

    def test_nobody_locks_themself_out(self, ws: Workspace) -> None:
        ada = acting(ws, ws.people.sign_in(ws.people.sign_in_link(ws.people.get("ada"))))
        with pytest.raises(InputError, match="of your own"):
            ws.people.require_second_factor(["administrator"], actor=ada)
        ws.people.require_second_factor(["reviewer"], actor=ada)

    def test_an_unknown_role_is_refused(self, ws: Workspace) -> None:
        with pytest.raises(InputError, match="roles"):
            ws.people.require_second_factor(["everybody"], actor=ADA)


class TestTheSecret:
    def test_a_copy_of_the_database_tells_no_secret(self, ws: Workspace) -> None:
        assert ws.home is not None
        person = rex(ws)
        secret, codes = turn_on(ws, person)
        ws._state.database.empty_log()
        stored = (ws.home / "ledger.db").read_bytes()
        assert pyotp.TOTP(secret).byte_secret() not in stored
        for told in (secret, *codes, *(code.replace("-", "") for code in codes)):
            assert told.encode() not in stored
        key = ws.home / "private" / "keys" / "second-factor.key"
        assert stat.S_IMODE(key.stat().st_mode) == 0o600

    def test_a_backup_has_the_key(self, ws: Workspace, secret: str, tmp_path: Path) -> None:
        copy = Workspace.restore(ws.ledger.backup(tmp_path / "copy", actor=ADA), tmp_path / "restored")
        half = copy.people.sign_in_by_password("rex", PASSWORD)
        assert copy.people.session_actor(copy.people.sign_in_by_code(half, code_of(secret))) is not None

    def test_without_its_key_nobody_is_let_in(self, ws: Workspace, secret: str) -> None:
        assert ws.home is not None
        (ws.home / "private" / "keys" / "second-factor.key").unlink()
        other = Workspace.open(ws.home)
        with pytest.raises(IntegrityError, match=r"second-factor\.key"):
            other.people.sign_in_by_code(other.people.sign_in_by_password("rex", PASSWORD), code_of(secret))

    def test_nothing_shows_it(self, ws: Workspace) -> None:
        prepared = ws.people.prepare_second_factor(actor=rex(ws))
        assert prepared.secret not in repr(prepared)
        assert f"secret={prepared.secret}" in prepared.address
        assert prepared.address.startswith("otpauth://totp/dprelease:rex?")

    def test_sqlite_itself_takes_no_code_twice(self, ws: Workspace, secret: str) -> None:
        assert ws.home is not None
        with (
            closing(sqlite3.connect(ws.home / "ledger.db")) as raw,
            pytest.raises(sqlite3.IntegrityError, match="once"),
        ):
            raw.execute("UPDATE second_factors SET last_step = last_step")
