"""What a reviewer does on the page: opens an item of the queue, decides of it in the dialog."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from dprelease.ui.words import WORDS
from tests.pages.conftest import press, write


def see(page: AppTest, view: str) -> AppTest:
    """One of `changes`, `checks`, `whole` and `talk`."""
    page.get("button_group")[0].set_value(view)
    return page.run()


def decide(page: AppTest, what: str, comment: str = "") -> AppTest:
    """`approve` or `return`, with the words that it takes."""
    press(page, WORDS[f"review_{what}"])
    if comment:
        write(page, WORDS["review_comment"], comment)
    return press(page, WORDS[f"review_{what}_save"])


def can(page: AppTest, what: str) -> bool:
    """Tells whether the button is there and open."""
    return any(button.label == WORDS[f"review_{what}"] and not button.disabled for button in page.button)
