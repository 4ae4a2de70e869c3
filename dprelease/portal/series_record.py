"""Facts about a series in words: its title, how often it comes, how it is revised; signed by the office's key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

from dprelease.bundle.history import History
from dprelease.errors import InputError, IntegrityError
from dprelease.model.about import ADDRESS, MAIL, SERIES, About
from dprelease.model.encoding import read_json
from dprelease.model.report import Report
from dprelease.model.texts import ByLanguage
from dprelease.portal.office import SERIES as FOLDER
from dprelease.portal.office import read_words, signed, spoken
from dprelease.words import phrase

VERSION = 1
KEYS = ("title", "description", "frequency", "revisions", "contact", "next")
BY_LANGUAGE: Mapping[str, int] = {"title": 200, "description": 2000, "revisions": 2000}
"""Longest text of each part that has one for each language."""
FREQUENCIES = ("monthly", "quarterly", "yearly", "irregular")
WHEN = re.compile(r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:Z|[+-][0-9]{2}:[0-9]{2}))?)?")
"""Pattern of a month, a day, or an instant with its offset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesRecord:
    """Series as its page shows it; every part may be empty."""

    name: str
    """Name that stands in addresses and plans."""
    title: ByLanguage = field(default_factory=dict)
    description: ByLanguage = field(default_factory=dict)
    frequency: str = ""
    """One of FREQUENCIES."""
    revisions: ByLanguage = field(default_factory=dict)
    """Policy on revisions of the series."""
    contact: str = ""
    """Web or mail address."""
    next: str = ""
    """Month, day or instant of the next edition: 2027-01, 2027-01-15, 2027-01-15T09:00+01:00."""
    is_doubtful: bool = False
    """True if a file lies there that no key of this ledger signed, or not so."""

    @classmethod
    def read(cls, name: str, value: object) -> SeriesRecord:
        """Read a record as in its file. Raises InputError with every problem."""
        report = Report()
        if not SERIES.fullmatch(name):
            report.add("series", found=name, allowed=phrase("model.name_of_series"))
        fields = report.mapping(value, "", allowed=KEYS, required=("title",))
        words: dict[str, Any] = {}
        words |= {key: read_words(fields.get(key), key, most, report) for key, most in BY_LANGUAGE.items()}
        plain: dict[str, Any] = {}
        plain |= {key: report.optional_text(fields, key, "") for key in ("frequency", "contact", "next")}
        if plain["frequency"]:
            report.choice(plain["frequency"], "frequency", FREQUENCIES)
        contact = plain["contact"]
        if contact and not (ADDRESS.fullmatch(contact) or MAIL.fullmatch(contact)):
            report.add("contact", found=contact, allowed=phrase("model.web_address_mail_address"))
        if plain["next"] and not _is_time(plain["next"]):
            report.add("next", found=plain["next"], allowed=phrase("portal.time_of_edition"))
        report.raise_any(InputError)
        return cls(name=name, **words, **plain)

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping as in its file, what is empty left out."""
        stated = {key: getattr(self, key) for key in KEYS}
        return {key: dict(each) if isinstance(each, Mapping) else each for key, each in stated.items() if each}

    @property
    def statement(self) -> dict[str, Any]:
        """Statement that is signed."""
        return {"dprelease_series": VERSION, "name": self.name, "series": self.to_mapping()}

    def said(self, part: str) -> str:
        """Return a part in the language that is spoken, else in the first it is in; empty where it has none."""
        return spoken(getattr(self, part))

    @property
    def called(self) -> str:
        """Title in the language that is spoken; without one, the name."""
        return self.said("title") or self.name

    @property
    def contact_address(self) -> str:
        """Contact address as a link."""
        return About(contact=self.contact).contact_address


def record_path(name: str) -> str:
    """Return the path of the record of a series in a public folder."""
    return f"{FOLDER}/{name}.json"


def series_record(folder: Path, name: str, known: History | None) -> SeriesRecord:
    """Return what a public folder says of a series, if a key of its ledger signed it; else a record of its name alone.

    `known`: newest checkpoint of the ledger, whose keys are the publisher's.
    """
    path = folder / record_path(name)
    try:
        data = path.read_bytes() if SERIES.fullmatch(name) else None
    except OSError:
        data = None
    if data is None:
        return SeriesRecord(name=name)
    try:
        match signed(read_json(data, path.name, whole=True), known):
            case {"dprelease_series": 1, "name": str(stated), "series": dict() as own} if stated == name:
                return SeriesRecord.read(name, own)
    except (IntegrityError, InputError):
        pass
    return SeriesRecord(name=name, is_doubtful=True)


def _is_time(text: str) -> bool:
    try:
        date.fromisoformat(f"{text}-01" if len(text) == len("2027-01") else text[:10])
        _ = datetime.fromisoformat(text) if "T" in text else None
    except ValueError:
        return False
    return WHEN.fullmatch(text) is not None
