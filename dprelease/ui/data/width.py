"""What the bounds of a column cost: the expected error of a total, as declared and wider. Prices read no row."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from dprelease.charts.display import margin, shown
from dprelease.errors import DPReleaseError
from dprelease.model.column import NUMERIC
from dprelease.model.encoding import plain
from dprelease.model.population import Dataset
from dprelease.model.privacy import Currency
from dprelease.model.report import as_decimal
from dprelease.statistics import Plan
from dprelease.ui.data.row import Row
from dprelease.ui.kit import blocks
from dprelease.ui.kit.choice import usual_rows
from dprelease.ui.kit.fields import with_point
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say, say_html

WIDER = 5
ID = "total"


def width_words(dataset: Dataset, row: Row) -> None:
    """Says what happens to values beyond the bounds, and how much noise wider bounds would mean."""
    upper = as_decimal(with_point(row.upper))
    if row.type not in NUMERIC or upper is None or not row.lower or replace(row, use=True).problems():
        return
    parts = say_html("width_missing" if row.outside == "missing" else "width_clip", lower=row.lower, upper=row.upper)
    blocks.markup(parts, "dp-note")
    now, wide = _error(dataset, row, upper), _error(dataset, row, upper * WIDER)
    if now and wide:
        blocks.note("width_noise", now=margin(now), wide=margin(wide), upper=shown(plain(upper * WIDER)))


def _error(dataset: Dataset, row: Row, upper: Decimal) -> float | None:
    """The margin of a total of the column at ε = 1, by price alone; None where it has none."""
    population = workspace().populations.of(dataset.name, actor=actor())
    unit = dataset.unit_column
    mapping = {
        "dprelease": 1,
        "title": say("width_title"),
        "dataset": dataset.name,
        "privacy": {
            "unit": {"column": unit, "max_rows": usual_rows(dataset.name) or 1} if unit else "row",
            "neighbors": population.neighbors.value,
            "epsilon": 1,
            "delta": "0.000001" if population.currency is Currency.ZCDP else 0,
        },
        "columns": {row.name: {**row.mapping(), "upper": str(upper)}},
        "statistics": [{"id": ID, "kind": "sum", "column": row.name}],
    }
    try:
        return workspace().price(Plan.parse(mapping), actor=actor())[ID].error95
    except DPReleaseError:
        return None
