"""Signing in: links that work once, sessions that end."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone

import pytest

from dprelease.errors import AccessError
from dprelease.model.actor import OWNER, PUBLIC, Actor
from dprelease.store import ledger, sessions
from dprelease.store.database import Database
from tests.store.world import CURATOR, REVIEWER

pytestmark = pytest.mark.quick

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
HOUR = timedelta(hours=1)
TICK = timedelta(microseconds=1)


def sign_in(database: Database, actor: Actor = CURATOR, now: datetime = NOW) -> str:
    return sessions.redeem_link(database, sessions.create_link(database, actor, now=now), now=now)


@pytest.mark.parametrize("actor", [OWNER, CURATOR, REVIEWER, PUBLIC])
def test_a_link_opens_a_session_of_its_actor(database: Database, actor: Actor) -> None:
    assert sessions.actor_of(database, sign_in(database, actor), now=NOW) == actor
    event = ledger.events(database)[-1]
    assert (event.kind, event.actor, event.body) == ("sign_in", actor.name, {})


def test_a_link_works_once(database: Database) -> None:
    link = sessions.create_link(database, CURATOR)
    sessions.redeem_link(database, link)
    with pytest.raises(AccessError, match="works once"):
        sessions.redeem_link(database, link)
    assert [event.kind for event in ledger.events(database)] == ["workspace_created", "invited", "sign_in"]


def test_a_link_works_once_even_for_many_at_a_time(database: Database) -> None:
    link = sessions.create_link(database, CURATOR)

    def redeem(_: int) -> bool:
        try:
            return bool(sessions.redeem_link(database, link))
        except AccessError:
            return False

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(redeem, range(16))) == 1


def test_a_link_expires_after_an_hour(database: Database) -> None:
    link = sessions.create_link(database, CURATOR, now=NOW)
    with pytest.raises(AccessError):
        sessions.redeem_link(database, link, now=NOW + HOUR)
    sessions.redeem_link(database, link, now=NOW + HOUR - TICK)


def test_a_session_expires_after_twelve_hours(database: Database) -> None:
    token = sign_in(database)
    there = NOW.astimezone(timezone(timedelta(hours=-5)))
    for hours in range(12):
        assert sessions.actor_of(database, token, now=there + hours * HOUR) == CURATOR, "it is in use"
    assert sessions.actor_of(database, token, now=there + 12 * HOUR - TICK) == CURATOR
    assert sessions.actor_of(database, token, now=there + 12 * HOUR) is None


def test_a_session_that_is_not_used_is_over_after_two_hours(database: Database) -> None:
    token = sign_in(database)
    assert sessions.actor_of(database, token, now=NOW + 2 * HOUR - TICK) == CURATOR
    assert sessions.actor_of(database, token, now=NOW + 4 * HOUR - 2 * TICK) == CURATOR
    assert sessions.actor_of(database, token, now=NOW + 6 * HOUR) is None


def test_a_revoked_session_is_over(database: Database) -> None:
    token, other = sign_in(database), sign_in(database)
    sessions.revoke(database, token, now=NOW)
    assert sessions.actor_of(database, token, now=NOW) is None
    assert sessions.actor_of(database, other, now=NOW) == CURATOR
    sessions.revoke(database, token, now=NOW)
    sessions.revoke(database, "unknown", now=NOW)


@pytest.mark.parametrize("token", ["", "x", "\ud800", "'; DROP TABLE sessions; --", "x" * 100_000])
def test_a_made_up_token_is_nobody(database: Database, token: str) -> None:
    sign_in(database)
    assert sessions.actor_of(database, token, now=NOW) is None
    with pytest.raises(AccessError):
        sessions.redeem_link(database, token, now=NOW)


def test_a_link_is_not_a_session_nor_a_session_a_link(database: Database) -> None:
    link = sessions.create_link(database, CURATOR, now=NOW)
    assert sessions.actor_of(database, link, now=NOW) is None
    with pytest.raises(AccessError):
        sessions.redeem_link(database, sign_in(database), now=NOW)


def test_tokens_have_256_bits_and_are_nowhere_in_the_database(database: Database) -> None:
    link = sessions.create_link(database, CURATOR)
    session = sessions.redeem_link(database, link)
    with database.reading() as connection:
        dump = "\n".join(connection.iterdump())
    for token in (link, session):
        assert len(token) == 43
        assert token not in dump
    assert len({sessions.create_link(database, CURATOR) for _ in range(50)}) == 50
