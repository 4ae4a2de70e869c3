"""Additions of the rooms in `dprelease/extras` to the product: values are places "module:name" of objects.

A room is a folder. Without it, what it adds is not there, and nothing else changes. Places are text, so that nothing is
imported before it is used and no import leads from the rest of the product to a room.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, NamedTuple

EXTRAS = "dprelease.extras"
ROOMS = ("federation", "lab", "remote", "warehouses")
"""In this order everywhere."""


NONE: Mapping[str, str] = MappingProxyType({})


class Room(NamedTuple):
    """Additions of one room. The keys of its mappings belong to no other room."""

    commands: Mapping[str, str] = NONE
    """Commands of the terminal, each with a function that adds it, like `add` of the modules of `dprelease.cli`."""
    engines: Mapping[str, str] = NONE
    """Schemes of addresses, each with the `Scheme` (`dprelease.table.address`) of its tables."""
    exports: Mapping[str, str] = NONE
    """Names in the package `dprelease`, each with an object that programs import from there."""
    nouns: Mapping[str, str] = NONE
    """Attributes of `Workspace`, each with a class whose instances take its state."""
    checks: Mapping[str, str] = NONE
    """Fields of a certificate, each with a function from a bundle to what `verify` found of that field."""
    portal: Mapping[str, str] = NONE
    """Folders of the public site, each with a module as `dprelease.portal.extra.Extra`."""
    routes: Mapping[str, str] = NONE
    """Routes by any name: a list of Starlette that the server answers too."""
    waits: Mapping[str, str] = NONE
    """Pages with tasks, each with a function that returns these for the desk: title, note, and the page's parameter."""
    screens: Mapping[str, str] = NONE
    """Pages (`pages/<page>.py`), each with the operation of its readers; other pages lead to them."""


@cache
def rooms() -> tuple[Room, ...]:
    """Return the rooms whose folders are there.

    Raises ModuleNotFoundError where one needs a module that lacks, and ValueError where two add the same key.
    """
    found = tuple(room for name in ROOMS if (room := _room(name)) is not None)
    for kind in Room._fields:
        keys = [key for room in found for key in getattr(room, kind)]
        if twice := sorted({key for key in keys if keys.count(key) > 1}):
            raise ValueError(f"two rooms add the same {kind}: {', '.join(twice)}")
    return found


def _room(name: str) -> Room | None:
    module = f"{EXTRAS}.{name}"
    try:
        room: Room = import_module(module).room
    except ModuleNotFoundError as error:
        if error.name in (EXTRAS, module):
            return None
        raise
    return room


def added(kind: str) -> dict[str, str]:
    """Return the places of one kind, such as `engines`, by key, of all rooms that are there."""
    return {key: place for room in rooms() for key, place in getattr(room, kind).items()}


def found(place: str) -> Any | None:
    """Return the object at a place; None where its module is not there, as in a distribution of some rooms alone."""
    module = place.partition(":")[0]
    above = module.rpartition(".")[0]
    there = find_spec(above) is not None and find_spec(module) is not None
    return load(place) if there else None


def load(place: str) -> Any:
    """Return the object at a place "module:name", or the module where no name stands."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name) if name else import_module(module)
