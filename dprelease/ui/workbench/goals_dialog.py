"""Requirements that a release has to meet to be published: set in the plan, and what is known of them beforehand."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import streamlit as st

from dprelease.model.criterion import MAX_CRITERIA, MAX_RANKS, Criterion, Requirement
from dprelease.model.encoding import plain
from dprelease.statements.display import margin, shown
from dprelease.statistics.planning.criteria import Outlook, Prospect
from dprelease.statistics.planning.price import Price
from dprelease.ui.kit import blocks, fields
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.session import actor, visit, workspace
from dprelease.ui.words import say, say_html
from dprelease.ui.workbench.asking import done
from dprelease.ui.workbench.draft import CriterionDraft, Draft
from dprelease.ui.workbench.draft_status import DraftStatus
from dprelease.ui.workbench.prices import error, unit_of
from dprelease.ui.workbench.saving import save
from dprelease.words.sentences import Html

PERCENT = 100
ASKED: tuple[Requirement, ...] = tuple(Requirement)
REFUSED = (Prospect.FAILS, Prospect.UNFORESEEN, Prospect.UNJUDGED)


def goals_dialog(standing: DraftStatus) -> None:
    """Show the requirements that are set, with a button to take each back, and the fields for one more."""
    draft, key = standing.draft, f"goals-{visit()}-{standing.draft.generation}"
    blocks.note("criteria_note")
    lines = stated(standing.bench.price) if standing.bench is not None else _unpriced(draft)
    for place, line in enumerate(list(lines)):
        left, right = st.columns([9, 2], vertical_alignment="center")
        with left:
            blocks.markup(line)
        with right, st.container(horizontal=True, horizontal_alignment="right"):
            st.button(
                say("remove"),
                key=f"{key}-criterion-{place}",
                type="tertiary",
                help=say("remove_criterion", number=place + 1),
                on_click=_take_back,
                args=(draft, place),
            )
    if len(draft.accept) < MAX_CRITERIA:
        _one_more(draft, key)
    done()


def asked_of(price: Price) -> None:
    """Show what a plan asks of its release, for those who decide on it; nothing where it asks nothing."""
    if price.plan.accept:
        blocks.label(say("criteria"))
        blocks.listed(list(stated(price)))
        blocks.note("criteria_note")


def stated(price: Price) -> Iterator[Html]:
    """Yield each criterion in a sentence, and whether it can be expected to hold."""
    for outlook in workspace().plans.foreseen(price, actor=actor()):
        look = " dp-watermark" if outlook.prospect in REFUSED else ""
        prospect = fill('<span class="dp-line dp-note{}">{}</span>', look, _prospect(outlook, price))
        yield joined([_sentence(outlook.criterion, price), prospect])


def _unpriced(draft: Draft) -> Iterator[Html]:
    """Yield each criterion alone, while nothing can be foreseen."""
    ids = _ids(draft)
    for asked in draft.accept:
        limit = Decimal(str(asked.limit))
        yield _sentence(Criterion(ids[asked.statistic], Requirement(asked.requirement), limit), None)


def _ids(draft: Draft) -> dict[int, str]:
    return {item.key: chosen for item, chosen in zip(draft.statistics, draft.ids(), strict=True)}


def _sentence(criterion: Criterion, price: Price | None) -> Html:
    name, asked = criterion.statistic, criterion.requirement
    if asked is Requirement.RANKING:
        limit = int(criterion.limit)
        return say_html("criterion_ranking", limit, name=name, count=shown(limit))
    if asked is Requirement.RELATIVE_ERROR:
        return say_html("criterion_relative_error", name=name, limit=shown(plain(criterion.limit * PERCENT)))
    unit = "" if price is None else unit_of(price[name], price.plan.schema)
    key = "criterion_error_unit" if unit else "criterion_error"
    return say_html(key, name=name, limit=shown(plain(criterion.limit)), unit=unit)


def _prospect(outlook: Outlook, price: Price) -> Html:
    """Return in words whether a requirement can be expected to hold, and what that takes."""
    item, key = price[outlook.criterion.statistic], f"prospect_{outlook.prospect}"
    if outlook.prospect is Prospect.OPEN:
        key = f"{key}_{outlook.criterion.requirement}"
    needed = "" if outlook.needed is None else margin(outlook.needed)
    return say_html(key, needed=needed, error=error(item, price.plan.schema))


def _one_more(draft: Draft, prefix: str) -> None:
    """Ask for a statistic, what is asked of it, and the limit."""
    ids = _ids(draft)
    key = f"{prefix}-accept"
    which, what, how, add = st.columns([3, 4, 3, 2], vertical_alignment="bottom")
    with which:
        statistic = fields.one_of(
            say("criterion_statistic"),
            f"{key}-statistic",
            list(ids),
            None,
            format_func=lambda chosen: ids.get(chosen, ""),
            placeholder=say("choose"),
        )
    asked = what.selectbox(
        say("criterion_asked"),
        ASKED,
        key=f"{key}-asked",
        format_func=lambda each: say(f"criterion_{each}_asked"),
        help=say("criterion_asked_help"),
    )
    with how:
        limit = _limit(asked, key)
    ready = statistic is not None and limit is not None
    add.button(
        say("criterion_add"),
        key=f"{key}-add",
        disabled=not ready,
        on_click=_add,
        args=(draft, statistic, asked, limit),
    )


def _take_back(draft: Draft, place: int) -> None:
    del draft.accept[place]
    save(draft)


def _add(draft: Draft, statistic: int, asked: Requirement, limit: float | int) -> None:
    draft.accept.append(CriterionDraft(statistic, asked.value, limit))
    save(draft)


def _limit(asked: Requirement, key: str) -> float | int | None:
    """Ask for a limit, as in a plan file; a share is asked for in percent."""
    label, name = say(f"criterion_{asked}_limit"), f"{key}-limit-{asked}"
    if asked is Requirement.RANKING:
        ranks = fields.number(label, name, 1, min_value=1, max_value=MAX_RANKS, step=1)
        return None if ranks is None else int(ranks)
    most = {"max_value": 99.9} if asked is Requirement.RELATIVE_ERROR else {}
    typed = fields.exact(fields.number(label, name, None, min_value=0.0, format="%g", **most))
    if not typed:
        return None
    number: float | int = plain(Decimal(str(typed)) / PERCENT) if asked is Requirement.RELATIVE_ERROR else typed
    return number
