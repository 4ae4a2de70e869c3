"""Checkpoints are read only as this program writes them: every type, every key, and nothing that cannot be signed."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from dprelease.errors import IntegrityError
from dprelease.model.checkpoint import Checkpoint, SignedCheckpoint, SpentTotals
from dprelease.model.population import Population
from dprelease.model.privacy import Currency, NeighboringRelation, PrivacyLoss

pytestmark = pytest.mark.quick

PURE = SpentTotals(
    Population(
        name="people", unit="person", neighbors=NeighboringRelation.ADD_REMOVE, cap=PrivacyLoss(epsilon_nano=10**9)
    ),
    PrivacyLoss(epsilon_nano=7),
    2,
    3,
    8,
)
IN_RHO = SpentTotals(
    Population(
        name="patients",
        unit="person",
        neighbors=NeighboringRelation.SUBSTITUTE,
        cap=PrivacyLoss(epsilon_nano=10**9, delta_atto=10**12),
        currency=Currency.ZCDP,
        size=100,
        rho_nano=10**7,
        period="2026",
    ),
    PrivacyLoss(rho_nano=5, delta_atto=1),
    1,
    4,
    5,
)
CHECKPOINT = Checkpoint(
    workspace="ab" * 32,
    size=9,
    root="cd" * 32,
    on="2026-01-31",
    populations=(PURE, IN_RHO),
    notices={"visits-1": ("ef" * 32, "01" * 32)},
)


def test_a_checkpoint_is_read_as_it_was_written() -> None:
    assert Checkpoint.from_mapping(CHECKPOINT.to_mapping()) == CHECKPOINT
    signed = SignedCheckpoint(CHECKPOINT, "ed25519:x", "00")
    assert SignedCheckpoint.from_mapping(signed.to_mapping()) == signed
    assert SignedCheckpoint.from_mapping(signed.to_mapping() | {"event": {}}) == signed  # as in ledger.json


STRANGE: tuple[Any, ...] = (
    *(None, True, False, -1, 2**53, 2**60, 7.0, 7.5, float("nan"), float("inf")),
    *("", "7", "\ud800", [], ["x"], {}, {"epsilon_nano": 7}),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if not isinstance(value, dict | list):
        return [path]
    keys = value if isinstance(value, dict) else range(len(value))
    return [*([path] if path else []), *(place for key in keys for place in places(value[key], (*path, key)))]


PLACES = places(CHECKPOINT.to_mapping())


@pytest.mark.parametrize("place", PLACES, ids=lambda place: ".".join(map(str, place)))
def test_any_value_is_refused_or_comes_out_as_it_went_in(place: tuple[Any, ...]) -> None:
    read = 0
    for strange in STRANGE:
        value: Any = copy.deepcopy(CHECKPOINT.to_mapping())
        inner = value
        for step in place[:-1]:
            inner = inner[step]
        inner[place[-1]] = strange
        try:
            found = Checkpoint.from_mapping(value)
        except IntegrityError:
            continue
        read += 1
        assert found.to_mapping() == value
        assert found.message
        assert type(strange) in (str, type(None)) or strange == [] or place == ("notices",)  # no number fits
        assert hash(found)
    assert read <= 2


Change = Callable[[dict[str, Any]], Any]
REFUSED: dict[str, Change] = {
    "a key more": lambda value: value.update(note=1),
    "a key less": lambda value: value.pop("on"),
    "another version": lambda value: value.update(dprelease_checkpoint=2),
    "no line": lambda value: value.update(size=0),
    "a day that is none": lambda value: value.update(on="2026-02-30"),
    "a day in other words": lambda value: value.update(on="20260131"),
    "a hash in capitals": lambda value: value.update(root="CD" * 32),
    "populations by name": lambda value: value.update(populations={"people": {}}),
    "a population twice": lambda value: value.update(populations=[value["populations"][0]] * 2),
    "a key more in a population": lambda value: value["populations"][0].update(note=1),
    "a ρ of nothing": lambda value: value["populations"][0].update(rho_nano=0),
    "a period of nothing": lambda value: value["populations"][0].update(period=None),
    "ρ without δ": lambda value: value["populations"][1].update(delta_atto=0),
    "charges and no last one": lambda value: value["populations"][0].update(last_charge=None),
    "a last charge and none": lambda value: value["populations"][0].update(charges=0),
    "a charge after its end": lambda value: value["populations"][0].update(last_charge=10),
    "a cap after its end": lambda value: value["populations"][0].update(cap_event=10),
    "a cap of no event": lambda value: value["populations"][0].update(cap_event=0),
    "a release of which nothing was said": lambda value: value["notices"].update(visits=[]),
    "a notice that is no hash": lambda value: value["notices"].update(visits=["ef"]),
    "a notice in words": lambda value: value["notices"].update(visits="ef" * 32),
    "spent in gold": lambda value: value["populations"][0]["spent"].update(gold=1),
    "nothing said of δ": lambda value: value["populations"][0]["spent"].pop("delta_atto"),
}


@pytest.mark.parametrize("change", REFUSED.values(), ids=REFUSED)
def test_what_this_program_does_not_write_is_refused(change: Change) -> None:
    value = copy.deepcopy(CHECKPOINT.to_mapping())
    change(value)
    with pytest.raises(IntegrityError):
        Checkpoint.from_mapping(value)


@pytest.mark.parametrize("value", [None, [], "x", {}, {"checkpoint": {}, "signer": 1, "signature": ""}])
def test_what_is_no_signed_checkpoint_is_refused(value: Any) -> None:
    with pytest.raises(IntegrityError):
        SignedCheckpoint.from_mapping(value)
