"""The sample workspace: invented hospital visits, the same on every machine."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator
from datetime import date, timedelta
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprelease.model.actor import OWNER
from dprelease.model.yaml_text import dump
from dprelease.statistics import Plan

if TYPE_CHECKING:
    from dprelease.model.actor import Actor
    from dprelease.model.population import Dataset
    from dprelease.workspace.workspace import Workspace

POPULATION = "patients-2025"
DATASET = "visits"
PATIENTS = 12_000
REGIONS = ("north", "south", "east", "west")
WARDS = ("emergency", "surgery", "medicine", "maternity", "paediatrics")

COLUMNS: dict[str, dict[str, Any]] = {
    "person_id": {"type": "text", "description": "Who the visit is about; never published."},
    "age": {"type": "integer", "lower": 0, "upper": 100, "unit": "years", "description": "Age at the visit."},
    "sex": {"type": "category", "categories": ["F", "M"], "description": "As registered."},
    "region": {"type": "category", "categories": list(REGIONS), "other": True, "description": "Region of residence."},
    "ward": {"type": "category", "categories": list(WARDS), "other": True, "description": "Where the visit began."},
    "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31", "description": "Day of the visit."},
    "stay": {
        "type": "number",
        "lower": 0,
        "upper": 30,
        "resolution": 0.1,
        "unit": "days",
        "description": "Length of stay.",
    },
    "cost": {
        "type": "number",
        "lower": 0,
        "upper": 20000,
        "resolution": 1,
        "unit": "EUR",
        "description": "Cost of the visit.",
    },
    "emergency": {"type": "boolean", "description": "Whether the visit was unplanned."},
}

PLAN: dict[str, Any] = {
    "dprelease": 1,
    "title": "Hospital visits 2025",
    "description": "Invented data that ships with dprelease.",
    "dataset": DATASET,
    "privacy": {"unit": {"column": "person_id", "max_rows": 5}, "neighbors": "add_remove", "epsilon": 1, "delta": 0},
    "expected": {"rows": 27000, "units": PATIENTS},
    "statistics": [
        {"id": "visits", "kind": "count"},
        {"id": "ages", "kind": "histogram", "column": "age", "bins": 20, "weight": 2},
        {"id": "mean_stay", "kind": "mean", "column": "stay"},
        {"id": "total_cost", "kind": "sum", "column": "cost"},
        {"id": "cost_quartiles", "kind": "quantiles", "column": "cost", "probs": [0.25, 0.5, 0.75]},
        {"id": "region_by_sex", "kind": "crosstab", "columns": ["region", "sex"]},
        {"id": "mean_cost_by_ward", "kind": "mean", "column": "cost", "by": ["ward"], "weight": 2},
    ],
}


BIRTHS, MOTHERS = "births", "births-2024"
MONTHS, A_MONTH = 24, 900
BIRTH_COLUMNS: dict[str, dict[str, Any]] = {
    "day": {"type": "date", "lower": "2024-01-01", "upper": "2025-12-31", "description": "Day of birth."},
    "sex": {"type": "category", "categories": ["F", "M"], "description": "As registered."},
    "region": {"type": "category", "categories": list(REGIONS), "description": "Where it was registered."},
}
RUN_PLAN: dict[str, Any] = {
    "dprelease": 1,
    "title": "Births by month",
    "description": "Invented data that ships with dprelease.",
    "dataset": BIRTHS,
    "run": {"column": "day", "every": "month", "first": "2024-01", "last": "2025-12", "at_most": 1},
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1, "delta": 0},
    "expected": {"rows": A_MONTH},
    "statistics": [
        {"id": "births", "kind": "count", "by": ["region"]},
        {"id": "sex", "kind": "histogram", "column": "sex"},
    ],
}
PUBLISHED = 3
"""Editions of the run that are published with the sample."""


def births() -> Iterator[dict[str, Any]]:
    """Yield about 21,600 invented births of two years, fewer in winter; every number from a hash of its place."""
    for month in range(MONTHS):
        luck = _Luck(f"births {month}")
        for _ in range(A_MONTH + int(60 * luck()) - 40 * (month % 12 in (0, 1, 11))):
            day = date(2024 + month // 12, 1 + month % 12, 1 + int(28 * luck()))
            region = REGIONS[min(3, int(4 * luck() ** 1.3))]
            yield {"day": day, "sex": "F" if luck() < 0.488 else "M", "region": region}


def rows() -> Iterator[dict[str, Any]]:
    """Yield about 27,000 visits of 12,000 invented patients. Every number comes from a hash of the row's place."""
    for patient in range(PATIENTS):
        luck = _Luck(f"patient {patient}")
        age = int(100 * (luck() * 0.55 + luck() * 0.45))
        sex = "F" if luck() < 0.52 else "M"
        region = REGIONS[min(3, int(4 * luck() ** 1.3))] if luck() < 0.97 else "abroad"
        for _ in range(1 + int(4.2 * luck() ** 2.4)):
            ward = WARDS[int(len(WARDS) * luck())]
            ward = (
                "paediatrics"
                if age < 16
                else "medicine"
                if ward in ("paediatrics", "maternity") and sex == "M"
                else ward
            )
            stay = round(min(60.0, -3.2 * (1 + age / 80) * luck.log()), 1)
            cost = round(180 + 640 * stay + (2400 if ward == "surgery" else 0) - 300 * luck.log())
            yield {
                "person_id": f"P{patient:05d}",
                "age": age,
                "sex": sex,
                "region": region,
                "ward": ward,
                "day": date(2025, 1, 1) + timedelta(days=int(365 * luck())),
                "stay": stay,
                "cost": cost if luck() > 0.01 else None,
                "emergency": luck() < 0.38,
            }


