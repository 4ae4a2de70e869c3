"""The hash of an event is the digest of its canonical JSON, whatever stands in it."""

from __future__ import annotations

from typing import Any

import pytest

from dprelease.model.encoding import canonical, digest
from dprelease.store.chain import event_hash

NASTY = 'a "quoted" \\ back\tslash\n\x00\x1f\x7f é 漢字 \U0001f600 \u2028 </script>'
PLAIN: dict[str, Any] = {
    "seq": 7,
    "at": "2026-11-21T09:30:00.000000Z",
    "actor": "maria",
    "population": "patients",
    "kind": "charge",
    "body": {"plan": "plan-1", "share": 0.1, "list": [1, None, True]},
    "epsilon_nano": 2**53 - 1,
    "rho_nano": 2**53 - 2,
    "delta_atto": 10**15,
    "previous_hash": "ab" * 32,
}


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"population": None},
        {"body": {}},
        {"body": {NASTY: [NASTY, 1e-9, 1e30, -0.0], "ε": {"z": 1, "a": 2}, "€": 1, "\U0001f600": 1, "\ufb33": 1}},
        *({name: NASTY} for name in ("at", "actor", "population", "kind", "previous_hash")),
    ],
    ids=str,
)
def test_the_hash_is_the_digest_of_the_canonical_json(changed: dict[str, Any]) -> None:
    event = {**PLAIN, **changed}
    assert event_hash(**{**event, "body": canonical(event["body"]).decode()}) == digest(event)


@pytest.mark.parametrize("rest", [{}, {"rho_nano": 0}], ids=["as ever", "with nothing of it"])
def test_an_event_that_spends_no_rho_is_hashed_as_before_there_was_rho(rest: dict[str, Any]) -> None:
    event = {name: value for name, value in PLAIN.items() if name != "rho_nano"}
    assert event_hash(**{**event, **rest, "body": "{}"}) == digest({**event, "body": {}})


@pytest.mark.parametrize("name", PLAIN)
def test_every_field_is_in_the_hash(name: str) -> None:
    event = {**PLAIN, "body": "{}"}
    other = event[name] + 1 if isinstance(event[name], int) else event[name] + " "
    assert event_hash(**event) != event_hash(**{**event, name: other})
