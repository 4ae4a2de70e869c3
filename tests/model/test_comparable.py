"""What two editions are compared by is what "published before" is decided by, without the dataset."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from dprelease import Plan
from dprelease.model.measured import comparable, fingerprint, first_difference, measured_each
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from tests.bundle.kinds import COLUMNS, IN_RHO, PLAN

pytestmark = pytest.mark.quick

SCHEMA = Schema.read(COLUMNS, "columns", Report())


def written(plan: dict[str, Any]) -> tuple[Plan, dict[str, Any]]:
    """A complete plan, and as a certificate has it."""
    complete = Plan.parse(plan).with_schema(SCHEMA)
    return complete, complete.to_mapping()


@pytest.mark.parametrize("plan", [PLAN, IN_RHO], ids=["every kind", "in rho"])
def test_it_is_the_same_digest_for_every_kind(plan: dict[str, Any]) -> None:
    complete, mapping = written(plan)
    for asked, wanted in zip(mapping["statistics"], measured_each(complete), strict=True):
        facts = {**comparable(asked, mapping), "dataset": complete.dataset}
        assert fingerprint(facts) == wanted, asked["id"]


def facts(change: dict[str, Any] | None = None, **options: Any) -> dict[str, Any]:
    """Those of a cross table, with a column or an option changed."""
    mapping = deepcopy(written(PLAN)[1])
    for name, keys in (change or {}).items():
        mapping["columns"][name].update(keys)
    mapping |= {key: options.pop(key) for key in ("title", "dataset", "where") if key in options}
    asked = next(each for each in mapping["statistics"] if each["id"] == "region_sex") | options
    return comparable(asked, mapping)


@pytest.mark.parametrize(
    ("changed", "path"),
    [
        (facts({"region": {"categories": ["north", "south", "west"]}}), "columns.region.categories"),
        (facts({"sex": {"missing_codes": ["9"]}}), "columns.sex.missing_codes"),
        (facts(margins=True), "options.margins"),
        (facts(where=[{"column": "age", "at_least": 18}]), "columns.age"),
    ],
)
def test_what_decides_numbers_is_a_break(changed: dict[str, Any], path: str) -> None:
    assert fingerprint(changed) != fingerprint(facts())
    difference = first_difference(facts(), changed)
    assert difference is not None
    assert difference.path == path


@pytest.mark.parametrize(
    "same",
    [
        facts({"region": {"description": "Where", "unit": "x"}}),
        facts({"income": {"upper": 5}}),
        facts({"region": {"categories": ["south", "north", "east"]}}),
        facts(id="other", weight=3, title="Other", dataset="next"),
    ],
)
def test_what_does_not_decide_them_is_none(same: dict[str, Any]) -> None:
    assert fingerprint(same) == fingerprint(facts())
    assert first_difference(facts(), same) is None
