"""Differences between two plans, or two declarations of columns, as they are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dprelease.model.report import join


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is written otherwise, or on one side only."""

    path: str
    """Path as in messages: `privacy.epsilon`, `columns.age.upper`, `statistics.ages.bins` (statistics by their id)."""
    before: Any
    """Former value; None where it was not there."""
    after: Any
    """Later value; None where it is not there any more."""


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Change, ...]:
    """Return every difference between two mappings as in plan files, in the order in which they are written.

    A statistic that is only on one side is one change, and so is a column; lists without ids differ as a whole.
    """
    return tuple(_mappings(before, after, ""))


def _mappings(before: Mapping[str, Any], after: Mapping[str, Any], path: str) -> Iterator[Change]:
    for key in dict.fromkeys((*before, *after)):
        yield from _values(before.get(key), after.get(key), join(path, key))


def _values(before: Any, after: Any, path: str) -> Iterator[Change]:
    if before == after:
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        yield from _mappings(before, after, path)
    elif _by_id(before) and _by_id(after):
        yield from _mappings({item["id"]: item for item in before}, {item["id"]: item for item in after}, path)
    elif _by_id(before or after) and not (before and after):
        for item in before or after:
            yield Change(join(path, item["id"]), item if before else None, item if after else None)
    else:
        yield Change(path, before, after)


def _by_id(value: Any) -> bool:
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and bool(value)
        and all(isinstance(item, Mapping) and "id" in item for item in value)
    )
