"""What certificates say is not promised, in Spanish, by the English text; places are numbered in its order."""

from __future__ import annotations

from dprelease.ui.words.spanish.problems.certificate import WORDS

PROBLEMS = WORDS

VALUES = {
    "plan": "el plan",
    "schema": "las columnas declaradas",
    "plan and the schema": "el plan y las columnas declaradas",
    ", including that there are none": ", incluso que no haya ninguna",
}
"""Words that stand in the places of others."""
