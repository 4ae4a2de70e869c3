"""Published releases for their makers: their lines in a list, the notices about them, and the forms for more."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dprelease.bundle import guarantee
from dprelease.bundle.described import withheld
from dprelease.bundle.synthetic import row_files_of
from dprelease.errors import InputError
from dprelease.model.release import Release
from dprelease.ui.kit import blocks
from dprelease.ui.kit.charts import mini
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.phrases import day
from dprelease.ui.kit.problems import act, box
from dprelease.ui.kit.session import actor, may, workspace
from dprelease.ui.releases.rows_comparison import REPORT, beside
from dprelease.ui.releases.state import state
from dprelease.ui.screens import read
from dprelease.ui.words import known, say, say_html
from dprelease.words.language import period_in_words
from dprelease.words.sentences import Html, isolated
from dprelease.workspace import NoticeRecord

MAX_TEXT = 2000


def one(release: Release, wanted: str) -> None:
    """Show a release as the list does, and what its makers do with it; what it says stands on its own page.

    `wanted`: `correct`, `replace` or `beside`, which is open at once; another word for none.
    """
    release_list([release])
    for name in release.tables:
        if row_files_of(release.certificate, name) and release.certificate.asked(name)["kind"] == REPORT:
            beside(release, release.certificate.statistic(name).id, is_open=wanted == "beside")
    if may("add_erratum"):
        erratum(release, is_open=wanted == "correct")
    if may("supersede"):
        replacement(release, is_open=wanted == "replace")


def erratum(release: Release, *, is_open: bool) -> None:
    """Ask staff what is wrong with the release."""
    folded = st.expander(say("erratum_add"), expanded=is_open)
    with folded, st.form(f"erratum-{release.id}", border=False, clear_on_submit=True):
        text = st.text_area(say("erratum_text"), help=say("erratum_help"), max_chars=MAX_TEXT, height=100)
        blocks.note("erratum_help")
        if st.form_submit_button(say("erratum_save")):
            act("erratum_saved", lambda: workspace().releases.add_erratum(release.id, text, actor=actor()))


def replacement(release: Release, *, is_open: bool) -> None:
    """Ask staff which release of the population takes the place of this one, and why."""
    named = workspace().releases.named(release.certificate.population.name, actor=actor())
    others = [each for each in named if each.id != release.id]
    called = {each.id: say("publish_supersedes_one", title=each.title, on=day(each.day)) for each in others}
    with st.expander(say("replace_add"), expanded=is_open):
        if not called:
            blocks.note("replace_none")
            return
        with st.form(f"replace-{release.id}", border=False):
            by = st.selectbox(
                say("replace_by"),
                list(called),
                index=None,
                placeholder=say("choose"),
                format_func=lambda each: called[each],
            )
            reason = st.text_area(say("replace_reason"), max_chars=MAX_TEXT, height=100)
            blocks.note("replace_help")
            if st.form_submit_button(say("replace_save")):
                said = {"by": by or "", "reason": reason}
                act("replace_saved", lambda: workspace().releases.supersede(release.id, **said, actor=actor()))


def show_notice(notice: NoticeRecord) -> None:
    """Show what a notice says, and the way to the release that takes the place."""
    kind = fill("<strong>{}</strong>", known(f"notice_{notice.kind}", notice.kind))
    text = say_html("notice_text", on=day(notice.published_on), text=notice.text)
    box(fill("<p>{}</p>{}", kind, text), kind="warning")
    if notice.superseded_by is not None:
        open_release(notice.superseded_by)


def open_release(release_id: str) -> None:
    """Show a link to another release, by its title."""
    try:
        title = workspace().releases.get(release_id, actor=actor()).certificate.called
    except InputError:
        return
    read(release_id, say("releases_open", title=title))


def release_list(releases: Sequence[Release]) -> None:
    """Show releases, newest first, as given; say so where there are none."""
    if not releases:
        blocks.text("releases_none")
    for release in releases:
        facts = release.certificate
        with st.container(key=f"release-{release.id}", gap=None):
            with st.container(horizontal=True, wrap=False):
                with st.container(gap=None):
                    read(release.id, facts.called)
                    values = {"published": day(facts.day), "population": facts.population.name}
                    edition = fill("{} · ", period_in_words(facts.edition)) if facts.edition else Html("")
                    blocks.markup(joined([state(release), edition, say_html("releases_meta", **values)]), "dp-note")
                mini(release)
            for notice in workspace().releases.notices(release.id, actor=actor()):
                show_notice(notice)
            if release.is_withheld:
                blocks.markup(isolated(withheld(facts)))
            blocks.markup(guarantee.whole(facts), "dp-note")
