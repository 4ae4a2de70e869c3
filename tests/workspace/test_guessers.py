"""Wrong passwords count against where they come from: a stranger keeps nobody out, and nobody guesses faster."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from dprelease.errors import AccessError
from dprelease.model.actor import Actor
from dprelease.store import tries
from dprelease.workspace.workspace import Workspace

PASSWORD = "correct horse battery"
HOME, AWAY, HOTEL = "192.0.2.1", "198.51.100.7", "203.0.113.9"


@pytest.fixture
def ws() -> Workspace:
    """A team: ada administers, rex reviews and has signed in at HOME."""
    made = Workspace.in_memory()
    for name, role in (("ada", "administrator"), ("rex", "reviewer"), ("cy", "curator")):
        made.people.invite(name, [role])
        made.people.set_password(PASSWORD, actor=made.people.get(name))
    made.people.require_two_people()
    made.people.sign_in_by_password("rex", PASSWORD, address=HOME)
    return made


def session(ws: Workspace, address: str = HOME, name: str = "rex") -> Actor:
    found = ws.people.session_actor(ws.people.sign_in_by_password(name, PASSWORD, address=address))
    assert found is not None
    return found


def guess(ws: Workspace, times: int, address: str = AWAY) -> None:
    for _ in range(times):
        with pytest.raises(AccessError):
            ws.people.sign_in_by_password("rex", "wrong", address=address)


def told(ws: Workspace, name: str = "ada") -> list[str]:
    return [each.detail for each in ws.people.news(actor=ws.people.get(name)) if each.kind == "guessed"]


def test_a_stranger_keeps_nobody_from_confirming_or_signing_in(ws: Workspace) -> None:
    rex = session(ws)
    guess(ws, 9)
    ws.people.confirm(PASSWORD, actor=rex)
    session(ws)
    with pytest.raises(AccessError, match="wait"):
        session(ws, AWAY)
    session(ws, AWAY, "ada")


def test_a_session_that_guesses_locks_itself_alone(ws: Workspace) -> None:
    stolen, other = session(ws), session(ws)
    for _ in range(tries.FREE_FAILURES):
        with pytest.raises(AccessError):
            ws.people.confirm("wrong", actor=stolen)
    with pytest.raises(AccessError, match="wait"):
        ws.people.confirm(PASSWORD, actor=stolen)
    ws.people.confirm(PASSWORD, actor=other)
    session(ws)


def test_many_addresses_together_get_few_tries_and_the_person_still_comes_in(ws: Workspace) -> None:
    """Four wrong ones from each address, so that no address has to wait for itself."""
    for address in range(tries.FREE_ELSEWHERE // 4):
        guess(ws, 4, f"198.51.100.{address}")
    with pytest.raises(AccessError, match="wait"):
        session(ws, HOTEL)
    session(ws)
    with pytest.raises(AccessError, match="wait"):
        session(ws, HOTEL)  # that the person signed in gives strangers no new tries
    link = ws.people.sign_in_link(ws.people.get("rex"))
    assert ws.people.session_actor(ws.people.sign_in(link)) is not None


def test_a_right_one_from_a_new_address_leaves_the_count_of_strangers(ws: Workspace) -> None:
    guess(ws, 3)
    session(ws, HOTEL)
    with ws._state.database.reading() as connection:
        query = "SELECT failures FROM tries WHERE name = 'rex' AND place = ?"
        assert connection.execute(query, [tries.ELSEWHERE]).fetchone() == (3,)


def test_a_guesser_with_many_addresses_has_few_tries_a_day(ws: Workspace) -> None:
    """What the wait lets through: one every ten minutes tried, each from an address of its own, for two days."""
    now, taken = datetime.now(UTC), 0
    for step in range(2 * 24 * 6):
        with ws._state.database.writing() as connection:
            guesser = tries.Guesser.at(f"198.51.100.{step}")
            taken += tries.take_within(connection, "rex", guesser, now + timedelta(minutes=10 * step)) is not None
    assert taken < tries.FREE_ELSEWHERE + 2 * 24 + 6
    with ws._state.database.reading() as connection:
        kept = connection.execute("SELECT count(*) FROM tries WHERE name = 'rex'").fetchone()[0]
    assert kept < 40, "what is a day old is forgotten"


def test_administrators_are_told_once_a_day_and_nobody_else(ws: Workspace) -> None:
    guess(ws, tries.FREE_FAILURES - 1)
    assert told(ws) == [], "who mistypes is no news"
    guess(ws, 1)
    guess(ws, tries.FREE_FAILURES, HOTEL)
    assert told(ws) == ["rex"]
    assert told(ws, "rex") == told(ws, "cy") == []


def test_a_reset_forgets_tries_and_addresses(ws: Workspace) -> None:
    guess(ws, 9)
    again = ws.people.session_actor(ws.people.sign_in(ws.people.reset("rex", actor=ws.people.get("ada"))))
    assert again is not None
    ws.people.set_password(PASSWORD, actor=again)
    session(ws, AWAY)
