"""Directly standardised rates as sums of counts with known factors: for whoever prices and writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, product
from math import prod

from dprelease.model.derived import DerivedRate
from dprelease.model.public import PublicTable
from dprelease.model.release import TOTAL, Axis, Cell

Form = tuple[tuple[int, Fraction], ...]
"""Rows of a table, and what the count of each is multiplied by."""


def standardised(
    axes: Sequence[Axis], asked: DerivedRate, public: Mapping[str, PublicTable]
) -> tuple[tuple[Axis, ...], tuple[Form | None, ...]]:
    """Return keys and rows of such a table: Σ_a (times · w_a / P_a) y_a, by groups a with w_a > 0, Σ w_a = 1.

    `axes`: of the table of counts. A total takes the sums of the counts and of the figures of its parts. None where a
    figure that it takes is missing, or those of a group are 0.
    """
    assert asked.standardise is not None
    names = [axis.names[0] for axis in axes]
    over = names.index(asked.standardise.over)
    codes = [[code_of(axis.cells[row][0]) for row in range(len(axis.cells))] for axis in axes]
    shares = _shares(codes[over], public[asked.standardise.weights])
    order = [names.index(key) for key, _ in public[asked.per].keys]
    figures = public[asked.per].numbers
    sizes = [prod(map(len, codes[place + 1 :])) for place in range(len(codes))]
    rest = [[*enumerate(own)] if place != over else [(-1, "")] for place, own in enumerate(codes)]

    def groups(row: Sequence[tuple[int, str]]) -> Iterator[Form | None]:
        for at, share in shares.items():
            cells = [*row[:over], (at, codes[over][at]), *row[over + 1 :]]
            parts = [*product(*(_parts(cell, own) for cell, own in zip(cells, codes, strict=True)))]
            found = [figures.get(tuple(part[place][1] for place in order)) for part in parts]
            whole = sum((each for each in found if each is not None), Fraction(0))
            if None in found or not whole:
                yield None
                continue
            factor = Fraction(asked.times) * share / whole
            for part in parts:
                yield ((sum(number * size for (number, _), size in zip(part, sizes, strict=True)), factor),)

    forms = [tuple(groups(row)) for row in product(*rest)]
    kept = tuple(axis for place, axis in enumerate(axes) if place != over)
    return kept, tuple(None if None in form else tuple(chain.from_iterable(filter(None, form))) for form in forms)


def code_of(cell: Cell) -> str:
    """Return a key's entry as it stands in a file."""
    return "" if cell is None else cell if isinstance(cell, str) else repr(cell)


def _shares(codes: Sequence[str], weights: PublicTable) -> dict[int, Fraction]:
    """Return the part of each group in the standard population, of those that have one, by its place."""
    found = {place: weights.numbers.get((code,)) or Fraction(0) for place, code in enumerate(codes) if code != TOTAL}
    whole = sum(found.values())
    return {place: weight / whole for place, weight in found.items() if weight}


def _parts(cell: tuple[int, str], codes: Sequence[str]) -> list[tuple[int, str]]:
    return [each for each in enumerate(codes) if each[1] != TOTAL] if cell[1] == TOTAL else [cell]
