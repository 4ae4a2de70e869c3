"""Line of the calendar of releases: what is to come, when, and what came."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Any

from dprelease.errors import InputError
from dprelease.model import instant
from dprelease.model.about import SERIES
from dprelease.model.report import Report
from dprelease.model.texts import LANGUAGE, ByLanguage
from dprelease.words import phrase

MONTH = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])")
LONGEST = 200
EVERY: Mapping[str, int] = {"monthly": 1, "quarterly": 3, "yearly": 12}
"""Months from one edition of a series to the next."""
OF_RUNS: Mapping[str, str] = {"month": "monthly", "quarter": "quarterly", "year": "yearly"}
"""Interval of a series, one of EVERY, by the periods of its run."""


class EntryState(StrEnum):
    """`provisional`: foreseen. `confirmed`: at its hour. `postponed`: at another hour than was said. `out`: public."""

    PROVISIONAL = "provisional"
    CONFIRMED = "confirmed"
    POSTPONED = "postponed"
    OUT = "out"
    CANCELLED = "cancelled"


TEXTS = ("uid", "when", "changed", "series", "edition", "every", "reason", "sealed", "release", "opened", "seen_from")
TO_COME = (EntryState.PROVISIONAL, EntryState.CONFIRMED, EntryState.POSTPONED)


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarEntry:
    """One line. Everything in it is public."""

    uid: str
    """Random: it tells nothing of a release."""
    title: ByLanguage = field(default_factory=dict)
    """Title by language; empty where only that something comes is said."""
    series: str = ""
    edition: str = ""
    """Name of the edition that comes, such as 2027-05."""
    when: str
    """Instant with its offset, or a month such as 2027-06."""
    state: EntryState = EntryState.PROVISIONAL
    every: str = ""
    """Interval of the series, one of EVERY; empty where nothing follows by itself."""
    was: tuple[str, ...] = ()
    """Former values of `when`, oldest first."""
    reason: str = ""
    """Reason of the last change."""
    sealed: str = ""
    """Day on which a release was charged and sealed until its hour."""
    release: str = ""
    """Id of the release, once it is out."""
    opened: str = ""
    """Instant at which it became public."""
    seen: int = 0
    """Number of people who saw it before that."""
    seen_from: str = ""
    """Instant at which the first of them did."""
    sequence: int = 0
    """Number of changes."""
    changed: str
    """Instant of the last change."""

    @classmethod
    def read(cls, value: object) -> CalendarEntry:
        """Read a line as it is kept. Raises InputError."""
        report = Report()
        known = [each.name for each in fields(cls)]
        given = report.mapping(value, "calendar", allowed=known, required=("uid", "when", "state", "changed"))
        found: dict[str, Any] = dict(given)
        found["title"] = _words(given.get("title"), "title", report)
        found["state"] = report.choice(given.get("state"), "state", [each.value for each in EntryState])
        for name in (
            "uid",
            "when",
            "changed",
            "series",
            "edition",
            "every",
            "reason",
            "sealed",
            "release",
            "opened",
            "seen_from",
        ):
            found[name] = report.optional_text(given, name, "calendar", longest=2000)
        was = given.get("was", [])
        if not isinstance(was, list) or not all(isinstance(each, str) for each in was):
            report.add("was", found=was, allowed=phrase("model.instant_or_month"))
        for name in ("seen", "sequence"):
            found[name] = report.integer(given.get(name, 0), name, lowest=0, highest=2**31)
        for each in (found["when"], *(was if isinstance(was, list) else ())):
            if not MONTH.fullmatch(str(each)):
                instant.read_instant(each, "when", report)
        report.raise_any(InputError)
        return cls(**{**found, "state": EntryState(found["state"]), "was": tuple(was)})

    def to_mapping(self) -> dict[str, Any]:
        """Return the line as its file has it, what is empty left out."""
        stated = {each.name: getattr(self, each.name) for each in fields(self)}
        told = {key: value for key, value in stated.items() if value or key == "sequence"}
        told |= {"state": self.state.value, **({"was": list(self.was)} if self.was else {})}
        return {**told, **({"title": dict(self.title)} if self.title else {})}

    @property
    def is_month(self) -> bool:
        """True if only the month is known."""
        return MONTH.fullmatch(self.when) is not None

    @property
    def order(self) -> str:
        """Key that sorts lines by time: a month comes after its last day."""
        return f"{self.when}-99" if self.is_month else instant.moment_of(self.when).astimezone(UTC).isoformat()

    @property
    def late(self) -> int:
        """Whole minutes from its hour to its opening; 0 where it is not out."""
        if not self.opened or self.is_month:
            return 0
        return max(0, int((instant.moment_of(self.opened) - instant.moment_of(self.when)).total_seconds() // 60))


def new_uid() -> str:
    """Return a random id of a line."""
    return secrets.token_hex(8)


def now() -> str:
    """Return the present instant in UTC."""
    return instant.written(instant.present())


def following(entry: CalendarEntry, edition: str = "") -> CalendarEntry:
    """Return the next line of a series that comes regularly: the month in which it is foreseen."""
    months = 12 * int(entry.when[:4]) + int(entry.when[5:7]) - 1 + EVERY[entry.every]
    when = f"{months // 12:04d}-{months % 12 + 1:02d}"
    told: dict[str, Any] = {"title": entry.title, "series": entry.series, "every": entry.every, "edition": edition}
    return CalendarEntry(uid=new_uid(), when=when, changed=now(), **told)


def read_when(value: object, report: Report, zone: str = "", *, path: str = "when") -> str:
    """Return an instant or a month that is still to come; empty, with a problem, where it is neither."""
    text = value.isoformat()[:7] if isinstance(value, date) and not isinstance(value, datetime) else value
    if isinstance(text, str) and MONTH.fullmatch(text):
        if text < instant.present().strftime("%Y-%m"):
            report.add(path, found=phrase("model.is_past", when=text), allowed=phrase("model.instant_or_month"))
        return text
    when = instant.read_instant(value, path, report, zone)
    if when and instant.moment_of(when) <= instant.present():
        report.add(path, found=phrase("model.is_past", when=when), allowed=phrase("model.instant_to_come"))
    return when


def read_title(value: object, report: Report) -> ByLanguage:
    """Return a title by language, of which there is one at least; a text is one in English."""
    if isinstance(value, str) and value:
        value = {"en": value}
    title = _words(value, "title", report)
    if not title and not report.problems:
        report.add("title", found=phrase("model.nothing"), allowed=phrase("model.title_by_language"))
    return title


def read_series(value: str, report: Report) -> str:
    """Return the name of a series; empty for none."""
    if value and not SERIES.fullmatch(value):
        report.add("series", found=value, allowed=phrase("model.name_of_series"))
    return value


def _words(value: object, path: str, report: Report) -> ByLanguage:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(LANGUAGE.fullmatch(str(code)) for code in value):
        report.add(path, found=value, allowed=phrase("model.title_by_language"))
        return {}
    return {str(code): report.text(text, f"{path}.{code}", longest=LONGEST, shortest=1) for code, text in value.items()}
