"""Survey weights: sentences on the sampling error of the survey."""

from __future__ import annotations

from dprelease.model.certificate import Certificate

LEFT_OUT = "sampling_left_out"
"""Caveat of certificates that bundles repeat beside their tables."""


def is_left_out(certificate: Certificate, table: str) -> bool:
    """Return True if a weighted table's intervals cover noise only, not sampling, and the certificate says so."""
    told = any(caveat.code == LEFT_OUT for caveat in certificate.caveats)
    asked = certificate.asked(table)
    return told and "survey_weights" in asked and not asked.get("sampling")


def is_held(certificate: Certificate, table: str) -> bool:
    """Return True if a table has intervals of noise and sampling together."""
    return bool(certificate.asked(table).get("sampling"))
