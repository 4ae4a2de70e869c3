"""Rows made up for a made column: of declared bounds alone; and names for groups that nobody named."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from dprelease.model.made.example import example, proposed_labels
from dprelease.model.schema import Schema

pytestmark = pytest.mark.quick

DAY = {"type": "date", "lower": "2024-01-01", "upper": "2024-12-31"}
SCHEMA = Schema.parse(
    {
        "admitted": DAY,
        "discharged": DAY,
        "score": {"type": "number", "lower": 0, "upper": 10, "resolution": 0.5},
        "found": {"type": "category", "categories": "discover"},
        "yes": {"type": "boolean"},
        "stay": {"made": {"days_between": ["admitted", "discharged"]}},
        "known": {"made": {"known": "found"}},
        "no": {"made": {"recode": {"of": "yes", "to": {"no": ["true"], "yes": ["false"]}}}},
    }
)


def test_rows_go_from_one_end_to_the_other_and_one_lacks_a_value() -> None:
    *rows, last = example(SCHEMA["stay"], SCHEMA.columns)
    stays = [(SCHEMA["admitted"].value(row["admitted"] or 0), SCHEMA["stay"].value(code or 0)) for row, code in rows]
    assert stays == [("2024-01-01", 0), ("2024-05-02", 89), ("2024-08-31", 55), ("2024-12-31", 0)]
    assert last[1] is None


def test_rows_that_are_alike_stand_there_once() -> None:
    assert example(SCHEMA["no"], SCHEMA.columns) == [({"yes": 0}, 0), ({"yes": 1}, 1), ({"yes": None}, None)]
    assert example(SCHEMA["known"], SCHEMA.columns) == [({"found": 0}, 1), ({"found": None}, 0)]


def test_groups_are_named_by_their_first_and_last_value() -> None:
    assert proposed_labels(SCHEMA["score"], [Decimal("0.5"), Decimal(5)]) == ("0", "0.5–4.5", "5–10")
    assert proposed_labels(SCHEMA["admitted"], [date(2024, 7, 1)]) == ("2024-01-01/2024-06-30", "2024-07-01/2024-12-31")


@pytest.mark.parametrize("points", [[Decimal("0.3")], [Decimal(5), Decimal(5)], [Decimal(0)]])
def test_groups_that_cannot_be_are_numbered(points: list[Decimal]) -> None:
    """So that only the point is told, and not names that lack."""
    assert proposed_labels(SCHEMA["score"], points) == tuple(str(place + 1) for place in range(len(points) + 1))
