"""Rows of a table that a query is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dprelease.model.condition import Condition
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.recurring import PeriodWindow
from dprelease.model.schema import Schema


@dataclass(frozen=True)
class RowSource:
    """Source of the rows, and the conditions that decide which of them stay."""

    source: str
    """A table name or table function, as SQL."""
    storage: Mapping[str, str]
    """The engine's type of each stored column."""
    schema: Schema
    where: tuple[Condition, ...]
    unit: PrivacyUnit
    empty: bool = False
    """True if no row is to be read: the query is only tried."""
    states: tuple[tuple[str, ...], ...] = ()
    """Columns by the states of whose cells the plan tells rows apart: which rows of a unit are kept depends on them."""
    part: str = ""
    """A test, as SQL, that only a part of the rows or of the units `{u}` pass; what the parts come to is added."""
    window: PeriodWindow | None = None
    """Periods of which a unit counts in a few only; None where it counts in any."""
