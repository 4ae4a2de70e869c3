"""A kind is read in few files: what kinds share are values and functions, not parents."""

from __future__ import annotations

import pytest

from dprelease.model.statistic import KINDS
from dprelease.statistics import PLACES

MOST = 3
OTHERS = {"naive_bayes": 4, "scorecard": 4}
"""Models by bins that may be tried on units held out."""


def ancestors(kind: str) -> list[type]:
    return [each for each in KINDS[kind].__mro__[1:] if each.__module__.startswith("dprelease")]


@pytest.mark.parametrize("kind", PLACES)
def test_a_kind_has_at_most_three_ancestors(kind: str) -> None:
    assert len(ancestors(kind)) <= OTHERS.get(kind, MOST), ancestors(kind)


@pytest.mark.parametrize("kind", PLACES)
def test_a_kind_offers_no_option_that_no_kind_shares(kind: str) -> None:
    cls = KINDS[kind]
    assert {*cls.offers} <= cls.options().keys()
    assert len({*cls.offers}) == len(cls.offers)
