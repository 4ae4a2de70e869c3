"""Checks a bundle with nothing but its files and, if given, what was obtained elsewhere: a key, a checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import chain, product, zip_longest
from pathlib import Path
from typing import Any

from dprelease.bundle import timestamp
from dprelease.bundle.fetch import fetch
from dprelease.bundle.history import Entry, History
from dprelease.bundle.listing import CHECKSUMS, LEDGER, TIMESTAMP
from dprelease.bundle.read import ReadBundle, read, read_json
from dprelease.bundle.signing import fingerprint_of
from dprelease.bundle.tables import answers_bytes
from dprelease.bundle.write import RELEASE_ID, file_names
from dprelease.errors import DPReleaseError, InputError, IntegrityError, shown
from dprelease.model.checkpoint import HASH, MOST, Standing, is_whole
from dprelease.model.encoding import canonical
from dprelease.model.population import Overlap, Population
from dprelease.model.privacy import ATTO, Currency, NeighboringRelation, PrivacyLoss
from dprelease.model.release import Axis, Release
from dprelease.statistics import Plan
from dprelease.statistics.adjust import adjusts, could_be_adjusted, follow
from dprelease.statistics.price import Price, price
from dprelease.workspace.certificate import Circumstances, Overlapping, certificate
from dprelease.workspace.populations import with_rho

CANNOT_SHOW = (
    "That noise was really drawn, and drawn once: this rests on the publisher's program and honesty.",
    "That the population's budget was not spent elsewhere: compare its releases and the publisher's ledger.",
    "That index.html and the charts show what the tables say: release.json and the tables are what counts.",
    "That each row's unit, and the overlap with other populations, is what the curator attests.",
    "Whether the release was superseded, or an erratum published, since: its publisher's notices tell.",
)
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
    for more, words in (_kept(entry.history, published, checkpoint), _stamped(bundle, tsa_certificate)):
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
    release = bundle.release
    try:
        _check_types(release.certificate)
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
    period = release.certificate["population"]["period"]
    spend = "cumulative spend" if period is None else "spend in its period"
    return [
        Check("certificate", "Everything in release.json follows from the plan, the population and the ledger entry."),
        Check("sensitivity", f"Sensitivity, noise scale and loss of {mechanisms} mechanisms follow from the plan."),
        Check("loss", f"The losses of {len(recomputed.statistics)} statistics sum to the stated ε and δ."),
        Check("cap", f"The population's stated {spend} covers this release and is within its cap."),
        Check("tables", "Every declared cell is published once; no table shows what its mechanisms cannot give."),
    ]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_amount(value: object) -> bool:
    """Of ε or δ."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_release(value: object) -> bool:
    return isinstance(value, str) and RELEASE_ID.fullmatch(value) is not None


def _is_software(value: object) -> bool:
    return isinstance(value, Mapping) and all(map(_is_text, value.values()))


TYPES: dict[tuple[str, ...], Callable[[Any], bool]] = {
    ("id",): _is_release,
    ("supersedes",): lambda value: value is None or _is_release(value),
    ("published",): _is_text,
    ("earlier_releases",): _are_texts,
    ("caveats",): _are_texts,
    ("versions",): _is_software,
    ("ledger", "seq"): is_whole,
    ("ledger", "hash"): lambda value: _is_text(value) and HASH.fullmatch(value) is not None,
    ("population", "name"): _is_text,
    ("population", "size"): lambda value: value is None or is_whole(value),
    ("population", "period"): lambda value: value is None or _is_text(value),
    ("cumulative", "releases"): is_whole,
    ("cumulative", "overlap_not_attested"): is_whole,
    ("cumulative", "overlapping"): lambda value: isinstance(value, list) and all(map(_is_overlapping, value)),
}
"""What a certificate states that does not follow from its plan, by where it stands."""
OVERLAPPING: dict[str, Callable[[Any], bool]] = {
    "population": _is_text,
    "unit": _is_text,
    "neighbors": lambda value: value in list(NeighboringRelation),
    "overlap": lambda value: value in (Overlap.SAME, Overlap.SOME),
    "epsilon": _is_amount,
    "delta": _is_amount,
    "releases": is_whole,
}


