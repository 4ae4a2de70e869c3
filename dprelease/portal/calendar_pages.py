"""Calendar of releases for readers: a page, an iCalendar file (RFC 5545), entries of a feed, and what is held."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from dprelease.model.calendar_entry import TO_COME, CalendarEntry, EntryState
from dprelease.model.instant import moment_of
from dprelease.model.version import VERSION
from dprelease.portal.calendar import PublicCalendar
from dprelease.portal.office import Office
from dprelease.words.language import day_in_words, language, period_in_words
from dprelease.words.pages import tell
from dprelease.words.phrases import visible

if TYPE_CHECKING:
    from dprelease.portal.pages import Portal

PAGE = "calendar/index.html"
ICS = "calendar/calendar.ics"
OCTETS = 75
"""Longest line of an iCalendar file, in octets."""
STATUS: Mapping[EntryState, str] = {
    EntryState.PROVISIONAL: "TENTATIVE",
    EntryState.CONFIRMED: "CONFIRMED",
    EntryState.POSTPONED: "CONFIRMED",
    EntryState.OUT: "CONFIRMED",
    EntryState.CANCELLED: "CANCELLED",
}


def calendar_page(portal: Portal) -> str:
    """Render what is to come, what came, and what was cancelled."""
    calendar, office = portal.calendar(), portal.office()
    lines = [_line(each, office) for each in calendar.entries]
    states = [each.state for each in calendar.entries]
    return portal.render(
        "calendar.html.j2",
        path=PAGE,
        coming=[line for line, state in zip(lines, states, strict=True) if state in TO_COME],
        out=[line for line, state in zip(lines, states, strict=True) if state is EntryState.OUT][::-1],
        cancelled=[line for line, state in zip(lines, states, strict=True) if state is EntryState.CANCELLED][::-1],
        zone=office.time_zone.rpartition("/")[2].replace("_", " "),
        is_doubtful=calendar.is_doubtful,
    )


def calendar_files(portal: Portal, address: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a static site, where something is announced."""
    if portal.calendar().entries:
        yield PAGE, calendar_page(portal).encode()
        yield ICS, icalendar(portal, address and f"{address}/")


def _line(entry: CalendarEntry, office: Office) -> Mapping[str, Any]:
    code = "" if language() in entry.title or not entry.title else next(iter(entry.title))
    told, below = tell(f"calendar_{entry.state}"), ""
    if entry.state is EntryState.OUT:
        told = _kept(entry)
    if entry.state is EntryState.CANCELLED and entry.sealed:
        told, below = "", tell("calendar_never_opened", entry.seen, day=day_in_words(entry.sealed), count=entry.seen)
    return {
        "when": spoken(entry.when, office),
        "was": [spoken(each, office, offset=False) for each in entry.was],
        "title": title_of(entry),
        "lang": code,
        "series": entry.series,
        "release": entry.release,
        "reason": entry.reason,
        "state": told,
        "below": below,
    }


def _kept(entry: CalendarEntry) -> str:
    """Return how an opening kept its hour: on time, early, or late and by how much."""
    if entry.was and not entry.is_month and entry.when < entry.was[-1]:
        return tell("calendar_early")
    return tell("calendar_late", entry.late, count=entry.late) if entry.late else tell("calendar_on_time")


def title_of(entry: CalendarEntry) -> str:
    """Return the title in the language that is spoken, else in the first it is in, and the edition; a word where there
    is none."""
    words = visible(entry.title.get(language()) or next(iter(entry.title.values()), ""))
    edition = visible(period_in_words(entry.edition))
    return f"{words} · {edition}" if words and edition else words or tell("calendar_untitled")


def spoken(when: str, office: Office, *, offset: bool = True) -> str:
    """Write an instant as time of the office's zone, with its offset, or a month, as the language writes them."""
    if len(when) == len("2027-06"):
        return period_in_words(when)
    moment = moment_of(when)
    if office.time_zone:
        moment = moment.astimezone(ZoneInfo(office.time_zone))
    told = f"{day_in_words(moment.isoformat())}, {moment:%H:%M}"
    return f"{told} ({_offset(moment)})" if offset else told


