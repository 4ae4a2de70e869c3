"""Ids of statistics that nobody typed: made from kind and columns, and never the same twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from anyascii import anyascii

from dprelease.model.statistic import KINDS

LONGEST_ID = 60


def suggested_id(kind: str, options: Mapping[str, Any]) -> str:
    """Return an id of kind and columns in ASCII letters, such as mean_income_region; `tamaño` becomes `tamano`."""
    asked = KINDS[kind].options()
    own = [options[name] for name in ("column", "numerator") if name in asked and options.get(name)]
    several = [name for key in ("columns", "by") if key in asked for name in options.get(key) or ()]
    text = re.sub(r"[^a-z0-9]+", "_", anyascii("_".join([kind, *own, *several])).lower()).strip("_")
    return text[: LONGEST_ID - 4].strip("_") or kind


def unique_ids(typed: Sequence[str], suggested: Iterable[str]) -> list[str]:
    """Return the id of each: as typed, else suggested, with a number where another has it."""
    taken, result = {each for each in typed if each}, []
    numbers: dict[str, int] = {}
    for own, base in zip(typed, suggested, strict=True):
        chosen = own or base
        while not own and chosen in taken:
            numbers[base] = numbers.get(base, 1) + 1
            chosen = f"{base}_{numbers[base]}"
        taken.add(chosen)
        result.append(chosen)
    return result
