"""Survey weights: what their readers are told about the sampling error of the survey."""

from __future__ import annotations

from dprelease.model.certificate import Certificate

LEFT_OUT = "sampling_left_out"
"""The caveat of certificates by which bundles say it beside their tables too."""


def is_left_out(certificate: Certificate, table: str) -> bool:
    """Tells whether the intervals of a table hold noise alone although its rows stand for more, and say so."""
    told = any(caveat.code == LEFT_OUT for caveat in certificate.caveats)
    asked = certificate.asked(table)
    return told and "survey_weights" in asked and not asked.get("sampling")


def is_held(certificate: Certificate, table: str) -> bool:
    """Tells whether a table has intervals of noise and sampling together."""
    return bool(certificate.asked(table).get("sampling"))
