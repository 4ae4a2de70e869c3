"""Checks a bundle with nothing but its files and, if given, what was obtained elsewhere: a key, a checkpoint."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from dprelease.bundle import timestamp
from dprelease.bundle.entry import Entry
from dprelease.bundle.fetch import fetch, is_address
from dprelease.bundle.history import History
from dprelease.bundle.listing import CHECKSUMS, LEDGER, TIMESTAMP
from dprelease.bundle.notices import PublisherNotices
from dprelease.bundle.read import ReadBundle, read
from dprelease.bundle.signing import fingerprint_of
from dprelease.bundle.site_files import SiteFiles
from dprelease.errors import DPReleaseError, InputError, IntegrityError
from dprelease.model.encoding import read_json
from dprelease.model.release import Release
from dprelease.model.stated import Caveat
from dprelease.model.view import View, Viewed
from dprelease.registry import added, load
from dprelease.statistics import Plan
from dprelease.verdict.all_tables import check_all
from dprelease.verdict.check import Check, line
from dprelease.verdict.contradiction import contradictions
from dprelease.verdict.derived import check_derived
from dprelease.verdict.file_checks import NOT_COMPARED, ComparedFiles, not_compared, unread_keys, written
from dprelease.verdict.grades import check_grades
from dprelease.verdict.ledger_checks import check_charge, check_standings
from dprelease.verdict.model_tables import check_models
from dprelease.verdict.moved import check_moved
from dprelease.verdict.quantile_checks import check_between
from dprelease.verdict.recompute import recompute
from dprelease.verdict.shares import check_shares
from dprelease.verdict.statements import check_statements
from dprelease.verdict.through_medians import check_lines
from dprelease.verdict.trial import check_trials
from dprelease.words import phrase
from dprelease.worstcase import excesses

ENDS = ("lower95", "upper95")
BESIDE = ("effective_rows", "lower95_total", "upper95_total")
SQUARE = Decimal("3.841458820694124")
"""Square of the 97.5 % point of the normal distribution."""
CLOSE = Decimal("1e-8")
"""Tolerance of floats, relative to the range of possible values."""


def check_totals(certificate: Mapping[str, Any], tables: Mapping[str, bytes]) -> None:
    """Raise IntegrityError where a table lacks its intervals of noise and sampling, or has others.

    They are worked out a second time from JSON and CSV; no code is shared with `dprelease.statistics.sampled`.
    """
    columns = certificate["plan"].get("columns") or {}
    for asked in certificate["plan"]["statistics"]:
        if not asked.get("sampling"):
            continue
        rows = list(csv.reader(io.StringIO(tables[asked["id"]].decode(), newline="")))
        head, names = rows[0], ("value", *ENDS, *BESIDE)
        low, high = Decimal(0), Decimal(1)
        if "column" in asked:
            low, high = (Decimal(str(columns[asked["column"]][end])) for end in ("lower", "upper"))
        places = [head.index(name) for name in names] if set(names) <= set(head) else []
        if not places or not all(_follows([row[place] for place in places], low, high) for row in rows[1:]):
            raise IntegrityError(phrase("verdict.totals_not_of_numbers", table=asked["id"]))


def _follows(cells: list[str], low: Decimal, high: Decimal) -> bool:
    """Return True if the ends of a total interval follow from value, interval and effective rows."""
    try:
        value, lower, upper, rows, *told = map(Decimal, cells)
    except InvalidOperation:
        return False
    if not all(number.is_finite() for number in (value, lower, upper, rows, *told)) or rows < 0:
        return False
    if rows == 0:
        own = [low, high]
    else:
        middle = (low + high) / 2
        worst = lower if lower > middle else min(upper, middle)
        spread = SQUARE * (worst - low) * (high - worst) / rows
        own = [
            max(low, value - ((value - lower) ** 2 + spread).sqrt()),
            min(high, value + ((upper - value) ** 2 + spread).sqrt()),
        ]
    return all(abs(one - other) <= CLOSE * max(high - low, Decimal(1)) for one, other in zip(own, told, strict=True))


CANNOT_SHOW = (
    Check("cannot.noise_drawn"),
    Check("cannot.spent_elsewhere"),
    Check("cannot.attested"),
)
SEVERAL = (Check("cannot.own_rows"), Check("cannot.honest"))
"""Limits of a check of a sum of several institutions."""
SUMMED = "federation"
"""The field of a certificate that states a round."""
MAX_KEPT = 10_000_000
"""Bytes of a file that is given beside a bundle."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Verdict(Viewed):
    """A bundle that passed every check. `signer_known`: signed by the key that was given, or one that it led to."""

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
    more, findings, caveats = ([], [], []) if signed_only else _recomputed(bundle, parquet=pictures)
    checks += more
    checks += _entered(bundle, entry)
    unknown = [
        Check("cannot.unknown_caveat", {"caveat": each.code, "told": ", ".join(map(str, each.values.values()))})
        for each in caveats
    ]
    unknown += [Check("cannot.signed_only")] if signed_only else []
    unknown += [] if entry.history.previous else [Check("cannot.checkpoint_before")]
    unknown += SEVERAL if bundle.release.certificate.several else ()
    published = bundle.release.certificate.day
    other = _other(checkpoint)
    said = _said(bundle, path, entry.history, other)
    kept, time = _kept(entry.history, published, other), stamped(bundle, tsa_certificate)
    left_out: list[Check] = []
    if signed_only:
        compared = ComparedFiles(checks=(), page=NOT_COMPARED, charts=NOT_COMPARED)
        warning = None
    else:
        compared = written(bundle, prose=not tables_only, pictures=pictures)
        checks += compared.checks
        warning, left_out = not_compared(bundle, compared, tables_only=tables_only, pictures=pictures)
    unknown += [*left_out, *unread_keys(bundle)]
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
        compared={"page": compared.page, "charts": compared.charts},
        warning=warning,
    )


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
    check_charge(entry, certificate)
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
    if run is not None:
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
    checks, unknown = [], []
    for notice in said.notices:
        told, by = notice.statement.get("moved"), notice.by
        if not told or by is None:
            continue
        beside = None if is_address(path) else Path(path).absolute().parent / by
        if beside is None or not beside.is_dir():
            unknown.append(Check("cannot.moved", {"by": by}))
        else:
            checks.append(Check("check.moved", {"by": by, "count": check_moved(told, bundle, read(beside))}))
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


