"""Checks a bundle with nothing but its files and, if given, what was obtained elsewhere: a key, a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from dprelease.bundle import timestamp
from dprelease.bundle.fetch import fetch
from dprelease.bundle.formats import format_names, formats
from dprelease.bundle.history import Entry, History
from dprelease.bundle.listing import CHECKSUMS, LEDGER, TIMESTAMP, Facts, is_made_of
from dprelease.bundle.read import ReadBundle, read, read_json
from dprelease.bundle.signing import fingerprint_of
from dprelease.errors import DPReleaseError, InputError, IntegrityError, shown
from dprelease.model.checkpoint import MOST, Standing
from dprelease.model.privacy import ATTO, Currency, PrivacyLoss
from dprelease.model.release import Release
from dprelease.model.version import VERSION
from dprelease.workspace.certificate import Overlapping
from dprelease.workspace.recompute import recompute, stated_population

CANNOT_SHOW = (
    "That noise was really drawn, and drawn once: this rests on the publisher's program and honesty.",
    "That the population's budget was not spent elsewhere: compare its releases and the publisher's ledger.",
    "That index.html and the charts show what the tables say: release.json and the tables are what counts.",
    "That each row's unit, and the overlap with other populations, is what the curator attests.",
    "Whether the release was superseded, or an erratum published, since: its publisher's notices tell.",
)
EARLIER_FORMATS = "That datapackage.json says what the tables say: an earlier version of dprelease wrote this bundle."
OTHER_FORMATS = "That {names} say what the tables say: another version of dprelease wrote them, in other words."
NO_PREVIOUS = "That no checkpoint of the ledger was given out before this release, as ledger.json says."
NO_CHECKPOINT = "That the ledger was not rolled back or forked: keep a checkpoint of it, and give it with --checkpoint."
NO_PROOF = (
    "they do not contradict each other, and the proof between them is not in this bundle. The publisher can check it "
    "(`dprelease ledger verify`)."
)
OTHER_KEY = (
    "it is signed by another key, {signer}, of which this bundle cannot know that it took over. A later ledger.json of "
    "the publisher can show it: give that instead."
)
LONGER = (
    "Whether the ledger was put back to an older copy since: the checkpoint you gave is longer, {kept} lines and not "
    "{own}, and this bundle alone cannot tell. The publisher can (`dprelease ledger verify --checkpoint`)."
)
NO_AUTHORITY = "That the timestamp's time is true: give its authority's certificates with --tsa-certificate."
MOST_KEPT = 10_000_000
"""Bytes of a file that is given beside a bundle."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked and holds."""

    name: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A bundle that passed every check. `signer_known`: signed by the key that was given, or one that it led to."""

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


def verify(
    path: str | Path,
    key: str | None = None,
    checkpoint: str | Path | None = None,
    tsa_certificate: str | Path | None = None,
) -> Verdict:
    """Checks the bundle in a folder or zip file, given by its path or its web address.

    What is given beside it was obtained elsewhere than in the bundle. `key`: a fingerprint (`ed25519:...`) or the path
    of a signer.pub. `checkpoint`: the path or web address of a signed checkpoint of the publisher's ledger, or of the
    ledger.json of another release, kept from earlier. `tsa_certificate`: the path of a PEM file with the certificates
    of the authority that made the bundle's timestamp. Raises IntegrityError, saying which check failed, and InputError
    where there is nothing that this version can check.
    """
    bundle = read(path)
    if "notices" not in bundle.release.certificate:
        raise InputError(
            "release.json",
            found="a bundle that was made by an earlier version of dprelease",
            allowed="one that this version can check",
            remedy="Verify it with the version that it was made by.",
        )
    if LEDGER not in bundle.contents:
        raise IntegrityError(f"{LEDGER}: the file is missing")
    entry = Entry.read(bundle.release.entry)
    if entry.history.signed.signer != bundle.fingerprint:
        raise IntegrityError("checkpoint: another key than that of the bundle signed it")
    entry.check()
    checks = [
        Check("files", f"All {bundle.files} files are listed and have the listed checksums; no other file is there."),
        Check("signature", f"The list is signed by the key {bundle.fingerprint}."),
    ]
    if key is not None:
        checks.append(_signer(entry.history, bundle.fingerprint, fingerprint_of(key)))
    checks += _recomputed(bundle)
    checks += _entered(bundle, entry)
    unknown = [] if entry.history.previous else [NO_PREVIOUS]
    published = bundle.release.certificate["published"]
    kept, stamped = _kept(entry.history, published, checkpoint), _stamped(bundle, tsa_certificate)
    for more, words in (_formats(bundle), kept, stamped):
        checks += more
        unknown += words
    return Verdict(
        release=bundle.release,
        fingerprint=bundle.fingerprint,
        signer_known=key is not None,
        checks=tuple(checks),
        cannot_show=(*CANNOT_SHOW, *unknown),
    )


def _signer(history: History, signer: str, expected: str) -> Check:
    """That the signer is the key that was given, or one that it handed over to."""
    if expected == signer:
        return Check("signer", "That is the key you gave.")
    if expected not in history.signers:
        raise IntegrityError(f"signature: signed by {signer}, expected {expected}")
    days = [rotation.on for rotation in history.rotations[history.signers.index(expected) :]]
    between = f", by way of {len(days) - 1} more," if len(days) > 1 else ""
    words = f"The key you gave, {expected}, handed over to the signing key{between} on {', '.join(days)}."
    return Check("signer", words)


def _entered(bundle: ReadBundle, entry: Entry) -> list[Check]:
    """What ledger.json shows: the release stands in the publisher's ledger as it is here."""
    history, certificate = entry.history, bundle.release.certificate
    entry.check_tells(certificate, bundle.contents, bundle.fingerprint)
    _check_standings(history, certificate)
    checkpoint, rotations = history.checkpoint, len(history.rotations)
    checks = [
        Check("event", f"Line {entry.event['seq']} of the publisher's ledger states this release, charge and outputs."),
        Check("inclusion", f"That line is among the {checkpoint.size} of the ledger's checkpoint of {checkpoint.on}."),
        Check("checkpoint", "The checkpoint is signed by the same key."),
        Check("standing", "By the checkpoint, the population has spent no less than the certificate states."),
    ]
    if history.previous is not None:
        checks.append(
            Check("consistency", f"Its ledger continues that of the checkpoint before, of {history.previous[0]} lines.")
        )
    if rotations:
        checks.append(Check("rotations", f"Earlier signing keys, {rotations}, each signed that the next one follows."))
    return checks


