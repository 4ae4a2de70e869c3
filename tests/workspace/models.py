"""Releases of models that are made by hand: a kind whose answer is the model of its id, beside noisy counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.mechanisms import Mechanism
from dprelease.model.release import FittedOutput, Output
from dprelease.model.schema import Schema
from dprelease.model.statistic import KINDS
from dprelease.worstcase.measured import KINDS as MEASURED
from tests.model.function.made import MODELS
from tests.workspace.toys import Fitted

COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": 18, "upper": 90, "unit": "years"},
    "bmi": {"type": "number", "lower": 15.5, "upper": 45.5, "resolution": 0.5, "unit": "kg/m²"},
    "sex": {"type": "category", "categories": ["F", "M", "=x <b>"]},
    "smoker": {"type": "boolean"},
    "admitted": {"type": "date", "lower": "2024-01-01", "upper": "2025-12-31"},
    "cost": {"type": "number", "lower": 0, "upper": 5000, "resolution": 1, "unit": "EUR"},
    "ill": {"type": "boolean"},
    "ward": {"type": "category", "categories": ["a", "b", "c"]},
}
ROWS = pandas.DataFrame(
    {
        "age": [18 + place for place in range(60)],
        "bmi": [20 + place / 4 for place in range(60)],
        "sex": ["F", "M"] * 30,
        "smoker": [True, False] * 30,
        "admitted": ["2024-05-05"] * 60,
        "cost": [place * 10 for place in range(60)],
        "ill": [False, False, True] * 20,
        "ward": ["a", "b", "c"] * 20,
    }
)


@dataclass(frozen=True, kw_only=True)
class Given(Fitted):
    """Noisy counts of a column's values, and a model that was made beforehand.

    Sensitivity m, under substitute 2m (L1). Discrete Laplace noise, or Gaussian in zcdp.
    """

    kind: ClassVar[str] = "given"

    def answered(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> Output:
        return FittedOutput(parts={"counts": self.estimates(schema, drawn, mechanisms)}, facts=MODELS[self.id])

    def could_answer(self, schema: Schema, output: Output, mechanisms: Sequence[Mechanism]) -> bool:
        if not isinstance(output, FittedOutput):
            return False
        return output == self.answered(schema, [np.array(output.parts["counts"].value)], mechanisms)


@contextmanager
def listed() -> Iterator[None]:
    """The kind, and its integers a second time."""

    def counts(asked: Any) -> Iterator[Any]:
        yield asked.cells((asked["column"].many,))

    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(KINDS, Given.kind, Given)  # type: ignore[arg-type]
        patched.setitem(MEASURED, Given.kind, counts)  # type: ignore[arg-type]
        yield


def plan(*ids: str, **more: Any) -> dict[str, Any]:
    """A release of these models."""
    return {
        "dprelease": 1,
        "dataset": "patients",
        "title": "Models of patients",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 4},
        "statistics": [{"id": name, "kind": "given", "column": "sex"} for name in ids],
        **more,
    }


def workspace() -> dprelease.Workspace:
    """One with the table."""
    made = dprelease.Workspace.in_memory()
    made.add_dataset("patients", ROWS, columns=COLUMNS, epsilon=100)
    return made


def published(made: dprelease.Workspace, stated: dict[str, Any]) -> dprelease.Release:
    """What a plan publishes."""
    plan_id = made.plans.submit(dprelease.Plan.parse(stated))
    made.plans.approve(plan_id)
    return made.publish(plan_id)
