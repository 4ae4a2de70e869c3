"""A list of bounds before it is taken: what it leaves open is asked, and no line of it gets lost."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st

from dprelease.codebook.bounds import LOWER, UPPER, Fault, PastedBounds
from dprelease.model.separators import MARKS, Ambiguous, Mixed, Roles, SeparatorRole, Settled, settled_by
from dprelease.model.typed import DAY_FIRST, MONTH_FIRST, TwoValues
from dprelease.ui.kit.fields import with_comma
from dprelease.ui.kit.phrases import day
from dprelease.ui.kit.problems import box
from dprelease.ui.words import say, say_html

MAX_QUESTIONS = 3
"""A point, a comma, and days."""
MAX_SHOWN = 10
"""Maximum number of lines asked about at once."""


@dataclass
class LineAnswers:
    """Answers about single lines, by the names of their columns."""

    left: set[str] = field(default_factory=set)
    swapped: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)
    """Columns whose highest value is one, though it looks like a code."""
    codes: set[str] = field(default_factory=set)
    """Columns whose highest value is a code of missing answers."""


@dataclass(frozen=True)
class SettledColumns:
    """A list as far as it is settled."""

    bounds: PastedBounds
    left: Collection[str]
    codes: Mapping[str, str]
    """Codes of missing answers, by column."""
    is_ready: bool
    """True if no question about the list is open."""


def settle(
    key: str,
    read: Callable[[Roles, str | None], PastedBounds],
    names: Collection[str],
    *,
    missing: Mapping[str, Iterable[object]],
    more: Sequence[Fault] = (),
) -> SettledColumns:
    """Ask what a list leaves open. `names`: columns that are taken; `missing`: codes for no answer that it has."""
    said: LineAnswers = st.session_state.setdefault(f"{key}-said", LineAnswers())
    bounds = _answered(key, read)
    faults = [fault for fault in (*more, *bounds.faults) if fault.typed.name in names]
    open_ones = [fault for fault in faults if fault.typed.name not in said.left]
    for place, fault in enumerate(open_ones[:MAX_SHOWN]):
        _unclear(said, fault, f"{key}-fault-{place}")
    bounds = bounds.swap(said.swapped)
    wanted = [name for name in names if name not in said.left]
    swapped = [name for name in bounds.swapped if name in wanted]
    for place, name in enumerate(swapped[:MAX_SHOWN]):
        _swapped(said, bounds, name, f"{key}-swap-{place}")
    doubted = [name for name in bounds.codes(missing) if name in wanted and name not in said.kept | said.codes]
    for place, name in enumerate(doubted[:MAX_SHOWN]):
        _coded(said, bounds, name, f"{key}-code-{place}")
    codes = {name: bounds.values[name, UPPER].text for name in said.codes if (name, UPPER) in bounds.values}
    is_ready = bounds.asked is None and not (open_ones or swapped or doubted)
    return SettledColumns(bounds.without_upper(said.codes), frozenset(said.left), codes, is_ready)


def _answered(key: str, read: Callable[[Roles, str | None], PastedBounds]) -> PastedBounds:
    """Return the bounds of the list once the questions about its numbers and days are answered."""
    roles: Roles = {}
    order: str | None = None
    bounds = read(roles, order)
    for place in range(MAX_QUESTIONS):
        if bounds.asked is None:
            break
        answer = _ask(bounds.asked, f"{key}-asked-{place}")
        if answer is None:
            break
        if isinstance(answer, Settled):
            roles = {**roles, **answer.roles}
        else:
            order = answer
        bounds = read(roles, order)
    return bounds


def _ask(asked: Ambiguous | Mixed | TwoValues, key: str) -> Settled | str | None:
    """Ask one question over the whole list; nothing is preselected."""
    options: dict[str, Settled | str]
    if isinstance(asked, Ambiguous):
        question = say("bounds_asked", text=asked.text)
        options = {
            say("bounds_whole", number=_spaced(asked.whole)): Settled({asked.sign: SeparatorRole.GROUPING}),
            say("bounds_part", number=with_comma(asked.part)): Settled({asked.sign: SeparatorRole.DECIMAL}),
        }
    elif isinstance(asked, Mixed):
        question = say("bounds_mixed")
        options = {
            say("bounds_point" if mark == "." else "bounds_comma", asked.counts[mark], count=asked.counts[mark]): (
                settled_by(mark)
            )
            for mark in MARKS
        }
    else:
        question = say("bounds_day_asked", text=asked.written)
        first, second = asked.readings
        options = {day(first.text): DAY_FIRST, day(second.text): MONTH_FIRST}
    chosen = st.radio(question, list(options), index=None, key=key)
    return None if chosen is None else options[chosen]


def _unclear(said: LineAnswers, fault: Fault, key: str) -> None:
    """Show a line that is not understood: it stays until it is mended, or somebody leaves it out."""
    typed, why = fault.typed, fault.why
    place = {"column": typed.name, "field": say(f"column_{typed.key}"), "text": typed.text}
    box(say_html("line_unclear", **place, allowed=why.allowed, remedy=why.remedy), kind="warning")
    st.button(say("line_leave"), on_click=said.left.add, args=(typed.name,), key=key)


def _swapped(said: LineAnswers, bounds: PastedBounds, name: str, key: str) -> None:
    lower, upper = bounds.values[name, LOWER].text, bounds.values[name, UPPER].text
    box(say_html("line_swapped", column=name, lower=lower, upper=upper), kind="warning")
    with st.container(horizontal=True):
        st.button(say("line_swap"), on_click=said.swapped.add, args=(name,), key=key)
        st.button(say("line_leave"), on_click=said.left.add, args=(name,), key=f"{key}-leave")


def _coded(said: LineAnswers, bounds: PastedBounds, name: str, key: str) -> None:
    box(say_html("line_coded", column=name, value=bounds.values[name, UPPER].text), kind="warning")
    with st.container(horizontal=True):
        st.button(say("line_is_bound"), on_click=said.kept.add, args=(name,), key=key)
        st.button(say("line_is_code"), on_click=said.codes.add, args=(name,), key=f"{key}-code")


def _spaced(number: str) -> str:
    """Return a whole number in groups of three, which no language reads otherwise."""
    sign, digits = ("", number) if number[:1].isdigit() else (number[0], number[1:])
    return f"{sign}{int(digits):,}".replace(",", "\u202f") if digits.isdigit() else number


def written(bounds: PastedBounds, name: str) -> str:
    """Return the ends as they stand in the list, each with what it says where that is written otherwise."""
    unclear = {fault.typed.key: f"{fault.typed.text} → ?" for fault in bounds.faults if fault.typed.name == name}
    ends = {end: bounds.values[name, end] for end in (LOWER, UPPER) if (name, end) in bounds.values}
    clear = {
        key: end.written if end.written == end.text else f"{end.written} → {end.text}" for key, end in ends.items()
    }
    return " · ".join(told for end in (LOWER, UPPER) if (told := (clear | unclear).get(end)))
