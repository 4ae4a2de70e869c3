"""What readers might see: other draws, equally likely dots, and whether orders and differences would survive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import streamlit as st

from dprelease.bundle.cells import said
from dprelease.bundle.display import shown
from dprelease.bundle.question import Question
from dprelease.model.presentation import Look
from dprelease.ui.kit import blocks, charts, session
from dprelease.ui.kit.charts import Face
from dprelease.ui.preview import chart_shapes
from dprelease.ui.words import say
from dprelease.words.phrases import visible
from dprelease.workspace import outcomes as found
from dprelease.workspace.outcomes import Share
from dprelease.workspace.preview import Preview, StatisticPreview

MOST_CELLS = 500
"""Cells that can be chosen among."""
MOST_ANSWERS = 10


@dataclass
class Seen:
    """What a tab holds of a preview while its page is open. Its repr shows no values."""

    hash: str
    preview: Preview = field(repr=False)
    draw: int = 0
    pictures: dict[tuple[str, ...], bytes | None] = field(default_factory=dict, repr=False)
    """Drawn once: by what they show."""

    @property
    def draws(self) -> int:
        return min(len(item.draws) for item in self.preview.statistics)

    def picture(self, draw: Callable[[], bytes | None], *key: object) -> bytes | None:
        """A picture, drawn unless it was."""
        name = tuple(map(str, key))
        if name not in self.pictures:
            self.pictures[name] = draw()
        return self.pictures[name]


def outcomes(face: Face, asked: Question, item: StatisticPreview, seen: Seen) -> None:
    """Everything that the draws tell of one statistic."""
    if not found.numeric(item) or any(draw.axes != item.true.axes for draw in item.draws):
        _answers(face, asked, item)
        return
    labels = [visible(charts.short(row)) for row in face.drawing(item.id, item.true).rows]
    cells = range(len(item.true))
    ranking = found.ranking(item) if found.comparable(item) else None
    if len(cells) > 1 and asked.presentation.look not in (Look.MATRIX, Look.BOXES):
        highest = ranking.cells if ranking is not None else tuple(cells)[: chart_shapes.MOST_OUTCOMES]
        _panels(face, asked, item, seen, highest)
    _dots(face, asked, item, seen, labels)
    if ranking is not None:
        _ranking(asked, ranking, labels)
        _survival(face, asked, item, labels, ranking.cells)


def _panels(face: Face, asked: Question, item: StatisticPreview, seen: Seen, cells: tuple[int, ...]) -> None:
    """Six draws side by side; nothing moves by itself."""
    count = min(chart_shapes.PANELS, len(item.draws))
    first = min(seen.draw, len(item.draws) - count)
    draws = item.draws[first : first + count]
    drawn = seen.picture(lambda: chart_shapes.outcomes(face, asked, draws, first, cells), "six", item.id, first)
    if drawn is not None:
        charts.picture(drawn, say("outcomes_alt", question=asked.text, first=first + 1, last=first + count))


def _dots(face: Face, asked: Question, item: StatisticPreview, seen: Seen, labels: list[str]) -> None:
    """Twenty dots of one number, which is chosen where there are several."""
    cell: int | None = 0
    if len(item.true) > 1:
        cell = st.selectbox(
            say("dots_cell"),
            list(range(min(len(labels), MOST_CELLS))),
            index=None,
            placeholder=say("choose"),
            format_func=lambda place: labels[place],
            key=f"dots-{item.id}-{session.visit()}",
        )
    true = None if cell is None else item.true.value[cell]
    if cell is None or not isinstance(true, int | float):
        return
    dots = found.dots(item, cell)
    if not dots:
        return
    drawn = seen.picture(lambda: chart_shapes.dot_plot(face, asked, dots, float(true)), "dots", item.id, cell)
    ends = {"low": _rounded(dots[1]), "high": _rounded(dots[-2])}
    if drawn is not None:
        charts.picture(drawn, say("dots_alt", question=asked.text, dots=len(dots), **ends))
    blocks.note("dots_read", inside=len(dots) - 2, dots=len(dots), **ends)


def _rounded(number: float) -> str:
    return shown(float(f"{number:.3g}"))


def _ranking(asked: Question, ranking: found.Ranking, labels: list[str]) -> None:
    """How often the order of the highest cells is another one, and which neighbours swap."""
    blocks.label(say("ranks_title", count=len(ranking.cells)))
    blocks.note("ranks_changed", **_share(ranking.changed))
    rows = [
        (labels[swap.higher], labels[swap.lower], _percent(swap.share), _range(swap.share)) for swap in ranking.swaps
    ]
    heads = [say("ranks_higher"), say("ranks_lower"), say("ranks_swapped"), say("simulation_error")]
    blocks.table(say("ranks_caption", question=asked.text), heads, rows, numbers=(2, 3), keys=2, whole=True)


def _survival(face: Face, asked: Question, item: StatisticPreview, labels: list[str], highest: tuple[int, ...]) -> None:
    """How often a difference between two chosen cells has the true sign."""
    blocks.label(say("survival_title"))
    options = list(range(min(len(labels), MOST_CELLS)))
    chosen = []
    for column, (name, cell) in zip(st.columns(2), zip(("first", "second"), highest, strict=False), strict=True):
        with column:
            place = st.selectbox(
                say(f"survival_{name}"),
                options,
                index=cell if cell < len(options) else 0,
                format_func=lambda option: labels[option],
                key=f"{name}-{item.id}-{session.visit()}",
            )
            chosen.append(place)
    one, other = chosen
    if one == other:
        blocks.note("survival_same")
        return
    share = found.survival(item, one, other)
    first, second = item.true.value[one], item.true.value[other]
    assert isinstance(first, int | float)
    assert isinstance(second, int | float)
    if first < second:
        one, other = other, one
    key = "survival_equal" if first == second else "survival"
    end = "_blind" if face.invented else ""
    blocks.text(f"{key}_text{end}", higher=labels[one], lower=labels[other], **_share(share))


def _answers(face: Face, asked: Question, item: StatisticPreview) -> None:
    """Answers in words, the most frequent first."""
    rows = [
        (_answer(asked, answer), _percent(share), _range(share), "✓" if list(answer) == list(item.true.value) else "")
        for answer, share in found.answers(item)[:MOST_ANSWERS]
    ]
    heads = [say("answers_head"), say("answers_share"), say("simulation_error"), face.say("answers_true")]
    blocks.table(say("answers_caption", question=asked.text), heads, rows, numbers=(1, 2), whole=True)


def _answer(asked: Question, answer: tuple[object, ...]) -> str:
    texts = [said(asked, value, None, None, counted=True)[0] for value in answer[:MOST_ANSWERS]]  # type: ignore[arg-type]
    return " · ".join(texts)


def _share(share: Share) -> dict[str, object]:
    low, high = share.interval
    return {"hits": share.hits, "draws": share.draws, "low": round(100 * low), "high": round(100 * high)}


def _percent(share: Share) -> str:
    return say("percent", number=round(100 * share.share))


def _range(share: Share) -> str:
    low, high = share.interval
    return say("percent_range", low=round(100 * low), high=round(100 * high))
