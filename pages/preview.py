"""True beside simulated values, for the curator only. Kept in memory while the page is open, never exported."""

import streamlit as st

from dprelease.ui import blocks, budget
from dprelease.ui.complete import in_hand
from dprelease.ui.markup import fill
from dprelease.ui.preview_parts import statistic
from dprelease.ui.problems import box
from dprelease.ui.screens import go
from dprelease.ui.session import PREVIEW, actor, workspace
from dprelease.ui.words import say, say_html
from dprelease.workspace.access import authorise

DRAWS = 100

with blocks.screen("preview"):
    # Who may not preview (any more) is refused, whatever this tab still holds.
    authorise("preview", actor())
    hand = in_hand("preview")
    if hand is not None:
        ws = workspace()
        blocks.markup(budget.whole(hand.price, hand.population))
        blocks.markup(budget.standing(ws.budget(hand.population.name, actor=actor())), "dp-note")
        watermark = fill(
            '<p class="dp-watermark">{}</p><p>{}</p>', say_html("preview_watermark"), say_html("preview_warning")
        )
        box(watermark, kind="warning")
        seen = st.session_state.get(PREVIEW)
        if seen is None or seen["hash"] != hand.plan.hash:
            st.session_state.pop(PREVIEW, None)
            if st.button(say("preview_take"), type="primary"):
                with st.spinner(say("preview_take")):
                    taken = ws.preview(hand.plan, draws=DRAWS, actor=actor())
                st.session_state[PREVIEW] = {"hash": hand.plan.hash, "preview": taken, "draw": 0}
                st.rerun()
        else:
            draws = min(len(item.draws) for item in seen["preview"].statistics)
            with st.container(horizontal=True, vertical_alignment="center"):
                if st.button(say("preview_next")):
                    seen["draw"] = (seen["draw"] + 1) % draws
                if st.button(say("plan_publish"), type="primary"):
                    go("publish")
            blocks.note("preview_draw", number=seen["draw"] + 1, count=draws)
            for item in seen["preview"].statistics:
                statistic(hand.plan, item, seen["draw"], hand.population.unit)