def _offset(moment: datetime) -> str:
    text = moment.strftime("%z")
    hours, minutes = text[:3], text[3:5]
    return f"UTC{int(hours):+d}{'' if minutes == '00' else f':{minutes}'}"


def waited(entry: CalendarEntry | None, office: Office) -> list[str]:
    """Return what is said of a release that waited for its hour: until when, when it came, and who saw it before."""
    if entry is None:
        return []
    told = [tell("history_waited", day=day_in_words(entry.sealed), due=spoken(entry.when, office), kept=_kept(entry))]
    told += [tell("history_moved", former=spoken(each, office), reason=entry.reason) for each in entry.was[-1:]]
    if entry.seen:
        since = spoken(entry.seen_from, office)
        told.append(tell("history_seen", entry.seen, count=entry.seen, since=since))
    return told


def icalendar(portal: Portal, base: str = "") -> bytes:
    """Return the calendar as iCalendar. `base`: address of the portal in English, with a slash at its end; if known."""
    office = portal.office()
    name = visible(office.said("name")) or portal.shelf.publisher() or tell("statistics")
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", f"PRODID:-//dprelease//{VERSION}//EN", f"X-WR-CALNAME:{_text(name)}"]
    for entry in portal.calendar().entries:
        lines += _event(entry, base)
    lines.append("END:VCALENDAR")
    return "".join(f"{_folded(line)}\r\n" for line in lines).encode()


def _event(entry: CalendarEntry, base: str) -> list[str]:
    lines = ["BEGIN:VEVENT", f"UID:{entry.uid}@dprelease", f"DTSTAMP:{_utc(entry.changed)}"]
    if entry.is_month:
        first = date.fromisoformat(f"{entry.when}-01")
        after = date(first.year + first.month // 12, first.month % 12 + 1, 1)
        lines += [f"DTSTART;VALUE=DATE:{first:%Y%m%d}", f"DTEND;VALUE=DATE:{after:%Y%m%d}", "TRANSP:TRANSPARENT"]
    else:
        lines.append(f"DTSTART:{_utc(entry.when)}")
    lines += [f"SUMMARY:{_text(title_of(entry))}", f"STATUS:{STATUS[entry.state]}", f"SEQUENCE:{entry.sequence}"]
    if entry.reason:
        lines.append(f"DESCRIPTION:{_text(entry.reason)}")
    if base:
        lines.append(f"URL:{base}{f'release/{entry.release}/' if entry.release else 'calendar/'}")
    return [*lines, f"LAST-MODIFIED:{_utc(entry.changed)}", "END:VEVENT"]


def _utc(when: str) -> str:
    return moment_of(when).astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def _text(text: str) -> str:
    """Write a text as a value: backslash, comma, semicolon and line break are escaped."""
    escaped = visible(text).replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    return escaped.replace("\r\n", "\n").replace("\n", "\\n")


def _folded(line: str) -> str:
    """Break a line after at most 75 octets, never inside a letter; what follows begins with a space."""
    parts: list[str] = []
    part = ""
    for letter in line:
        if len((part + letter).encode()) > OCTETS:
            parts, part = [*parts, part], " "
        part += letter
    return "\r\n".join([*parts, part])


def feed_entries(calendar: PublicCalendar, author: str, base: str) -> Iterator[Mapping[str, Any]]:
    """Yield an entry for each line that is to come or was cancelled."""
    for entry in calendar.entries:
        if entry.state is not EntryState.OUT:
            when = entry.when if entry.is_month else moment_of(entry.when).isoformat()
            yield {
                "id": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'dprelease:calendar:{entry.uid}')}",
                "url": f"{base}{PAGE}",
                "title": f"{when}: {title_of(entry)}",
                "text": " ".join(filter(None, (tell(f"calendar_{entry.state}"), visible(entry.reason)))),
                "published": f"{entry.changed[:19]}Z",
                "updated": f"{entry.changed[:19]}Z",
                "author": author,
                "category": "calendar",
            }
