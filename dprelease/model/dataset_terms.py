"""Terms that the curator stated when registering a dataset, beside its columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from dprelease.errors import InputError
from dprelease.model.privacy import MAX_ROWS
from dprelease.words import phrase


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetTerms:
    """Known in general, never counted in the table."""

    max_rows: int | None = None
    """Default maximum number of rows per unit in plans."""
    delete_on: date | None = None
    """The day (UTC) on which the private table is deleted, if not before."""

    def __post_init__(self) -> None:
        if self.max_rows is not None and not 1 <= self.max_rows <= MAX_ROWS:
            raise InputError(
                "max_rows", found=self.max_rows, allowed=phrase("model.whole_number_from_1", max_rows=MAX_ROWS)
            )
