"""Rooms that are there add what they have; a folder that is missing is no error, and a broken room is one."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from dprelease import registry
from dprelease.registry import Room

pytestmark = pytest.mark.quick


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """By name of a module, what importing it gives or raises."""
    modules: dict[str, Any] = {}

    def imported(name: str) -> Any:
        found = modules.get(name, ModuleNotFoundError(f"No module named {name!r}", name=name))
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(registry, "import_module", imported)
    registry.rooms.cache_clear()
    yield modules
    registry.rooms.cache_clear()


def test_a_room_whose_folder_is_missing_adds_nothing(given: dict[str, Any]) -> None:
    assert registry.rooms() == ()
    assert registry.added("engines") == {}


def test_rooms_stand_in_their_order(given: dict[str, Any]) -> None:
    first, last = Room(engines={"a": "x:y"}), Room(engines={"b": "x:z"})
    given["dprelease.extras.warehouses"] = SimpleNamespace(room=last)
    given["dprelease.extras.federation"] = SimpleNamespace(room=first)
    assert registry.rooms() == (first, last)
    assert list(registry.added("engines").items()) == [("a", "x:y"), ("b", "x:z")]


def test_two_rooms_with_one_key_are_named(given: dict[str, Any]) -> None:
    for name in ("federation", "warehouses"):
        given[f"dprelease.extras.{name}"] = SimpleNamespace(room=Room(engines={"postgresql": "x:y"}))
    with pytest.raises(ValueError, match="engines: postgresql"):
        registry.rooms()


def test_a_room_that_cannot_be_imported_is_not_taken_for_a_missing_one(given: dict[str, Any]) -> None:
    given["dprelease.extras.warehouses"] = ModuleNotFoundError("No module named 'psycopg'", name="psycopg")
    with pytest.raises(ModuleNotFoundError, match="psycopg"):
        registry.rooms()


def test_a_place_is_loaded() -> None:
    assert registry.load("dprelease.errors:InputError").__name__ == "InputError"
