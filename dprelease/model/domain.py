"""Ready domains: what is publicly known of ages, countries, months or amounts, whoever's they are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

from dprelease.errors import SchemaError
from dprelease.model.report import nearest
from dprelease.words import Phrase, phrase

DATES = re.compile(r"dates_([12][0-9]{3})(?:_([12][0-9]{3}))?")
"""`dates_2025`, `dates_2020_2029`: the days of one year, or of several."""
WIDE = "wide"
"""The group of domains far too wide for a release, for columns whose bounds nobody knows."""


@dataclass(frozen=True, slots=True)
class Domain:
    """A declaration that fits many columns, with its words."""

    name: str
    """Name as in a codebook, such as `age`."""
    group: str
    label: Phrase
    declared: Mapping[str, Any]
    """Type, bounds, resolution, categories: as in a plan file."""
    words: tuple[tuple[str, Phrase], ...] = ()
    """Words for its unit, and for what the values stand for, where they do not say it themselves."""

    def to_mapping(self) -> dict[str, Any]:
        """Return the declaration as under a column of a plan file, in the language that is spoken."""
        return {**self.declared, **{key: str(words) for key, words in self.words}}


@cache
def domains() -> Mapping[str, Domain]:
    """Return all ready domains by name, in groups; `dates` of some years are asked of `domain`."""
    text = files("dprelease.model").joinpath("domains.json").read_text("utf-8")
    return {item["name"]: _read(**item) for item in json.loads(text, parse_float=Decimal)}


def _read(name: str, group: str, declared: Mapping[str, Any], words: Sequence[str] = ()) -> Domain:
    said = tuple((key, phrase(f"model.domain_{name}_{key}")) for key in words)
    return Domain(name, group, phrase(f"model.domain_{name}"), declared, said)


def of_group(group: str) -> Iterator[Domain]:
    """Return the domains of one group."""
    return (item for item in domains().values() if item.group == group)


def domain(name: str) -> Domain:
    """Return the domain of a name. Raises SchemaError where there is none."""
    known = domains()
    if name in known:
        return known[name]
    years = DATES.fullmatch(name)
    if years is not None and years[1] <= (years[2] or years[1]):
        return dates(int(years[1]), int(years[2] or years[1]))
    remedy = nearest(name, known) or phrase("model.guide_lists_them_all")
    raise SchemaError("domain", found=name, allowed=phrase("model.ready_domain_such_age"), remedy=remedy)


def dates(first: int, last: int) -> Domain:
    """Return the days from the first of January of a year to the end of another."""
    name = f"dates_{first}" if first == last else f"dates_{first}_{last}"
    label = phrase("model.days_of" if first == last else "model.days_of_to", first=first, last=last)
    return Domain(name, "time", label, {"type": "date", "lower": f"{first}-01-01", "upper": f"{last}-12-31"})
