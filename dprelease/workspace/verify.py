"""Checks a bundle with nothing but its files and, if given, a key obtained elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product, zip_longest
from pathlib import Path
from typing import Any

from dprelease.bundle.read import read
from dprelease.bundle.signing import fingerprint_of
from dprelease.errors import InputError, IntegrityError
from dprelease.model.encoding import plain
from dprelease.model.privacy import read_delta, read_epsilon
from dprelease.model.release import Axis, Release
from dprelease.model.report import Report
from dprelease.statistics import Plan
from dprelease.statistics.price import Price, price

CANNOT_SHOW = (
    "That noise was really drawn, and drawn once: this rests on the publisher's program and honesty.",
    "That the population's budget was not spent elsewhere: compare its releases and the publisher's ledger.",
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
    checks += _recomputed(bundle.release)
    return Verdict(
        release=bundle.release, fingerprint=bundle.fingerprint, signer_known=key is not None, checks=tuple(checks)
    )


def _recomputed(release: Release) -> list[Check]:
    certificate = release.certificate
    try:
        plan = Plan.parse(certificate["plan"])
        recomputed = price(plan)
        _compare(certificate, recomputed, release)
    except (InputError, KeyError, TypeError, ValueError, AttributeError) as cause:
        raise IntegrityError(f"certificate: it cannot be recomputed ({type(cause).__name__}: {cause})") from None
    mechanisms = sum(len(item.mechanisms) for item in recomputed.statistics)
    return [
        Check("plan", "The plan's hash is the stated one."),
        Check("sensitivity", f"Sensitivity and noise scale of {mechanisms} mechanisms follow from the plan."),
        Check("loss", f"The losses of {len(recomputed.statistics)} statistics sum to the stated ε and δ."),
        Check("cap", "The population's stated cumulative spend covers this release and is within its cap."),
        Check("tables", "Every declared cell is published once, and no other."),
    ]


def _compare(certificate: Mapping[str, Any], recomputed: Price, release: Release) -> None:
    def same(name: str, stated: object, found: object) -> None:
        if stated != found:
            raise IntegrityError(f"{name}: the certificate states {stated}, the plan gives {found}")

    plan, loss = recomputed.plan, recomputed.loss
    same("plan", certificate["plan_hash"], plan.hash)
    same("statistics", [item["id"] for item in certificate["statistics"]], [item.id for item in recomputed.statistics])
    for stated, item in zip(certificate["statistics"], recomputed.statistics, strict=True):
        same(f"{item.id}, mechanisms", stated["mechanisms"], [mechanism.to_mapping() for mechanism in item.mechanisms])
        same(f"{item.id}, ε", stated["epsilon_nano"], item.loss.epsilon_nano)
        same(f"{item.id}, δ", stated["delta_atto"], item.loss.delta_atto)
        if not _same_keys(release.tables[item.id].axes, item.statistic.axes(plan.schema)):
            raise IntegrityError(f"{item.id}: the keys of its table are not the declared ones")
    same("tables", sorted(release.tables), sorted(item.id for item in recomputed.statistics))
    stated_loss, guarantee = certificate["loss"], certificate["guarantee"]
    same("loss", (stated_loss["epsilon_nano"], stated_loss["delta_atto"]), (loss.epsilon_nano, loss.delta_atto))
    same("guarantee, ε", guarantee["epsilon"], plain(loss.epsilon))
    same("guarantee, δ", guarantee["delta"], plain(loss.delta))
    same("guarantee, relation", guarantee["neighbors"], plan.neighbors.value)
    same("guarantee, max_rows", guarantee["max_rows"], plan.unit.max_rows)
    if loss.epsilon_nano > plan.epsilon_nano or loss.delta_atto > plan.delta_atto:
        raise IntegrityError(f"loss: {loss} is more than the plan's ε and δ")
    report = Report()
    cumulative, population = certificate["cumulative"], certificate["population"]
    spent = read_epsilon(cumulative["epsilon"], "ε", report), read_delta(cumulative["delta"], "δ", report)
    cap = read_epsilon(population["epsilon_cap"], "ε", report), read_delta(population["delta_cap"], "δ", report)
    report.raise_any(InputError)
    if not (loss.epsilon_nano <= spent[0] <= cap[0] and loss.delta_atto <= spent[1] <= cap[1]):
        raise IntegrityError("cap: the stated cumulative spend is less than this release's, or more than the cap")


def _same_keys(found: Sequence[Axis], declared: Sequence[Axis]) -> bool:
    names = [[name for axis in axes for name in axis.names] for axes in (found, declared)]
    rows = [product(*(axis.cells for axis in axes)) for axes in (found, declared)]
    return names[0] == names[1] and all(
        left is not None and right is not None and tuple(chain(*left)) == tuple(chain(*right))
        for left, right in zip_longest(*rows)
    )
