"""Checks of several editions of one run, held against one another: none is hidden, doubled or of another run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from dprelease.errors import IntegrityError
from dprelease.model.certificate import Certificate
from dprelease.model.encoding import digest
from dprelease.model.stated import StatedRun
from dprelease.statistics import Plan
from dprelease.verdict.check import Check
from dprelease.words import phrase


def check_editions(certificates: Sequence[Certificate]) -> Check:
    """Return what editions that were each checked show together. Raises IntegrityError where they contradict.

    Each later one names the digest of every certificate published before it began, so that two bundles tell of an
    edition that was hidden from one of them, or made twice.
    """
    found = sorted(((_run(each), each) for each in certificates), key=lambda pair: pair[1].ledger.seq)
    first, _ = found[0]
    plans = {Plan.parse(each.plan).whole.hash for each in certificates}
    if len(plans) != 1 or any((run.name, run.charge) != (first.name, first.charge) for run, _ in found):
        raise IntegrityError(phrase("verdict.editions_of_other_runs"))
    periods = [run.period for run, _ in found]
    if len(set(periods)) != len(periods):
        raise IntegrityError(phrase("verdict.editions_twice"))
    for (run, _), (later, _) in pairwise(found):
        if later.earlier[: len(run.earlier)] != run.earlier:
            raise IntegrityError(phrase("verdict.editions_chain", period=later.period))
    for place, (later, _) in enumerate(found):
        told = {each.period: (each.release, each.hash) for each in later.earlier}
        for run, certificate in found[:place]:
            if told.get(run.period) != (certificate.id, digest(certificate.to_mapping())):
                raise IntegrityError(phrase("verdict.editions_chain", period=later.period))
            if run.period in later.closed:
                raise IntegrityError(phrase("verdict.editions_closed", period=run.period))
    return Check("check.editions", {"count": len(found), "run": first.name, "periods": first.periods})


def _run(certificate: Certificate) -> StatedRun:
    run = certificate.edition_of
    if run is None:
        raise IntegrityError(phrase("verdict.editions_of_no_run", release=certificate.id))
    return run