def _kept(history: History, published: str, source: str | Path | None) -> tuple[list[Check], list[str]]:
    """What a checkpoint that somebody kept shows, and what it does not. `published`: the day of the release."""
    if source is None:
        return [], [NO_CHECKPOINT]
    data = fetch(source, MOST_KEPT)
    try:
        kept = History.read(read_json(data, "its file", whole=True))
    except IntegrityError as cause:
        allowed = f"a signed checkpoint, or the ledger.json of a release ({cause})"
        raise InputError("checkpoint", found=str(source), allowed=allowed) from None
    own, other = history.checkpoint, kept.checkpoint
    try:
        kept.check()
        continued = history.continues(kept)
        if other.size > own.size and other.on < published and not continued:
            raise IntegrityError(
                f"it has {other.size} lines on {other.on}, and the ledger had {own.size} when this release was "
                f"published on {published}: the ledger was put back to an older copy"
            )
    except IntegrityError as cause:
        raise IntegrityError(f"kept checkpoint: {cause}") from None
    longer = [LONGER.format(kept=other.size, own=own.size)] if other.size > own.size else []
    sizes = f"the checkpoint you gave, of {other.size} lines, and this one, of {own.size}"
    if continued:
        words = f"One ledger has both {sizes}: nothing in the shorter one was changed."
        return [Check("kept checkpoint", words)], longer
    why = NO_PROOF if history.knows(kept) else OTHER_KEY.format(signer=kept.signed.signer)
    return [], [f"That {sizes}, are of one ledger: {why}", *longer]


def _stamped(bundle: ReadBundle, authority: str | Path | None) -> tuple[list[Check], list[str]]:
    """What the bundle's timestamp shows, and what it does not."""
    certificates = None if authority is None else fetch(authority, MOST_KEPT)
    if TIMESTAMP not in bundle.contents:
        if certificates is not None:
            raise IntegrityError(f"{TIMESTAMP}: the file is missing")
        return [], []
    time = timestamp.check(bundle.contents[TIMESTAMP], bundle.contents[CHECKSUMS], certificates)
    said = f"{TIMESTAMP} is a timestamp of {CHECKSUMS} and states {time:%Y-%m-%d %H:%M:%S} UTC"
    if certificates is not None:
        return [Check("timestamp", f"{said}, signed by an authority that your certificates vouch for.")], []
    return [Check("timestamp", f"{said}.")], [NO_AUTHORITY]


