"""A page with nothing but the component, on invented data; what is sent back is printed under it."""

import json

import streamlit as st

from dprelease.ui.bench.component import bench
from dprelease.ui.bench.events import Events
from dprelease.words.language import speaking
from tests.browser.bench.scenes import STATISTICS, scene

st.set_page_config(layout="wide")
asked = st.query_params
held = st.session_state
held.setdefault("selected", asked.get("selected", "age"))
held.setdefault("view", asked.get("view", "beside"))
held.setdefault("epsilon", float(asked.get("epsilon", "1")))
held.setdefault("told", [])
count = int(asked.get("statistics", len(STATISTICS)))


def on_event(events: Events) -> None:
    said = {name: getattr(events, name) for name in events.__slots__ if getattr(events, name) is not None}
    held.told = [*held.told, said]
    held.selected = events.open or held.selected
    held.view = events.view or held.view
    if events.look is not None:
        held.epsilon = float(events.look["epsilon"])


@st.fragment
def workbench(mode: str) -> None:
    with speaking(asked.get("language", "en")):
        data = scene(
            held.selected,
            mode=mode,
            view=held.view,
            epsilon=held.epsilon,
            count=count,
            looks=len(held.told),
        )
        if "waiting" in asked:
            data["open"] = None
            data["progress"] = {"label": "Counting 51,920 rows, 40 %", "share": 0.4}
        if "unsaid" in asked:
            data["open"]["drawn"] = None
        bench(data, key=f"bench-{mode}", on_event=on_event)
    st.html(f"<output id='told' data-count='{len(held.told)}'>{json.dumps(held.told)}</output>")


mode = "invented" if st.toggle("Look-alike", value="invented" in asked) else "true"
workbench(mode)
