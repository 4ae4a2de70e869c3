"""The discussion of a plan: remarks under the line that they are about, answers, and what settles them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import streamlit as st

from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.phrases import day
from dprelease.ui.kit.problems import act
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.review import dialogs
from dprelease.ui.words import as_label, say, say_html
from dprelease.words.sentences import Html
from dprelease.workspace import Authorship, Remark

MAX_TEXT = 2000


@dataclass(frozen=True, slots=True)
class Talk:
    """The remarks on a plan, and whether this person may add to them, or answer them."""

    plan_id: str
    remarks: Sequence[Remark]
    may_review: bool
    may_answer: bool

    @property
    def open(self) -> int:
        return sum(remark.is_open for remark in self.remarks)

    def said(self, remarks: Iterable[Remark]) -> None:
        """Show remarks with their answers, and a way to settle or answer those that are open."""
        for remark in remarks:
            with st.container(
                key=f"remark-{remark.id}", horizontal=True, vertical_alignment="center", gap="small", wrap=False
            ):
                st.html(_told(remark))
                if remark.is_open and self.may_answer:
                    self._ways(remark)

    def _ways(self, remark: Remark) -> None:
        name = f"answer-{self.plan_id}-{remark.id}"
        st.button(say("remark_answer"), key=name, type="tertiary", on_click=dialogs.opens, args=(name,))
        if self.may_review and st.button(say("remark_settle"), key=f"settle-{self.plan_id}-{remark.id}"):
            act("remark_is_settled", lambda: self._settle(remark))
        dialogs.shown(name, say("remark_answer"), lambda: _ask(lambda text: self._answer(remark, text)))

    def offer(self, on: str, about: str) -> None:
        """Show a button to say something of a line."""
        if not self.may_review:
            return
        name = f"remark-on-{self.plan_id}-{on}"
        st.button(say("remark_write"), key=name, type="tertiary", on_click=dialogs.opens, args=(name,))
        title = say("remark_write_on", about=as_label(about))
        dialogs.shown(name, title, lambda: _ask(lambda text: self._remark(on, text)))

    def _remark(self, on: str, text: str) -> None:
        workspace().plans.remark(self.plan_id, on=on, text=text, actor=actor())

    def _answer(self, remark: Remark, text: str) -> None:
        workspace().plans.answer(self.plan_id, remark.id, text=text, actor=actor())

    def _settle(self, remark: Remark) -> None:
        workspace().plans.settle(self.plan_id, remark.id, actor=actor())


def _ask(say_it: Callable[[str], None]) -> None:
    """Ask for one text, which stays in the ledger."""
    text = st.text_area(say("remark_text"), max_chars=MAX_TEXT, height=100, help=say("remark_text_help"))
    if st.button(say("remark_save"), type="primary"):
        act("remark_is_said", lambda: _said(say_it, text))


def _said(say_it: Callable[[str], None], text: str) -> None:
    say_it(text)
    dialogs.close()


def _told(remark: Remark) -> Html:
    about = say_html("remark_on", on=remark.on) if remark.on else say_html("remark_on_whole")
    lines = [_line(remark.said, about), *(_line(answer) for answer in remark.answers)]
    if remark.settled is not None:
        settled = say("remark_settled_by", by=remark.settled.by, on=day(remark.settled.at))
        lines.append(fill('<span class="dp-settled">✓ {}</span>', settled))
    return fill('<div class="dp-remark">{}</div>', joined(fill("<p>{}</p>", line) for line in lines))


def _line(said: Authorship, about: Html | None = None) -> Html:
    when = fill("<b>{}</b>, {}", said.by, day(said.at))
    return fill("{}{}: {}", when, about, said.text) if about else fill("{}: {}", when, said.text)
