"""Numbers that are said to be computed of one draw, and cannot be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dprelease.model.release import Estimates
from dprelease.statistics.answer import answers, draw
from dprelease.statistics.planning.price import Price
from dprelease.verdict.consistency_checks import misfits
from tests.statistics.planning.test_sharing import moments, of, priced
from tests.statistics.ready import ready

KINDS = ("std", "mean", "sum", "count", "variance", "histogram", "cdf", "mean", "std")


@pytest.fixture(scope="module")
def bill() -> Price:
    return priced(*(of("x", kind) for kind in KINDS))


@pytest.fixture(scope="module")
def honest(bill: Price) -> dict[str, Estimates]:
    codes = np.arange(5000) % 201
    counts = np.histogram(codes, bins=20, range=(0, 201))[0]
    inputs = ready(bill, (np.array(moments(codes, 200), dtype=object),), (counts,))
    return {name: table for name, table in answers(bill, draw(bill, inputs)).items() if isinstance(table, Estimates)}


def test_what_is_of_one_draw_fits(bill: Price, honest: dict[str, Estimates]) -> None:
    assert len(bill.measurements) == 2
    assert list(misfits(bill, honest)) == []


FORGED: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "a deviation": ("s0", lambda values: [values[0] * 1.01]),
    "a mean": ("s1", lambda values: [values[0] + 0.1]),
    "a sum": ("s2", lambda values: [values[0] + 60]),
    "a count": ("s3", lambda values: [values[0] + 2]),
    "a variance": ("s4", lambda values: [values[0] * 1.001]),
    "a bin": ("s5", lambda values: [values[0] + 1, *values[1:]]),
    "the same mean": ("s7", lambda values: [values[0] + 0.001]),
}


@pytest.mark.parametrize("name", FORGED)
def test_what_is_not_does_not(bill: Price, honest: dict[str, Estimates], name: str) -> None:
    statistic, change = FORGED[name]
    table = honest[statistic]
    forged = honest | {statistic: replace(table, value=change(list(table.value)))}
    assert list(misfits(bill, forged))


def test_a_cumulative_share_that_its_counts_do_not_give(bill: Price, honest: dict[str, Estimates]) -> None:
    raw = [share + 0.01 for share in honest["s6"].extra["raw"]]  # type: ignore[operator]
    forged = honest | {"s6": replace(honest["s6"], extra={"raw": raw})}
    assert ("s6", "s5") in misfits(bill, forged)
