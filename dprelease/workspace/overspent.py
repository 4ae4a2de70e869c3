"""Releases whose true loss is above what was charged, by the second implementation of every sensitivity and loss."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dprelease.errors import IntegrityError
from dprelease.store import releases
from dprelease.workspace.state import State
from dprelease.worstcase import Excess, excesses


@dataclass(frozen=True, slots=True)
class Overspent:
    """A release with a statistic that spends more than it was charged; or of which that cannot be worked out."""

    release: str
    excess: Excess | None
    problem: str = ""
    """Why nothing is known of its loss; empty where something is."""

    def __str__(self) -> str:
        return f"{self.release}, {self.problem or self.excess}"

    def to_mapping(self) -> dict[str, Any]:
        found = {"problem": self.problem} if self.excess is None else self.excess.to_mapping()
        return {"release": self.release, **found}


def overspent(state: State) -> tuple[Overspent, ...]:
    """Of all releases that were drawn, published or not, in the order of their charges."""
    return tuple(found for each in releases.all(state.database) for found in _of(each))


def _of(publication: releases.Publication) -> Iterator[Overspent]:
    if publication.certificate is None:
        return
    found = _found(publication.certificate)
    if isinstance(found, str):
        yield Overspent(publication.id, None, found)
    else:
        yield from (Overspent(publication.id, excess) for excess in found)


@lru_cache(maxsize=1024)
def _found(certificate: str) -> tuple[Excess, ...] | str:
    """What a certificate's statistics spend too much, or why that is not known. A page asks again each time."""
    try:
        return excesses(json.loads(certificate))
    except IntegrityError as cause:
        return str(cause)
