"""A published release for its makers: the way to its public page, its line in a list, and the notices about it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dprelease.bundle import guarantee
from dprelease.bundle.described import criteria, withheld
from dprelease.bundle.synthetic import row_files_of
from dprelease.errors import InputError
from dprelease.model.release import Release
from dprelease.portal.entry import small_picture
from dprelease.ui.kit import blocks
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.phrases import day
from dprelease.ui.kit.problems import act, box
from dprelease.ui.kit.session import actor, may, workspace
from dprelease.ui.releases.rows_comparison import REPORT, beside
from dprelease.ui.releases.state import state
from dprelease.ui.screens import link
from dprelease.ui.words import as_label, known, say, say_html, say_label
from dprelease.words.language import ENGLISH, language
from dprelease.words.sentences import isolated
from dprelease.workspace import NoticeRecord

MAX_ROWS = 200
MAX_TEXT = 2000
COUNTED = 1000
"""Maximum number of tables whose counts of numbers by grade are kept."""


def page(release: Release) -> None:
    """Show what its makers do with a release; what it says stands on its public page alone."""
    head(release)
    notices(release)
    for name in release.tables:
        if row_files_of(release.certificate, name) and release.certificate.asked(name)["kind"] == REPORT:
            beside(release, release.certificate.statistic(name).id)
    if may("add_erratum"):
        erratum(release)


def head(release: Release) -> None:
    """Show the release's title, when and about whom."""
    facts = release.certificate
    st.html(fill('<h1 class="dp-h1">{}</h1>', isolated(facts.called)))
    values = {"published": day(facts.day), "population": facts.population.name, "id": release.id}
    blocks.markup(say_html("release_meta", **values), "dp-note")
    st.html(fill('<a class="dp-button" href="{}">{}</a>', portal_address(release), say("release_portal")))


def notices(release: Release) -> None:
    """Show whether a release is withheld, what was said of it since publication, and what it takes the place of."""
    if release.is_withheld:
        found = {True: say("release_held"), False: say("release_failed")}
        asked = joined(
            fill("<li>{}: {} {}</li>", line["statistic"], line["asked"], found[line["held"]])
            for line in criteria(release.certificate)
        )
        box(fill("<p><strong>{}</strong></p><ul>{}</ul>", withheld(release.certificate), asked), kind="warning")
    for notice in workspace().releases.notices(release.id, actor=actor()):
        show_notice(notice)
    earlier = release.certificate.supersedes
    if earlier:
        blocks.note("release_supersedes", id=earlier)
        open_release(earlier)


def erratum(release: Release) -> None:
    """Ask staff what is wrong with the release."""
    with st.expander(say("erratum_add")), st.form(f"erratum-{release.id}", border=False, clear_on_submit=True):
        text = st.text_area(say("erratum_text"), help=say("erratum_help"), max_chars=MAX_TEXT, height=100)
        blocks.note("erratum_help")
        if st.form_submit_button(say("erratum_save")):
            act("erratum_saved", lambda: workspace().releases.add_erratum(release.id, text, actor=actor()))


def portal_address(release: Release) -> str:
    """Return the address of a release in the public portal, in the language that is spoken."""
    spoken = "" if language() == ENGLISH else f"{language()}/"
    return f"/public/{spoken}release/{release.id}/"


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
    link("release", say_label("releases_open", title=title), id=release_id)


def release_list(releases: Sequence[Release]) -> None:
    """Show releases, newest first, as given; say so where there are none."""
    if not releases:
        blocks.text("releases_none")
    for release in releases:
        facts = release.certificate
        with st.container(key=f"release-{release.id}", gap=None):
            with st.container(horizontal=True, wrap=False):
                with st.container(gap=None):
                    link("release", as_label(facts.called), id=release.id)
                    values = {"published": day(facts.day), "population": facts.population.name}
                    blocks.markup(joined([state(release), say_html("releases_meta", **values)]), "dp-note")
                st.html(fill('<div class="dp-mini">{}</div>', small_picture(release)), width=130)
            for notice in workspace().releases.notices(release.id, actor=actor()):
                show_notice(notice)
            if release.is_withheld:
                blocks.markup(isolated(withheld(facts)))
            blocks.markup(guarantee.whole(facts), "dp-note")
