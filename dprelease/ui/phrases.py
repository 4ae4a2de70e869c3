"""Counts and times as they are shown: times of the ledger in UTC, to the second or to the day."""

from __future__ import annotations

from datetime import datetime

from dprelease.bundle.display import shown
from dprelease.bundle.words import Html
from dprelease.ui.markup import fill
from dprelease.ui.words import say

SECONDS = len("2025-12-31T23:59:59")
DAYS = len("2025-12-31")


def counted(key: str, count: int) -> str:
    """How many there are of something: words for one, and for any other number."""
    return say(f"{key}_one") if count == 1 else say(f"{key}_many", count=shown(count))


def moment(at: str) -> Html:
    """To the second, on one line."""
    return fill('<span class="dp-keep">{}</span>', at[:SECONDS].replace("T", " "))


def day(at: str) -> str:
    """To the day."""
    return at[:DAYS]


def milliseconds(at: str) -> int:
    """As charts count time."""
    return int(datetime.fromisoformat(at).timestamp() * 1000)
