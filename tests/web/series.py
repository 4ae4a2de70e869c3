"""A series of five editions, signed by a key and the one that it handed over to.

The bounds of the first were others, one is superseded, and the newest is withheld.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dprelease import Plan, Workspace
from tests.workspace.test_publish import approved

NAME = "hospital-visits"
REGIONS = ["north", "south", "O'Hara, west"]


def columns(upper: int = 100) -> dict[str, Any]:
    return {
        "region": {"type": "category", "categories": REGIONS},
        "age": {"type": "integer", "lower": 0, "upper": upper},
    }


def plan(
    dataset: str,
    edition: str,
    title: str,
    *,
    upper: int = 100,
    epsilon: float = 1,
    texts: dict[str, Any] | None = None,
    accept: list[dict[str, Any]] | None = None,
) -> Plan:
    year = edition[:4]
    return Plan.parse(
        {
            "dprelease": 1,
            "title": title,
            "about": {
                "publisher": "Office of Health",
                "series": NAME,
                "edition": edition,
                "reference_period": f"{year}-01-01/{year}-12-31",
            },
            "dataset": dataset,
            "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": epsilon},
            "columns": columns(upper),
            "texts": texts,
            "accept": accept,
            "statistics": [
                {"id": "visits", "kind": "histogram", "column": "region"},
                {"id": "ages", "kind": "histogram", "column": "age", "bins": 4},
                {"id": "age", "kind": "mean", "column": "age"},
            ],
        }
    )


def make(home: Path, texts: dict[str, Any] | None = None) -> tuple[Workspace, dict[str, str]]:
    """The workspace, and the ids of its releases by edition. `texts`: of the latest that holds."""
    workspace, ids = Workspace.create(home), {}
    for year in (2023, 2024, 2025):
        rows = [("north", 30)] * (200 + year - 2000) + [("south", 61)] * 90 + [('"O\'Hara, west"', 8)] * 5
        source = home.parent / f"v{year}.csv"
        source.write_text("region,age\n" + "".join(f"{region},{age}\n" for region, age in rows))
        workspace.add_dataset(f"v{year}", source, columns=columns(), epsilon=10)
    wanted = [
        plan("v2023", "2023", "Visits 2023", upper=120),
        plan("v2025", "2025", "Visits 2025, first"),
        plan("v2024", "2024", "Visits 2024"),
        plan("v2025", "2025 corrected", "Visits 2025", epsilon=2, texts=texts),
        plan("v2024", "2026", "Visits 2026", accept=[{"statistic": "visits", "relative_error": 1e-6}]),
    ]
    for each in wanted:
        if each.about.edition == "2024":
            workspace.ledger.rotate_key()
        ids[each.about.edition] = workspace.publish(approved(workspace, each)).id
    workspace.releases.supersede(ids["2025"], by=ids["2025 corrected"], reason="Rows were missing.")
    return workspace, ids
