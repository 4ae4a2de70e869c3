"""Serves the component on a page of its own, under the dashboard's policy: `streamlit run` this file."""

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from dprelease.web.guard import Guard

PAGE = Path(__file__).with_name("page.py")
app = st.App(str(PAGE), middleware=[Middleware(Guard, hosts=["127.0.0.1", "localhost"])])
