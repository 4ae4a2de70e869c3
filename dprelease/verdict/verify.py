"""Checks a bundle with nothing but its files and, if given, what was obtained elsewhere: a key, a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dprelease.bundle.beside import Beside
from dprelease.bundle.entry import Entry
from dprelease.bundle.fetch import fetch
from dprelease.bundle.guarantee import caveat as told
from dprelease.bundle.history import History
from dprelease.bundle.listing import LEDGER
from dprelease.bundle.notices import Said
from dprelease.bundle.read import ReadBundle, read
from dprelease.bundle.signing import fingerprint_of
from dprelease.errors import InputError, IntegrityError
from dprelease.model.encoding import read_json
from dprelease.model.release import Release
from dprelease.model.stated import Caveat
from dprelease.statistics.contradiction import contradictions
from dprelease.verdict.between import check_between
from dprelease.verdict.derived import check_derived
from dprelease.verdict.grades import check_grades
from dprelease.verdict.model_tables import check_models
from dprelease.verdict.recompute import recompute
from dprelease.verdict.sampling import check_totals
from dprelease.verdict.shares import check_shares
from dprelease.verdict.stamped import stamped
from dprelease.verdict.standing import check_charge, check_standings
from dprelease.verdict.worst_case import check_worst_case
from dprelease.verdict.written import Check, not_compared, unread_keys, written
from dprelease.words import phrase
from dprelease.words.phrases import visible

CANNOT_SHOW = (
    "That noise was really drawn, and drawn once: this rests on the publisher's program and honesty.",
    "That the population's budget was not spent elsewhere: compare its releases and the publisher's ledger.",
    "That each row's unit, and the overlap with other populations, is what the curator attests.",
)
UNKNOWN_CAVEAT = "What else its certificate says, which this version of dprelease has no words for: {words}"
NO_NOTICES = (
    "Whether the release was superseded, or an erratum published, since: no later checkpoint of its publisher's ledger "
    "lies beside it (checkpoint.json)."
)
LATER_NOTICES = "Whether anything was said of the release after {day}, the day of the last checkpoint that is here."
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
MASKED = (
    "That each institution counted its own rows, and no unit has rows in more of them than is stated.",
    "That so many of them are honest as is stated, and destroyed their round keys.",
)
MOST_KEPT = 10_000_000
"""Bytes of a file that is given beside a bundle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A bundle that passed every check. `signer_known`: signed by the key that was given, or one that it led to."""

    release: Release
    fingerprint: str
    signer_known: bool
    checks: tuple[Check, ...]
    said: Said
    """What its publisher said of it since."""
    findings: tuple[str, ...] = ()
    """What its tables say that noise does not explain: nobody forbids it, and no honest release says it."""
    cannot_show: tuple[str, ...] = CANNOT_SHOW
    compared: Mapping[str, str] = field(default_factory=dict)
    """By `page` and `charts`: `same`, `not_compared` or `absent`."""
    warning: str = ""
    """Says that page and pictures were not compared, though nobody asked to leave them out."""

    @property
    def words(self) -> str:
        """The verdict in one line, with what became of the release since."""
        words = "intact, signed by the expected key" if self.signer_known else "intact, signer unknown"
        if self.said.superseded_by is not None:
            words += f"; superseded by {self.said.superseded_by}"
        if self.said.errata:
            words += f"; corrected by {self.said.errata} notices"
        if self.warning:
            words += "; verified in part"
        return f"{words}; its tables contradict each other" if self.findings else words

    def to_mapping(self) -> dict[str, Any]:
        return {
            "release": self.release.id,
            "verdict": self.words,
            "signer": self.fingerprint,
            "signer_known": self.signer_known,
            **self.said.to_mapping(),
            "notices": self.said.statements,
            "findings": list(self.findings),
            "checks": [{"name": check.name, "words": check.words} for check in self.checks],
            "cannot_show": list(self.cannot_show),
            "compared": dict(self.compared),
        }


def verify(
    path: str | Path,
    key: str | None = None,
    checkpoint: str | Path | None = None,
    tsa_certificate: str | Path | None = None,
    *,
    tables_only: bool = False,
    pictures: bool = True,
) -> Verdict:
    """Checks the bundle in a folder or zip file, given by its path or its web address.

    What is given beside it was obtained elsewhere than in the bundle. `key`: a fingerprint (`ed25519:...`) or the path
    of a signer.pub. `checkpoint`: the path or web address of a signed checkpoint of the publisher's ledger, or of the
    ledger.json of another release, kept from earlier. `tsa_certificate`: the path of a PEM file with the certificates
    of the authority that made the bundle's timestamp. `tables_only`: compares neither the page nor pictures nor exports
    with prose. `pictures`: False leaves out the pictures alone. Raises IntegrityError, saying which check failed, and
    InputError where there is nothing that this version can check.
    """
    bundle = read(path)
    if LEDGER not in bundle.contents:
        raise IntegrityError(phrase("verdict.file_missing_2", ledger=LEDGER))
    entry = Entry.read(bundle.release.entry)
    if entry.history.signed.signer != bundle.fingerprint:
        raise IntegrityError(phrase("verdict.checkpoint_another_key_than"))
    entry.check()
    checks = [
        Check("files", f"All {bundle.files} files are listed and have the listed checksums; no other file is there."),
        Check("signature", f"The list is signed by the key {bundle.fingerprint}."),
    ]
    if key is not None:
        checks.append(_signer(entry.history, bundle.fingerprint, fingerprint_of(key)))
    more, findings, caveats = _recomputed(bundle)
    checks += more
    checks += _entered(bundle, entry)
    unknown = [UNKNOWN_CAVEAT.format(words=told(caveat)) for caveat in caveats]
    unknown += [] if entry.history.previous else [NO_PREVIOUS]
    unknown += MASKED if bundle.release.certificate.several else ()
    published = bundle.release.certificate.day
    other = _other(checkpoint)
    said = _said(bundle, path, entry.history, other)
    kept, time = _kept(entry.history, published, other), stamped(bundle, tsa_certificate)
    compared = written(bundle, prose=not tables_only, pictures=pictures)
    checks += compared.checks
    warning, left_out = not_compared(bundle, compared, tables_only=tables_only, pictures=pictures)
    unknown += [*left_out, *unread_keys(bundle)]
    for more, words in (_noticed(said, entry.history), kept, time):
        checks += more
        unknown += words
    return Verdict(
        release=bundle.release,
        fingerprint=bundle.fingerprint,
        signer_known=key is not None,
        checks=tuple(checks),
        said=said,
        findings=tuple(findings),
        cannot_show=(*CANNOT_SHOW, *unknown),
        compared={"page": compared.page, "charts": compared.charts},
        warning=warning,
    )


def _signer(history: History, signer: str, expected: str) -> Check:
    """That the signer is the key that was given, or one that it handed over to."""
    if expected == signer:
        return Check("signer", "That is the key you gave.")
    if expected not in history.signers:
        raise IntegrityError(phrase("verdict.signature_signed_expected", signer=signer, expected=expected))
    days = [rotation.on for rotation in history.rotations[history.signers.index(expected) :]]
    between = f", by way of {len(days) - 1} more," if len(days) > 1 else ""
    words = f"The key you gave, {expected}, handed over to the signing key{between} on {', '.join(days)}."
    return Check("signer", words)


def _entered(bundle: ReadBundle, entry: Entry) -> list[Check]:
    """What ledger.json shows: the release stands in the publisher's ledger as it is here."""
    history, certificate = entry.history, bundle.release.certificate
    entry.check_tells(certificate, bundle.contents, bundle.fingerprint)
    check_charge(entry, certificate)
    check_standings(history.checkpoint, certificate)
    checkpoint, rotations = history.checkpoint, len(history.rotations)
    seq, charge = entry.published.event["seq"], entry.charge.event["seq"]
    checks = [
        Check("event", f"Line {seq} of the publisher's ledger states this release, its outputs and its day."),
        Check("charge", f"Line {charge} states its plan and loss, the sum spent by then, and the cap."),
        Check(
            "inclusion", f"Those lines are among the {checkpoint.size} of the ledger's checkpoint of {checkpoint.on}."
        ),
        Check("checkpoint", "The checkpoint is signed by the same key."),
        Check("standing", "By the checkpoint, the population has that cap, and has spent what the certificate states."),
    ]
    if entry.superseded is not None:
        words = f"Line {entry.superseded.event['seq']} states the release that this one supersedes."
        checks.append(Check("superseded", words))
    if history.previous is not None:
        checks.append(
            Check("consistency", f"Its ledger continues that of the checkpoint before, of {history.previous[0]} lines.")
        )
    if rotations:
        checks.append(Check("rotations", f"Earlier signing keys, {rotations}, each signed that the next one follows."))
    return checks


