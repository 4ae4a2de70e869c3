"""Actions in the component, as its script sends them. Whoever has the browser can send anything in its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dprelease.model.privacy import read_epsilon
from dprelease.model.report import Report

VIEWS = ("beside", "hundred", "cells")
MAX_LOOKS = 100_000
"""Maximum number of looks between two pauses of the slider."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    """A person's actions since the last run; each None where there was none."""

    look: Mapping[str, Any] | None = None
    """Look {epsilon, least, most, looks, view, statistic}: where the slider rests, and between which ε it was moved."""
    open: str | None = None
    view: str | None = None
    draw: int | None = None
    add: bool | None = None
    edit: str | None = None
    duplicate: str | None = None
    remove: str | None = None
    move: tuple[str, int] | None = None
    """Id of the statistic moved, and its new place."""
    coarsen: tuple[str, str] | None = None
    """Id of the statistic, and the key column that it is to be without."""
    undo: bool | None = None
    redo: bool | None = None


def read(sent: Mapping[str, Any]) -> Events:
    """Read what the script can send; anything else is as if nothing had been sent."""
    view, draw = _text(sent.get("view")), sent.get("draw")
    return Events(
        look=_look(sent.get("look")),
        open=_text(sent.get("open")),
        view=view if view in VIEWS else None,
        draw=draw if type(draw) is int else None,
        add=_pressed(sent.get("add")),
        edit=_text(sent.get("edit")),
        duplicate=_text(sent.get("duplicate")),
        remove=_text(sent.get("remove")),
        move=_move(sent.get("move")),
        coarsen=_coarsen(sent.get("coarsen")),
        undo=_pressed(sent.get("undo")),
        redo=_pressed(sent.get("redo")),
    )


def _look(sent: Any) -> Mapping[str, Any] | None:
    """Return a rest of the slider within the range that it was moved in."""
    if not isinstance(sent, Mapping):
        return None
    numbers = [sent.get(name) for name in ("least", "epsilon", "most")]
    looks, report = sent.get("looks"), Report()
    if not all(type(each) in (int, float) for each in numbers) or type(looks) is not int:
        return None
    ends = [read_epsilon(each, "epsilon", report) for each in numbers]
    return None if report.problems or ends != sorted(ends) or not 1 <= looks <= MAX_LOOKS else sent


def _move(sent: Any) -> tuple[str, int] | None:
    if not isinstance(sent, list | tuple) or len(sent) != 2:
        return None
    name, to = sent
    return (name, to) if isinstance(name, str) and type(to) is int else None


def _coarsen(sent: Any) -> tuple[str, str] | None:
    if not isinstance(sent, list | tuple) or len(sent) != 2:
        return None
    name, key = sent
    return (name, key) if isinstance(name, str) and isinstance(key, str) else None


def _text(sent: Any) -> str | None:
    return sent if isinstance(sent, str) else None


def _pressed(sent: Any) -> bool | None:
    return True if sent is True else None
