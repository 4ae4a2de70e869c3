"""What the rooms below say in English where something is wrong, and what that is in Spanish, by room."""

from __future__ import annotations

from dprelease.ui.words.spanish.problems import (
    bundle,
    certificate,
    codebook,
    mechanisms,
    model,
    statistics,
    store,
    table,
    workspace,
)

ROOMS = (bundle, certificate, codebook, mechanisms, model, statistics, store, table, workspace)
PROBLEMS = {template: text for room in ROOMS for template, text in room.WORDS.items()}
"""By the English text; places are numbered in its order."""

VALUES = {
    "plan": "el plan",
    "schema": "las columnas declaradas",
    "plan and the schema": "el plan y las columnas declaradas",
    "rows": "las filas",
    "columns": "las columnas",
    "unit": "la unidad",
    "cap": "el tope",
    "price": "el precio",
    ", including that there are none": ", incluso que no haya ninguna",
    "approved": "aprobada",
    "returned": "devuelta",
}
"""Words that stand in the places of others."""
