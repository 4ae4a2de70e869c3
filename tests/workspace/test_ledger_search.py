"""Events of the ledger that somebody looks for: by person, day, kind and text, on the page, as a list and as a file."""

from __future__ import annotations

import csv
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

import dprelease
from dprelease.errors import AccessError
from dprelease.model.actor import PUBLIC, Actor
from dprelease.workspace import EventKind
from dprelease.workspace.event_lines import COLUMNS
from tests.trust import tour


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dprelease.Workspace:
    return tour.make(tmp_path_factory.mktemp("tour"))


@pytest.fixture(scope="module")
def jonas(made: dprelease.Workspace) -> Actor:
    return made.people.get("jonas")


TODAY = datetime.now(UTC).date()


@pytest.mark.full
@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"person": "maria"},
        {"person": "nobody"},
        {"kinds": [EventKind.CHARGE]},
        {"kinds": [EventKind.CHARGE, EventKind.CAP_RAISED], "person": "maria"},
        {"since": TODAY - timedelta(days=1), "until": TODAY},
        {"until": TODAY - timedelta(days=2)},
        {"until": date.max},
        {"since": date.max},
        {"text": "agreed."},
        {"text": "AGES"},
        {"text": "100%_'"},
        {"text": " "},
    ],
    ids=str,
)
def test_what_is_found_is_what_a_reader_would_pick(
    made: dprelease.Workspace, jonas: Actor, wanted: dict[str, Any]
) -> None:
    titles = {record.id: record.mapping.get("title", "") for record in made.plans.find(actor=jonas)}

    def picked(event: Any) -> bool:
        whole = [
            event.kind,
            event.actor,
            event.population or "",
            str(dict(event.body)),
            titles.get(event.body.get("plan"), ""),
        ]
        day = date.fromisoformat(event.at[:10])
        return (
            (wanted.get("person") in (None, event.actor))
            and (not wanted.get("kinds") or event.kind in wanted["kinds"])
            and wanted.get("since", date.min) <= day <= wanted.get("until", date.max)
            and wanted.get("text", "").strip().lower() in " ".join(whole).lower()
        )

    expected = [event.seq for event in made.ledger.events(actor=jonas) if picked(event)]
    assert [event.seq for event in made.ledger.events(actor=jonas, **wanted)] == expected
    assert made.ledger.count(actor=jonas, **wanted) == len(expected)
    first = made.ledger.events(limit=2, newest_first=True, actor=jonas, **wanted)
    assert [event.seq for event in first] == expected[::-1][:2]


def test_letters_beyond_ascii_are_found_as_they_are_written() -> None:
    made = dprelease.Workspace.in_memory()
    made.add_population("people", unit="person", neighbors="add_remove", epsilon=1)
    made.populations.declare_earlier_releases("people", ["Anuario de MUÑOZ y Älter 2019"])
    for text in ("MUÑOZ", "muÑoz", "Älter", "anuario DE"):
        assert made.ledger.count(text=text) >= 1, text


@pytest.mark.full
def test_the_file_has_what_was_looked_for_with_exact_amounts(made: dprelease.Workspace, jonas: Actor) -> None:
    lines = list(made.ledger.csv("people", kinds=[EventKind.CHARGE], actor=jonas))
    rows = list(csv.DictReader(lines))
    charges = made.ledger.events("people", kinds=[EventKind.CHARGE], actor=jonas)
    assert tuple(rows[0]) == COLUMNS
    assert [int(row["epsilon_nano"]) for row in rows] == [event.loss.epsilon_nano for event in charges]
    assert [row["hash"] for row in rows] == [event.hash for event in charges]
    assert len(list(made.ledger.csv("people", person="nobody", actor=jonas))) == 1, "its head alone"
    with pytest.raises(AccessError):
        made.ledger.csv(actor=PUBLIC)
    with pytest.raises(AccessError):
        made.ledger.actors(actor=PUBLIC)
