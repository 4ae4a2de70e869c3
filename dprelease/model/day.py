"""Days, as plans and schemas write them."""

from __future__ import annotations

import re
from datetime import date, datetime

DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"


def read_date(value: object) -> date | None:
    """A day, or text such as 2025-12-31; None for anything else, also a time of day."""
    if isinstance(value, date):
        return None if isinstance(value, datetime) else value
    try:
        return date.fromisoformat(value) if isinstance(value, str) and re.fullmatch(DAY, value) else None
    except ValueError:
        return None
