"""Whose privacy is spent, and the private tables about them."""

import streamlit as st

from dprelease.bundle.display import shown
from dprelease.ui.data.bring import bring_table
from dprelease.ui.data.populations import add_population, change_budget, say_more
from dprelease.ui.data.tables import datasets_table, keep_or_delete
from dprelease.ui.kit import blocks
from dprelease.ui.kit.budget import cap, left, relation, spent
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.review.requests import table as request_table
from dprelease.ui.words import say

with blocks.screen("datasets"):
    ws = workspace()
    populations = ws.populations.find(actor=actor())
    datasets = ws.datasets.find(actor=actor())

    blocks.heading("populations")
    if populations:
        heads = [say(key) for key in ("population", "unit", "relation", "size", "cap", "spent", "left")]
        accounts = [ws.populations.budget(item.name, actor=actor()) for item in populations]
        rows = [
            (
                item.name,
                item.unit,
                relation(item),
                say("not_declared") if item.size is None else shown(item.size),
                *(amount(account) for amount in (cap, spent, left)),
            )
            for item, account in zip(populations, accounts, strict=True)
        ]
        blocks.table(say("populations"), heads, rows, numbers=(3,))
    else:
        blocks.text("population_none")
    requests = ws.populations.requests(actor=actor())
    if requests:
        blocks.subheading(say("requests"))
        request_table(requests)
    with st.expander(say("population_add"), expanded=not populations and not requests):
        add_population(populations, len(requests))
    if populations:
        with st.expander(say("change_add")):
            change_budget(populations, len(requests))
        with st.expander(say("more_add")):
            say_more(populations)

    blocks.heading("datasets")
    if datasets:
        datasets_table(datasets)
        with st.expander(say("kept_title")):
            keep_or_delete(datasets)
    else:
        blocks.text("datasets_none")
    blocks.heading("dataset_add")
    if populations:
        bring_table(populations)
    else:
        blocks.text("dataset_needs_population")
