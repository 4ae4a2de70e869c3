"""What the next edition of a table has of the one before: only the names that differ are asked about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from dprelease.codebook.edition import compare
from dprelease.model.population import Dataset
from dprelease.ui.kit import blocks
from dprelease.ui.kit.fields import in_pairs
from dprelease.ui.kit.phrases import counted, some
from dprelease.ui.words import say, say_label

NOT_RENAMED = ""


def carried(after: Dataset, columns: Sequence[str], key: str) -> dict[str, Any]:
    """Asks which columns were renamed; returns the declaration of the edition before, under the names of this one."""
    before = after.schema.to_mapping()
    found = compare(before, [name for name in columns if name != after.unit_column or name in before])
    if not found.gone:
        return before
    if found.same:
        blocks.text("edition_same", columns=counted("columns", len(found.same)))
    names = {name: name for name in found.same}
    for place, name in zip(in_pairs(len(found.proposed)), found.proposed, strict=True):
        with place:
            chosen = st.selectbox(
                say_label("edition_renamed", name=name),
                [found.proposed[name], *(each for each in found.new if each != found.proposed[name]), NOT_RENAMED],
                format_func=lambda each: each or say("edition_not_renamed"),
                key=f"{key}-renamed-{name}",
            )
        if chosen and chosen not in names.values():
            names[name] = chosen
    lost = [name for name in found.gone if name not in names]
    if lost:
        blocks.note("edition_gone", columns=some(lost))
    fresh = [name for name in found.new if name not in names.values()]
    if fresh:
        blocks.note("edition_new", columns=some(fresh))
    return {names[name]: said for name, said in before.items() if name in names}
