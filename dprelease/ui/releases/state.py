"""State of a release in a word."""

from __future__ import annotations

from dprelease.model.release import Release
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say_html
from dprelease.words.sentences import Html


def state(release: Release) -> Html:
    """Return a badge of a release withheld, replaced or corrected; empty where it stands as it was published."""
    kinds = {notice.kind for notice in workspace().releases.notices(release.id, actor=actor())}
    key = "withheld" if release.is_withheld else next((kind for kind in ("superseded", "erratum") if kind in kinds), "")
    return fill('<span class="dp-state-badge">{}</span> ', say_html(f"release_is_{key}")) if key else Html("")
