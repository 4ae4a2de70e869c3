"""Releases built by hand: what the rest of the program would hand to this room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import structs

import dprelease.statistics  # noqa: F401 - it registers the kinds
from dprelease.bundle.outputs import release_files
from dprelease.bundle.signing import SigningKey
from dprelease.bundle.write import write
from dprelease.charts.picture import picture
from dprelease.model.certificate import Certificate
from dprelease.model.release import Axis, Cell, Estimates, Release
from dprelease.model.report import Report
from dprelease.model.stated import as_json
from dprelease.model.statistic import KINDS, read_statistic
from dprelease.model.version import VERSION
from dprelease.statements.lead import stated as statements
from tests.bundle.entries import Ledger, key_of

HOSTILE = (
    '=HYPERLINK("http://evil")',
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "a, \"b\" and 'c'",
    "line\r\nbreak\tand tab",
    "\N{RIGHT-TO-LEFT OVERRIDE}gnp.exe",
    "bell\x07 and null-ish \x01",
    "'; DROP TABLE releases; --",
    "../../etc/passwd",
    "{{ 7*7 }} {% raw %} ${x}",
    "datum['value'] + \\\\ [0].k0",
    "__proto__",
    "שלום",
    "a" * 200,
    "",
)
"""Categories that a careless writer of files would run, show as something else, or fail at."""

NOISE = (3, -2, 0, 5, -4, 1, 2, -1)


def table(axes: Sequence[Axis], values: Sequence[Cell], half: float | None) -> Estimates:
    bounds = [
        [None if half is None or not isinstance(value, int | float) else value + sign * half for value in values]
        for sign in (-1, 1)
    ]
    return Estimates(axes=tuple(axes), value=list(values), lower95=bounds[0], upper95=bounds[1])


def listed(name: str, *labels: Cell) -> Axis:
    return Axis((name,), tuple((label,) for label in labels))


def binned(name: str, first: int, last: int, bins: int) -> Axis:
    edges = [first + (last - first) * index // bins for index in range(bins + 1)]
    cells = [(edges[index], edges[index + 1] - 1) for index in range(bins)]
    return Axis((f"{name}_from", f"{name}_to"), (*cells[:-1], (cells[-1][0], last)))


def mechanism(name: str, scale: float, l1: int, loss: Mapping[str, int], cells: int = 1) -> dict[str, Any]:
    noise = name == "discrete_laplace"
    return {
        "name": name,
        "shape": [cells],
        "step": "1" if noise else None,
        "scale": scale,
        "sensitivity": {"l1": l1, "linf": l1} if noise else {"linf": l1, "monotone": False},
        "settings": {},
        "round": 0,
        "loss": loss,
    }


def pure(nano: int) -> dict[str, int]:
    return {"epsilon_nano": nano, "rho_nano": 0, "delta_atto": 0}


def make_release(
    statistics: Sequence[tuple[dict[str, Any], Estimates]],
    *,
    columns: Mapping[str, Any],
    title: str = "Hospital visits 2025",
    description: str = "",
    unit: str = "person",
    neighbors: str = "add_remove",
    release_id: str = "hospital-visits-2025-1f2e3d",
) -> Release:
    share = 1_000_000_000 // len(statistics)
    measured, stated = [], []
    for asked, estimates in statistics:
        picks = asked["kind"] in ("quantiles", "median")
        name, scale = ("permute_and_flip", 40.0) if picks else ("discrete_laplace", 5 * len(statistics) * 1.0)
        known: Any = read_statistic(asked, "", Report()) or KINDS.get(asked["kind"], KINDS["mean"])
        mechanisms = [mechanism(name, scale, 5, pure(share), len(estimates.without_totals()))]
        measured.append({"id": asked["id"], "mechanisms": mechanisms, "loss": pure(share)})
        stated.append(
            {
                "id": asked["id"],
                "kind": asked["kind"],
                "presentation": as_json(getattr(known, "presentation" if isinstance(known, type) else "presented")),
                "output": "table",
                "tables": [asked["id"]],
                "cells": len(estimates),
                "derivation": "own",
                "measurements": [asked["id"]],
                "error95": None if picks else 105.0,
                "basis": None if picks else "mechanism",
            }
        )
    plan = {
        "dprelease": 1,
        "title": title,
        "dataset": "visits",
        "privacy": {
            "unit": {"column": "person_id", "max_rows": 5},
            "neighbors": neighbors,
            "epsilon": 1,
            "delta": 0,
        },
        "columns": dict(columns),
        "where": [{"column": "age", "at_least": 18}],
        "statistics": [asked for asked, _ in statistics],
    }
    guarantee = {
        "epsilon": 1,
        "delta": 0,
        "unit": unit,
        "unit_column": "person_id",
        "max_rows": 5,
        "neighbors": neighbors,
        "rho": None,
        "max_groups": None,
        "groups": [],
        "exchange_epsilon": 2 if neighbors == "add_remove" else None,
    }
    certificate: dict[str, Any] = {
        "format": "1.0",
        "id": release_id,
        "title": title,
        "description": description,
        "published": "2025-11-21",
        "plan": plan,
        "plan_hash": "6f" * 32,
        "population": {
            "name": "patients-2025",
            "unit": unit,
            "neighbors": neighbors,
            "currency": "pure",
            "epsilon_cap": 3,
            "delta_cap": 0,
            "size": 12000,
            "period": None,
        },
        "guarantee": guarantee,
        "measurements": measured,
        "statistics": stated,
        "loss": pure(1_000_000_000),
        "ledger": {"seq": 12, "hash": "ab" * 32},
        "cumulative": {
            "epsilon": 1.5,
            "delta": 0,
            "rho": None,
            "loss": pure(1_500_000_000),
            "releases": 2,
            "period": None,
            "overlapping": [],
            "overlap_not_attested": 0,
            "together": None,
        },
        "approval": {"workspace": "solo"},
        "previews": {
            "policy": "true",
            "taken": False,
            "plan_changed_after": False,
            "schema_changed_after": False,
            "changed": "nothing",
        },
        "caveats": [
            {"code": "as_given", "values": {}},
            {"code": "presence", "values": {"unit": unit, "epsilon": 2}},
            {"code": "one_person", "values": {}},
        ],
        "versions": {"dprelease": VERSION, "duckdb": "2.0.0", "opendp": "0.16.0"},
        "noise_self_test": {"library": "opendp", "version": "0.16.0", "result": "passed"},
        "earlier_releases": [],
        "supersedes": None,
        "notices": f"notices/{release_id}.json",
        "criteria": [],
        "grades": {"caution": 0.333, "unreliable": 0.667},
    }
    outputs = {asked["id"]: estimates for asked, estimates in statistics}
    facts = Certificate.read(certificate)
    facts = structs.replace(facts, statements=statements(Release(certificate=facts, outputs=outputs)))
    certificate, release = facts.to_mapping(), Release(certificate=facts, outputs=outputs)
    return replace(release, entry=Ledger().enter(certificate, release_files(release), key_of(1)))


COLUMNS = {
    "age": {"type": "integer", "lower": 0, "upper": 100, "resolution": 1, "unit": "years"},
    "income": {"type": "number", "lower": 0, "upper": 200000, "resolution": 1, "unit": "EUR"},
    "region": {"type": "category", "categories": ["north", "south", "east", "west"], "other": True},
    "sex": {"type": "category", "categories": ["F", "M"]},
    "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31"},
}
REGION = listed("region", "north", "south", "east", "west", "other")
SEX = listed("sex", "F", "M")


def ages(count: int) -> list[Cell]:
    return [
        max(3, int(900 * (1 - ((index - count * 0.42) / (count * 0.6)) ** 2))) + NOISE[index % 8]
        for index in range(count)
    ]


def files(release: Release, key: SigningKey) -> dict[str, bytes]:
    """Every file of the bundle by its path."""
    with TemporaryDirectory() as folder:
        return snapshot(write(release, Path(folder), key))


def svg(release: Release, statistic: str) -> bytes:
    """The chart of one statistic as it stands in the bundle."""
    return picture(release, statistic).svg()


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file of a folder by its path."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def changed(release: Release, **facts: Any) -> Release:
    """A release whose certificate states something else."""
    return replace(release, certificate=Certificate.read({**release.certificate.to_mapping(), **facts}))
