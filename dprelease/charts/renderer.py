"""Libraries that draw, by name and version: equal versions draw equal pictures."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from functools import cache
from importlib.metadata import version

DISTRIBUTIONS = {"altair": "altair", "vl-convert": "vl-convert-python"}
"""Distributions of the libraries: the first composes a specification, the second draws it."""


class Alike(IntEnum):
    """Degree to which a picture has the same bytes here."""

    NOTHING = 0
    SPECIFICATION = 1
    DRAWING = 2


@cache
def installed() -> Mapping[str, str]:
    """Return the versions of the libraries that draw here; none of them is loaded."""
    return {name: version(distribution) for name, distribution in DISTRIBUTIONS.items()}


def alike(versions: Mapping[str, str]) -> Alike:
    """Return the degree to which pictures drawn by these versions have the same bytes here."""
    composed, drawn = (own == versions.get(name) for name, own in installed().items())
    return Alike.NOTHING if not composed else Alike.DRAWING if drawn else Alike.SPECIFICATION


def named(versions: Mapping[str, str]) -> str:
    """Return the libraries that draw, with their versions, as people read them."""
    return ", ".join(f"{name} {versions.get(name, '?')}" for name in DISTRIBUTIONS)
