"""The server: the dashboard and plain HTTP routes as one ASGI app. `streamlit run app.py`, or `dprelease serve`."""

import logging
from threading import Thread

import streamlit as st

from dprelease.charts.process import draw_beside
from dprelease.ui import tabs
from dprelease.ui.kit.problems import on_script_error
from dprelease.ui.screens import SCREENS, SHELL
from dprelease.ui.warm import warm_up
from dprelease.web import site
from dprelease.workspace.process import keep_private

keep_private()
app = st.App(
    SHELL,
    routes=site.routes(),
    middleware=site.middleware(
        st.get_option("server.allowedHosts"), pages=[screen.key for screen in SCREENS], whose=tabs.is_of
    ),
    on_script_error=on_script_error,
)
# Lines of the first hold whole addresses, and a sign-in link is one; those of the second the texts of exceptions, which
# may quote a value; those of the third the ids of tabs. `on_script_error` says which exception it was, and where.
for name in ("uvicorn.access", "streamlit.error_util", "streamlit.runtime.websocket_session_manager"):
    logging.getLogger(name).addFilter(lambda record: False)  # outlasts uvicorn's own configuration of its logs
draw_beside()
Thread(target=warm_up, daemon=True).start()
