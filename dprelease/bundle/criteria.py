"""What a plan asked of its release beforehand, in words: for its readers, and as a resource of a data package."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from dprelease.bundle.display import exact, visible
from dprelease.bundle.words import say
from dprelease.model.certificate import Certificate
from dprelease.model.criterion import Requirement

NAME = "criteria"
FIELDS = {"statistic": "string", "asked": "string", "held": "boolean"}


def criteria(certificate: Certificate) -> list[dict[str, Any]]:
    """Each criterion with what was found, in the plan's order; none where the plan asks for nothing."""
    return list(_criteria(certificate))


def _criteria(certificate: Certificate) -> Iterator[dict[str, Any]]:
    for line in certificate.criteria:
        asked, limit = line.requirement, line.limit
        if asked is Requirement.RANKING:
            words = say(f"criterion_ranking_{'one' if limit == 1 else 'many'}", limit=limit)
        else:
            stated = Decimal(repr(limit)) * (100 if asked is Requirement.RELATIVE_ERROR else 1)
            words = say(f"criterion_{asked}", limit=exact(stated))
        yield {"statistic": visible(line.statistic), "asked": words, "held": line.held}


def withheld(certificate: Certificate) -> str:
    """A sentence that says so, and nothing where the tables are published."""
    return say("withheld") if certificate.is_withheld else ""


def resource(certificate: Certificate) -> dict[str, Any] | None:
    """The criteria as a resource with its data in it, where nothing else is published; a data package needs one."""
    if not certificate.is_withheld:
        return None
    return {
        "name": NAME,
        "type": "table",
        "title": withheld(certificate),
        "data": criteria(certificate),
        "schema": {
            "fields": [
                {"name": name, "type": kind, "description": say(f"field_criterion_{name}")}
                for name, kind in FIELDS.items()
            ]
        },
    }
