"""Present time, as the database writes it."""

from __future__ import annotations

from datetime import UTC, datetime


def timestamp(moment: datetime | None = None) -> str:
    """Return a moment (default: now) in UTC with microseconds, such as 2026-01-31T09:30:00.000000Z. Sorts as text."""
    moment = datetime.now(UTC) if moment is None else moment.astimezone(UTC)
    return moment.isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"
