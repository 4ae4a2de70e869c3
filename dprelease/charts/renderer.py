"""The libraries that draw, by name and version: who has the same draws the same pictures."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from functools import cache
from importlib.metadata import version

DISTRIBUTIONS = {"altair": "altair", "vl-convert": "vl-convert-python"}
"""By the first a specification is composed, by the second it is drawn."""


class Alike(IntEnum):
    """How much of a picture is the same bytes here."""

    NOTHING = 0
    SPECIFICATION = 1
    DRAWING = 2


@cache
def installed() -> Mapping[str, str]:
    """The versions of the libraries that draw here; none of them is loaded."""
    return {name: version(distribution) for name, distribution in DISTRIBUTIONS.items()}


def alike(versions: Mapping[str, str]) -> Alike:
    """How much is alike of pictures that were drawn by these versions."""
    composed, drawn = (own == versions.get(name) for name, own in installed().items())
    return Alike.NOTHING if not composed else Alike.DRAWING if drawn else Alike.SPECIFICATION


def named(versions: Mapping[str, str]) -> str:
    """The libraries that draw, with their versions, as people read them."""
    return ", ".join(f"{name} {versions.get(name, '?')}" for name in DISTRIBUTIONS)
