"""Models that are said to be fitted to other statistics' tables, held against these a second time: by their integers.

It shares no code with the planner (`statistics/planning/tabled.py`), which chose these tables: of the plan's options
and the published tables alone it tells what each list of integers in a model's file has to be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from dprelease.errors import IntegrityError
from dprelease.model.release import TOTAL, Estimates, FittedOutput, MeasuredTables, Release
from dprelease.verdict.figures import is_of
from dprelease.verdict.integers import measured_tables
from dprelease.words import phrase

BY_TABLES = "tables"
"""The derivation of such models."""
Columns = tuple[str, ...]


def check_models(release: Release) -> int:
    """Check and count models made from tables. Raises IntegrityError where one has integers that none of them has."""
    asked = {each["id"]: each for each in release.certificate.plan["statistics"]}
    found = 0
    for stated in release.certificate.statistics:
        output = release.outputs.get(stated.id)
        if stated.derivation != BY_TABLES or output is None or stated.output == "rows":
            continue  # of rows `verdict/integers.py` tells
        told: dict[Columns, list[list[int]]] = {}
        for name in stated.measurements:
            for columns, numbers in _turned(_tables(release, asked[name])):
                told.setdefault(columns, []).append(numbers)
        if not isinstance(output, FittedOutput) or not _is_of(output.facts["integers"], asked[stated.id], told):
            raise IntegrityError(phrase("verdict.model_not_of_tables", item=stated.id))
        found += 1
    return found


def _is_of(
    listed: Sequence[Sequence[int]], asked: Mapping[str, Any], told: Mapping[Columns, Sequence[Sequence[int]]]
) -> bool:
    on, outcome = list(asked["on"]), asked["outcome"]
    wanted: list[Columns] = [(name, outcome) for name in on]
    if len(listed) > len(on):
        wanted += _pairs(on, asked.get("together", "auto"))
    return len(wanted) == len(listed) and all(
        list(numbers) in told.get(columns, ()) for columns, numbers in zip(wanted, listed, strict=True)
    )


def _pairs(on: Sequence[str], together: Any) -> list[Columns]:
    """Return the pairs of columns that a scorecard takes together, each in the order of its inputs."""
    if isinstance(together, str):
        return [] if together == "none" else list(combinations(on, 2))
    return [tuple(sorted(names, key=list(on).index)) for names in together]


def _tables(release: Release, asked: Mapping[str, Any]) -> Iterator[tuple[Columns, list[int], int]]:
    """Yield the noisy tables over two columns of a statistic: their columns, integers, and cells of the second."""
    output = release.outputs[asked["id"]]
    if isinstance(output, MeasuredTables):
        for places, sizes, whole in measured_tables(output, asked):
            if len(places) == 2:
                yield tuple(asked["columns"][place] for place in places), list(whole), sizes[1]
    elif isinstance(output, Estimates) and len(output.axes) == 2:
        given = [*asked.get("columns", ()), *asked.get("by", ()), *filter(None, [asked.get("column")])]
        own = [[cell[0] != TOTAL for cell in axis.cells] for axis in output.axes]
        cells = iter(output.extra.get("raw", output.value))
        numbers = [number for one in own[0] for other, number in zip(own[1], cells, strict=False) if one and other]
        columns = tuple(asked.get("columns") or (_column(axis.names[0], given) for axis in output.axes))
        yield columns, [number for number in numbers if isinstance(number, int)], sum(own[1])


def _turned(tables: Iterator[tuple[Columns, list[int], int]]) -> Iterator[tuple[Columns, list[int]]]:
    """Yield each table as it is, and with its columns the other way round."""
    for columns, numbers, many in tables:
        yield columns, numbers
        yield columns[::-1], [number for place in range(many) for number in numbers[place::many]]


def _column(key: str, columns: Sequence[str]) -> str:
    """Return the column of the data that a key is of."""
    return next(name for name in columns if is_of(key, name))
