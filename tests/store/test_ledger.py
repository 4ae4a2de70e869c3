"""What the ledger holds and how it is read."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from dprelease.errors import InternalError
from dprelease.model.encoding import digest
from dprelease.store import account, ledger, populations
from dprelease.store.chain import GENESIS
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.verify import verify
from tests.store.world import CENT, CURATOR, population

pytestmark = pytest.mark.quick

NASTY = 'a "quoted" \\ back\tslash\n\x00\x1f\x7f é 漢字 \U0001f600 \u2028 </script>'


def test_a_new_workspace_says_that_it_was_created(database: Database) -> None:
    (event,) = ledger.events(database)
    assert (event.seq, event.kind, event.actor, event.population) == (1, "workspace_created", "owner", None)
    assert event.previous_hash == GENESIS
    assert verify(database) == 1


def test_each_event_is_chained_by_the_digest_of_its_canonical_json(registered: Database) -> None:
    ledger.append(
        registered, EventKind.SPEND_REFUSED, actor=CURATOR, population="patients", body={"plan_hash": "ab" * 32}
    )
    ledger.append(
        registered, EventKind.SIGN_IN, actor=CURATOR, body={NASTY: [NASTY, 0.1, 1e-9, None, True, {"b": 1, "a": 2}]}
    )
    ledger.charge(registered, "patients", CENT, actor=CURATOR, body={"ε": 0.01})
    previous = GENESIS
    events = ledger.events(registered)
    for number, event in enumerate(events, start=1):
        assert event.hash == digest(event.public)
        assert event.public["rest"] == digest(event.rest)
        assert (event.seq, event.previous_hash) == (number, previous)
        previous = event.hash
    assert verify(registered) == len(events) == 6


def test_what_append_returns_is_what_is_read_later(registered: Database) -> None:
    charged = ledger.charge(registered, "patients", CENT, actor=CURATOR, body={"plan": "plan-1"})
    assert ledger.events(registered)[-1] == charged
    assert (charged.spent, charged.charges) == (CENT, 1)


def test_events_carry_utc_with_microseconds(database: Database) -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", ledger.events(database)[0].at)


def test_events_are_filtered_and_paged(registered: Database) -> None:
    populations.add(registered, population("students"), actor=CURATOR)
    for name in ("patients", "students", "patients"):
        ledger.charge(registered, name, CENT, actor=CURATOR)
    charges = [EventKind.CHARGE]

    def seqs(**chosen: object) -> list[int]:
        return [event.seq for event in ledger.events(registered, **chosen)]  # type: ignore[arg-type]

    assert seqs() == [1, 2, 3, 4, 5, 6, 7]
    assert seqs(limit=2, offset=3) == [4, 5]
    assert seqs(newest_first=True, limit=2) == [7, 6]
    assert seqs(population="students") == [4, 6]
    assert seqs(kinds=charges) == [5, 6, 7]
    assert seqs(kinds=charges, population="patients", newest_first=True) == [7, 5]
    assert seqs(kinds=[EventKind.CHARGE, EventKind.WORKSPACE_CREATED]) == [1, 5, 6, 7]
    assert seqs(population="nobody") == []
    assert ledger.count(registered) == 7
    assert ledger.count(registered, population="patients", kinds=charges) == 2


def test_a_charge_is_not_appended_without_its_price(registered: Database) -> None:
    with pytest.raises(InternalError):
        ledger.append(registered, EventKind.CHARGE, actor=CURATOR, population="patients")
    assert account.account(registered, "patients").charges == 0


def test_a_body_that_is_not_json_is_refused_and_changes_nothing(registered: Database) -> None:
    before = ledger.count(registered)
    with pytest.raises(InternalError):
        ledger.append(registered, EventKind.SIGN_IN, actor=CURATOR, body={"epsilon": Decimal("0.1")})
    assert ledger.count(registered) == before
