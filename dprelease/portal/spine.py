"""Summary of a bundle for lists, read from two of its files; unchecked until the bundle is opened."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from dprelease.bundle.listing import LEDGER
from dprelease.bundle.outputs import CERTIFICATE
from dprelease.model.about import About
from dprelease.model.report import Report
from dprelease.words.language import language


@dataclass(frozen=True, eq=False)
class BundleSummary:
    """Bundle as it stands on the shelf: its place in lists, and the texts that are searched."""

    id: str
    day: str
    seq: int
    """Number of its charge in the ledger."""
    title: str
    titles: Mapping[str, str]
    """Titles by language, where the plan has some."""
    description: str
    population: str
    publisher: str
    topics: tuple[str, ...]
    series: str
    """Name of the series that it is an edition of; empty where it is of none."""
    tables: tuple[str, ...]
    """Ids of its statistics, where it publishes any."""
    ledger: tuple[str, str]
    """Workspace and the key that signed the checkpoint in it."""
    size: int
    """Number of events in this checkpoint."""

    @classmethod
    def read(cls, release_id: str, folder: Path) -> BundleSummary:
        """Read a summary. Raises OSError or ValueError where the files cannot be read so."""
        facts = CERTIFICATES.decode((folder / CERTIFICATE).read_bytes())
        about = About.read(facts.plan.about, Report())
        entry = ENTRIES.decode((folder / LEDGER).read_bytes())
        return cls(
            id=release_id,
            day=facts.due[:10] or facts.published.isoformat(),
            seq=facts.ledger.seq,
            title=facts.title,
            titles=facts.plan.texts.title if facts.plan.texts else {},
            description=facts.description,
            population=facts.population.name,
            publisher=about.publisher,
            topics=about.topics,
            series=about.series,
            tables=tuple(each.id for each in facts.statistics) if all(each.held for each in facts.criteria) else (),
            ledger=(entry.checkpoint.workspace, entry.signer),
            size=entry.checkpoint.size,
        )

    @property
    def order(self) -> tuple[str, int, str]:
        """Key that sorts bundles by the day of publication."""
        return self.day, self.seq, self.id

    @property
    def called(self) -> str:
        """Title in the language that is spoken, where the plan has one; else the plan's own."""
        return self.titles.get(language()) or self.title


def plainly(text: str) -> str:
    """Return a text in lower case, without accents."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(character for character in decomposed if not unicodedata.combining(character)).casefold()


def slug(topic: str) -> str:
    """Return the name of a topic in addresses: its letters and digits in plain form; where it has none, their codes."""
    return "-".join(re.findall(r"[^\W_]+", plainly(topic))) or "-".join(f"{ord(letter):x}" for letter in topic)


class _Named(msgspec.Struct):
    name: str


class _Identified(msgspec.Struct):
    id: str


class _Place(msgspec.Struct):
    seq: int


class _Criterion(msgspec.Struct):
    held: bool


class _Texts(msgspec.Struct):
    title: dict[str, str] = {}


class _Plan(msgspec.Struct):
    about: Any = None
    texts: _Texts | None = None


class _Certificate(msgspec.Struct):
    published: date
    ledger: _Place
    title: str
    description: str
    population: _Named
    plan: _Plan
    statistics: tuple[_Identified, ...]
    criteria: tuple[_Criterion, ...]
    due: str = ""


class _Checkpoint(msgspec.Struct):
    size: int
    workspace: str


class _Entry(msgspec.Struct):
    checkpoint: _Checkpoint
    signer: str


CERTIFICATES = msgspec.json.Decoder(_Certificate)
ENTRIES = msgspec.json.Decoder(_Entry)
