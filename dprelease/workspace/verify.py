"""Checks a bundle with nothing but its files and, if given, a key obtained elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain, product, zip_longest
from pathlib import Path
from typing import Any

from dprelease.bundle.read import ReadBundle, read
from dprelease.bundle.signing import fingerprint_of
from dprelease.bundle.tables import answers_bytes
from dprelease.bundle.write import file_names
from dprelease.errors import DPReleaseError, IntegrityError
from dprelease.model.encoding import canonical
from dprelease.model.population import Population
from dprelease.model.privacy import Currency, PrivacyLoss
from dprelease.model.release import Axis, Release
from dprelease.statistics import Plan
from dprelease.statistics.adjust import adjusts, could_be_adjusted, follow
from dprelease.statistics.price import Price, price
from dprelease.workspace.certificate import Charge, certificate
from dprelease.workspace.populations import with_rho

CANNOT_SHOW = (
    "That noise was really drawn, and drawn once: this rests on the publisher's program and honesty.",
    "That the population's budget was not spent elsewhere: compare its releases and the publisher's ledger.",
    "That index.html and the charts show what the tables say: release.json and the tables are what counts.",
    "That each row's unit, and the overlap with other populations, is what the curator attests.",
)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked and holds."""

    name: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A bundle that passed every check. `signer_known`: signed by the key that was given."""

    release: Release
    fingerprint: str
    signer_known: bool
    checks: tuple[Check, ...]
    cannot_show: tuple[str, ...] = CANNOT_SHOW

    @property
    def words(self) -> str:
        """The verdict in one line."""
        return "intact, signed by the expected key" if self.signer_known else "intact, signer unknown"

    def to_mapping(self) -> dict[str, Any]:
        return {
            "release": self.release.id,
            "verdict": self.words,
            "signer": self.fingerprint,
            "signer_known": self.signer_known,
            "checks": [{"name": check.name, "words": check.words} for check in self.checks],
            "cannot_show": list(self.cannot_show),
        }


def verify(path: str | Path, key: str | None = None) -> Verdict:
    """Checks the bundle in a folder or zip file.

    `key`: a fingerprint (`ed25519:...`) or the path of a signer.pub, obtained elsewhere than in the bundle. Raises
    IntegrityError, saying which check failed.
    """
    bundle = read(Path(path))
    checks = [
        Check("files", f"All {bundle.files} files are listed and have the listed checksums; no other file is there."),
        Check("signature", f"The list is signed by the key {bundle.fingerprint}."),
    ]
    if key is not None:
        expected = fingerprint_of(key)
        if expected != bundle.fingerprint:
            raise IntegrityError(f"signature: signed by {bundle.fingerprint}, expected {expected}")
        checks.append(Check("signer", "That is the key you gave."))
    checks += _recomputed(bundle)
    return Verdict(
        release=bundle.release, fingerprint=bundle.fingerprint, signer_known=key is not None, checks=tuple(checks)
    )


def _recomputed(bundle: ReadBundle) -> list[Check]:
    release = bundle.release
    try:
        currency = Currency(release.certificate["population"]["currency"])
        recomputed = price(Plan.parse(release.certificate["plan"]), currency=currency)
        _compare_certificate(release.certificate, recomputed)
        _compare_tables(release, recomputed)
    except IntegrityError:
        raise
    except (DPReleaseError, KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as cause:
        raise IntegrityError(f"certificate: it cannot be recomputed ({type(cause).__name__}: {cause})") from None
    _compare_files(bundle)
    mechanisms = sum(len(item.mechanisms) for item in recomputed.statistics)
    return [
        Check("certificate", "Everything in release.json follows from the plan, the population and the ledger entry."),
        Check("sensitivity", f"Sensitivity, noise scale and loss of {mechanisms} mechanisms follow from the plan."),
        Check("loss", f"The losses of {len(recomputed.statistics)} statistics sum to the stated ε and δ."),
        Check("cap", "The population's stated cumulative spend covers this release and is within its cap."),
        Check("tables", "Every declared cell is published once; no table shows what its mechanisms cannot give."),
    ]


def _compare_certificate(stated: Mapping[str, Any], recomputed: Price) -> None:
    """Writes the certificate again from what it says of plan, population, ledger and previews, and compares."""
    declared, cumulative = stated["population"], stated["cumulative"]
    spent = PrivacyLoss(**{name: _whole(cumulative["loss"], name) for name in recomputed.loss.to_mapping()})
    population = with_rho(
        Population.read(
            declared["name"],
            unit=declared["unit"],
            neighbors=declared["neighbors"],
            epsilon=declared["epsilon_cap"],
            delta=declared["delta_cap"],
            currency=declared["currency"],
            size=declared["size"],
        )
    )
    if not (recomputed.loss.within(spent) and spent.within(population.budget)):
        raise IntegrityError("cap: the stated cumulative loss is less than this release's, or more than the cap")
    if population.neighbors is not recomputed.plan.neighbors:
        raise IntegrityError("population: its neighbouring relation is not the plan's")
    seq, releases = stated["ledger"]["seq"], cumulative["releases"]
    if not (isinstance(seq, int) and isinstance(releases, int) and 1 <= releases <= seq):
        raise IntegrityError("ledger: the stated entry and number of releases cannot be")
    again = certificate(
        release_id=stated["id"],
        price=recomputed,
        population=population,
        charge=Charge(seq=seq, hash=stated["ledger"]["hash"], spent=spent, charges=releases),
        changed={word: stated["previews"][f"{word}_changed_after"] is True for word in ("plan", "schema")},
        published=date.fromisoformat(stated["published"]),
    )
    same_program = stated["versions"].get("dprelease") == again["versions"]["dprelease"]
    for key in sorted(again.keys() | stated.keys()):
        if key == "versions" or (key == "caveats" and not same_program):
            continue
        if key == "statistics" and not same_program:  # another version may foresee errors otherwise
            stated, again = ({**each, key: [_without_errors(item) for item in each[key]]} for each in (stated, again))
        if key not in stated or key not in again or canonical(stated[key]) != canonical(again[key]):
            raise IntegrityError(f"{key}: the certificate does not state what follows from its plan")


def _without_errors(item: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key not in ("error95", "basis")}


def _compare_tables(release: Release, recomputed: Price) -> None:
    if sorted(release.tables) != sorted(item.id for item in recomputed.statistics):
        raise IntegrityError("tables: there is not one for each statistic")
    for item in recomputed.statistics:
        table = release.tables[item.id]
        schema = recomputed.plan.schema
        if not item.statistic.discovers(schema) and not _same_keys(table.axes, item.statistic.axes(schema)):
            raise IntegrityError(f"{item.id}: the keys of its table are not the declared ones")
        if not adjusts(item, recomputed) and not item.could_be(schema, table):
            raise IntegrityError(f"{item.id}: its mechanisms cannot give this table")
        if item.source is not None and not follow(item, release.tables):
            raise IntegrityError(f"{item.id}: its counts do not follow from those of {item.source.id}")
    wrong = could_be_adjusted(recomputed, release.tables)
    if wrong is not None:
        raise IntegrityError(f"{wrong}: its table does not follow from the noisy counts beside it")


def _whole(losses: Mapping[str, Any], name: str) -> int:
    if not isinstance(losses[name], int) or isinstance(losses[name], bool) or losses[name] < 0:
        raise IntegrityError("cap: the stated cumulative loss is not in whole numbers")
    return int(losses[name])


def _compare_files(bundle: ReadBundle) -> None:
    others = bundle.contents.keys() - file_names(bundle.release.tables)
    if others:
        raise IntegrityError(f"{sorted(others)[0]}: a bundle has no such file")
    for name, table in bundle.release.tables.items():
        if bundle.contents.get(f"tables/{name}.answers.csv") != answers_bytes(table):
            raise IntegrityError(f"tables/{name}.answers.csv: its answers are not those of tables/{name}.csv")


def _same_keys(found: Sequence[Axis], declared: Sequence[Axis]) -> bool:
    names = [[name for axis in axes for name in axis.names] for axes in (found, declared)]
    rows = [product(*(axis.cells for axis in axes)) for axes in (found, declared)]
    return names[0] == names[1] and all(
        left is not None and right is not None and tuple(chain(*left)) == tuple(chain(*right))
        for left, right in zip_longest(*rows)
    )
