"""What this installation holds, and what to do next."""

import streamlit as st

from dprelease.model.actor import PUBLIC
from dprelease.ui.kit import blocks
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.phrases import counted
from dprelease.ui.kit.session import actor, may, workspace
from dprelease.ui.release.release import release_list
from dprelease.ui.review.waiting import waiting_count
from dprelease.ui.screens import link
from dprelease.ui.words import say, say_html
from dprelease.ui.workbench.draft import has_work
from dprelease.ui.workbench.own_plans import own_plans

LATEST = 3


def next_step() -> None:
    """The first thing that is missing on the way to a release."""
    populations, datasets = workspace().populations.find(actor=actor()), workspace().datasets.find(actor=actor())
    undescribed = next((dataset.name for dataset in datasets if not dataset.schema.columns), None)
    if not populations:
        page, words, label = "data", say_html("next_population"), "go_population"
    elif not datasets:
        page, words, label = "data", say_html("next_dataset"), "go_dataset"
    elif undescribed is not None:
        page, words, label = "data", say_html("next_columns", dataset=undescribed), "go_columns"
    elif has_work():
        page, words, label = "workbench", say_html("next_draft"), "go_draft"
    else:
        page, words, label = "workbench", say_html("next_plan"), "go_plan"
    blocks.heading("next_step")
    blocks.markup(words)
    with st.container(key="next_step"):
        link(page, say(label), **({"dataset": undescribed} if label == "go_columns" and undescribed else {}))
    blocks.guide_link("start")


def review_step() -> None:
    """Shows what waits for a decision."""
    plans, requests = waiting_count()
    if plans or requests or not may("add_population"):
        blocks.heading("review_title")
        values = {"plans": counted("plans", plans), "requests": counted("requests_counted", requests)}
        blocks.markup(say_html("review_waits", **values))
        link("review", say("go_review"))


def holds() -> None:
    """Shows how much there is."""
    populations, datasets = workspace().populations.find(actor=actor()), workspace().datasets.find(actor=actor())
    blocks.heading("holds")
    blocks.numbers(
        [
            ("holds_populations", len(populations)),
            ("holds_datasets", len(datasets)),
            ("holds_releases", workspace().releases.count(actor=actor())),
        ]
    )


def welcome() -> None:
    """Shows what a visitor needs to know."""
    blocks.heading("how_it_works")
    steps = joined(fill("<li>{}</li>", say_html(f"how_{number}")) for number in (1, 2, 3))
    st.html(fill('<ol class="dp-steps">{}</ol>', steps))


with blocks.screen("desk"):
    if may("add_population"):
        own_plans()
        next_step()
    if may("approve"):
        review_step()
    if may("datasets"):
        holds()
    elif actor() == PUBLIC:
        welcome()
    blocks.heading("latest")
    release_list(workspace().releases.find(limit=LATEST, actor=actor()))
    link("releases", say("all_releases"))
    if actor() == PUBLIC:
        blocks.heading("how_to_sign_in")
        blocks.text("how_to_sign_in_text")