def _is_overlapping(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and value.keys() == OVERLAPPING.keys()
        and all(fits(value[key]) for key, fits in OVERLAPPING.items())
    )


def _check_types(stated: Mapping[str, Any]) -> None:
    """Raises IntegrityError where a certificate states what no publication can, whatever its plan and ledger."""
    for path, fits in TYPES.items():
        value: Any = stated
        for key in path:
            value = value[key]
        if not fits(value):
            raise IntegrityError(f"{'.'.join(path)}: not what a publication states there")
    if stated["supersedes"] == stated["id"]:
        raise IntegrityError("supersedes: a release does not supersede itself")
    names = [stated["population"]["name"], *(each["population"] for each in stated["cumulative"]["overlapping"])]
    if len(set(names)) != len(names):
        raise IntegrityError("cumulative: a population overlaps itself, or another one twice")


def _population(declared: Mapping[str, Any]) -> Population:
    """The population of a certificate."""
    population = Population.read(
        declared["name"],
        unit=declared["unit"],
        neighbors=declared["neighbors"],
        epsilon=declared["epsilon_cap"],
        delta=declared["delta_cap"],
        currency=declared["currency"],
        size=declared["size"],
    )
    return replace(with_rho(population), period=declared["period"])


def _check_standings(history: History, certificate: Mapping[str, Any]) -> None:
    """Raises IntegrityError where the checkpoint contradicts a certificate that was checked.

    The checkpoint is later: by then more may have been spent, a cap raised and a period opened, and nothing else.
    """
    standings = {each.population.name: each for each in history.checkpoint.populations}
    population, cumulative = _population(certificate["population"]), certificate["cumulative"]
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


def _compare_certificate(stated: Mapping[str, Any], recomputed: Price) -> None:
    """Writes the certificate again from what it says of plan, population, ledger and previews, and compares."""
    population, cumulative = _population(stated["population"]), stated["cumulative"]
    spent = _loss(cumulative["loss"], recomputed)
    period = cumulative.get("period")
    before = PrivacyLoss() if period is None else _loss(period["before"], recomputed)
    if not (before.within(spent) and recomputed.loss.within(spent - before)):
        raise IntegrityError("cap: the stated cumulative loss is less than this release's")
    if not (spent - before).within(population.budget):
        raise IntegrityError("cap: the stated cumulative loss is more than the cap")
    if population.neighbors is not recomputed.plan.neighbors:
        raise IntegrityError("population: its neighbouring relation is not the plan's")
    seq, releases = stated["ledger"]["seq"], cumulative["releases"]
    if not 1 <= releases <= seq:
        raise IntegrityError("ledger: the stated entry and number of releases cannot be")
    again = certificate(
        release_id=stated["id"],
        price=recomputed,
        population=population,
        stands=Circumstances(
            seq=seq,
            hash=stated["ledger"]["hash"],
            spent=spent,
            releases=releases,
            before=before,
            overlapping=tuple(Overlapping(**each) for each in cumulative["overlapping"]),
            unattested=cumulative["overlap_not_attested"],
            earlier_releases=tuple(stated["earlier_releases"]),
            team=stated["approval"]["workspace"] == "team",
            supersedes=stated["supersedes"],
        ),
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


def _loss(stated: Mapping[str, Any], recomputed: Price) -> PrivacyLoss:
    """A loss in the currency of the release, in whole numbers."""
    known = {"epsilon_nano", "rho_nano", "delta_atto"}
    if not stated.keys() <= known or any(type(part) is not int or part < 0 for part in stated.values()):
        raise IntegrityError("cap: the stated cumulative loss is not in whole numbers")
    loss = PrivacyLoss(**stated)
    if loss.rho_nano if recomputed.currency is Currency.PURE else loss.epsilon_nano:
        raise IntegrityError("cap: the stated cumulative loss is in another currency")
    return loss


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
