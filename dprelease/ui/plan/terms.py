"""What was said of a dataset when it was registered, as the start of a plan's answers."""

from __future__ import annotations

from dprelease.ui.kit.session import actor, workspace


def usual_rows(dataset: str) -> int | None:
    """How many rows of one unit are to be used, from general knowledge; None where nobody said."""
    return workspace().dataset_terms(dataset, actor=actor()).max_rows
