"""The hash of an event is the digest of its public part, which commits to the rest, whatever stands in either."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dprelease.model.encoding import canonical, digest
from dprelease.store.chain import FACTS, event_hash
from dprelease.store.event import LedgerEvent, read_event

pytestmark = pytest.mark.quick

NASTY = 'a "quoted" \\ back\tslash\n\x00\x1f\x7f é 漢字 \U0001f600 \u2028 </script>'
PLAIN: dict[str, Any] = {
    "seq": 7,
    "at": "2026-11-21T09:30:00.000000Z",
    "actor": "maria",
    "population": "patients",
    "kind": "charge",
    "body": {"plan": "plan-1", "plan_hash": "ef" * 32, "share": 0.1, "list": [1, None, True]},
    "epsilon_nano": 2**53 - 1,
    "rho_nano": 2**53 - 2,
    "delta_atto": 10**15,
    "spent_epsilon_nano": 2**53 - 1,
    "spent_rho_nano": 2**53 - 2,
    "spent_delta_atto": 10**15,
    "charges": 3,
    "previous_hash": "ab" * 32,
    "salt": "cd" * 32,
}
OF_NONE = {"population": None, "charges": None} | dict.fromkeys(
    ("spent_epsilon_nano", "spent_rho_nano", "spent_delta_atto")
)


def event(**changed: Any) -> LedgerEvent:
    row = {**PLAIN, **changed}
    row["body"] = canonical(row["body"]).decode()
    return read_event({**row, "hash": event_hash(**row)})


@pytest.mark.parametrize(
    "changed",
    [
        {},
        OF_NONE,
        {"body": {}},
        {"body": {"plan_hash": NASTY, NASTY: [NASTY, 1e-9, 1e30, -0.0], "ε": {"z": 1}, "€": 1, "\ufb33": 1}},
        *({name: NASTY} for name in ("at", "actor", "population", "kind", "previous_hash", "salt")),
        *({"kind": kind} for kind in (*FACTS, "sign_in")),
    ],
    ids=str,
)
def test_the_hash_is_the_digest_of_the_public_part_and_that_of_the_rest_stands_in_it(changed: dict[str, Any]) -> None:
    found = event(**changed)
    assert found.hash == digest(found.public)
    assert found.public["rest"] == digest(found.rest)
    assert {**found.public["facts"], **found.rest["body"]} == found.body
    assert json.loads(canonical(found.to_record())) == {"public": found.public, "rest": found.rest, "hash": found.hash}


@pytest.mark.parametrize("name", PLAIN)
def test_every_field_is_in_the_hash(name: str) -> None:
    row = {**PLAIN, "body": "{}"}
    other = row[name] + 1 if isinstance(row[name], int) else '{"a":1}' if name == "body" else row[name] + " "
    assert event_hash(**row) != event_hash(**{**row, name: other})


@pytest.mark.parametrize("body", ["{ }", '{"plan_hash":"a","plan_hash":"b"}', '{"b":1,"a":1}'])
def test_a_body_has_one_way_of_being_written(body: str) -> None:
    with pytest.raises(ValueError, match="canonical"):
        event_hash(**{**PLAIN, "body": body})


def test_nobodys_name_no_clock_time_and_no_version_of_rows_is_public() -> None:
    """Nor a text of a person, but where it is published as a notice."""
    private = {
        "plan": "plan-1",
        "dataset": "visits",
        "dataset_version": "v-1",
        "approver": "rex",
        "comment": "Good.",
        "mechanisms": {"n": []},
    }
    for kind in (*FACTS, "plan_approved", "sign_in", "invited", "cap_raised"):
        shown = canonical(event(kind=kind, body=private).public).decode()
        assert not any(
            word in shown for word in ("maria", "plan-1", "visits", "v-1", "rex", "Good", "09:30", "cd" * 32)
        )


def test_the_rest_is_salted_so_that_it_cannot_be_tried_out() -> None:
    first, second = event(), event(salt="ce" * 32)
    assert first.public["rest"] != second.public["rest"]
    assert {**first.public, "rest": ""} == {**second.public, "rest": ""}
