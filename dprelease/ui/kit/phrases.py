"""Counts and times as they are shown: times of the ledger in UTC, days as the language writes them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from dprelease.model.schema import Schema
from dprelease.statements.display import shown
from dprelease.statements.question import StatisticLabel
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.ui.kit.markup import fill
from dprelease.ui.words import say
from dprelease.words.language import ENGLISH, day_in_words, language
from dprelease.words.sentences import Html

SECONDS = len("2025-12-31T23:59:59")
DAYS = len("2025-12-31")
PARTS = {"y": "YYYY", "M": "MM", "d": "DD"}
"""Parts of a day: letters of Unicode patterns and the names that fields for days use."""
FEW = 12
"""Maximum number of names that a sentence lists."""
day = day_in_words


def counted(key: str, count: int) -> str:
    """Return a count in words, in the form that the language has for the number."""
    return say(key, count, count=shown(count))


def planned(item: StatisticPrice, columns: Schema, unit: str) -> StatisticLabel:
    """Return the question of a statistic of a plan."""
    return StatisticLabel.asked(item.statistic.to_mapping(), item.statistic.presented, columns, unit)


def some(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    first = ", ".join(names[:FEW])
    return first if len(names) <= FEW else say("names_and_more", names=first, more=shown(len(names) - FEW))


def moment(at: str) -> Html:
    """Write a time to the second, on one line; its day as everywhere."""
    return fill('<span class="dp-keep">{}, {}</span>', day(at), at[DAYS + 1 : SECONDS])


def day_format() -> str:
    """Return the order of year, month and day in a field; in English the one that no country reads otherwise."""
    from babel import Locale

    code = language()
    pattern = "y-M-d" if code == ENGLISH else str(Locale(code).date_formats["short"])
    parts = [PARTS[letter] for letter in dict.fromkeys(pattern) if letter in PARTS]
    return ("-" if code == ENGLISH else "/").join(parts)


def milliseconds(at: str) -> int:
    """Return a time in milliseconds, as charts count time."""
    return int(datetime.fromisoformat(at).timestamp() * 1000)
