"""The purpose of a table: a new dataset, corrected rows of one, or its next edition; by the address."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from pathlib import PurePath

import streamlit as st

from dprelease.errors import InputError
from dprelease.model.population import Dataset
from dprelease.ui.kit import blocks, session
from dprelease.ui.screens import go
from dprelease.ui.words import say

ROWS, EDITION = PURPOSES = ("rows", "edition")
LONGEST = 60
YEAR = re.compile(r"(?:19|20)[0-9]{2}")


def purpose() -> tuple[str, Dataset | None]:
    """Return the purpose of the table and its dataset; none of either where a table is a new one."""
    for each in PURPOSES:
        name = st.query_params.get(each)
        if name:
            try:
                return each, session.workspace().datasets.get(name, actor=session.actor())
            except InputError:
                break
    return "", None


def say_purpose() -> bool:
    """Say what the table is brought for, and offer to bring it as a new one; False where it is one."""
    why, dataset = purpose()
    if dataset is None:
        return False
    blocks.text(f"purpose_{why}", dataset=dataset.name)
    if st.button(say("purpose_new"), type="tertiary", key="purpose-new"):
        go("tables")
    return True


def proposed_name(filename: str, taken: Collection[str] = ()) -> str:
    """Return a dataset's name from a file's: `Encuesta 2024.CSV` is encuesta-2024; another one where that is taken."""
    plain = unicodedata.normalize("NFKD", PurePath(filename).stem.casefold())
    bare = "".join(sign for sign in plain if not unicodedata.combining(sign))
    name = re.sub(r"[^a-z0-9._]+", "-", bare).strip("-._")[:LONGEST] or "table"
    return name if name not in taken else numbered(name, taken)


def next_name(name: str, taken: Collection[str]) -> str:
    """Return the next edition's name: the year after, where the name has one, else a number."""
    years = YEAR.findall(name)
    if years:
        later = name.replace(years[-1], str(int(years[-1]) + 1))
        if later not in taken:
            return later
    return numbered(name, taken)


def numbered(name: str, taken: Collection[str]) -> str:
    """Return a name with the first number that is free."""
    return next(found for number in range(2, len(taken) + 3) if (found := f"{name}-{number}") not in taken)
