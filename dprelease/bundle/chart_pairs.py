"""How far off synthetic rows are, by pairs of columns: what a heat map of their report shows, and what is beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import Any

from dprelease.bundle.chart_data import Drawing, Scale, different
from dprelease.bundle.question import LONGEST_NAME
from dprelease.model import families
from dprelease.model.certificate import Certificate
from dprelease.words.language import language
from dprelease.words.phrases import visible

FEWEST = 2
"""Columns of which there are pairs."""


def paired(certificate: Certificate, table: str) -> dict[str, tuple[int, ...]]:
    """The tables that a heat map of a report shows, each by the places of its one or two columns; else none."""
    asked = certificate.asked(table)
    columns = called(certificate, table)
    if asked["kind"] != f"{families.ROWS}_{families.REPORT}" or len(columns) < FEWEST:
        return {}
    own = certificate.asked(certificate.statistic(table).id)["columns"]
    named = families.tables(own, FEWEST)
    return {name: tuple(own.index(column) for column in each) for name, each in named.items()}


def called(certificate: Certificate, table: str) -> tuple[str, ...]:
    """What the columns of rows are called on the sides of the map."""
    own = certificate.asked(certificate.statistic(table).id).get("columns", ())
    return different([visible(certificate.columns.label(name, language()), LONGEST_NAME) for name in own])


def map_of(drawing: Drawing, certificate: Certificate, tables: list[str]) -> Drawing:
    """A drawing of a report as a map: columns across and down, each pair once. `tables`: of its rows."""
    places = paired(certificate, drawing.question.id)
    labels = called(certificate, drawing.question.id)
    by_places: Mapping[tuple[int, ...], Mapping[str, Any]] = {
        places[name]: row for name, row in zip(tables, drawing.rows, strict=True) if name in places
    }
    rows = []
    for down, across in combinations_with_replacement(range(len(labels)), 2):
        own = (down,) if down == across else (down, across)
        if own in by_places:
            rows.append({**by_places[own], "i": down, "j": across, "k0": labels[down], "k1": labels[across]})
    scale = Scale(title="", form="listed", labels=labels)
    return replace(drawing, inner=scale, outer=scale, rows=rows, is_map=True)
