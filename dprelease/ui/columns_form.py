"""The editor of a dataset's columns: a table of texts, and the declaration it stands for."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from dprelease.errors import Problem
from dprelease.model.column import DISCOVER, Column, ColumnType
from dprelease.model.schema import Schema
from dprelease.ui.words import say

if TYPE_CHECKING:
    import pandas

FIELDS = (
    "use",
    "name",
    "type",
    "lower",
    "upper",
    "resolution",
    "categories",
    "other",
    "discover",
    "missing",
    "unit",
    "description",
)
TEXTS = ("lower", "upper", "resolution", "categories", "missing", "unit", "description")
FLAGS = ("other", "discover")


def blank(names: tuple[str, ...], schema: Schema) -> pandas.DataFrame:
    """What the editor begins with: the registered declaration, and nothing else about the other columns."""
    import pandas

    return pandas.DataFrame([_row(name, schema.columns.get(name)) for name in names], columns=list(FIELDS))


def _row(name: str, column: Column | None) -> dict[str, Any]:
    if column is None:
        return {"use": False, "name": name, "type": None, **dict.fromkeys(FLAGS, False), **dict.fromkeys(TEXTS, "")}
    declared = column.to_mapping()
    texts = {key: str(declared.get(key, "")) for key in TEXTS}
    return {
        "use": True,
        "name": name,
        "type": column.type.value,
        "other": column.other,
        "discover": column.discover,
        **texts,
        "categories": "" if column.discover else _line(declared.get("categories", [])),
    }


def _line(categories: list[str]) -> str:
    """Categories as one line that `split` reads back."""
    quoted = (
        '"' + item.replace('"', '""') + '"' if set(item) & set(',"\n') or item != item.strip() else item
        for item in categories
    )
    return ", ".join(quoted)


def split(text: str) -> list[str]:
    """Categories apart by commas or lines; quotes keep a comma inside one."""
    lines = csv.reader(text.splitlines(), skipinitialspace=True)
    return [item.strip() for line in lines for item in line if item.strip()]


def editor(frame: pandas.DataFrame, key: str) -> pandas.DataFrame:
    """Draws the table; returns what it says now."""
    config = st.column_config
    texts = {
        name: config.TextColumn(say(f"column_{name}"), help=say(f"column_{name}_help"), width=width)
        for name, width in zip(TEXTS, (105, 105, 105, 250, 90, 100, 220), strict=True)
    }
    return st.data_editor(
        frame,
        key=key,
        hide_index=True,
        num_rows="fixed",
        placeholder="",
        disabled=["name"],
        column_order=FIELDS,
        column_config={
            "use": config.CheckboxColumn(say("column_use"), help=say("column_use_help"), width=65),
            "name": config.TextColumn(say("column_name"), pinned=True, width=130),
            "type": config.SelectboxColumn(
                say("column_type"),
                help=say("column_type_help"),
                options=[kind.value for kind in ColumnType],
                width=95,
            ),
            **{
                name: config.CheckboxColumn(say(f"column_{name}"), help=say(f"column_{name}_help"), width=75)
                for name in FLAGS
            },
            **texts,
        },
        alt=say("columns_table"),
    )


def declaration(frame: pandas.DataFrame) -> tuple[Mapping[str, Any], list[Problem]]:
    """The columns as in a plan file, and what cannot be written as one: no type, or categories known and unknown."""
    columns: dict[str, Any] = {}
    problems = []
    for row in frame.to_dict("records"):
        if not row["use"]:
            continue
        if not _text(row["type"]):
            problems.append(Problem(f"columns.{row['name']}.type", say("columns_no_type"), say("columns_types")))
            continue
        declared: dict[str, Any] = {"type": _text(row["type"])}
        declared |= {name: text for name in TEXTS if (text := _text(row[name]))}
        if "categories" in declared:
            declared["categories"] = split(declared["categories"])
        if row["other"] is True:
            declared["other"] = True
        if row["discover"] is True:
            if "categories" in declared:
                path = f"columns.{row['name']}.categories"
                problems.append(Problem(path, say("columns_both"), say("columns_either")))
            declared["categories"] = DISCOVER
        columns[str(row["name"])] = declared
    return columns, problems


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
