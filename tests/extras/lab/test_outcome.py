"""How shares of right answers are rounded where people read them."""

from __future__ import annotations

import pytest

from dprelease.extras.lab.outcome import in_hundred, success_bound
from dprelease.extras.lab.portal.pages import at_most

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("share", "seen"),
    [(0.0, 0.0), (0.5, 50.0), (success_bound(1), 73.1), (0.9985, 99.9), (0.9994, 99.94), (success_bound(10), 99.995)],
)
def test_only_all_is_shown_as_all(share: float, seen: float) -> None:
    assert in_hundred(share) == seen
    assert in_hundred(1.0) == 100


@pytest.mark.parametrize(
    ("share", "seen"), [(0.731058, "73.2"), (0.7, "70"), (success_bound(10), "99.996"), (0.99901, "99.901"), (1, "100")]
)
def test_a_bound_is_never_rounded_down(share: float, seen: float) -> None:
    assert at_most(share).startswith(f"{seen}\u00a0") or at_most(share).startswith(f"{seen} ")