def _recomputed(bundle: ReadBundle) -> list[Check]:
    release, recomputed = bundle.release, recompute(bundle)
    mechanisms = sum(len(item.mechanisms) for item in recomputed.statistics)
    period = release.certificate["population"]["period"]
    spend = "cumulative spend" if period is None else "spend in its period"
    return [
        Check("certificate", "Everything in release.json follows from the plan, the population and the ledger entry."),
        Check("sensitivity", f"Sensitivity, noise scale and loss of {mechanisms} mechanisms follow from the plan."),
        Check("loss", f"The losses of {len(recomputed.statistics)} statistics sum to the stated ε and δ."),
        Check("cap", f"The population's stated {spend} covers this release and is within its cap."),
        Check("tables", "Every declared cell is published once; no table shows what its mechanisms cannot give."),
    ]


def _check_standings(history: History, certificate: Mapping[str, Any]) -> None:
    """Raises IntegrityError where the checkpoint contradicts a certificate that was checked.

    The checkpoint is later: by then more may have been spent, a cap raised and a period opened, and nothing else.
    """
    standings = {each.population.name: each for each in history.checkpoint.populations}
    population, cumulative = stated_population(certificate["population"]), certificate["cumulative"]
    own = standings.pop(population.name, None)
    if own is None:
        raise IntegrityError("standing: the checkpoint does not state what the population has spent")
    found = own.population
    if any(getattr(found, name) != getattr(population, name) for name in ("unit", "neighbors", "currency", "size")):
        raise IntegrityError("standing: the checkpoint states another population of this name")
    if found.period is None and population.period is not None:
        raise IntegrityError("standing: the checkpoint states no period of the population")
    if found.period == population.period and not population.cap.within(found.cap):
        raise IntegrityError("standing: the checkpoint states a lower cap than the certificate")
    spent = PrivacyLoss(**cumulative["loss"])
    if not (spent.within(own.spent) and cumulative["releases"] <= own.charges):
        raise IntegrityError("standing: the checkpoint states less spending than the certificate")
    if len(cumulative["overlapping"]) + cumulative["overlap_not_attested"] > len(standings):
        raise IntegrityError("standing: the checkpoint states fewer other populations than the certificate")
    for each in cumulative["overlapping"]:
        name = shown(each["population"])
        other = standings.get(each["population"])
        if other is None:
            raise IntegrityError(f"standing: the checkpoint does not state what population {name} has spent")
        if (each["unit"], each["neighbors"]) != (other.population.unit, other.population.neighbors.value):
            raise IntegrityError(f"standing: the checkpoint states another unit or relation of population {name}")
        if not _reaches(other, each):
            raise IntegrityError(f"standing: the checkpoint states less spending of population {name}")


def _reaches(standing: Standing, stated: Mapping[str, Any]) -> bool:
    """Whether a population that stands so now can have stood as stated before.

    In zcdp a cap with another δ gives another ε: taken is the one that comes to the stated δ.
    """
    population, spent = standing.population, standing.spent
    worth = Overlapping.of(stated["overlap"], population, spent, standing.charges)
    if population.currency is Currency.ZCDP and (stated["delta"] < worth.delta or population.period is not None):
        half = int(Decimal(repr(stated["delta"])) * ATTO) - spent.delta_atto
        cap = replace(population.cap, delta_atto=2 * min(max(half, 1), MOST))
        worth = Overlapping.of(stated["overlap"], replace(population, cap=cap), spent, standing.charges)
    return all(stated[key] <= getattr(worth, key) for key in ("epsilon", "delta", "releases"))


def _formats(bundle: ReadBundle) -> tuple[list[Check], list[str]]:
    """That what is written in other formats follows from certificate and tables, or why that is not known.

    Another version of this program may describe the same release in other words; an earlier one wrote fewer files.
    """
    release, there = bundle.release, bundle.contents.keys() & format_names(bundle.release)
    if not there:
        return [], [EARLIER_FORMATS]
    found = bundle.contents
    csv = {name: Facts.of(found[f"tables/{name}.csv"]) for name in release.tables}
    try:
        again = formats(release, csv)
        different = sorted(path for path, content in again.items() if not is_made_of(found.get(path, b""), content))
    except (DPReleaseError, KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as cause:
        raise IntegrityError(f"formats: they cannot be written again ({type(cause).__name__}: {cause})") from None
    if not different:
        words = f"{len(again)} files in other formats say what release.json and the tables say."
        return [Check("formats", words)], []
    if release.certificate["versions"].get("dprelease") == VERSION:
        raise IntegrityError(f"{different[0]}: it does not say what release.json and the tables say")
    return [], [OTHER_FORMATS.format(names=", ".join(different))]
