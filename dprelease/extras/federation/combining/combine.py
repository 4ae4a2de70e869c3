"""One release of several sites' published ones: their noisy integers added up, at no cost, for nothing else is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import structs

from dprelease.accounting.rho_conversion import epsilon_at
from dprelease.bundle.listing import checksums, facts_of, is_made_of, parts
from dprelease.bundle.outputs import CERTIFICATE, release_files
from dprelease.errors import InputError, IntegrityError
from dprelease.extras.federation.combining.draws import added_up, check_addable, measured_for
from dprelease.extras.federation.combining.sites import VerifiedSite, check_alike, check_apart, read_sites
from dprelease.extras.federation.combining.text import readme
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.certificate import Certificate
from dprelease.model.encoding import canonical, plain, read_json
from dprelease.model.measured import comparable
from dprelease.model.privacy import Currency, PrivacyLoss
from dprelease.model.release import Estimates, Frames, Named, Output, Release
from dprelease.model.report import nearest
from dprelease.model.stated import USUAL
from dprelease.statistics.planning.price import Price
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.verdict.check import Check
from dprelease.words import phrase, quoted, verbatim
from dprelease.words.language import ENGLISH, speaking

FORMAT = 1
OPEN = "open"
"""Every site published a release of its own, with noise of its own."""
PARTS = ("epsilon_nano", "rho_nano", "delta_atto")
FACTS, README, SUMS = "combined.json", "README.txt", "SHA256SUMS"


@dataclass(frozen=True)
class Combined:
    """Combined result of several releases."""

    facts: Mapping[str, Any]
    """Content of combined.json: of which releases it is, what they measured, what is promised to whom."""
    outputs: Mapping[str, Output] = field(repr=False)
    """Outputs by statistic, as in a release."""
    certificate: Certificate = field(repr=False)
    """Certificate of the first site, with the usual limits of grades: what the tables are about."""
    remarks: Mapping[str, tuple[Check, ...]] = field(default_factory=dict)
    """Remarks by release: the verdict on it, where it was corrected or superseded or contradicts itself. In no file."""

    @property
    def tables(self) -> Mapping[str, Estimates]:
        """Every table by its name."""
        return Named(self.certificate, self.outputs)

    @property
    def estimates(self) -> Frames:
        """DataFrames by table: keys, value, lower95, upper95; 95 % by the noise of all sites together."""
        return Frames(self.tables)

    def files(self) -> dict[str, bytes]:
        """Return every file by its path; the same bytes for the same releases, whatever their order."""
        made = release_files(Release(certificate=self.certificate, outputs=self.outputs))
        files = {path: b"".join(parts(content)) for path, content in made.items() if path != CERTIFICATE}
        with speaking(ENGLISH):
            files |= {FACTS: canonical(self.facts), README: readme(self.facts).encode()}
        return {**files, SUMS: checksums(facts_of(files))}

    def write(self, folder: str | Path) -> Path:
        """Write all files into a new folder and return its path. Raises InputError where something is there."""
        path = Path(folder)
        try:
            path.mkdir(parents=True)
            for name, content in self.files().items():
                (path / name).parent.mkdir(exist_ok=True)
                (path / name).write_bytes(content)
        except OSError as cause:
            reason = verbatim(cause.strerror or "")
            raise InputError("out", found=str(path), allowed=phrase("verdict.combined_folder"), remedy=reason) from None
        return path

    def check(self, folder: str | Path) -> None:
        """Raises IntegrityError unless a folder holds just these files, byte for byte."""
        path, own = Path(folder), self.files()
        there = {each.relative_to(path).as_posix() for each in path.rglob("*") if not each.is_dir()}
        for name in sorted(there | own.keys()):
            if name not in there:
                raise IntegrityError(phrase("verdict.combined_missing", name=quoted(name)))
            if name not in own:
                raise IntegrityError(phrase("verdict.combined_further", name=quoted(name)))
            if not is_made_of((path / name).read_bytes(), own[name]):
                raise IntegrityError(phrase("verdict.combined_otherwise", name=quoted(name)))


def combine(
    *paths: str | Path, only: Sequence[str] = (), same_population: bool = False, keys: Sequence[str] = ()
) -> Combined:
    """Add up the noisy integers of two or more published releases, each of another population, of one plan.

    Each bundle is verified first; `keys`: of the signers, one for each path. `only`: the statistics that are combined,
    instead of all. `same_population`: attests that two releases may be of one population, so that a row may count in
    both, and losses add up. The ε is 0: it is computed of published integers alone. An integer of K sites has the sum
    of their noises, with the sum of their variances: √K times the standard deviation of one, where all are alike.
    Intervals hold with 95 % by the distribution of that sum. No site relies on another one's noise. A person in r sites
    is protected by the sum of their r losses. Raises IntegrityError where a bundle does not verify, and InputError,
    naming them, where releases, populations or plans do not fit, or a statistic is made of no integers that add up.

    Example: `dp.combine(bundle, other).write("sum")`.
    """
    given = read_sites(paths, keys)
    if not same_population:
        check_apart(given)
    sites = sorted(given, key=lambda site: site.hash)
    statistics = _chosen(sites, only)
    check_alike(given, statistics)
    check_alike(given, measured_for(sites[0].price, statistics))
    check_addable(sites, statistics)
    price, outputs = added_up(sites, statistics)
    facts = _facts(sites, price, {"only": sorted({*only}), "same_population": same_population})
    remarks = {site.id: site.remarks for site in given if site.remarks}
    return Combined(facts, outputs, structs.replace(sites[0].certificate, grades=USUAL), remarks)


def check_combined(folder: str | Path, *paths: str | Path, keys: Sequence[str] = ()) -> Combined:
    """Combine the releases again as a folder says that they were, and compare every file byte for byte.

    Raises IntegrityError where one differs, and what `combine` raises.

    Example: `dp.check_combined("together", bundle, other)`.
    """
    try:
        asked = read_json((Path(folder) / FACTS).read_bytes(), FACTS)["asked"]
        only, same = [str(each) for each in asked["only"]], asked["same_population"] is True
    except (OSError, KeyError, TypeError):
        raise IntegrityError(phrase("verdict.combined_missing", name=quoted(FACTS))) from None
    found = combine(*paths, only=only, same_population=same, keys=keys)
    found.check(folder)
    return found


def _chosen(sites: Sequence[VerifiedSite], only: Sequence[str]) -> tuple[str, ...]:
    """Return the statistics that are combined, in the order of the first plan."""
    known = [item.id for item in sites[0].price.statistics]
    for name in only:
        if name not in known:
            allowed = phrase("verdict.combined_statistics", names=", ".join(known))
            raise InputError("only", found=name, allowed=allowed, remedy=nearest(name, known))
    others = [] if only else [item.id for site in sites[1:] for item in site.price.statistics]
    return tuple(dict.fromkeys(name for name in (*known, *others) if not only or name in only))


def _facts(sites: Sequence[VerifiedSite], price: Price, asked: Mapping[str, Any]) -> dict[str, Any]:
    certificate, plan = sites[0].certificate, sites[0].certificate.plan
    return {
        "dprelease_combined": FORMAT,
        "trust": OPEN,
        "cost": PrivacyLoss().to_mapping(),
        "asked": dict(asked),
        "unit": certificate.guarantee.unit,
        "privacy_unit": price.plan.unit.to_mapping(),
        "neighbors": certificate.guarantee.neighbors.value,
        "currency": certificate.population.currency.value,
        "sites": [site.to_mapping() for site in sites],
        "persons": _persons(sites),
        "postprocess": list(plan.get("postprocess", ())),
        "statistics": [
            {
                "id": item.id,
                "tables": list(item.statistic.table_names(price.plan.schema)),
                "derivation": item.derivation.name,
                "measurement": item.derivation.measurement.id,
                **_several(item),
                "measures": comparable(certificate.asked(item.id), plan),
            }
            for item in price.statistics
        ],
        "measurements": _measurements(sites, price),
    }


def _several(item: StatisticPrice) -> dict[str, Any]:
    """Return all that a statistic is computed of, where that is more than one measurement."""
    names = [each.id for each in item.derivation.measurements]
    return {"measurements": names} if len(names) > 1 else {}


def _persons(sites: Sequence[VerifiedSite]) -> list[dict[str, Any]]:
    """Bound the loss of a person who is in so many sites: the sum of the largest losses."""
    losses = [site.certificate.loss.exactly for site in sites]
    at = max(site.price.rho_delta_atto for site in sites)
    found = []
    for count in range(1, len(sites) + 1):
        largest = (sum(sorted(each, reverse=True)[:count]) for each in zip(*map(_parts, losses), strict=True))
        loss = PrivacyLoss(**dict(zip(PARTS, largest, strict=True)))
        epsilon, delta = loss.epsilon, loss.delta
        if sites[0].price.currency is Currency.ZCDP and loss.rho_nano:
            epsilon = epsilon_at(loss.rho_nano, at)
            delta = PrivacyLoss(delta_atto=loss.delta_atto + at).delta
        found.append({"sites": count, "loss": loss.to_mapping(), "epsilon": plain(epsilon), "delta": plain(delta)})
    return found


def _parts(loss: PrivacyLoss) -> tuple[int, ...]:
    return tuple(getattr(loss, part) for part in PARTS)


def _measurements(sites: Sequence[VerifiedSite], price: Price) -> list[dict[str, Any]]:
    """Return the noise in what was measured: each site's scale, and that of the sum."""
    wanted = {each.id: each for item in price.statistics for each in item.derivation.measurements}
    return [
        {
            "id": name,
            "mechanisms": [
                {
                    "name": noise.name,
                    "shape": list(noise.sensitivity.shape or ()),
                    "step": step,
                    "scale": noise.scale,
                    "scales": [site.price[name].derivation.measurement.mechanisms[place].scale for site in sites],
                    **({"deviation": noise.variance**0.5} if isinstance(noise, Noise) else noise.settings),
                }
                for place, (noise, step) in enumerate(zip(own.mechanisms, own.steps, strict=True))
            ],
        }
        for name, own in wanted.items()
    ]
