"""The server: the dashboard and plain HTTP routes as one ASGI app. `streamlit run app.py`, or `dprelease serve`."""

from pathlib import Path
from threading import Thread

import streamlit as st

from dprelease.ui.problems import on_script_error
from dprelease.ui.warm import warm_up
from dprelease.web import site

app = st.App(
    Path(__file__).parent / "dprelease" / "ui" / "shell.py",
    routes=site.routes(),
    middleware=site.middleware(st.get_option("server.allowedHosts")),
    on_script_error=on_script_error,
)
Thread(target=warm_up, daemon=True).start()
