"""Every Spanish word on the screen, by key, a file for each page."""

from __future__ import annotations

from dprelease.ui.words.spanish import (
    checks,
    columns,
    datasets,
    frame,
    home,
    ledger,
    people,
    plan,
    populations,
    preview,
    prices,
    publish,
    releases,
    review,
    second_factor,
    statistics,
)

PAGES = (
    checks,
    frame,
    home,
    populations,
    datasets,
    columns,
    people,
    second_factor,
    plan,
    statistics,
    prices,
    preview,
    publish,
    review,
    releases,
    ledger,
)
SPANISH = {key: text for page in PAGES for key, text in page.WORDS.items()}
