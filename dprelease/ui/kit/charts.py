"""Pictures of a page: a plain image each, with no menu, no toolbar and no data to copy; and what tables ask."""

from __future__ import annotations

import textwrap
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dprelease.model.release import Release
from dprelease.portal.entry import small_picture
from dprelease.statements.question import StatisticLabel
from dprelease.statistics.planning.price import Price
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.phrases import planned
from dprelease.words.phrases import visible

LABEL = 36
"""Maximum characters of a label."""


@dataclass(frozen=True, slots=True)
class Face:
    """The questions of a plan's tables, and how they are drawn."""

    price: Price
    unit: str

    def question(self, statistic: str) -> StatisticLabel:
        """Return the question of a statistic, in words."""
        return planned(self.price[statistic], self.price.plan.schema, self.unit)


def picture(svg: bytes, words: str) -> None:
    """Show a picture that is part of the page, so that no address of it exists."""
    image(f"data:image/svg+xml;base64,{b64encode(svg).decode()}", words)


def image(address: str, words: str) -> None:
    """Show a picture with words for those who do not see it."""
    st.html(
        fill(
            '<div class="dp-figure" tabindex="0" role="region" aria-label="{}"><img src="{}" alt="{}"></div>',
            words,
            address,
            words,
        )
    )


def short(row: Mapping[str, Any]) -> str:
    """Return the label of a cell, cut to what has room."""
    label = visible(" · ".join(filter(None, (row["k1"], row["k0"]))))
    return textwrap.shorten(label, LABEL, placeholder="…") or label[:LABEL]


def mini(release: Release) -> None:
    """Show the small picture of a release as a mask: an SVG element would be taken out of the page."""
    if drawn := small_picture(release):
        address = f"data:image/svg+xml;base64,{b64encode(drawn.encode()).decode()}"
        st.html(fill('<div class="dp-mini" style="mask-image:url({})"></div>', address), width=130)
