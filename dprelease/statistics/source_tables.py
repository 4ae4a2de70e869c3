"""Rows that are made of the tables of a workload in the same plan: whether it has them."""

from __future__ import annotations

from dprelease.model.plan import Plan
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.statistics.table_family import TableFamily
from dprelease.words import phrase, quoted


def check_source(own: TableFamily, name: str, path: str, plan: Plan, report: Report) -> None:
    """Add problems that keep tables from being those of the workload that a plan names."""
    families = [each for each in plan.statistics if isinstance(each, TableFamily)]
    workloads = {each.id: each for each in families if each.output == "measured"}
    given = workloads.get(name)
    if given is None:
        known = ", ".join(workloads) or phrase("model.nothing")
        remedy = phrase("statistics.source_add_workload")
        report.add(f"{path}.source", found=name, allowed=phrase("statistics.source_ids", known=known), remedy=remedy)
        return
    why = lacking(own, given, plan.schema)
    if why is not None:
        remedy = phrase("statistics.source_as_there")
        allowed = phrase("statistics.source_same", source=quoted(name), names=", ".join(given.columns))
        report.add(f"{path}.columns", found=why, allowed=allowed, remedy=remedy)


def lacking(own: TableFamily, given: TableFamily, schema: Schema) -> object | None:
    """Return the reason why a measured family is no source of another; None where it has all tables, cut alike."""
    without = [name for name in own.columns if name not in given.columns]
    if without:
        return phrase("statistics.source_without", name=quoted(without[0]))
    there = dict(zip(given.columns, given.keys(schema), strict=True))
    for name, key in zip(own.columns, own.keys(schema), strict=True):
        if there[name] != key:
            return phrase("statistics.source_cut", name=quoted(name), cells=there[name].cells, own=key.cells)
    tables = {*given.places}
    for places in own.places:
        if own.among(given, places) not in tables:
            return phrase("statistics.source_no_table", names=", ".join(own.columns[place] for place in places))
    return None
