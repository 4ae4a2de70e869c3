"""Plan, price, noise, page and exports of a release, worked out anew: what a mere reader of releases does not have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dprelease.bundle.read import ReadBundle
from dprelease.errors import DPReleaseError, IntegrityError
from dprelease.model.stated import Caveat
from dprelease.registry import added, load
from dprelease.statistics import Plan
from dprelease.verdict.all_tables import check_all
from dprelease.verdict.check import Check
from dprelease.verdict.contradiction import contradictions
from dprelease.verdict.derived import check_derived
from dprelease.verdict.facts import check_totals
from dprelease.verdict.file_checks import ComparedFiles, not_compared, written
from dprelease.verdict.grades import check_grades
from dprelease.verdict.model_tables import check_models
from dprelease.verdict.quantile_checks import check_between
from dprelease.verdict.recompute import recompute
from dprelease.verdict.shares import check_shares
from dprelease.verdict.statements import check_statements
from dprelease.verdict.through_medians import check_lines
from dprelease.verdict.trial import check_trials
from dprelease.words import phrase
from dprelease.worstcase import excesses

SUMMED = "federation"
"""The field of a certificate that states a round."""


def recomputed(bundle: ReadBundle, *, parquet: bool) -> tuple[list[Check], list[Check], list[Caveat]]:
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


def compared(
    bundle: ReadBundle, *, tables_only: bool, pictures: bool
) -> tuple[ComparedFiles, Check | None, list[Check]]:
    """Compare page, pictures and exports; return what was found, what was not compared unasked, and what as asked."""
    files = written(bundle, prose=not tables_only, pictures=pictures)
    return (files, *not_compared(bundle, files, tables_only=tables_only, pictures=pictures))


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
