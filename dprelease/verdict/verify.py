"""Checks a bundle with nothing but its files and, if given, what was obtained elsewhere: a key, a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dprelease.bundle.entry import Entry
from dprelease.bundle.fetch import fetch, is_address
from dprelease.bundle.history import History
from dprelease.bundle.listing import CHECKSUMS, LEDGER, TIMESTAMP
from dprelease.bundle.notices import PublisherNotices
from dprelease.bundle.read import ReadBundle, read
from dprelease.bundle.signing import fingerprint_of
from dprelease.bundle.site_files import SiteFiles
from dprelease.errors import InputError, IntegrityError
from dprelease.model.encoding import read_json
from dprelease.model.progress import reach
from dprelease.model.release import Release
from dprelease.model.view import View, Viewed
from dprelease.registry import found
from dprelease.verdict.check import MAX_NAME, NOT_COMPARED, Check, line
from dprelease.verdict.facts import check_facts
from dprelease.verdict.ledger_checks import check_charge, check_standings
from dprelease.words import phrase
from dprelease.words.phrases import visible

CANNOT_SHOW = (
    Check("cannot.noise_drawn"),
    Check("cannot.spent_elsewhere"),
    Check("cannot.attested"),
)
SEVERAL = (Check("cannot.own_rows"), Check("cannot.honest"))
"""Limits of a check of a sum of several institutions."""
MAX_NAMES = 20
"""Keys that are named of those that are not known."""
ANEW = "dprelease.verdict.anew"
MAX_KEPT = 10_000_000
"""Bytes of a file that is given beside a bundle."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Verdict(Viewed):
    """A bundle that passed every check. `signer_known`: signed by the key that was given, or one that it led to.

    Example: `dp.verify(bundle, key=ws.public_key).signer_known`.
    """

    release: Release
    fingerprint: str
    signer_known: bool
    checks: tuple[Check, ...]
    said: PublisherNotices
    """Publisher's notices on the release since."""
    findings: tuple[Check, ...] = ()
    """Findings in its tables that noise does not explain: nobody forbids it, and no honest release says it."""
    cannot_show: tuple[Check, ...] = CANNOT_SHOW
    compared: Mapping[str, str] = field(default_factory=dict)
    """Result of the comparison, by `page` and `charts`: `same`, `not_compared` or `absent`."""
    warning: Check | None = None
    """Says that page and pictures were not compared, though nobody asked to leave them out."""

    @property
    def state(self) -> tuple[Check, ...]:
        """Intact and by which key; superseded or corrected since; of numbers that do not agree."""
        found = [Check("state.intact_expected_key" if self.signer_known else "state.intact_signer_unknown")]
        if self.said.superseded_by is not None:
            found.append(Check("state.superseded", {"by": self.said.superseded_by}))
        if self.said.errata:
            found.append(Check("state.corrected", {"count": self.said.errata}))
        if self.warning:
            found.append(Check("state.in_part"))
        if self.findings:
            found.append(Check("state.contradictory"))
        return tuple(found)

    @property
    def remarks(self) -> tuple[Check, ...]:
        """The state, where something is known against the release."""
        return self.state if self.said.superseded_by or self.said.errata or self.findings else ()

    def view(self) -> View:
        held = [str(phrase("verdict.view_held", count=len(self.checks)))]
        rows = [(each.words,) for each in (*self.findings, *self.cannot_show)]
        signer = str(phrase("verdict.view_signer", signer=self.fingerprint))
        return View(f"{self.release.id}: {self.words}", [signer, *held], (str(phrase("verdict.view_cannot")),), rows)

    @property
    def words(self) -> str:
        """The verdict in one line."""
        return line(self.state)

    def to_mapping(self) -> dict[str, Any]:
        return {
            "release": self.release.id,
            "verdict": [check.to_mapping() for check in self.state],
            "signer": self.fingerprint,
            "signer_known": self.signer_known,
            **self.said.to_mapping(),
            "notices": self.said.statements,
            "findings": [finding.to_mapping() for finding in self.findings],
            "checks": [check.to_mapping() for check in self.checks],
            "cannot_show": [unknown.to_mapping() for unknown in self.cannot_show],
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
    signed_only: bool = False,
) -> Verdict:
    """Check the bundle in a folder or zip file, given by its path or its web address.

    What is given beside it was obtained elsewhere than in the bundle. `key`: a fingerprint (`ed25519:...`) or the path
    of a signer.pub. `checkpoint`: the path or web address of a signed checkpoint of the publisher's ledger, or of the
    ledger.json of another release, kept from earlier. `tsa_certificate`: the path of a PEM file with the certificates
    of the authority that made the bundle's timestamp. `tables_only`: compares neither the page nor pictures nor exports
    with prose. `pictures`: False leaves out the pictures alone.
    `signed_only`: works nothing out anew, and holds files, signature, ledger and notices against one another. Raises
    IntegrityError, saying which check failed, and InputError where there is nothing that this version can check.

    Example: `dp.verify(bundle, key=ws.public_key)`.
    """
    bundle = read(path)
    if LEDGER not in bundle.contents:
        raise IntegrityError(phrase("verdict.file_missing_2", ledger=LEDGER))
    entry = Entry.read(bundle.release.entry)
    if entry.history.signed.signer != bundle.fingerprint:
        raise IntegrityError(phrase("verdict.checkpoint_another_key_than"))
    entry.check()
    checks = [
        Check("check.files", {"count": bundle.files}),
        Check("check.signature", {"signer": bundle.fingerprint}),
    ]
    if key is not None:
        checks.append(_signer(entry.history, bundle.fingerprint, fingerprint_of(key)))
    reach("recomputing")
    anew = None if signed_only else found(ANEW)
    more, findings, caveats = ([], [], []) if anew is None else anew.recomputed(bundle, parquet=pictures)
    if anew is None and not signed_only:
        more = check_facts(bundle)
    checks += more
    checks += _entered(bundle, entry)
    unknown = [
        Check("cannot.unknown_caveat", {"caveat": each.code, "told": ", ".join(map(str, each.values.values()))})
        for each in caveats
    ]
    if anew is None:
        unknown.append(Check("cannot.signed_only" if signed_only else "cannot.facts_only"))
    unknown += [] if entry.history.previous else [Check("cannot.checkpoint_before")]
    unknown += SEVERAL if bundle.release.certificate.several else ()
    published = bundle.release.certificate.day
    other = _other(checkpoint)
    said = _said(bundle, path, entry.history, other)
    kept, time = _kept(entry.history, published, other), stamped(bundle, tsa_certificate)
    page = charts = NOT_COMPARED
    warning: Check | None = None
    if anew is not None:
        reach("comparing")
        files, warning, left_out = anew.compared(bundle, tables_only=tables_only, pictures=pictures)
        page, charts = files.page, files.charts
        checks += files.checks
        unknown += left_out
    unknown += unread_keys(bundle)
    replaced = _replaced(bundle, path, said)
    for more, not_shown in (_noticed(said, entry.history), replaced, kept, time):
        checks += more
        unknown += not_shown
    return Verdict(
        release=bundle.release,
        fingerprint=bundle.fingerprint,
        signer_known=key is not None,
        checks=tuple(checks),
        said=said,
        findings=tuple(findings),
        cannot_show=(*CANNOT_SHOW, *unknown),
        compared={"page": page, "charts": charts},
        warning=warning,
    )


