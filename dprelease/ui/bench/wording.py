"""The component's words and signs of numbers, in the language that is spoken."""

from __future__ import annotations

from dprelease.ui.words import WORDS
from dprelease.words.language import point

THIN = "\N{NARROW NO-BREAK SPACE}"
IDS = (
    "bench_add",
    "bench_beside",
    "bench_beside_invented",
    "bench_cells",
    "bench_cells_short",
    "bench_down",
    "bench_draw",
    "bench_duplicate",
    "bench_edit",
    "bench_empty",
    "bench_error",
    "bench_filter",
    "bench_first",
    "bench_gap",
    "bench_half",
    "bench_hundred",
    "bench_hundred_short",
    "bench_invented",
    "bench_invented_is",
    "bench_invented_value",
    "bench_keys",
    "bench_largest",
    "bench_largest_share",
    "bench_left",
    "bench_left_mark",
    "bench_loss",
    "bench_middle",
    "bench_most_often",
    "bench_nearest",
    "bench_none",
    "bench_not_usable",
    "bench_not_yet",
    "bench_of_draws",
    "bench_of_noisy",
    "bench_one_of",
    "bench_over_by",
    "bench_redo",
    "bench_release",
    "bench_remove",
    "bench_secret",
    "bench_sign",
    "bench_smallest",
    "bench_spent",
    "bench_statistics",
    "bench_summary",
    "bench_sure",
    "bench_too_noisy",
    "bench_total",
    "bench_true_is",
    "bench_true_value",
    "bench_typical_error",
    "bench_undo",
    "bench_up",
    "bench_upper",
    "bench_views",
    "bench_would_be",
    "bench_would_be_short",
)
"""What the script says, with places that it fills itself."""
COUNTED = ("bench_noisy", "bench_row", "bench_usable")
"""Those of them that have a form for one and a form for more."""


def words() -> dict[str, str | dict[str, str]]:
    """By id, a text, or where it counts {one, other}."""
    counted = {each: {"one": WORDS.text(each, 1), "other": WORDS.text(each, 2)} for each in COUNTED}
    return {each: WORDS[each] for each in IDS} | counted


def number_signs() -> dict[str, str]:
    """What stands before the decimals, and between thousands."""
    return {"decimal": point(), "group": THIN}
