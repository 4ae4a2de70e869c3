"""Sentences of a certificate on columns that are made of others, and the values they are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal

from dprelease.model.column import ORDERED, Column
from dprelease.model.encoding import plain
from dprelease.model.made import Function
from dprelease.model.made.days import Age, Between, DatePart
from dprelease.model.made.groups import Cut, Prefix, Recode
from dprelease.model.made.numbers import RatioFunction, Several, WeightedSum
from dprelease.model.made.tested import Holds
from dprelease.model.schema import Schema
from dprelease.model.stated import Caveat

MOST = 20
"""Categories, points and columns that are named; the plan has all of them."""
SIGNS = {"at_least": "≥", "at_most": "≤", "equals": "=", "in": "∈"}


def made_of_others(schema: Schema) -> list[Caveat]:
    """Return a caveat for each made column; and one for what is done to the values that they are made of."""
    made = [column for column in schema if column.made is not None]
    inputs = dict.fromkeys(name for column in made if column.made is not None for name in column.made.inputs)
    ordered = [name for name in inputs if schema[name].type in ORDERED]
    cut = [Caveat.of("made_of_cut", columns=_listed(ordered))] if ordered else []
    return [*map(made_of, made), *cut]


def made_of(column: Column) -> Caveat:
    """Return the sentence on what a made column is made of."""
    made = column.made
    assert made is not None
    values = {"column": column.name, **_values(made)}
    if column.type in ORDERED:
        values |= {"lower": _text(column.lower), "upper": _text(column.upper)}
    return Caveat.of(f"made_{_code(made)}", **values)


def _code(made: Function) -> str:
    if isinstance(made, DatePart):
        return f"part_{made.part}"
    return "sum_of_known" if isinstance(made, WeightedSum) and made.ignore_missing else type(made).KEY


def _values(made: Function) -> Mapping[str, str]:
    match made:
        case Age(first=first, last=last) | Between(first=first, last=last):
            return {"first": first, "last": _text(last)}
        case WeightedSum(weights=weights, plus=plus):
            terms = [name if weight == 1 else f"{_text(weight)} · {name}" for name, weight in weights]
            return {"sum": " + ".join([*terms, *([_text(plus)] if plus else [])])}
        case RatioFunction(of=of, to=to, times=times):
            return {"of": of, "to": to, "times": _text(times)}
        case Cut(of=of, at=at, labels=labels):
            first, *others = labels
            bands = [f"{label} (≥ {_text(point)})" for point, label in zip(at, others, strict=True)]
            return {"of": of, "groups": _listed([first, *bands])}
        case Recode(of=of, to=to):
            return {"of": of, "groups": "; ".join(f"{new} = {_listed(old)}" for new, old in to[:MOST])}
        case Prefix(of=of, length=length):
            return {"of": of, "length": str(length)}
        case Holds(tests=tests):
            each = [f"{test.column} {SIGNS[key]} {_said(value)}" for test in tests for key, value in test.tests]
            return {"tests": _listed(each)}
        case Several(of=of):
            return {"columns": _listed(of), "first": of[0], "second": of[1]}
    return {"of": made.inputs[0]}


def _said(value: object) -> str:
    return "{" + _listed(map(_text, value)) + "}" if isinstance(value, tuple) else _text(value)


def _text(value: object) -> str:
    if isinstance(value, Decimal):
        return str(plain(value))
    return value.isoformat() if isinstance(value, date) else str(value)


def _listed(texts: Iterable[str]) -> str:
    found = list(texts)
    return ", ".join(found[:MOST]) + (", …" if len(found) > MOST else "")
