"""What a plan asked of its release beforehand, in words: for its readers, and as a resource of a data package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from dprelease.bundle.display import exact, visible
from dprelease.bundle.words import say
from dprelease.model.criterion import Requirement
from dprelease.model.release import is_withheld

NAME = "criteria"
FIELDS = {"statistic": "string", "asked": "string", "held": "boolean"}


def criteria(certificate: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each criterion with what was found, in the plan's order; none where the plan asks for nothing."""
    return list(_criteria(certificate))


def _criteria(certificate: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for line in certificate.get("criteria", ()):
        name = visible(str(line["statistic"]))
        asked = next(each for each in Requirement if each in line)
        limit = line[asked]
        if asked is Requirement.RANKING:
            words = say(f"criterion_ranking_{'one' if limit == 1 else 'many'}", limit=limit)
        else:
            stated = Decimal(repr(limit)) * (100 if asked is Requirement.RELATIVE_ERROR else 1)
            words = say(f"criterion_{asked}", limit=exact(stated))
        yield {"statistic": name, "asked": words, "held": line.get("held") is True}


def withheld(certificate: Mapping[str, Any]) -> str:
    """A sentence that says so, and nothing where the tables are published."""
    return say("withheld") if is_withheld(certificate) else ""


def resource(certificate: Mapping[str, Any]) -> dict[str, Any] | None:
    """The criteria as a resource with its data in it, where nothing else is published; a data package needs one."""
    if not is_withheld(certificate):
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
