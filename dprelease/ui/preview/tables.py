"""The tables of a preview: true values beside a simulated draw, and how far draws spread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, product

from dprelease.bundle.cells import COUNT, TableText, further, said
from dprelease.bundle.display import estimate, half_width, margin, shown
from dprelease.bundle.question import Question
from dprelease.model.presentation import Answers, Trait
from dprelease.model.release import Axis, Cell, Estimates
from dprelease.ui.kit import blocks
from dprelease.ui.kit.charts import Face
from dprelease.ui.words import say
from dprelease.workspace.outcomes import agreement, unreliable
from dprelease.workspace.preview import StatisticPreview

MOST_ROWS = 200
RIGHT_OR_WRONG = (Answers.NAMED, Answers.STATE)
"""Answers that are not near or far."""
Row = tuple[Cell, ...]
Column = tuple[str, bool, list[str]]
"""Its heading, whether it holds numbers, and its cells."""


def table(face: Face, asked: Question, item: StatisticPreview, draw: int) -> None:
    """One draw beside the truth; a single number as a table of one row."""
    true, noisy = aligned(item.true, item.draws[draw])
    right = in_words(item, draw)
    beside = _agreement(face, item, asked, true, noisy) if right else _spread(face, item, asked, true, noisy)
    columns = [*_keys(true, asked), *beside, *_further(face, asked, true, noisy)]
    if not right:
        columns += _marks(asked, noisy)
    heads = [head for head, _, _ in columns]
    numbers = [place for place, (_, numeric, _) in enumerate(columns) if numeric]
    rows = list(zip(*(cells for _, _, cells in columns), strict=True))
    keys = len(true.key_names)
    blocks.table(face.say("preview_caption", question=asked.text), heads, rows, numbers=numbers, keys=keys)
    if len(true) > MOST_ROWS:
        blocks.note("preview_cells", shown=shown(MOST_ROWS), cells=shown(len(true)))
    if right:
        found = agreement(item)
        blocks.note(f"preview_agreement{'_blind' if face.invented else ''}", hits=found.hits, draws=found.draws)
    elif any(marked(asked, noisy)):
        blocks.note("preview_rule", count=shown(sum(marked(asked, noisy))), cells=shown(len(noisy)))


def in_words(item: StatisticPreview, draw: int) -> bool:
    """Tells whether its answers are right or wrong."""
    values = (*item.true.value, *item.draws[draw].value)
    return item.presentation.values in RIGHT_OR_WRONG or any(isinstance(value, str) for value in values)


def marked(asked: Question, noisy: Estimates) -> list[bool]:
    """Tells which numbers of a draw tell little."""
    return unreliable(noisy, never_negative=asked.presentation.has(Trait.NEVER_NEGATIVE))


def _marks(asked: Question, noisy: Estimates) -> Iterator[Column]:
    found = marked(asked, noisy)
    if any(found):
        yield say("mark"), False, [say("unreliable") if each else "" for each in islice(found, MOST_ROWS)]


def _keys(true: Estimates, asked: Question) -> Iterator[Column]:
    reading = TableText(true, asked, MOST_ROWS)
    cells = list(zip(*(row[: reading.keys] for row in reading.body()), strict=True))
    for name, numeric, column in zip(true.key_names, reading.numeric(), cells, strict=False):
        yield name, numeric, list(column)


def _agreement(
    face: Face, item: StatisticPreview, asked: Question, true: Estimates, noisy: Estimates
) -> Iterator[Column]:
    """Answers in words, and in how many draws they were the true ones."""
    for head, table in ((face.say("true"), true), (say("noisy"), noisy)):
        yield head, False, [said(asked, value, None, None, counted=True)[0] for value in islice(table.value, MOST_ROWS)]
    draws = [aligned(true, draw)[1].value for draw in item.draws]
    columns = zip(true.value, *draws, strict=False)
    shares = (sum(value == right for value in found) / len(draws) for right, *found in columns)
    yield face.say("alike"), True, [say("percent", number=round(100 * share)) for share in islice(shares, MOST_ROWS)]


def _spread(face: Face, item: StatisticPreview, asked: Question, true: Estimates, noisy: Estimates) -> Iterator[Column]:
    """Numbers with the simulated interval, and between which bounds 95 % of the draws lie."""
    lows, highs = item.spread()
    intervals = list(islice(zip(noisy.lower95, noisy.upper95, strict=True), MOST_ROWS))
    yield face.say("true"), True, [_true(value) for value in islice(true.value, MOST_ROWS)]
    yield (
        say("noisy"),
        True,
        [said(asked, value, *ends)[0] for value, ends in zip(noisy.value, intervals, strict=False)],
    )
    if any(lower is not None for lower, _ in intervals):
        yield say("interval"), True, [_margin(*ends) for ends in intervals]
    for head, column in (("range_low", lows), ("range_high", highs)):
        padded = [*column, *[None] * (len(intervals) - len(column))]
        yield say(head), True, [_alike(value, *ends) for value, ends in zip(padded, intervals, strict=False)]


def _further(face: Face, asked: Question, true: Estimates, noisy: Estimates) -> Iterator[Column]:
    """Counts beside answers, true and simulated; noisy values before post-processing."""
    if noisy.extra.keys() >= set(COUNT):
        counts, lower, upper = (list(islice(noisy.extra[name], MOST_ROWS)) for name in COUNT)
        right = true.extra.get(COUNT[0], [None] * len(true))
        yield face.say("true_count"), True, [shown(count) for count in islice(right, MOST_ROWS)]
        triples = list(zip(counts, lower, upper, strict=True))
        yield say("noisy_count"), True, [estimate(*triple)[0] for triple in triples]
        yield say("interval"), True, [_margin(*ends) for _, *ends in triples]
    if "raw" in noisy.extra:
        rows = islice(zip(noisy.extra["raw"], noisy.lower95, noisy.upper95, strict=True), MOST_ROWS)
        yield say("noisy_raw"), True, [further({"raw": raw}, *ends)[0] for raw, *ends in rows]


def aligned(true: Estimates, noisy: Estimates) -> tuple[Estimates, Estimates]:
    """Two tables with the same keys: where keys are discovered, those of the truth, then those of the draw alone."""
    if true.axes == noisy.axes:
        return true, noisy
    by_key = [dict(zip(_cells(table), range(len(table)), strict=True)) for table in (true, noisy)]
    keys = tuple(dict.fromkeys((*by_key[0], *by_key[1])))
    first, second = (
        _picked(table, keys, [places.get(key) for key in keys])
        for table, places in zip((true, noisy), by_key, strict=True)
    )
    return first, second


def _cells(table: Estimates) -> list[Row]:
    """The key cells of each row."""
    return [tuple(entry for cell in cells for entry in cell) for cells in product(*(axis.cells for axis in table.axes))]


def _picked(table: Estimates, keys: tuple[Row, ...], places: Sequence[int | None]) -> Estimates:
    def column(cells: Sequence[Cell]) -> list[Cell]:
        return [None if place is None else cells[place] for place in places]

    return replace(
        table,
        axes=(Axis(table.key_names, keys),),
        value=column(table.value),
        lower95=column(table.lower95),
        upper95=column(table.upper95),
        extra={name: column(cells) for name, cells in table.extra.items()},
    )


def _true(value: Cell) -> str:
    """Whole numbers as they are, others to six digits."""
    if value is None:
        return say("not_there")
    return shown(float(f"{value:.6g}")) if isinstance(value, float) else shown(value)


def _margin(lower: Cell, upper: Cell) -> str:
    half = half_width(lower, upper)
    return "" if half is None else say("error", margin=margin(half))


def _alike(value: Cell, lower: Cell, upper: Cell) -> str:
    """A number with the digits that the interval of its neighbour supports."""
    if half_width(lower, upper) is None or not isinstance(value, int | float):
        return shown(value)
    return estimate(value, lower, upper)[0]