class _Luck:
    """Numbers in (0, 1) from a name, always the same ones."""

    def __init__(self, name: str) -> None:
        self.name, self.calls = name, 0

    def __call__(self) -> float:
        self.calls += 1
        digest = hashlib.sha256(f"{self.name} {self.calls}".encode()).digest()
        return (int.from_bytes(digest[:6], "big") + 0.5) / 2**48

    def log(self) -> float:
        return log(self())


def write_files(folder: Path) -> list[Path]:
    """Write the sample as a person would have it: visits.csv, and plan.yaml with all columns declared."""
    folder.mkdir(parents=True, exist_ok=True)
    table, plan = folder / "visits.csv", folder / "plan.yaml"
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(COLUMNS), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows())
    declared = {name: column for name, column in COLUMNS.items() if name != "person_id"}
    text = dump({**PLAN, "columns": declared})
    plan.write_text(text, "utf-8")
    return [table, plan]


FIRST = ("ages", "region_by_sex", "mean_cost_by_ward", "mean_stay", "visits")
"""The statistics of a first release, in the order of the workbench."""


def first_plan() -> Plan:
    """Return the plan that the dashboard begins with: five statistics of the sample at ε 1."""
    known = {each["id"]: each for each in PLAN["statistics"]}
    statistics = [{key: value for key, value in known[name].items() if key != "weight"} for name in FIRST]
    return Plan.parse({**PLAN, "statistics": statistics})


def is_of(dataset: Dataset) -> bool:
    """Return True if a dataset goes by the names of the sample's table and of its population."""
    return (dataset.name, dataset.population) == (DATASET, POPULATION)


def add_table(workspace: Workspace, *, actor: Actor | None = None) -> bool:
    """Add the sample's population and dataset; return False where they are there already."""
    import pandas

    added = False
    if POPULATION not in {population.name for population in workspace.populations.find(actor=actor)}:
        workspace.add_population(
            POPULATION, unit="person", neighbors="add_remove", epsilon=3, size=PATIENTS, actor=actor
        )
        added = True
    if DATASET not in {dataset.name for dataset in workspace.datasets.find(actor=actor)}:
        frame = pandas.DataFrame(list(rows()))
        invented = dict.fromkeys(workspace.populations.open_overlaps(POPULATION, actor=actor), "none")
        said: dict[str, Any] = {"unit_column": "person_id", "columns": COLUMNS, "overlaps": invented, "actor": actor}
        workspace.add_dataset(DATASET, frame, population=POPULATION, **said)
        added = True
    return added


def add_run(workspace: Workspace) -> bool:
    """Add the births and their run of 24 months, the first editions published; return False where it is there."""
    import pandas

    if any(run.plan.dataset == BIRTHS for run in workspace.runs.find()):
        return False
    if BIRTHS not in {dataset.name for dataset in workspace.datasets.find()}:
        frame, size = pandas.DataFrame(list(births())), MONTHS * A_MONTH
        workspace.add_population(MOTHERS, unit="birth", neighbors="add_remove", epsilon=2, size=size)
        invented = dict.fromkeys(workspace.populations.open_overlaps(MOTHERS), "none")
        workspace.add_dataset(BIRTHS, frame, population=MOTHERS, columns=BIRTH_COLUMNS, overlaps=invented)
    run = workspace.runs.open(Plan.parse(RUN_PLAN))
    for period in run.recurrence.periods[:PUBLISHED]:
        workspace.runs.publish(run.name, period)
    return True


REVIEWER = "rosa"
"""Name of the sample's second, invented person, who reviews."""
WAITING = {**PLAN, "title": "Visits by ward and region", "statistics": [PLAN["statistics"][5], PLAN["statistics"][6]]}
"""Plan of the curator's that waits for her decision."""


def is_untouched(workspace: Workspace, actor: Actor) -> bool:
    """Return True if there is the sample with its two people and no other table, and somebody has no draft yet."""
    people = {person.name for person in workspace.people.find(actor=OWNER)}
    tables = {each.name for each in workspace.datasets.find(actor=actor)}
    return (
        REVIEWER in people and DATASET in tables <= {DATASET, BIRTHS} and not workspace.plans.drafts.find(actor=actor)
    )


def populate(workspace: Workspace) -> None:
    """Add the second person, and a plan that waits for her; nothing where she is there already."""
    if REVIEWER not in {person.name for person in workspace.people.find(actor=OWNER)}:
        workspace.people.invite(REVIEWER, ["reviewer"], actor=OWNER)
        workspace.plans.submit(Plan.parse(WAITING))


def install(workspace: Workspace) -> bool:
    """Add the sample population, dataset and one published release; return False where they are there already."""
    added = add_table(workspace)
    if not workspace.releases.find():
        plan_id = workspace.plans.submit(Plan.parse(PLAN))
        workspace.plans.approve(plan_id)
        workspace.publish(plan_id)
        added = True
    return added
