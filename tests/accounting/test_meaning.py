"""What is said of an ε: figures that can be checked by hand, and the published ones."""

from __future__ import annotations

import re
from math import e, log
from pathlib import Path
from statistics import median

import numpy as np
import pytest

from dprelease.accounting import deployments
from dprelease.accounting.epsilon_explained import meaning

pytestmark = pytest.mark.quick

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide"


def test_a_suspicion_of_one_half_becomes_at_most_73_percent_at_one() -> None:
    found = meaning(1.0, 0.0)
    assert found.factor == pytest.approx(e)
    half = found.beliefs[-1]
    assert half.before == 0.5
    assert (half.least, half.most) == pytest.approx((1 / (1 + e), e / (1 + e)))
    assert f"{half.most:.0%}" == "73%"


def test_with_a_delta_no_belief_is_bounded_but_events_are() -> None:
    found = meaning(log(2), 0.001)
    assert found.beliefs == ()
    (rare, *_, half) = found.events
    assert (rare.before, rare.most) == (0.01, pytest.approx(0.021))
    assert half.most == pytest.approx(0.7505), "from the complement: 1 - (0.5 - 0.001) / 2"


def test_the_published_figures_are_those_that_the_guide_names() -> None:
    values = deployments.PUBLISHED
    assert list(values) == sorted(values)
    assert median(values) == deployments.MEDIAN == 2.64
    quartiles = np.quantile(values, [0.25, 0.75])
    assert pytest.approx(tuple(quartiles)) == (deployments.LOWER_QUARTILE, deployments.UPPER_QUARTILE)
    assert deployments.UPPER_QUARTILE == 6.5
    for file in (GUIDE / "epsilon.md", GUIDE / "es" / "epsilon.md"):
        rows = re.findall(r"^\| [^|]+ \| [^|]+ \| [0-9]{4} \| ([0-9.,]+) \|$", file.read_text(), re.MULTILINE)
        assert sorted(float(row.replace(",", ".")) for row in rows) == list(values)


def test_where_an_epsilon_stands_among_the_published_ones() -> None:
    assert [deployments.part_below(each) for each in (0.001, 2.64, 40)] == [0, pytest.approx(14 / 27), 1]


def test_a_harm_never_suggests_more_for_more_harm() -> None:
    starts = list(deployments.HARMS.values())
    assert starts == sorted(starts, reverse=True)
    assert starts[0] < deployments.MEDIAN
