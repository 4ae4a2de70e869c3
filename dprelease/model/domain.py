"""Ready domains: what is publicly known of ages, countries, months or amounts, whoever's they are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

from dprelease.errors import SchemaError
from dprelease.model.report import nearest
from dprelease.words import phrase
from dprelease.words.language import ENGLISH, language

DATES = re.compile(r"dates_([12][0-9]{3})(?:_([12][0-9]{3}))?")
"""`dates_2025`, `dates_2020_2029`: the days of one year, or of several."""
WIDE = "wide"
"""The group of domains far too wide for a release, for columns whose bounds nobody knows."""


@dataclass(frozen=True, slots=True)
class Domain:
    """A declaration that fits many columns, with its words in every language."""

    name: str
    """As in a codebook, such as `age`."""
    group: str
    label: Mapping[str, str]
    declared: Mapping[str, Any]
    """Type, bounds, resolution, categories: as in a plan file."""
    unit: Mapping[str, str] = field(default_factory=dict)
    description: Mapping[str, str] = field(default_factory=dict)
    """What the values stand for, where they do not say it themselves."""

    def to_mapping(self, code: str | None = None) -> dict[str, Any]:
        """Returns it as under a column of a plan file, in a language (by default the one that is spoken)."""
        spoken = code or language()
        words = {"unit": self.unit.get(spoken, ""), "description": self.description.get(spoken, "")}
        return {**self.declared, **{key: text for key, text in words.items() if text}}

    @property
    def said(self) -> str:
        """Tells what it is called in the language that is spoken."""
        return self.label.get(language(), self.label[ENGLISH])


@cache
def domains() -> Mapping[str, Domain]:
    """All ready domains by name, in groups; `dates` of some years are asked of `domain`."""
    text = files("dprelease.model").joinpath("domains.json").read_text("utf-8")
    return {item["name"]: Domain(**item) for item in json.loads(text, parse_float=Decimal)}


def of_group(group: str) -> Iterator[Domain]:
    """The domains of one group."""
    return (item for item in domains().values() if item.group == group)


def domain(name: str) -> Domain:
    """The domain of a name. Raises SchemaError where there is none."""
    known = domains()
    if name in known:
        return known[name]
    years = DATES.fullmatch(name)
    if years is not None and years[1] <= (years[2] or years[1]):
        return dates(int(years[1]), int(years[2] or years[1]))
    remedy = nearest(name, known) or phrase("model.guide_lists_them_all")
    raise SchemaError("domain", found=name, allowed=phrase("model.ready_domain_such_age"), remedy=remedy)


def dates(first: int, last: int) -> Domain:
    """The days from the first of January of a year to the end of another."""
    name = f"dates_{first}" if first == last else f"dates_{first}_{last}"
    label = {
        "en": f"Days of {first}" if first == last else f"Days of {first} to {last}",
        "es": f"Días de {first}" if first == last else f"Días de {first} a {last}",
    }
    return Domain(name, "time", label, {"type": "date", "lower": f"{first}-01-01", "upper": f"{last}-12-31"})
