"""Tables that were chosen one after the other: each measured one is what the integers beside it say, no other is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import log, prod

from dprelease.model.release import Estimates, SyntheticRows
from dprelease.model.stated import StatedMechanism

Places = tuple[int, ...]
METHODS = ("mwem", "pmw", "dual_query")
"""Methods that have a transcript."""
SELECTIONS = ("permute_and_flip", "exponential")
CLOSEST = {"discrete_gaussian": 1.959, "discrete_laplace": log(20) - 0.001}
"""Least reach of a 95 % interval in scales, less half a step; and at most a step further."""
STEP = 1.5


def follows(
    output: SyntheticRows, method: str, columns: int, order: int, mechanisms: Sequence[StatedMechanism]
) -> bool:
    """Return True if tables and their intervals are those of a transcript: first each column by itself, then in turns
    which of the wider tables was chosen, and its noisy counts, filled up to the largest.

    With questions in order, where none was above, the first table that is left was measured. With `dual_query` no wider
    table is: after the columns there are cells, each of some table. What the report tells are bounds.

    Raises ValueError, IndexError or KeyError where the integers are of something else.
    """
    every = [own for length in range(1, order + 1) for own in combinations(range(columns), length)]
    *tables, report = output.parts.values()
    named = dict(zip(every, tables, strict=True))
    known: dict[Places, tuple[Sequence[int], StatedMechanism]]
    if method == "dual_query":
        _check_drawn(output.integers[columns:], mechanisms[columns:], sum(map(_cells, tables)))
        pairs = zip(output.integers[:columns], mechanisms[:columns], strict=True)
        known = {(place,): pair for place, pair in enumerate(pairs)}
    else:
        known = dict(_known(output.integers, every[columns:], columns, mechanisms))
    told = {name for (name, _), value in zip(report.axes[0].cells, report.value, strict=True) if value is not None}
    chosen = {name for name, places in zip(output.parts, every, strict=False) if places in known}
    if any(value != upper for value, upper in zip(report.value, report.upper95, strict=True)):
        return False
    return told <= chosen and all(
        _measured(table, *known[places]) if places in known else _modelled(table) for places, table in named.items()
    )


def _known(
    integers: Sequence[Sequence[int]], wider: Sequence[Places], columns: int, mechanisms: Sequence[StatedMechanism]
) -> Iterator[tuple[Places, tuple[Sequence[int], StatedMechanism]]]:
    """Yield the measured tables with their noise, in the order of the transcript."""
    pairs, seen = list(zip(integers, mechanisms, strict=True)), set[Places]()
    for place, pair in enumerate(pairs[:columns]):
        yield (place,), pair
    for (chosen, how), pair in zip(pairs[columns::2], pairs[columns + 1 :: 2], strict=True):
        if how.name == "sparse_vector":
            number = _first_above(chosen, how, len(wider))
        else:
            (number,) = chosen
            if how.name not in SELECTIONS or not 0 <= number < len(wider) or how.shape != (1, len(wider)):
                raise ValueError("a choice of no table")
        if number is None:
            number = next(place for place, own in enumerate(wider) if own not in seen)
        seen.add(wider[number])
        yield wider[number], pair


def _first_above(told: Sequence[int], how: StatedMechanism, many: int) -> int | None:
    """Return the first table told to be above, of so many: (0, 0) before it, (1, 0), and (-1, 0) after it."""
    if how.shape != (many,) or how.settings["answers"] != 1 or how.settings["numeric"]:
        raise ValueError("questions about other tables")
    number = next((place for place in range(many) if told[2 * place] == 1), None)
    before = many if number is None else number
    after = [] if number is None else [1, 0] + [-1, 0] * (many - number - 1)
    if list(told) != [0, 0] * before + after:
        raise ValueError("answers that no sparse vector gives")
    return number


def _check_drawn(rounds: Sequence[Sequence[int]], mechanisms: Sequence[StatedMechanism], cells: int) -> None:
    """Raises ValueError where what was drawn are no cells of any table."""
    for drawn, how in zip(rounds, mechanisms, strict=True):
        if how.name != "exponential" or how.shape != (len(drawn), cells) or not all(0 <= one < cells for one in drawn):
            raise ValueError("a draw of no cell")


def _cells(table: Estimates) -> int:
    return prod(len(axis.cells) for axis in table.axes)


def _measured(table: Estimates, numbers: Sequence[int], noise: StatedMechanism) -> bool:
    """Return True if a table is its noisy counts, each with the same reach of the noise."""
    cells = _cells(table)
    if len(numbers) < cells or list(table.value) != list(numbers[:cells]):
        return False
    ends = zip(table.lower95, table.value, table.upper95, strict=True)
    reaches = {(value - lower, upper - value) for lower, value, upper in ends}  # type: ignore[operator]
    ((below, above),) = reaches
    least = CLOSEST[noise.name] * float(str(noise.scale)) - STEP
    return bool(below == above and least <= below <= least + 2 * STEP + 0.01 * below)


def _modelled(table: Estimates) -> bool:
    """Return True if a table has whole rows and no interval."""
    return all(type(value) is int and value >= 0 for value in table.value) and not any(
        end is not None for end in (*table.lower95, *table.upper95)
    )
