"""Selection of releases by population, publisher, topic and days, and what an address asks to be searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import urlencode

from dprelease.bundle.notices import PublisherNotices
from dprelease.model.stated import as_json
from dprelease.portal.search import LONGEST
from dprelease.portal.shelf import Bundle
from dprelease.portal.spine import BundleSummary


@dataclass(frozen=True, slots=True)
class CatalogueFilter:
    """Filter of releases; empty parts select everything."""

    q: str = ""
    population: str = ""
    publisher: str = ""
    topic: str = ""
    since: str = ""
    until: str = ""

    QUERIES: ClassVar[Mapping[str, str]] = {
        "q": "words that title, findings, tables, labels, description or topics hold, all of them, or their beginnings",
        "population": "the name of a population",
        "publisher": "the name of a publisher",
        "topic": "one of the release's topics",
        "since": "published on this day or later, such as 2026-01-31",
        "until": "published on this day or earlier",
    }

    @classmethod
    def of(cls, query: Mapping[str, str]) -> CatalogueFilter:
        """Read the filter from the parameters of an address; others are left out."""
        return cls(**{name: query[name].strip()[: LONGEST + 1] for name in cls.QUERIES if name in query})

    @property
    def is_cut(self) -> bool:
        """True if more was asked for than is searched for."""
        return len(self.q) > LONGEST

    @property
    def is_filter(self) -> bool:
        """True if more than words is asked for."""
        return any(getattr(self, name) for name in self.QUERIES if name != "q")

    def query(self, **more: object) -> str:
        """Write the filter as the query of an address."""
        asked = {name: getattr(self, name) for name in self.QUERIES}
        return urlencode({name: value for name, value in {**asked, **more}.items() if value})

    def among(self, spines: Sequence[BundleSummary]) -> Sequence[BundleSummary]:
        """Return the releases that it selects by all but words, in the same order."""
        if self.population:
            spines = [spine for spine in spines if spine.population == self.population]
        if self.publisher:
            spines = [spine for spine in spines if spine.publisher == self.publisher]
        if self.topic:
            spines = [spine for spine in spines if self.topic in spine.topics]
        if self.since:
            spines = [spine for spine in spines if spine.day >= self.since]
        if self.until:
            spines = [spine for spine in spines if spine.day <= self.until]
        return spines


def summary(bundle: Bundle, said: PublisherNotices) -> dict[str, Any]:
    """Return a release in the list, with the addresses of everything that belongs to it."""
    facts, base, about = bundle.certificate, f"/api/releases/{bundle.id}", bundle.certificate.about
    return {
        "id": bundle.id,
        "title": facts.called,
        "description": facts.description,
        "published": facts.shown_day,
        "population": facts.population.name,
        "publisher": about.publisher or None,
        "topics": list(about.topics),
        "series": about.series or None,
        "edition": about.edition or None,
        "reference_period": about.reference_period or None,
        "withheld": facts.is_withheld,
        **said.to_mapping(),
        "guarantee": as_json(facts.guarantee),
        "cumulative": as_json(facts.cumulative),
        "certificate": base,
        "page": f"/r/{bundle.id}/",
        "bundle": f"{base}/bundle.zip",
        "notices": f"{base}/notices",
        "tables": {name: f"{base}/tables/{name}.csv" for name in bundle.tables},
    }
