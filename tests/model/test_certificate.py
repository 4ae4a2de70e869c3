"""A certificate is valid or not built, and written as it is read."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from dprelease.errors import IntegrityError
from dprelease.model.certificate import Certificate
from tests.bundle.releases import COLUMNS, make_release, table

STATED = make_release([({"id": "n", "kind": "count"}, table((), [7], 3))], columns=COLUMNS).certificate.to_mapping()


def test_it_is_written_as_it_is_read() -> None:
    assert Certificate.read(json.loads(json.dumps(STATED))).to_mapping() == STATED


ODD: dict[str, tuple[str, Callable[[dict[str, Any]], Any]]] = {
    "a fact left out": ("`caveats`", lambda facts: facts.pop("caveats")),
    "a mapping for a list": ("$.statistics", lambda facts: facts.update(statistics={})),
    "a day that is none": ("$.published", lambda facts: facts.update(published="2025-02-30")),
    "a loss below 0": ("$.loss.epsilon_nano", lambda facts: facts["loss"].update(epsilon_nano=-1)),
    "true for a number": ("$.ledger.seq", lambda facts: facts["ledger"].update(seq=True)),
    "an ε without end": ("$.guarantee.epsilon", lambda facts: facts["guarantee"].update(epsilon=float("inf"))),
    "an id that leads elsewhere": ("$.id", lambda facts: facts.update(id="../x")),
    "an id with a line more": ("$.id", lambda facts: facts.update(id="x\n")),
    "an unknown relation": ("$.guarantee.neighbors", lambda facts: facts["guarantee"].update(neighbors="near")),
    "a trait of no table": (
        "$.statistics[0].presentation.traits",
        lambda facts: facts["statistics"][0]["presentation"].update(traits=["pretty"]),
    ),
    "half a character": ("surrogates", lambda facts: facts.update(title="\ud800")),
    "a format that is none": ("$.format", lambda facts: facts.update(format="one")),
}


@pytest.mark.parametrize(("where", "change"), ODD.values(), ids=ODD)
def test_what_no_publication_states_is_refused_by_its_place(
    where: str, change: Callable[[dict[str, Any]], Any]
) -> None:
    facts = copy.deepcopy(STATED)
    change(facts)
    with pytest.raises(IntegrityError) as caught:
        Certificate.read(facts)
    assert where in str(caught.value)
