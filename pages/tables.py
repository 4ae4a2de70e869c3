"""Datasets: what each is about and what comes next; a table is brought; and what a dataset's columns may hold."""

import streamlit as st

from dprelease.errors import InputError
from dprelease.ui.data.bring import bring_table, is_under_way
from dprelease.ui.data.columns import columns
from dprelease.ui.data.populations import add_population, change_budget, population_table, say_more
from dprelease.ui.data.purpose import purpose
from dprelease.ui.data.tables import datasets_list, keep_or_delete
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.session import actor, may, workspace
from dprelease.ui.review.requests import OPEN
from dprelease.ui.review.requests import table as request_table
from dprelease.ui.screens import BY_KEY, link
from dprelease.ui.words import say


def everything() -> None:
    """Show the datasets and populations; a table under way comes first, so that it stays in view."""
    ws = workspace()
    populations = ws.populations.find(actor=actor())
    datasets = ws.datasets.find(actor=actor())
    requests = ws.populations.requests(actor=actor())
    first = is_under_way() or bool(purpose()[0]) or not datasets
    if first:
        blocks.heading("dataset_add")
        bring_table(populations, len(requests))
    if datasets:
        blocks.heading("datasets")
        datasets_list(datasets)
        with st.expander(say("kept_title")):
            keep_or_delete(datasets)
    if not first:
        blocks.heading("dataset_add")
        bring_table(populations, len(requests))
    blocks.heading("populations")
    if populations:
        population_table(populations)
    else:
        blocks.text("population_waits" if any(each.state == OPEN for each in requests) else "population_none")
    if requests:
        blocks.subheading(say("requests"))
        request_table(requests)
    if not is_under_way():  # else the form stands beside the table that is brought
        with st.expander(say("population_add"), expanded=False):
            add_population(populations, len(requests))
    if populations:
        with st.expander(say("change_add")):
            change_budget(populations, len(requests))
        with st.expander(say("more_add")):
            say_more(populations)
    if may("rounds") and "rounds" in BY_KEY:
        blocks.heading("tables_others")
        blocks.note("tables_others_note")
        link("rounds", say("tables_others_go"))


name = st.query_params.get("dataset", "")
if name:
    with blocks.screen("columns", dataset=name):
        try:
            dataset = workspace().datasets.get(name, actor=actor())
        except InputError:
            blocks.text("dataset_unknown")
        else:
            st.session_state[session.DATASET] = name
            columns(dataset)
else:
    with blocks.screen("tables"):
        everything()
