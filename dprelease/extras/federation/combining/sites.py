"""The releases that are combined: each verified, each of another population, and all of the same plan."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from dprelease.bundle.entry import Entry
from dprelease.errors import InputError, IntegrityError, Problem, problem
from dprelease.model.certificate import Certificate
from dprelease.model.difference import Change
from dprelease.model.measured import comparable, first_difference
from dprelease.model.release import Release
from dprelease.statistics.planning.price import Price
from dprelease.verdict.check import Check
from dprelease.verdict.recompute import stated_price
from dprelease.verdict.verify import verify
from dprelease.words import Phrase, phrase, quoted

LONGEST = 120
"""Maximum length of a value in a message."""


@dataclass(frozen=True)
class VerifiedSite:
    """One of the releases, which verified."""

    release: Release
    price: Price
    signers: tuple[str, ...]
    """The keys that signed its ledger one after the other, the one of this release last."""
    hash: str
    """Hash of all that it tells (`outputs` of its line in the ledger): release.json, tables, functions, integers."""
    remarks: tuple[Check, ...] = ()
    """Later notices on the release, and contradictions within it."""
    read: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The integers of a measurement, once they were read."""

    @property
    def certificate(self) -> Certificate:
        return self.release.certificate

    @property
    def id(self) -> str:
        return self.release.id

    @property
    def population(self) -> str:
        return self.certificate.population.name

    def to_mapping(self) -> dict[str, Any]:
        """Return what is stated of it."""
        return {
            "release": self.id,
            "published": self.certificate.day,
            "population": self.population,
            "signer": self.signers[-1],
            "outputs_sha256": self.hash,
            "plan_hash": self.certificate.plan_hash,
            "loss": self.certificate.loss.exactly.to_mapping(),
            "epsilon": self.certificate.guarantee.epsilon,
            "delta": self.certificate.guarantee.delta,
        }


def read_sites(paths: Sequence[str | Path], keys: Sequence[str]) -> tuple[VerifiedSite, ...]:
    """Return the releases, each once. `keys`: of their signers, one for each, or none.

    Raises InputError where there are fewer than two, one twice, or one without its tables, and IntegrityError where
    one does not verify.
    """
    if len(paths) < 2:
        found = phrase("verdict.combined_few", count=len(paths))
        raise InputError("bundles", found=found, allowed=phrase("verdict.combined_two"))
    if keys and len(keys) != len(paths):
        found = phrase("verdict.combined_keys", keys=len(keys), bundles=len(paths))
        raise InputError("key", found=found, allowed=phrase("verdict.combined_key_each"))
    given: list[str | None] = [*keys] if keys else [None] * len(paths)
    sites = [_site(path, key) for path, key in zip(paths, given, strict=True)]
    seen: set[str] = set()
    for site in sites:
        if site.hash in seen:
            found = phrase("verdict.combined_twice", release=site.id)
            raise InputError("bundles", found=found, allowed=phrase("verdict.combined_once"))
        seen.add(site.hash)
    return tuple(sites)


def _site(path: str | Path, key: str | None) -> VerifiedSite:
    try:
        verdict = verify(path, key)
    except IntegrityError as cause:
        raise IntegrityError(phrase("verdict.combined_bundle", path=str(path), cause=cause)) from None
    release = verdict.release
    if release.is_withheld:
        found = phrase("verdict.withheld_release")
        raise InputError(f"bundles.{release.id}", found=found, allowed=phrase("verdict.published_tables"))
    several = release.certificate.several
    if several is not None:
        found = phrase("verdict.combined_masked", release=release.id, count=len(several.sites))
        raise InputError("bundles", found=found, allowed=phrase("verdict.combined_of_one"))
    entry = Entry.read(release.entry)
    told = str(entry.published.facts["outputs"])
    return VerifiedSite(release, stated_price(release.certificate), entry.history.signers, told, verdict.remarks)


