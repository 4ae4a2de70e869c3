"""Columns of a table in a database's catalogue. Public where somebody vouches for it; none of the table's rows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueColumn:
    """One column, as its database describes it."""

    name: str
    storage: str
    """Type of the column; of a domain, the one below it."""
    comment: str = ""
    enum: tuple[str, ...] = ()
    """The labels of an enumerated type, in their order."""
    checks: tuple[str, ...] = ()
    """Constraints on this column alone, as SQL."""
    lookup: tuple[tuple[str, str], ...] = ()
    """Keys and labels of the table that a foreign key refers to."""
