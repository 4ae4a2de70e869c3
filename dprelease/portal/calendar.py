"""Calendar of a publisher: its signed file, and the loss that is held for releases to come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from dprelease.bundle.history import SIGNED, History
from dprelease.bundle.signing import PublicKey
from dprelease.errors import InputError, IntegrityError
from dprelease.model.calendar_entry import CalendarEntry
from dprelease.model.encoding import canonical, read_json
from dprelease.model.privacy import PrivacyLoss
from dprelease.words import phrase

FILE = "calendar.json"
VERSION = 1


@dataclass(frozen=True, slots=True)
class PublicCalendar:
    """Lines in the order of time, and what each population has spent on releases to come."""

    entries: tuple[CalendarEntry, ...] = ()
    held: Mapping[str, tuple[PrivacyLoss, int]] = field(default_factory=dict)
    """Loss and number of releases, by population."""
    is_doubtful: bool = False
    """True if a calendar lies there that no key of this ledger signed, or not so."""

    def of_release(self, release_id: str) -> CalendarEntry | None:
        """Return the line of a release that waited for its hour; None of another one."""
        return next((each for each in self.entries if each.release == release_id), None)


def files(folder: Path) -> dict[str, bytes]:
    """Return the file of the calendar by its name, where one lies in a public folder."""
    path = folder / FILE
    return {path.name: path.read_bytes()} if path.is_file() else {}


def statement(entries: Iterable[CalendarEntry], held: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what is signed of a calendar. `held`: population, loss in whole numbers and number of releases."""
    return {
        "dprelease_calendar": VERSION,
        "entries": [each.to_mapping() for each in entries],
        "held": [dict(each) for each in held],
    }


def load(folder: Path, known: History | None) -> PublicCalendar:
    """Return the calendar in a public folder, if a key of its ledger signed it. `known`: as of `office.load`."""
    path = folder / FILE
    try:
        facts = path.stat()
    except OSError:
        return PublicCalendar()
    signers = frozenset() if known is None else frozenset(known.signers)
    return _read(path, (facts.st_ino, facts.st_size, facts.st_ctime_ns), signers)


@lru_cache(maxsize=8)
def _read(path: Path, changed: tuple[int, ...], signers: frozenset[str]) -> PublicCalendar:
    try:
        return _signed(read_json(path.read_bytes(), FILE, whole=True), signers)
    except (OSError, IntegrityError, InputError, KeyError, TypeError, ValueError):
        return PublicCalendar(is_doubtful=True)


def _signed(value: Mapping[str, Any], signers: frozenset[str]) -> PublicCalendar:
    match value:
        case {"statement": {"dprelease_calendar": 1, "entries": list() as entries, "held": list() as held}, **rest}:
            signer, signature = str(rest.get("signer")), str(rest.get("signature"))
            if signer not in signers or not SIGNED.fullmatch(signature):
                raise IntegrityError(phrase("portal.calendar_not_signed"))
            PublicKey.of(signer).check(bytes.fromhex(signature), canonical(value["statement"]))
            losses = {each["population"]: (PrivacyLoss(**each["loss"]), each["releases"]) for each in held}
            return PublicCalendar(tuple(map(CalendarEntry.read, entries)), losses)
    raise IntegrityError(phrase("portal.calendar_not_signed"))
