"""What a picture of the guide is taken of."""

from __future__ import annotations

from typing import NamedTuple

from playwright.sync_api import Locator

from dprelease.words.language import language


class Scene(NamedTuple):
    """A picture of what lies between two elements of a page, both included."""

    name: str
    first: Locator
    last: Locator


def unit() -> str:
    """Whose privacy it is, as somebody who speaks the language would write it."""
    return {"es": "persona"}.get(language(), "person")