def _said(bundle: ReadBundle, source: str | Path, history: History, kept: History | None) -> Said:
    """What is said of the release, by the notices beside it. Raises IntegrityError where some are missing or false.

    A checkpoint that was kept counts too: what it lists must be here.
    """
    certificate = bundle.release.certificate
    beside = Beside.find(source, certificate.id, bundle.packed)
    further = [] if kept is None or not _holds(kept) else [kept]
    said = beside.said(certificate.id, certificate.day, history, *further)
    if said.missing:
        raise IntegrityError(phrase("verdict.notices_those_publisher_ledger", missing=said.missing))
    if said.refused:
        raise IntegrityError(phrase("verdict.notices_those_beside_release", refused=said.refused))
    return said


def _holds(kept: History) -> bool:
    try:
        kept.check()
    except IntegrityError:
        return False  # which is said where it is compared
    return True


def _noticed(said: Said, history: History) -> tuple[list[Check], list[str]]:
    """What is said of the notices, and what is not known of them."""
    assert said.known is not None
    checkpoint = said.known.checkpoint
    if checkpoint.size == history.checkpoint.size and not said.notices:
        return [], [NO_NOTICES]
    told = [
        f"{each.statement['published_on']} {'erratum' if each.by is None else f'superseded by {each.by}'}: "
        f"{visible(each.statement['text'])}"
        for each in said.notices
    ]
    words = f"By the checkpoint of {checkpoint.on}, of {checkpoint.size} lines, "
    words += "nothing was said of the release since" if not told else f"this was said of it since: {' | '.join(told)}"
    return [Check("notices", f"{words}.")], [LATER_NOTICES.format(day=checkpoint.on)]


