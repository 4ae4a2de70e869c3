"""A function for each group: models of the groups of one column, joined to a single one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dprelease.model.column import Column
from dprelease.model.release import Axis, Cell, Estimates, Model
from dprelease.statistics.modelled import stated_column

LINK = "by"
"""Of a function that is another one in each group."""


def joined(by: Column, axis: Axis, models: Sequence[Model]) -> Model:
    """One model of those of all groups, in the order of the column's codes: the column becomes its first input.

    Tables get the groups as their first key, facts a function for each, and the integers of one follow the others'.
    """
    first = models[0]
    parts = {part: _below(axis, [model.parts[part] for model in models]) for part in first.parts}
    groups = [
        {"category": category, "function": model.facts["function"]}
        for category, model in zip(by.labels, models, strict=True)
    ]
    listed = zip(*(model.facts["integers"] for model in models), strict=True)
    facts: dict[str, Any] = {
        **first.facts,
        "inputs": [stated_column(by), *first.facts["inputs"]],
        "function": {"link": LINK, "column": by.name, "groups": groups},
        "integers": [[number for numbers in each for number in numbers] for each in listed],
    }
    return Model(parts=parts, facts=facts)


def _below(axis: Axis, tables: Sequence[Estimates]) -> Estimates:
    """Tables of the same cells, one below the other."""

    def column(name: str) -> list[Cell]:
        return [cell for table in tables for cell in table.numbers[name]]

    return Estimates(
        axes=(axis, *tables[0].axes),
        value=column("value"),
        lower95=column("lower95"),
        upper95=column("upper95"),
        extra={name: column(name) for name in tables[0].extra},
    )