def check_apart(sites: Sequence[VerifiedSite]) -> None:
    """Raises InputError where two are of one population, by the ledger that they share."""
    for one, other in combinations(sites, 2):
        if _is_same_population(one, other):
            raise InputError(
                "bundles",
                found=phrase("verdict.combined_same", one=one.id, other=other.id, population=quoted(one.population)),
                allowed=phrase("verdict.combined_apart"),
                remedy=phrase("verdict.combined_attest"),
            )


def _is_same_population(one: VerifiedSite, other: VerifiedSite) -> bool:
    if not {*one.signers} & {*other.signers}:
        return False
    return one.population == other.population or _says_same(one, other) or _says_same(other, one)


def _says_same(one: VerifiedSite, other: VerifiedSite) -> bool:
    overlapping = one.certificate.cumulative.overlapping
    return any(each.population == other.population and each.overlap == "same" for each in overlapping)


def check_alike(sites: Sequence[VerifiedSite], statistics: Sequence[str]) -> None:
    """Raises InputError with all that the plans differ in and that changes what these statistics mean."""
    problems = [found for other in sites[1:] for found in _differences(sites[0], other, statistics)]
    if problems:
        raise InputError.from_problems(dict.fromkeys(problems))


def _differences(one: VerifiedSite, other: VerifiedSite, statistics: Sequence[str]) -> Iterator[Problem]:
    commons = [_common(site.certificate) for site in (one, other)]
    differing = [key for key, value in commons[0].items() if value != commons[1][key]]
    for key in differing:
        yield _problem(key, one, other, commons[0][key], commons[1][key])
    if differing:
        return  # what follows from it in each statistic says no more
    plans = [site.certificate.plan for site in (one, other)]
    for name in statistics:
        asked = [{each["id"]: each for each in plan["statistics"]}.get(name) for plan in plans]
        if asked[0] is None or asked[1] is None:
            yield _problem(f"statistics.{name}", one, other, *(each and each["kind"] for each in asked))
            continue
        facts = [comparable(each, plan) for each, plan in zip(asked, plans, strict=True) if each]
        change = first_difference(*facts) or _measured_otherwise(one.price, other.price, name)
        if change is not None:
            yield _problem(f"statistics.{name}.{change.path}", one, other, change.before, change.after)


def _common(certificate: Certificate) -> dict[str, Any]:
    """Return the settings that all statistics of a plan share."""
    return {
        "population.unit": certificate.population.unit,
        "privacy.unit": certificate.plan["privacy"]["unit"],
        "privacy.neighbors": certificate.guarantee.neighbors.value,
        "currency": certificate.population.currency.value,
        "where": list(certificate.plan.get("where", ())),
        "postprocess": list(certificate.plan.get("postprocess", ())),
    }


def _measured_otherwise(one: Price, other: Price, name: str) -> Change | None:
    """Return the first difference in how a statistic was measured; scales and losses may differ."""
    facts = [_measurement(price, name) for price in (one, other)]
    return first_difference(*facts)


def _measurement(price: Price, name: str) -> Mapping[str, Any]:
    derivation = price[name].derivation
    own = derivation.measurement
    return {
        "derivation": derivation.name,
        "measurement": own.id,
        **({"measurements": names} if len(names := [each.id for each in derivation.measurements]) > 1 else {}),
        "mechanisms": [
            {
                "name": each.name,
                "shape": list(each.sensitivity.shape or ()),
                "step": step,
                **{key: value for key, value in each.settings.items() if key != "ratios"},
            }
            for each, step in zip(own.mechanisms, own.steps, strict=True)
        ],
    }


def _problem(path: str, one: VerifiedSite, other: VerifiedSite, value: Any, by: Any) -> Problem:
    found = phrase("verdict.sites_differ", one=_shown(value), first=one.id, other=_shown(by), second=other.id)
    return problem(path, found, phrase("verdict.sites_alike"), phrase("verdict.sites_only"))


def _shown(value: Any) -> Phrase | str:
    if value is None:
        return phrase("verdict.sites_nothing")
    text = json.dumps(value, ensure_ascii=False)
    return quoted(text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}...")
