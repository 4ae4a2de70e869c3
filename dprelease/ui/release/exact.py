"""The guarantee of a release in exact figures: unit, relation, loss, cap, mechanisms and what is not promised."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dprelease.bundle import guarantee
from dprelease.charts.display import exact, margin, shown
from dprelease.model.release import Release
from dprelease.ui.kit import blocks
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.words import say, say_html
from dprelease.words.sentences import Html


def exact_guarantee(release: Release) -> None:
    """Unit, relation, loss, cap, mechanisms and what is not promised."""
    facts = release.certificate
    population, spent = facts.population, facts.cumulative
    cap = say_html("loss", epsilon=exact(population.epsilon_cap), delta=exact(population.delta_cap))
    so_far, own = (
        say_html("loss", epsilon=guarantee.figure(facts, stated.epsilon), delta=guarantee.figure(facts, stated.delta))
        for stated in (spent, facts.guarantee)
    )
    exchange, where, counted = guarantee.exchange(facts), guarantee.where(facts), guarantee.counted(facts)
    groups, institutions = guarantee.groups(facts), guarantee.institutions(facts)
    blocks.heading("release_exact")
    blocks.facts(
        [
            ("release_loss", own),
            *([("release_counted", counted)] if counted is not None else []),
            *([("release_institutions", _lines(institutions))] if institutions else []),
            ("release_unit", guarantee.unit(facts)),
            ("release_relation", guarantee.relation(facts)),
            *([("release_exchange", exchange)] if exchange is not None else []),
            *([("release_groups", _lines(groups))] if groups else []),
            ("release_spent", so_far),
            ("release_cap", cap),
            ("release_composition", guarantee.composition(facts)),
            *([("release_where", where)] if where else []),
            ("release_ledger", shown(facts.ledger.seq)),
            ("release_plan", fill("<code>{}</code>", facts.plan_hash)),
        ]
    )
    _mechanisms(release)
    blocks.heading("release_caveats")
    items = joined(fill("<li>{}</li>", caveat) for caveat in guarantee.caveats(facts))
    st.html(fill('<ul class="dp-caveats">{}</ul>', items))


def _lines(sentences: Sequence[Html]) -> Html:
    return joined(fill("{}<br>", sentence) for sentence in sentences)


def _mechanisms(release: Release) -> None:
    blocks.subheading(say("release_mechanisms"))
    heads = [say(f"price_{head}") for head in ("statistic", "mechanism", "scale")]
    heads += [guarantee.symbol(release.certificate), say("price_delta"), say("price_error")]
    rows = []
    for statistic in release.certificate.statistics:
        error = statistic.error95
        shown_error = "" if error is None else say(f"release_error_{statistic.basis}", margin=margin(error))
        own = release.certificate.mechanisms(statistic)
        for mechanism in own:
            spent = mechanism.loss.exactly
            scale = shown(float(f"{mechanism.scale:.4g}"))
            amounts = tuple(guarantee.figure(release.certificate, part) for part in (spent.amount, spent.delta))
            rows.append((statistic.id, guarantee.mechanism(mechanism.name), scale, *amounts, shown_error))
        if not own:
            rows.append((statistic.id, guarantee.follows(statistic), "", "0", "0", shown_error))
    blocks.table(say("release_mechanisms_caption"), heads, rows, numbers=(2, 3, 4, 5))
