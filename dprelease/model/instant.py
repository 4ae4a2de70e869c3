"""Instant at which something becomes public: ISO 8601 with its offset, or a local time of a named zone."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from dprelease.model.report import Report
from dprelease.words import Phrase, phrase, verbatim

WRITTEN = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[+-][0-9]{2}:[0-9]{2})?")


def read_instant(value: object, path: str, report: Report, zone: str = "") -> str:
    """Return an instant such as 2027-01-15T09:00:00+01:00; empty, with a problem in the report, where it is none.

    Without an offset it is a time of the `zone`, by its name in the IANA database. One that daylight saving skips does
    not exist, and of one that comes twice the offset has to be said: both problems name the two instants.
    """
    moment = _moment(value)
    if moment is None:
        report.add(path, found=value, allowed=phrase("model.instant"))
        return ""
    if moment.tzinfo is None:
        if not zone:
            report.add(path, found=value, allowed=phrase("model.instant"), remedy=phrase("model.instant_without_zone"))
            return ""
        earlier, later = (moment.replace(tzinfo=ZoneInfo(zone), fold=fold) for fold in (0, 1))
        if earlier.utcoffset() != later.utcoffset():
            skipped = earlier.astimezone(UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None) != moment
            found: Phrase = phrase(f"model.instant_{'skipped' if skipped else 'twice'}", time=_local(moment), zone=zone)
            allowed = phrase("model.one_of_instants", earlier=written(earlier), later=written(later))
            report.add(path, found=found, allowed=allowed)
            return ""
        moment = earlier
    return written(moment)


def present() -> datetime:
    """Return the time by the clock of this machine, in UTC."""
    return datetime.now(UTC)


def moment_of(instant: str) -> datetime:
    """Return an instant as it was written, with its offset."""
    return datetime.fromisoformat(instant)


def written(moment: datetime) -> str:
    """Write a moment to the second, with its offset as a number of hours and minutes."""
    return moment.replace(microsecond=0).isoformat()


def _local(moment: datetime) -> Phrase:
    return verbatim(moment.isoformat(sep=" ", timespec="minutes"))


def _moment(value: object) -> datetime | None:
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str) or not WRITTEN.fullmatch(value):
        return None
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        return None
