"""Releases in every state that a reader meets, as a static site: one of each kind of result, and of each fate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dprelease.model.plan import Plan
from dprelease.workspace import Workspace, sample

TEXTS = {
    "languages": ["en", "es"],
    "title": {"en": "Who comes to hospital, 2025", "es": "Quién acude al hospital, 2025"},
    "record": {"one": {"en": "visit", "es": "visita"}, "many": {"en": "visits", "es": "visitas"}},
}
ABOUT = {"publisher": "Office of Health Statistics", "licence": "CC-BY-4.0", "contact": "statistics@health.example"}
STATES: dict[str, list[dict[str, Any]]] = {
    "counts": [{"id": "regions", "kind": "histogram", "column": "region"}, {"id": "n", "kind": "count"}],
    "two keys": [{"id": "cells", "kind": "crosstab", "columns": ["region", "ward"]}],
    "months": [{"id": "months", "kind": "histogram", "column": "day", "levels": {"day": "month"}}],
    "means": [{"id": "cost", "kind": "mean", "column": "cost", "by": ["ward"]}],
    "quantiles": [{"id": "stays", "kind": "quantiles", "column": "stay", "probs": [0.25, 0.5, 0.75], "by": ["sex"]}],
    "model": [{"id": "cost_line", "kind": "linear", "outcome": "cost", "on": ["age", "stay"]}],
    "rows": [{"id": "people", "kind": "synthetic", "columns": ["age", "ward", "region"], "bins": {"age": 5}}],
    "shares": [
        {"id": "urgent", "kind": "proportion", "where": [{"column": "emergency", "equals": True}], "by": ["ward"]}
    ],
    "one number": [{"id": "n", "kind": "count"}],
    "ages": [{"id": "ages", "kind": "histogram", "column": "age", "bins": 20}, *sample.PLAN["statistics"][2:]],
}
QUIET = "nothing quotable"
REPLACED = "replaced"
MANY = 20


def plan(name: str, statistics: list[dict[str, Any]], epsilon: float = 2, **changes: Any) -> Plan:
    """A plan of the sample with labels in two languages, by an office."""
    privacy = {**sample.PLAN["privacy"], "epsilon": epsilon}
    texts = {**TEXTS, "title": {"en": name.capitalize(), "es": f"Sobre {name}"}}
    own = {**sample.PLAN, "title": name.capitalize(), "privacy": privacy, "statistics": statistics, "texts": texts}
    return Plan.parse({**own, "about": ABOUT, **changes})


def made(home: Path, names: tuple[str, ...]) -> dict[str, str]:
    """Publish a release of each state; return their ids by state. The site is at home/site."""
    workspace = Workspace.create(home)
    sample.add_table(workspace)
    workspace.populations.raise_cap(sample.POPULATION, epsilon=60, reason="twelve releases are looked at")
    found: dict[str, str] = {}
    for name in names:
        if name == QUIET:
            fine = [{"id": "cells", "kind": "crosstab", "columns": ["age", "ward"], "bins": {"age": 50}}]
            found[name] = workspace.publish(plan(name, fine, 0.01)).id
        elif name == REPLACED:
            old = workspace.publish(plan(name, STATES["counts"])).id
            workspace.publish(plan("The newer one", STATES["counts"]), supersedes=old)
            found[name] = old
        elif name == "many":
            several = [
                {"id": f"t{place}", "kind": "histogram", "column": "age", "bins": place + 4} for place in range(MANY)
            ]
            found[name] = workspace.publish(plan(name, several)).id
        else:
            found[name] = workspace.publish(plan(name, STATES[name])).id
    workspace.releases.write_site(home / "site")
    return found
