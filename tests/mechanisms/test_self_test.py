"""The noise library's own test: its limits are exact, and faults of each part of the library are found."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import dprelease
from dprelease.errors import NoiseLibraryError
from dprelease.mechanisms import library, self_test
from dprelease.words.language import speaking

ALARM = 1e-9
"""The chance that a right library is below a limit, or above it."""
ALL = 1.94e-8
"""Of all limits together, as docs/privacy.md states it."""


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """No pass is remembered from or for another test."""
    self_test._passed.cache_clear()
    yield
    self_test._passed.cache_clear()


def _pmf(name: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    k = np.arange(-200, 201)
    weights = np.exp(-((k / 3) ** 2) / 2) if name == "discrete_gaussian" else np.exp(-np.abs(k) / 3)
    return k, weights / weights.sum()


def _law(name: str, counted: str) -> tuple[Callable[[int], float], Callable[[int], float]]:
    """P(count < low) and P(count > high), by the binomial law, or of the exact law of a sum of squares."""
    if counted == "squares":
        k, chances = _pmf(name)
        one = np.zeros(2**18)
        np.add.at(one, k * k, chances)
        whole = np.fft.irfft(np.fft.rfft(one) ** self_test.DRAWS, len(one))
        return (lambda low: float(whole[:low].sum())), (lambda high: float(whole[high + 1 :].sum()))
    draws, chance = {
        "exponential": (self_test.CHOICES, 1 / (1 + exp(1.5))),
        "permute_and_flip": (self_test.CHOICES, exp(-1.5) / 2),
        "randomized_response": (self_test.BITS, 0.25),
    }.get(name, (self_test.DRAWS, 0.0))
    if not chance:
        zero = float(_pmf(name)[1][200])
        chance = zero if counted == "zeros" else (1 - zero) / 2
    law = stats.binom(draws, chance)
    return (lambda low: float(law.cdf(low - 1))), (lambda high: float(law.sf(high)))


def test_the_limits_are_the_tightest_of_their_rate_and_the_sum_of_false_alarms_is_as_stated() -> None:
    total = 0.0
    for (name, counted), (low, high) in self_test.LIMITS.items():
        if counted == "names":
            continue  # a count of 1,000 never falls below 1
        below, above = _law(name, counted)
        assert below(low) <= ALARM < below(low + 1), (name, counted)
        assert above(high) <= ALARM < above(high - 1), (name, counted)
        total += below(low) + above(high)
    assert total == pytest.approx(ALL, rel=0.02)


def test_the_library_passes_once_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails by chance once in fifty million runs."""
    self_test.require(charged=False)
    monkeypatch.setattr(self_test, "_check_draws", lambda: pytest.fail("tested twice"))
    self_test.require(charged=False)


def test_the_installed_range_is_that_of_the_package() -> None:
    stated = tomllib.loads((Path(dprelease.__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
    assert "opendp>=0.16.0,<0.17" in stated["project"]["dependencies"]
    assert self_test.RANGE == ((0, 16), (0, 17))


@pytest.mark.parametrize("version", ["0.15.9", "0.17.0", "1.0", "0.17.0a1", "nightly"])
def test_a_version_that_was_not_tried_is_refused(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(self_test, "installed", lambda: version)
    with pytest.raises(NoiseLibraryError) as caught:
        self_test.require(charged=False)
    assert str(caught.value) == (
        f"The noise library (opendp {version}) did not pass its test: version: found {version}; allowed from 0.16 on, "
        "below 0.17. Nothing was charged. Install opendp 0.16.0."
    )
    with speaking("es"):
        assert str(caught.value).startswith(f"La biblioteca de ruido (opendp {version}) no superó su prueba: versión")


class Faulty:
    """A measurement of the library that draws or states something else."""

    def __init__(self, right: Any, draw: Callable[[Any], Any] | None = None, share: float = 1) -> None:
        self.right, self.draw, self.share = right, draw or right, share

    def __call__(self, given: Any) -> Any:
        return self.draw(given)

    def map(self, distance: Any) -> Any:
        loss = self.right.map(distance)
        return tuple(self.share * each for each in loss) if isinstance(loss, tuple) else self.share * loss


Make = Callable[..., Any]
FAULTS: dict[str, Callable[[Make], Make]] = {
    "scale × 1.5": lambda make: lambda scale, *rest: Faulty(make(scale, *rest), make(1.5 * scale, *rest)),
    "scale × ⅔": lambda make: lambda scale, *rest: Faulty(make(scale, *rest), make(scale / 1.5, *rest)),
    "no noise": lambda make: lambda *given: Faulty(make(*given), lambda exact: exact),
    "one side": lambda make: lambda *given: Faulty(make(*given), lambda exact: np.abs(make(*given)(exact))),
    "always the best": lambda make: lambda *given: Faulty(make(*given), np.argmax),
    "always the worst": lambda make: lambda *given: Faulty(make(*given), np.argmin),
    "half the map": lambda make: lambda *given: Faulty(make(*given), share=0.5),
    "a millionth more": lambda make: lambda *given: Faulty(make(*given), share=1 + 1e-6),
}
NOISE, MAPS = ("scale × 1.5", "scale × ⅔", "no noise"), ("half the map", "a millionth more")
FOUND = [
    *((name, fault) for name in ("laplace", "gaussian") for fault in (*NOISE, "one side", *MAPS)),
    *(("laplace_threshold", fault) for fault in (*NOISE, *MAPS)),
    *(("coins", fault) for fault in NOISE),
    *((name, f"always the {one}") for name in ("exponential", "permute_and_flip") for one in ("best", "worst")),
    *((name, fault) for name in ("exponential", "permute_and_flip", "top_k", "randomized_response") for fault in MAPS),
]


@pytest.fixture(scope="module")
def workspace() -> dprelease.Workspace:
    """One with a plan that waits for its charge, which none of the tests makes."""
    made = dprelease.Workspace.in_memory()
    made.add_dataset("t", [{"f": "a"}, {"f": "b"}], columns=COLUMNS, epsilon=99, unit="row")
    made.plans.approve(made.plans.submit(dprelease.Plan.parse(PLAN)))
    return made


@pytest.mark.parametrize(("name", "fault"), FOUND, ids=lambda part: part)
def test_a_fault_is_refused_and_nothing_is_charged(
    workspace: dprelease.Workspace, monkeypatch: pytest.MonkeyPatch, name: str, fault: str
) -> None:
    """Each missed at most once in a million runs."""
    before = len(workspace.ledger.events())
    monkeypatch.setattr(library, name, FAULTS[fault](getattr(library, name)))
    with pytest.raises(NoiseLibraryError, match=r"did not pass its test: .*: found .*; allowed .*\. Nothing was"):
        workspace.publish(dprelease.Plan.parse(PLAN), again=True)
    assert len(workspace.ledger.events()) == before


COLUMNS = {"f": {"type": "category", "categories": ["a", "b"]}}
PLAN = {
    "dprelease": 1,
    "dataset": "t",
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 0.5},
    "statistics": [{"id": "n", "kind": "count"}],
}