def _other(source: str | Path | None) -> History | None:
    """A checkpoint that somebody kept. Raises InputError where it is none."""
    if source is None:
        return None
    data = fetch(source, MOST_KEPT)
    try:
        return History.read(read_json(data, "its file", whole=True))
    except IntegrityError as cause:
        allowed = phrase("verdict.signed_checkpoint_ledger_json", cause=cause)
        raise InputError("checkpoint", found=str(source), allowed=allowed) from None


def _kept(history: History, published: str, kept: History | None) -> tuple[list[Check], list[str]]:
    """What a checkpoint that somebody kept shows, and what it does not. `published`: the day of the release."""
    if kept is None:
        return [], [NO_CHECKPOINT]
    own, other = history.checkpoint, kept.checkpoint
    try:
        kept.check()
        continued = history.continues(kept)
        if other.size > own.size and other.on < published and not continued:
            raise IntegrityError(
                phrase(
                    "verdict.lines_ledger_had_when", size=other.size, on=other.on, size_2=own.size, published=published
                )
            )
    except IntegrityError as cause:
        raise IntegrityError(phrase("verdict.kept_checkpoint", cause=cause)) from None
    longer = [LONGER.format(kept=other.size, own=own.size)] if other.size > own.size else []
    sizes = f"the checkpoint you gave, of {other.size} lines, and this one, of {own.size}"
    if continued:
        words = f"One ledger has both {sizes}: nothing in the shorter one was changed."
        return [Check("kept checkpoint", words)], longer
    why = NO_PROOF if history.knows(kept) else OTHER_KEY.format(signer=kept.signed.signer)
    return [], [f"That {sizes}, are of one ledger: {why}", *longer]


def _recomputed(bundle: ReadBundle) -> tuple[list[Check], list[str], list[Caveat]]:
    """What follows from plan and statements; what the tables say that noise does not explain; unknown caveats."""
    certificate = bundle.release.certificate
    check_worst_case(certificate.to_mapping())
    recomputed, unknown = recompute(bundle)
    tables = {name: bundle.contents[f"tables/{name}.csv"] for name in bundle.release.tables}
    check_totals(certificate.to_mapping(), tables)
    check_shares(certificate.to_mapping(), tables)
    between = check_between(certificate.to_mapping(), bundle.contents)
    graded = check_grades(certificate.to_mapping(), tables)
    mechanisms = sum(len(each.mechanisms) for each in recomputed.measurements)
    period = certificate.population.period
    spend = "cumulative spend" if period is None else "spend in its period"
    findings = contradictions(recomputed, bundle.release.tables, certificate.population.size)
    checks = [
        Check("certificate", "Everything in release.json follows from the plan, what it states, and the ledger entry."),
        Check("sensitivity", f"{mechanisms} mechanisms have the plan's sensitivity, and lose what is stated at most."),
        Check("worst case", "By a second implementation, no statistic spends more than is stated for it."),
        Check("loss", f"The losses of {len(recomputed.statistics)} statistics sum to the stated ε and δ."),
        Check("cap", f"The population's stated {spend} covers this release and is within its cap."),
        Check("tables", "Every declared cell is published once; no table shows what its mechanisms cannot give."),
    ]
    checks.append(Check("grades", f"By a second implementation, {graded} numbers have the grades stated for them."))
    checks += _summed(bundle)
    if between:
        words = f"By a second implementation, {between} quantiles are what published shares and counts allow."
        checks.append(Check("quantiles", words))
    if fitted := check_models(bundle.release):
        words = f"By a second implementation, {fitted} models have the integers of the tables that they are fitted to."
        checks.append(Check("models", words))
    if certificate.derived and not certificate.is_withheld:
        rates = check_derived(certificate.to_mapping(), bundle.contents)
        words = f"By a second implementation, {rates} rates are those of the tables and the public figures of the plan."
        checks.append(Check("rates", words))
    return checks, findings, unknown


def _summed(bundle: ReadBundle) -> list[Check]:
    """What the files of a round of several institutions show."""
    certificate = bundle.release.certificate
    several = certificate.several
    if several is None:
        return []
    from dprelease.verdict.masked import check_masked  # which answers from a sum, by what tables are asked with

    check_masked(certificate, bundle.release.outputs, bundle.release.beside)
    if several.sites[0].key not in Entry.read(bundle.release.entry).history.signers:
        raise IntegrityError(phrase("verdict.masked_signer", site=several.sites[0].name))
    count, honest = len(several.sites), len(several.sites) - several.lost_sites
    return [
        Check("institutions", f"All {count} institutions signed the roster, one list of round keys, and the sum."),
        Check("charges", f"Checkpoints of {count} ledgers show that each was charged the whole loss for this round."),
        Check("shares", f"By a second implementation, the noise of {honest} of them costs what is stated at most."),
        Check("sum", "Every table follows from the sum that they co-signed."),
    ]