def unread_keys(bundle: ReadBundle) -> list[Check]:
    """Name the keys of release.json that this version does not know."""
    if not bundle.unread:
        return []
    names = [visible(name, MAX_NAME) for name in bundle.unread[:MAX_NAMES]]
    return [Check("cannot.keys_unread", {"keys": ", ".join(names)})]


def _signer(history: History, signer: str, expected: str) -> Check:
    """Check that the signer is the key that was given, or one that it handed over to."""
    if expected == signer:
        return Check("check.signer")
    if expected not in history.signers:
        raise IntegrityError(phrase("verdict.signature_signed_expected", signer=signer, expected=expected))
    days = [rotation.on for rotation in history.rotations[history.signers.index(expected) :]]
    if len(days) == 1:
        return Check("check.signer_handed_over", {"key": expected, "on": days[0]})
    return Check("check.signer_by_way_of", {"key": expected, "count": len(days) - 1, "days": ", ".join(days)})


def _entered(bundle: ReadBundle, entry: Entry) -> list[Check]:
    """Check by ledger.json that the release stands in the publisher's ledger as it is here."""
    history, certificate = entry.history, bundle.release.certificate
    entry.check_tells(certificate, bundle.contents, bundle.fingerprint)
    follows = check_charge(entry, certificate)
    check_standings(history.checkpoint, certificate)
    checkpoint = history.checkpoint
    checks = [
        Check("check.event", {"line": entry.published.event["seq"]}),
        Check("check.charge", {"line": entry.charge.event["seq"]}),
        Check("check.inclusion", {"lines": checkpoint.size, "on": checkpoint.on}),
        Check("check.checkpoint"),
        Check("check.standing"),
    ]
    if entry.superseded is not None:
        checks.append(Check("check.superseded", {"line": entry.superseded.event["seq"]}))
    run = certificate.edition_of
    if run is not None and follows:
        told = {"number": run.number, "periods": run.periods, "line": run.charge.seq, "factor": run.factor}
        checks.append(Check("check.run", told))
    if history.previous is not None:
        checks.append(Check("check.consistency", {"count": history.previous[0]}))
    if history.rotations:
        checks.append(Check("check.rotations", {"count": len(history.rotations)}))
    return checks


