"""Fields for a series of releases: its name, this edition, the days that it is of, and the column with these days."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dprelease.model.about import LONGEST_EDITION
from dprelease.model.column import ColumnType
from dprelease.model.schema import Schema
from dprelease.ui.kit import fields
from dprelease.ui.words import say

TEXTS = ("series", "edition", "reference_period")


def series_fields(about: Mapping[str, Any], schema: Schema, key: str, pause: str) -> Mapping[str, Any]:
    """Ask for them below one heading, open where some are stated; return `about` with what is stated now."""
    with st.expander(say("plan_series_head"), expanded=any(name in about for name in (*TEXTS, "reference"))):
        stated: dict[str, Any] = {
            name: fields.text(
                say(f"plan_{name}"),
                f"{key}-{name}",
                about.get(name, ""),
                placeholder=say(f"plan_{name}_example"),
                max_chars=LONGEST_EDITION,
                live=pause,
            ).strip()
            for name in TEXTS
        }
        dated = [column.name for column in schema if column.type is ColumnType.DATE]
        column = fields.one_of(
            say("plan_reference"),
            f"{key}-reference",
            dated,
            about.get("reference", {}).get("column"),
            placeholder=say("plan_reference_none"),
            help=say("plan_reference_help"),
        )
    stated |= {"reference": {"column": column} if column else {}}
    return {**{name: each for name, each in about.items() if name not in stated}, **_filled(stated)}


def _filled(stated: Mapping[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in stated.items() if each}
