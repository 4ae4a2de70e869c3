"""The preview of a plan: taking it, choosing what to look at, and the truth beside a simulated draw."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from dprelease.bundle.display import shown
from dprelease.bundle.question import Question
from dprelease.model.presentation import Look
from dprelease.model.preview_policy import PreviewPolicy
from dprelease.model.release import Estimates
from dprelease.ui.kit import blocks, budget, charts, session
from dprelease.ui.kit.charts import Face
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.problems import box
from dprelease.ui.kit.session import PREVIEW, actor, workspace
from dprelease.ui.preview import chart_shapes, outcomes
from dprelease.ui.preview.outcomes import Seen
from dprelease.ui.preview.tables import aligned, table
from dprelease.ui.screens import go, link
from dprelease.ui.words import say, say_html
from dprelease.ui.workbench import sources
from dprelease.ui.workbench.in_hand import InHand, in_hand
from dprelease.ui.workbench.policy import preview_policy
from dprelease.workspace.preview import Preview, StatisticPreview

DRAWS = 100
A_PAGE = 6
"""Statistics that are shown together, so that a page of three hundred is as quick as one of three."""
View = Literal["beside", "outcomes", "sources"]
VIEWS: tuple[View, ...] = ("beside", "outcomes", "sources")


def page() -> None:
    """Shows what the workspace allows to see of the plan in hand, and who decides that."""
    policy = workspace().plans.preview_policy
    if policy is PreviewPolicy.NONE:
        refused()
    else:
        hand = in_hand("preview")
        if hand is not None:
            preview(hand, policy)
    preview_policy()


def refused() -> None:
    """Says that nothing is previewed here, and leads on."""
    box(fill("<p>{}</p><p>{}</p>", say_html("preview_none"), say_html("preview_none_instead")), kind="notice")
    blocks.guide_link("preview")
    link("plan", say("go_draft"))
    link("publish", say("plan_publish"))


def preview(hand: InHand, policy: PreviewPolicy) -> None:
    """The way to a preview, or what was taken."""
    blocks.markup(budget.whole(hand.price, hand.population))
    blocks.markup(budget.standing(workspace().populations.budget(hand.population.name, actor=actor())), "dp-note")
    _watermark(blind=policy is PreviewPolicy.BLIND)
    seen = st.session_state.get(PREVIEW)
    blind = policy is PreviewPolicy.BLIND
    if seen is None or seen.hash != hand.plan.hash or (seen.preview.invented is not None) != blind:
        st.session_state.pop(PREVIEW, None)
        blocks.guide_link("preview")
        _take(hand, blind=blind)
    else:
        _show(hand, seen)


def _watermark(*, blind: bool) -> None:
    """What stays in sight while the page is scrolled, and the warning below it."""
    end = "_blind" if blind else ""
    st.html(fill('<p class="dp-mark" role="note">{}</p>', say_html(f"preview_watermark{end}")))
    box(fill("<p>{}</p>", say_html(f"preview_warning{end}")), kind="warning")


def _take(hand: InHand, *, blind: bool) -> None:
    label = say("preview_take_blind" if blind else "preview_take")
    if st.button(label, type="primary", help=say("preview_take_help")):
        with st.spinner(say("preview_taking_blind" if blind else "preview_taking")):
            taken = workspace().preview(hand.plan, draws=DRAWS, sources=not blind, actor=actor())
        st.session_state[PREVIEW] = Seen(hand.plan.hash, taken)
        st.rerun()


def _show(hand: InHand, seen: Seen) -> None:
    face = Face(hand.price, hand.population.unit, seen.preview.invented is not None)
    if seen.preview.invented is not None:
        blocks.note("preview_invented", rows=shown(seen.preview.invented))
    views = VIEWS if seen.preview.sources is not None else VIEWS[:2]
    view: View = st.radio(
        say("preview_view"),
        views,
        format_func=lambda each: face.say("view_beside") if each == "beside" else say(f"view_{each}"),
        horizontal=True,
        help=say("preview_view_help"),
        key=f"view-{session.visit()}",
    )
    blocks.guide_link("preview")
    with st.container(horizontal=True, vertical_alignment="center"):
        if view != "sources" and st.button(say("preview_next" if view == "beside" else "preview_next_six")):
            seen.draw = (seen.draw + (1 if view == "beside" else chart_shapes.PANELS)) % seen.draws
        if st.button(say("plan_publish"), type="primary"):
            go("publish")
    items = _page(seen.preview)
    if view == "beside":
        blocks.note("preview_draw", number=seen.draw + 1, count=seen.draws)
    elif view == "outcomes":
        blocks.note("outcomes_lead", count=seen.draws)
    elif seen.preview.sources is not None:
        sources.rows(seen.preview.sources, hand)
    with st.spinner(say("preview_drawing")):
        for item in items:
            _statistic(face, item, seen, view)


def _statistic(face: Face, item: StatisticPreview, seen: Seen, view: View) -> None:
    asked = face.question(item.id)
    blocks.subheading(asked.text)
    if not len(item.true):
        blocks.text("release_nothing")
    elif view == "beside":
        beside(face, asked, item, seen)
    elif view == "outcomes":
        outcomes.outcomes(face, asked, item, seen)
    else:
        sources.statistic(asked, item, seen.preview.price)


def _page(preview: Preview) -> tuple[StatisticPreview, ...]:
    """The statistics that are shown together; of many, those that are chosen."""
    items = preview.statistics
    if len(items) <= A_PAGE + 2:
        return items
    starts = list(range(0, len(items), A_PAGE))
    chosen = st.selectbox(
        say("preview_page"),
        starts,
        format_func=lambda start: say(
            "preview_page_of", first=start + 1, last=min(start + A_PAGE, len(items)), count=len(items)
        ),
        key=f"page-{session.visit()}",
    )
    return items[chosen : chosen + A_PAGE]


def beside(face: Face, asked: Question, item: StatisticPreview, seen: Seen) -> None:
    """Pictures and table of one draw beside the truth."""
    draw = min(seen.draw, len(item.draws) - 1)
    true, noisy = aligned(item.true, item.draws[draw])
    drawn = seen.picture(lambda: _picture(face, asked, true, noisy), "beside", item.id, draw)
    if drawn is not None:
        charts.picture(drawn, face.say("chart_alt", question=asked.text))
    table(face, asked, item, draw)
    mapped = seen.picture(lambda: chart_shapes.error_map(face, asked, noisy), "map", item.id, draw)
    if mapped is not None:
        blocks.label(say("error_map_title"))
        charts.picture(mapped, say("error_map_alt", question=asked.text))


def _picture(face: Face, asked: Question, true: Estimates, noisy: Estimates) -> bytes | None:
    if asked.presentation.look is Look.BOXES:
        return chart_shapes.boxes(face, asked, true, noisy)
    if asked.presentation.look is Look.MATRIX:
        return chart_shapes.matrices(face, asked, true, noisy)
    return charts.comparison(face, asked, true, noisy)
