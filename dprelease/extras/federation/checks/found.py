"""Findings of `verify` on a sum of several sites."""

from __future__ import annotations

from dprelease.bundle.entry import Entry
from dprelease.bundle.read import ReadBundle
from dprelease.errors import IntegrityError
from dprelease.extras.federation.checks.masked import check_masked
from dprelease.verdict.check import Check
from dprelease.words import phrase


def found(bundle: ReadBundle) -> list[Check]:
    """Return what the files of a round show. Raises IntegrityError where they contradict the certificate or the sum."""
    certificate = bundle.release.certificate
    several = certificate.several
    if several is None:
        return []
    check_masked(certificate, bundle.release.outputs, bundle.release.beside)
    if several.sites[0].key not in Entry.read(bundle.release.entry).history.signers:
        raise IntegrityError(phrase("verdict.masked_signer", site=several.sites[0].name))
    return [
        Check("check.institutions", {"count": len(several.sites)}),
        Check("check.charges", {"count": len(several.sites)}),
        Check("check.shares", {"count": len(several.sites) - several.lost_sites}),
        Check("check.sum"),
    ]