def _said(bundle: ReadBundle, source: str | Path, history: History, kept: History | None) -> PublisherNotices:
    """Return the notices beside the release. Raises IntegrityError where some are missing or false.

    A checkpoint that was kept counts too: what it lists must be here.
    """
    certificate = bundle.release.certificate
    beside = SiteFiles.find(source, certificate.id, bundle.packed)
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


def _noticed(said: PublisherNotices, history: History) -> tuple[list[Check], list[Check]]:
    """Return the checks on the notices, and what is not known of them."""
    assert said.known is not None
    checkpoint = said.known.checkpoint
    if checkpoint.size == history.checkpoint.size and not said.notices:
        return [], [Check("cannot.notices")]
    known: dict[str, int | str] = {"on": checkpoint.on, "lines": checkpoint.size}
    checks = [Check("check.notices", {**known, "count": len(said.notices)})]
    if not said.notices:
        checks = [Check("check.no_notices", known)]
    for notice in said.notices:
        values = {"on": notice.statement["published_on"], "text": notice.statement["text"]}
        if "doi" in notice.statement:
            checks.append(Check("check.doi", {**values, "doi": notice.statement["doi"]}))
        elif notice.by is None:
            checks.append(Check("check.erratum", values))
        else:
            checks.append(Check("check.superseded_by", {**values, "by": notice.by}))
    return checks, [Check("cannot.notices_after", {"on": checkpoint.on})]


def _replaced(bundle: ReadBundle, path: str | Path, said: PublisherNotices) -> tuple[list[Check], list[Check]]:
    """Work out again how much numbers moved to each release that superseded this one and lies beside it."""
    checks, unknown, moved = [], [], found("dprelease.verdict.moved:check_moved")
    for notice in said.notices:
        told, by = notice.statement.get("moved"), notice.by
        if not told or by is None:
            continue
        beside = None if is_address(path) else Path(path).absolute().parent / by
        if moved is None or beside is None or not beside.is_dir():
            unknown.append(Check("cannot.moved", {"by": by}))
        else:
            checks.append(Check("check.moved", {"by": by, "count": moved(told, bundle, read(beside))}))
    return checks, unknown


def _other(source: str | Path | None) -> History | None:
    """Return a checkpoint that somebody kept. Raises InputError where it is none."""
    if source is None:
        return None
    data = fetch(source, MAX_KEPT)
    try:
        return History.read(read_json(data, "--checkpoint", whole=True))
    except IntegrityError as cause:
        allowed = phrase("verdict.signed_checkpoint_ledger_json", cause=cause)
        raise InputError("checkpoint", found=str(source), allowed=allowed) from None


def _kept(history: History, published: str, kept: History | None) -> tuple[list[Check], list[Check]]:
    """Check a kept checkpoint: what it shows, and what it does not. `published`: the day of the release."""
    if kept is None:
        return [], [Check("cannot.rolled_back")]
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
    sizes = {"count": other.size, "own": own.size}
    longer = [Check("cannot.put_back", sizes)] if other.size > own.size else []
    if continued:
        return [Check("check.kept_checkpoint", sizes)], longer
    if history.knows(kept):
        return [], [Check("cannot.one_ledger", sizes), *longer]
    return [], [Check("cannot.one_ledger_other_key", {**sizes, "signer": kept.signed.signer}), *longer]


MAX_CERTIFICATES = 10_000_000
"""Bytes of a file with certificates."""


def stamped(bundle: ReadBundle, authority: str | Path | None) -> tuple[list[Check], list[Check]]:
    """Check the bundle's timestamp: what it shows, and what it does not."""
    certificates = None if authority is None else fetch(authority, MAX_CERTIFICATES)
    if TIMESTAMP not in bundle.contents:
        if certificates is not None:
            raise IntegrityError(phrase("verdict.file_missing_2", ledger=TIMESTAMP))
        return [], []
    timestamp = found("dprelease.bundle.timestamp")
    if timestamp is None:
        return [], [Check("cannot.timestamp_unread")]
    time = timestamp.check(bundle.contents[TIMESTAMP], bundle.contents[CHECKSUMS], certificates)
    stated = {"time": f"{time:%Y-%m-%d %H:%M:%S}"}
    if certificates is not None:
        return [Check("check.timestamp_vouched", stated)], []
    return [Check("check.timestamp", stated)], [Check("cannot.timestamp_true")]
