"""A release in little: its state in a word, and its first table as bars."""

from __future__ import annotations

from math import isfinite

from dprelease.model.release import Release
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say_html
from dprelease.words.sentences import Html

BARS = 12
FEWEST = 3


def state(release: Release) -> Html:
    """Return a badge of a release withheld, replaced or corrected; empty where it stands as it was published."""
    kinds = {notice.kind for notice in workspace().releases.notices(release.id, actor=actor())}
    key = "withheld" if release.is_withheld else next((kind for kind in ("superseded", "erratum") if kind in kinds), "")
    return fill('<span class="dp-state-badge">{}</span> ', say_html(f"release_is_{key}")) if key else Html("")


def bars(release: Release) -> Html:
    """Return the first table with a few numbers, as bars; its page says what they are."""
    for table in release.tables.values():
        values = [float(value) for value in table.value[:BARS] if isinstance(value, int | float)]
        if len(values) >= FEWEST and len(values) == len(table.value[:BARS]) and all(map(isfinite, values)):
            most = max(values) if max(values) > 0 else 1.0
            heights = (max(2, round(100 * value / most)) for value in values)
            drawn = joined(Html(f'<i style="height:{height}%"></i>') for height in heights)
            return fill('<div class="dp-mini" aria-hidden="true">{}</div>', drawn)
    return Html('<div class="dp-mini" aria-hidden="true"></div>')
