"""Workspaces in which every state of every page is to be found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl

from dprelease.model.actor import Actor
from dprelease.model.plan import Plan
from dprelease.ui.workbench.draft import Draft
from dprelease.ui.workbench.saving import written
from dprelease.workspace import Workspace, sample
from tests.browser import guide_data

OF_SAMPLE = {each["id"]: each for each in sample.PLAN["statistics"]}
KINDS = {
    **sample.PLAN,
    "statistics": [
        *(OF_SAMPLE[name] for name in ("ages", "region_by_sex", "mean_cost_by_ward", "cost_quartiles", "mean_stay")),
        {"id": "fifty", "kind": "crosstab", "columns": ["sex", "region", "ward"]},
        {"id": "commonest", "kind": "mode", "column": "ward"},
    ],
    "columns": {"ward": {**sample.COLUMNS["ward"], "other": False}},
}
"""One statistic of each kind of chart, with one of 50 numbers."""
DEAR = {**sample.PLAN, "title": "Too much at once", "privacy": {**sample.PLAN["privacy"], "epsilon": 9}}


def empty(home: Path) -> None:
    Workspace.create(home)


def full(home: Path) -> None:
    """The sample with a release that another took the place of, and drafts."""
    workspace = Workspace.create(home)
    sample.install(workspace)
    first = workspace.releases.find()[0].id
    small = {**sample.PLAN, "title": "Visits by age", "privacy": {**sample.PLAN["privacy"], "epsilon": 0.5}}
    small["statistics"] = [OF_SAMPLE["ages"]]
    workspace.publish(Plan.parse(small), supersedes=first)
    draft(workspace, KINDS, "Kinds")
    draft(workspace, {**KINDS, "privacy": {**sample.PLAN["privacy"], "epsilon": 2.5}}, "Over")
    cells = [{"id": "years", "kind": "crosstab", "columns": ["age", "ward", "region"], "bins": {"age": 20}}]
    pair = {"id": "pair", "kind": "crosstab", "columns": ["age", "ward"], "bins": {"age": 50}}
    draft(workspace, {**sample.PLAN, "statistics": [*cells, pair]}, "Small cells")
    rows = {"id": "people", "kind": "synthetic", "columns": ["age", "ward", "region"], "bins": {"age": 5}}
    draft(workspace, {**sample.PLAN, "statistics": [rows]}, "Rows")
    wrong = [{"kind": "histogram", "options": {"column": "age", "bins": 0}}]
    workspace.plans.drafts.save({**written(Draft.from_plan(Plan.parse(KINDS))), "statistics": wrong}, name="Wrong")


def blind(home: Path) -> None:
    workspace = Workspace.create(home)
    sample.install(workspace)
    workspace.plans.set_preview_policy("blind")
    draft(workspace, sample.PLAN, "Again")


def upload(home: Path) -> None:
    guide_data.prepare(home)


def asked(home: Path) -> None:
    """A workbook that does not say which of its sheets is the table."""
    workspace = Workspace.create(home)
    workspace.add_population("people", unit="person", neighbors="add_remove", epsilon=1)
    book = openpyxl.Workbook()
    for year in (2023, 2024):
        sheet = book.create_sheet(f"Data {year}")
        sheet.append(["Survey of households"])
        for row in (["age", "income"], *([20 + place, 100 * place] for place in range(9))):
            sheet.append(row)
    content = BytesIO()
    book.save(content)
    content.seek(0)
    workspace.datasets.uploads.stage("households.xlsx", content)


def team(home: Path) -> None:
    """Three people; a plan in its second version, one beyond the cap, a returned one, and a request."""
    workspace = Workspace.create(home)
    sample.install(workspace)
    workspace.populations.raise_cap(sample.POPULATION, epsilon=4, reason="A second bulletin.")
    workspace.add_population("staff", unit="employee", neighbors="add_remove", epsilon=1)
    for name, role in (("ann", "curator"), ("ben", "reviewer"), ("dan", "administrator")):
        workspace.people.sign_in(workspace.people.invite(name, [role]))
    workspace.people.require_two_people()
    ann, ben = workspace.people.get("ann"), workspace.people.get("ben")
    remarks = {"mean_cost_by_ward": "Why by ward, and not by group of wards?"}
    waits = {**sample.PLAN, "title": "Visits again"}
    sent_back(workspace, waits, remarks, ann, ben)
    better = {**waits, "privacy": {**sample.PLAN["privacy"], "epsilon": 0.8}, "statistics": waits["statistics"][1:]}
    workspace.plans.submit(Plan.parse(better), actor=ann)
    workspace.plans.submit(Plan.parse(DEAR), actor=ann)
    back = {**sample.PLAN, "title": "Stays of 2025", "statistics": sample.PLAN["statistics"][2:5]}
    sent_back(workspace, back, {"mean_stay": "Two decimals promise too much."}, ann, ben)
    for name, plan in (("Again", sample.PLAN), ("Waits", better), ("Back", back)):
        draft(workspace, plan, name, ann)
    workspace.populations.raise_cap("staff", epsilon=2, reason="A second bulletin.", actor=ann)


def sent_back(workspace: Workspace, plan: dict[str, Any], remarks: dict[str, str], ann: Actor, ben: Actor) -> None:
    submitted = workspace.plans.submit(Plan.parse(plan), actor=ann)
    workspace.plans.return_plan(submitted, comment="Nearly there.", remarks=remarks, actor=ben)


def draft(workspace: Workspace, plan: Mapping[str, Any], name: str, actor: Actor | None = None) -> None:
    workspace.plans.drafts.save(written(Draft.from_plan(Plan.parse(plan))), name=name, actor=actor)


WORLDS: Mapping[str, Callable[[Path], None]] = {
    "empty": empty,
    "full": full,
    "blind": blind,
    "upload": upload,
    "asked": asked,
    "team": team,
}
