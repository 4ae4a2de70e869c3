"""One statistic of a preview: the truth, a simulated draw, and how far draws spread."""

from __future__ import annotations

from itertools import islice

from dprelease.bundle.display import estimate, half_width, margin, shown, shown_key
from dprelease.model.plan import Plan
from dprelease.model.release import Cell, Estimates
from dprelease.ui import blocks, charts
from dprelease.ui.words import say
from dprelease.workspace.preview import StatisticPreview

MOST_ROWS = 200


def statistic(plan: Plan, item: StatisticPreview, draw: int) -> None:
    """Chart and table; a single number as a table of one row."""
    asked = charts.question(plan, item.id)
    blocks.subheading(asked.text)
    charts.comparison(plan, item, draw)
    true, noisy = item.true, item.draws[draw]
    low, high = item.spread()
    keys = len(true.key_names)
    heads = [*true.key_names, say("true"), say("noisy"), say("interval"), say("range_low"), say("range_high")]
    rows = [
        (
            *map(shown_key, before[:keys]),
            _true(before[keys]),
            estimate(*after[keys:])[0],
            _interval(after[keys:]),
            _alike(bottom, after[keys:]),
            _alike(top, after[keys:]),
        )
        for before, after, bottom, top in islice(zip(true.rows(), noisy.rows(), low, high, strict=True), MOST_ROWS)
    ]
    numbers = [place for place in range(len(heads)) if place >= keys or _numeric(true, place)]
    blocks.table(say("preview_caption", question=asked.text), heads, rows, numbers=numbers, keys=keys)
    if len(true) > MOST_ROWS:
        blocks.note("preview_cells", shown=shown(MOST_ROWS), cells=shown(len(true)))


def _true(value: Cell) -> str:
    """Whole numbers as they are, others to six digits."""
    return shown(float(f"{value:.6g}")) if isinstance(value, float) else shown(value)


def _interval(values: tuple[Cell, ...]) -> str:
    half = half_width(values[1], values[2])
    return "" if half is None else say("error", margin=margin(half))


def _alike(value: Cell, values: tuple[Cell, ...]) -> str:
    """A number with the digits that the interval of its neighbour supports."""
    if half_width(values[1], values[2]) is None or not isinstance(value, int | float):
        return shown(value)
    return estimate(value, values[1], values[2])[0]


def _numeric(estimates: Estimates, place: int) -> bool:
    return isinstance(next(estimates.rows())[place], int | float)
