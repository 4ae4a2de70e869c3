"""Where the cells of a map of pairs stand, and which of them are hatched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dprelease.bundle.chart_parts import Part
from dprelease.errors import IntegrityError
from dprelease.words import phrase, quoted

if TYPE_CHECKING:
    from dprelease.bundle.chart_values import Chart


def check_pairs(chart: Chart, told: Sequence[Part], sides: Sequence[Mapping[float, str]], name: str) -> None:
    """Raises IntegrityError where a cell is hatched and has a value, or the other way round; or where a pair of columns
    stands where a column meets itself.

    `sides`: the labels down and across, by where they stand. That each of the two nearest to a cell is one of its
    columns' is checked elsewhere: so for a pair they only have to differ.
    """
    for part in told:
        if not part.shows:
            continue
        row = part.shows[0][0]
        if part.is_shape and part.unsure is not (chart.rows[row][chart.value] is None):
            raise IntegrityError(phrase("bundle.hatched_otherwise", name=name))
        if len(chart.placed(row)) > 1 and all(sides):
            down, across = (_nearest(labels, part.centre[way]) for way, labels in zip((1, 0), sides, strict=True))
            if down == across:
                raise IntegrityError(phrase("bundle.mark_stands_beside", name=name, nearest=quoted(across)))


def _nearest(labels: Mapping[float, str], place: float) -> str:
    return labels[min(labels, key=lambda each: abs(each - place))]