def _recomputed(bundle: ReadBundle, *, parquet: bool) -> tuple[list[Check], list[Check], list[Caveat]]:
    """Check plan and statements; return the checks, findings that noise does not explain, and unknown caveats."""
    certificate = bundle.release.certificate
    check_worst_case(certificate.to_mapping())
    recomputed, unknown = recompute(bundle)
    tables = {name: bundle.contents[f"tables/{name}.csv"] for name in bundle.release.tables}
    check_totals(certificate.to_mapping(), tables)
    check_shares(certificate.to_mapping(), tables)
    between = check_between(certificate.to_mapping(), bundle.contents)
    graded = check_grades(certificate.to_mapping(), tables)
    kept = {each.id: (f"measured/{each.id}.json", f"models/{each.id}.json") for each in certificate.statistics}
    beside = {name: bundle.contents[path] for name, both in kept.items() for path in both if path in bundle.contents}
    found_in = check_statements(certificate.to_mapping(), tables, beside)
    mechanisms = sum(len(each.mechanisms) for each in recomputed.measurements)
    found = contradictions(recomputed, bundle.release.tables, certificate.population.size)
    checks = [
        Check("check.certificate"),
        Check("check.sensitivity", {"count": mechanisms}),
        Check("check.worst_case"),
        Check("check.loss", {"count": len(recomputed.statistics)}),
        Check("check.cap" if certificate.population.period is None else "check.cap_in_period"),
        Check("check.tables"),
    ]
    checks.append(Check("check.grades", {"count": graded}))
    if found_in:
        checks.append(Check("check.statements", {"count": found_in}))
    checks += _of_rooms(bundle)
    if between:
        checks.append(Check("check.quantiles", {"count": between}))
    if fitted := check_models(bundle.release):
        checks.append(Check("check.models", {"count": fitted}))
    if lines := check_lines(bundle.release):
        checks.append(Check("check.lines", {"count": lines}))
    if tried := check_trials(bundle.release):
        checks.append(Check("check.trials", {"count": tried}))
    if certificate.derived and not certificate.is_withheld:
        checks.append(Check("check.rates", {"count": check_derived(certificate.to_mapping(), bundle.contents)}))
    if count := check_all(certificate.to_mapping(), bundle.contents, parquet=parquet):
        checks.append(Check("check.all_numbers", {"count": count}))
    return checks, [Check(claim.code, claim.values) for claim in found], unknown


def _of_rooms(bundle: ReadBundle) -> list[Check]:
    """Return what the files of a round of several institutions show, found by the room that makes such rounds."""
    if bundle.release.certificate.several is None:
        return []
    place = added("checks").get(SUMMED)
    if place is None:
        raise IntegrityError(phrase("verdict.room_missing", field=SUMMED))
    found: list[Check] = load(place)(bundle)
    return found


MAX_CERTIFICATES = 10_000_000
"""Bytes of a file with certificates."""


def stamped(bundle: ReadBundle, authority: str | Path | None) -> tuple[list[Check], list[Check]]:
    """Check the bundle's timestamp: what it shows, and what it does not."""
    certificates = None if authority is None else fetch(authority, MAX_CERTIFICATES)
    if TIMESTAMP not in bundle.contents:
        if certificates is not None:
            raise IntegrityError(phrase("verdict.file_missing_2", ledger=TIMESTAMP))
        return [], []
    time = timestamp.check(bundle.contents[TIMESTAMP], bundle.contents[CHECKSUMS], certificates)
    stated = {"time": f"{time:%Y-%m-%d %H:%M:%S}"}
    if certificates is not None:
        return [Check("check.timestamp_vouched", stated)], []
    return [Check("check.timestamp", stated)], [Check("cannot.timestamp_true")]


def check_worst_case(certificate: Mapping[str, Any]) -> None:
    """Raises IntegrityError where a statistic of a certificate spends more than is stated.

    The plan is read first, so that lists in it are no longer than they may be.
    """
    try:
        Plan.parse(certificate["plan"])
    except (DPReleaseError, KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as cause:
        raise IntegrityError(
            phrase("verdict.certificate_plan_cannot_read", kind=type(cause).__name__, cause=cause)
        ) from None
    try:
        found = excesses(certificate)
    except IntegrityError as cause:
        raise IntegrityError(phrase("verdict.worst_case", found=cause)) from None
    if found:
        raise IntegrityError(phrase("verdict.worst_case", found="; ".join(map(str, found))))
