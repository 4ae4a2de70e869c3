"""The effects of publishing: what, whose privacy, at which price, what stays, who sees it, what is said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from dprelease.bundle import guarantee
from dprelease.model.encoding import plain
from dprelease.model.population import Dataset, Population
from dprelease.model.stated import StatedPreviews
from dprelease.statements.display import shown
from dprelease.statistics import Plan
from dprelease.statistics.planning.price import Price
from dprelease.ui.kit import blocks, budget, session
from dprelease.ui.kit.charts import Face
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.phrases import counted
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say, say_html
from dprelease.ui.workbench.asking import ask
from dprelease.ui.workbench.derived import derived
from dprelease.ui.workbench.goals_dialog import stated
from dprelease.ui.workbench.prices import price_table
from dprelease.words.language import day_in_words
from dprelease.words.pages import tell
from dprelease.words.sentences import Html, isolated

MAX_QUESTIONS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class InHand:
    """A priced plan with whom it is about."""

    price: Price
    dataset: Dataset
    population: Population

    @property
    def plan(self) -> Plan:
        return self.price.plan

    @property
    def title(self) -> str:
        return self.plan.title or self.plan.dataset


def summary(hand: InHand) -> None:
    """Show everything that cannot be undone, before it is done."""
    now = workspace().populations.budget(hand.population.name, actor=actor())
    after = workspace().populations.budget_after(hand.price, actor=actor())
    population = hand.population
    unit_is = budget.unit_of(hand.dataset)
    whose = say_html("publish_whose_text", unit=population.unit, population=population.name, unit_is=unit_is)
    _first_screen(hand)
    stays = say_html("publish_after_text", left=budget.left(after), cap=budget.cap(now), releases=shown(after.charges))
    if not now.covers(hand.price.loss):
        stays = budget.outlook(now, after, hand.price)
    blocks.facts(
        [
            ("publish_what", _what(hand)),
            ("publish_whose", whose),
            ("publish_cost", budget.whole(hand.price, population)),
            ("publish_means", _means(hand)),
            ("publish_after", stays),
            ("publish_who", say_html("publish_who_team" if session.in_team() else "publish_who_text")),
            *([("derived", _lines(derived(hand.plan)))] if hand.plan.derived else []),
            *([("criteria", _lines(stated(hand.price)))] if hand.plan.accept else []),
            ("publish_previews", _lines(previews(workspace().plans.told_of_previews(hand.plan, actor=actor())))),
        ]
    )
    with st.expander(say("publish_statistics")):
        st.html(_questions(hand))
        price_table(hand.price)


def _first_screen(hand: InHand) -> None:
    """Show the first screen of the page as far as it is known before a draw: no number of the rows stands in it."""
    about = hand.plan.about
    office = about.publisher or workspace().releases.office(actor=actor()).said("name")
    line = " · ".join([about.region or hand.population.name, day_in_words(datetime.now(UTC).date().isoformat())])
    first = _first_finding(hand)
    safe = fill("<b>{}</b> {}", guarantee.tier(plain(hand.price.epsilon), hand.population.unit), tell("noise_beside"))
    parts = [fill("<small>{}</small>", office or tell("statistics")), fill("<h3>{}</h3>", isolated(hand.title))]
    parts += [
        fill('<p class="dp-note">{}</p>', line),
        fill("<p>{}</p>", first),
        fill('<p class="dp-safe">{}</p>', safe),
    ]
    blocks.label(say("publish_first"))
    st.html(fill('<section class="dp-first">{}</section>', joined(parts)))
    if not hand.plan.title:
        with st.container(horizontal=True, vertical_alignment="center"):
            blocks.note("publish_untitled")
            if st.button(say("publish_give_title")):
                ask("title")
                st.rerun()


def _first_finding(hand: InHand) -> str:
    """Return which finding stands first: of the table that the plan names, else the strongest."""
    lead = hand.plan.lead
    if not lead:
        return say("publish_first_lead")
    return say("publish_first_lead_of", name=Face(hand.price, hand.population.unit).question(lead).name)


def _what(hand: InHand) -> Html:
    """Return how many statistics about which dataset."""
    count = counted("statistics", len(hand.price.statistics))
    return say_html("publish_what_text", statistics=count, dataset=hand.dataset.name)


def _questions(hand: InHand) -> Html:
    """Return the question of each statistic, as far as that fits."""
    face = Face(hand.price, hand.population.unit)
    asked = [face.question(item.id).name for item in hand.price.statistics[:MAX_QUESTIONS]]
    items = [fill("<li>{}</li>", isolated(text)) for text in asked]
    more = len(hand.price.statistics) - len(asked)
    if more:
        items.append(fill("<li>{}</li>", say("publish_what_more", count=shown(more))))
    return fill('<ul class="dp-list">{}</ul>', joined(items))


def _means(hand: InHand) -> Html:
    """Return the promise of ε, in a sentence."""
    epsilon, delta = plain(hand.price.epsilon), plain(hand.price.delta)
    about = hand.population
    sentence, details = guarantee.promised(epsilon, delta, hand.plan.neighbors, about.unit, about.currency)
    return _lines([sentence, *details])


def previews(told: StatedPreviews) -> Iterator[Html]:
    """Yield what the release will say of previews."""
    budget = told.changed == "budget"
    changed = {"plan": told.plan_changed_after and not budget, "schema": told.schema_changed_after}
    after = [word for word, is_after in changed.items() if is_after]
    if budget:
        yield say_html("publish_previews_budget")
    if after:
        yield say_html(f"publish_previews_{'_and_'.join(after)}")
    elif told.taken and not budget:
        yield say_html("publish_previews_unchanged")
    elif not told.taken:
        yield say_html("publish_previews_none")
    if told.policy != "true":
        yield say_html(f"publish_policy_{told.policy}")


def _lines(sentences: Any) -> Html:
    return joined(fill("<div>{}</div>", sentence) for sentence in sentences)
