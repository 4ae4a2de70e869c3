"""One certificate, held against the second implementation of every sensitivity and loss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dprelease.errors import DPReleaseError, IntegrityError
from dprelease.statistics import Plan
from dprelease.words import phrase
from dprelease.worstcase import excesses


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
