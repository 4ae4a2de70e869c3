"""Statement of how much numbers moved to the release that replaces one: its form in a notice, and its sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from dprelease.errors import InputError
from dprelease.model.certificate import Certificate
from dprelease.statements.cell_names import named_key
from dprelease.statements.display import estimate, shown
from dprelease.statements.names import name_of_table
from dprelease.statements.question import StatisticLabel
from dprelease.words.pages import tell
from dprelease.words.phrases import visible
from dprelease.words.releases import enumerate_words

NUMBER = re.compile(r"-?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:e[+-]?[0-9]{1,3})?")
ENDS = ("difference", "lower", "upper")
MOST_NAMED = 5
"""Largest number of tables that are named as not compared."""


def is_moved(value: object) -> bool:
    """Return True if a value has the form of such a statement; an empty one says that nothing was worked out."""
    match value:
        case {
            "cells": int(),
            "moved": int(),
            "median": str() | None as middle,
            "most": None | {"table": str(), "keys": list(), "difference": _, "lower": _, "upper": _} as most,
            "tables": list(tables),
            "differ": list(differ),
            "untested": list(untested),
            **rest,
        }:
            named = all(isinstance(each, str) for each in (*tables, *untested))
            reasons = all(isinstance(each, dict) and set(map(type, each.values())) == {str} for each in differ)
            reasons &= all(each.keys() == {"table", "what"} for each in differ)
            texts = [middle or "0", *([] if most is None else [most[key] for key in ENDS])]
            cell = most is None or all(isinstance(each, str) for each in most["keys"])
            return not rest and named and reasons and cell and all(NUMBER.fullmatch(str(each)) for each in texts)
    return value == {}


def moved_words(told: Mapping[str, Any], certificate: Certificate) -> Iterator[str]:
    """Yield the sentences of a statement. `certificate`: of the release that was replaced."""
    if not told:
        return
    values = {"count": shown(told["moved"]), "of": shown(told["cells"])}
    if most := told["most"]:
        ends = [float(most[end]) for end in ENDS]
        change, lower, upper = estimate(*ends)
        change = change if ends[0] < 0 else f"+{change}"
        where = _named(certificate, most["table"], most["keys"])
        yield tell("moved_some", told["moved"], **values, where=where, change=change, lower=lower, upper=upper)
    elif told["cells"]:
        yield tell("moved_none", told["cells"], **values)
    if told["median"] is not None:
        yield tell("moved_median", share=shown(100 * float(told["median"]), digits=2))
    for each in told["differ"][:MOST_NAMED]:
        what = visible(each["what"].removeprefix("columns.").removeprefix("options.").replace(".", " "), 60)
        yield tell("moved_differ", table=_called(certificate, each["table"]), what=what)
    if told["untested"]:
        names = [_called(certificate, each) for each in told["untested"][:MOST_NAMED]]
        yield tell("moved_untested", tables=enumerate_words(names))


def _called(certificate: Certificate, table: str) -> str:
    try:
        return name_of_table(certificate, table)
    except (KeyError, InputError):
        return visible(table)


def _named(certificate: Certificate, table: str, keys: list[Any]) -> str:
    """Return the name of a cell: that of its table, and the labels of its keys."""
    try:
        question = StatisticLabel.of(certificate, table)
    except (KeyError, InputError):
        return visible(table)
    names = [key for key in question.names if key]
    texts = [named_key(question, name, cell) for name, cell in zip(names, keys, strict=False)]
    return ": ".join(filter(None, (question.name, ", ".join(texts))))
