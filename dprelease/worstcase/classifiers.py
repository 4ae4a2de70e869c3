"""The tables that a model of classes is made of, by the options of a plan: a second reading of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from dprelease.worstcase.world import Values

Shape = tuple[int, ...]
FEW, USUAL = 8, 5
TRIED: Shape = (2, 21)
"""Of rows that are held out, by class and cell of a score."""


def cells(values: Values, bins: Any) -> int:
    """How many bins a predictor has: its declared values, those between given edges, or equal ones."""
    if values.listed:
        return values.many
    if isinstance(bins, Sequence) and not isinstance(bins, str):
        return len(bins) - 1
    return min(values.many, int(bins or (values.many if values.many <= FEW else USUAL)))


def bells(options: Mapping[str, Any], columns: Mapping[str, Values], stated: Mapping[str, Any]) -> list[str]:
    """The predictors of which second moments are asked by class: numbers without bins, where the plan wants these."""
    if options.get("method", "bins") == "bins":
        return []
    if options["method"] != "normal" or options.get("held_out"):
        raise ValueError(f"{options['method']} of a classifier")
    numbers = [name for name in options["on"] if stated[name]["type"] in ("integer", "number")]
    return [name for name in numbers if name not in options.get("bins", {}) and columns[name].steps > 0]


def tables(options: Mapping[str, Any], columns: Mapping[str, Values], stated: Sequence[Shape]) -> list[Shape]:
    """The shapes of tables that each count every row: by class for each predictor, then by pairs of predictors.

    With units held out these count the others' rows, and a last one counts the rows of those: a row is in one cell of
    each table at most.

    `stated`: as the certificate has them; where a plan leaves it open whether pairs are counted, their number says.
    """
    names, bins = options["on"], options.get("bins", {})
    many = {name: cells(columns[name], bins.get(name)) for name in names}
    found: list[Shape] = [(many[name], columns[options["outcome"]].many) for name in names]
    tried = [TRIED] if options.get("held_out") else []
    wanted = options.get("together", "auto") if options["kind"] == "scorecard" else "none"
    if wanted == "none" or (wanted == "auto" and len(stated) == len(found + tried)):
        return found + tried
    pairs = combinations(names, 2) if isinstance(wanted, str) else (sorted(pair, key=names.index) for pair in wanted)
    return [*found, *((many[one], many[other]) for one, other in pairs), *tried]
