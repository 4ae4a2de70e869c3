"""Publisher and terms of a release: public metadata that catalogues ask for, written in the plan."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from dprelease.model.report import Report
from dprelease.words import phrase

KEYS = (
    *("publisher", "contact", "licence", "topics", "region", "use", "sector"),
    *("series", "edition", "reference_period", "reference"),
)
SECTORS = ("Technology", "Healthcare", "Education", "Government", "Energy", "Finance")
"""Sectors of the registry of deployments (registry.opendp.org)."""
MAX_TOPICS = 20
LONGEST_USE = 1000
ADDRESS = re.compile(r"https?://[^\s<>\"{}|\\^`]{1,180}")
IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]{0,59}")
"""Pattern of a licence identifier in the SPDX list, such as CC-BY-4.0."""
SERIES = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?")
"""A name that stands in addresses."""
LONGEST_EDITION = 60
PERIOD = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}/[0-9]{4}-[0-9]{2}-[0-9]{2}")
MAIL = re.compile(r"[^\s<>\"@:/?#]{1,64}@[A-Za-z0-9.-]{1,120}")


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """Publication metadata of a plan; every part may be empty."""

    publisher: str = ""
    contact: str = ""
    """A web or mail address."""
    licence: str = ""
    """A web address, or an identifier of the SPDX list."""
    topics: tuple[str, ...] = ()
    region: str = ""
    """Region that the data describe."""
    use: str = ""
    """Intended use of the release."""
    sector: str = ""
    series: str = ""
    """The name of what comes again, as every year; its editions are found by it."""
    edition: str = ""
    """Name of this edition within its series, such as 2025."""
    reference_period: str = ""
    """First and last day that the data cover: 2025-01-01/2025-12-31."""
    reference: str = ""
    """Name of the column whose days the reference period holds: by it editions follow each other."""

    @classmethod
    def read(cls, value: object, report: Report) -> About:
        """Read what stands under `about` in a plan."""
        if value is None:
            return cls()
        fields = report.mapping(value, "about", allowed=KEYS)
        stated = {
            "publisher": report.optional_text(fields, "publisher", "about"),
            "contact": report.optional_text(fields, "contact", "about"),
            "licence": report.optional_text(fields, "licence", "about"),
            "region": report.optional_text(fields, "region", "about"),
            "use": report.optional_text(fields, "use", "about", longest=LONGEST_USE),
            "series": report.optional_text(fields, "series", "about"),
            "edition": report.optional_text(fields, "edition", "about", longest=LONGEST_EDITION),
            "reference_period": report.optional_text(fields, "reference_period", "about"),
        }
        if stated["contact"] and not (ADDRESS.fullmatch(stated["contact"]) or MAIL.fullmatch(stated["contact"])):
            report.add("about.contact", found=stated.pop("contact"), allowed=phrase("model.web_address_mail_address"))
        if stated["licence"] and not (ADDRESS.fullmatch(stated["licence"]) or IDENTIFIER.fullmatch(stated["licence"])):
            allowed = phrase("model.web_address_identifier_such")
            report.add("about.licence", found=stated.pop("licence"), allowed=allowed)
        if stated["series"] and not SERIES.fullmatch(stated["series"]):
            report.add("about.series", found=stated.pop("series"), allowed=phrase("model.name_of_series"))
        if stated["reference_period"] and not is_period(stated["reference_period"]):
            found = stated.pop("reference_period")
            report.add("about.reference_period", found=found, allowed=phrase("model.two_days"))
        if fields.get("reference") is not None:
            own = report.mapping(fields["reference"], "about.reference", allowed=("column",), required=("column",))
            stated["reference"] = report.optional_text(own, "column", "about.reference", shortest=1)
        sector = fields.get("sector")
        chosen = None if sector is None else report.choice(sector, "about.sector", SECTORS)
        return cls(**stated, topics=_topics(fields.get("topics"), report), sector=chosen or "")

    @property
    def licence_address(self) -> str:
        """Web address of the licence; empty where none is stated."""
        named = self.licence and not ADDRESS.fullmatch(self.licence)
        return f"https://spdx.org/licenses/{self.licence}.html" if named else self.licence

    @property
    def contact_address(self) -> str:
        """Contact address as a link."""
        return f"mailto:{self.contact}" if MAIL.fullmatch(self.contact) else self.contact

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping as in a plan file, what is empty left out."""
        stated = {key: getattr(self, key) for key in KEYS}
        if stated["reference"]:
            stated["reference"] = {"column": self.reference}
        return {key: list(value) if key == "topics" else value for key, value in stated.items() if value}


def series_name(title: str) -> str:
    """Return the name of a series from a title."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40].strip("-") or "series"


def is_period(text: str) -> bool:
    """Return True if a text is two days, the first of which is not after the second."""
    first, _, last = text.partition("/")
    try:
        return bool(PERIOD.fullmatch(text)) and date.fromisoformat(first) <= date.fromisoformat(last)
    except ValueError:
        return False


def _topics(value: object, report: Report) -> tuple[str, ...]:
    if value is None:
        return ()
    items = report.sequence(value, "about.topics", longest=MAX_TOPICS)
    topics = (report.text(item, f"about.topics[{place}]", longest=60, shortest=1) for place, item in enumerate(items))
    return tuple(dict.fromkeys(filter(None, topics)))
