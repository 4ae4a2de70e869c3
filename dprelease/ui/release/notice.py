"""What was said of a release after it was published."""

from __future__ import annotations

from dprelease.errors import InputError
from dprelease.store.notices import Notice
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.phrases import day
from dprelease.ui.kit.problems import box
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.screens import link
from dprelease.ui.words import known, say_html, say_label


def show_notice(notice: Notice) -> None:
    """What it says, and the way to the release that takes the place."""
    kind = fill("<strong>{}</strong>", known(f"notice_{notice.kind}", notice.kind))
    text = say_html("notice_text", on=day(notice.published_on), text=notice.text)
    box(fill("<p>{}</p>{}", kind, text), kind="warning")
    if notice.superseded_by is not None:
        open_release(notice.superseded_by)


def open_release(release_id: str) -> None:
    """A link to another release, by its title."""
    try:
        title = workspace().release(release_id, actor=actor()).certificate.title
    except InputError:
        return
    link("release", say_label("releases_open", title=title), id=release_id)
