"""Reconstruction and membership: simulations within binomial limits, theory to nine digits."""

from __future__ import annotations

from math import erf, sqrt
from typing import Any

import numpy as np
import pytest

from dprelease.extras.lab.chance import bits, normals
from dprelease.extras.lab.defences import Defence, NoDefence, Private, RandomlyRounded, Rounded, Swapped, Uniform
from dprelease.extras.lab.membership import advantage, membership, of_epsilon, of_rho
from dprelease.extras.lab.outcome import success_bound
from dprelease.extras.lab.reconstruct import guess, hadamard, reconstruct
from tests.extras.lab.oracle import ORACLE, by_hadamard, transformed


def defence(noise: str, questions: int) -> Defence:
    match noise.replace("±", "").split():
        case ["exact"]:
            return NoDefence()
        case ["rounded", "to", base]:
            return Rounded(int(base))
        case ["uniform", reach]:
            return Uniform(int(reach))
        case ["Laplace,", "eps", epsilon, how, *_]:
            return Private(float(epsilon) / (questions if how == "in" else 1))
    raise AssertionError(noise)


ROWS = [row for row in ORACLE["reconstruction"] if row["n"] * row["m"] <= 20_000]
"""The others would take minutes; the full suite has them."""


def checked(row: dict[str, Any]) -> None:
    number, questions = row["n"], row["m"]
    given = defence(row["noise"], questions)
    runs = [reconstruct(number, questions, given, str(run)) for run in range(row["reps"])]
    share = float(np.mean([run.outcome.won for run in runs]))
    limit = 6 * sqrt(0.25 / (number * row["reps"]))
    assert share == pytest.approx(row["mean"], abs=2**0.5 * limit)
    if row["noise"] == "exact" and questions >= number:
        assert share == row["mean"] == 1
    for run in runs:
        assert run.outcome.won == pytest.approx(run.right.mean())
        assert run.outcome.won <= run.outcome.at_most + run.outcome.error


@pytest.mark.one_in(15)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['n']} {row['m']} {row['noise']}")
def test_the_share_of_bits(row: dict[str, Any]) -> None:
    """Both figures are draws: a difference of 6 standard deviations, a false alarm in one of 10^8 seeds."""
    checked(row)


@pytest.mark.full
@pytest.mark.parametrize(
    "row", [row for row in ORACLE["reconstruction"] if row not in ROWS], ids=lambda row: f"{row['n']} {row['noise']}"
)
def test_the_share_of_many_bits(row: dict[str, Any]) -> None:
    checked(row)


def test_both_forms_of_the_estimate_agree() -> None:
    truth, asked = bits("truth", 40), bits("asked", 40, 40)
    told = asked @ truth + normals("told", 40)
    wide = np.vstack([asked, np.zeros((1, 40))])
    assert (guess(asked[:39], told[:39], Rounded(3)) == guess(asked[:39], told[:39], Rounded(3))).all()
    assert (guess(wide, np.append(told, 0), Uniform(2)) == guess(asked, told, Uniform(2))).all()


@pytest.mark.parametrize("given", [RandomlyRounded(5), Swapped(0.1)])
def test_other_defences(given: Defence) -> None:
    found = reconstruct(100, 400, given).outcome
    assert 0.5 < found.won <= found.at_most == 1


class TestHadamard:
    @pytest.mark.parametrize("row", ORACLE["hadamard"], ids=lambda row: str(row["sigma"]))
    def test_theory_and_draws(self, row: dict[str, float]) -> None:
        number, deviation = int(row["n"]), row["sigma"]
        expected = hadamard(number, deviation)
        assert expected == pytest.approx(row["theory"], abs=6e-7)
        truth = bits("hadamard", number)
        found = by_hadamard(truth, deviation * normals(f"hadamard {deviation}", number))
        limit = 6 * sqrt(max(expected * (1 - expected), 1 / number) / number)
        assert float((found == truth).mean()) == pytest.approx(expected, abs=limit)

    def test_the_transform(self) -> None:
        matrix = np.array([[1.0]])
        for _ in range(3):
            matrix = np.block([[matrix, matrix], [matrix, -matrix]])
        values = normals("transform", 8)
        assert transformed(values) == pytest.approx(matrix @ values)
        assert transformed(transformed(values)) / 8 == pytest.approx(values)

    @pytest.mark.parametrize("number", [64, 1024])
    @pytest.mark.parametrize("rho", ORACLE["gaussian_counts"])
    def test_a_budget_in_rho_whatever_the_number(self, rho: str, number: int) -> None:
        """The sums have σ² = n / 2ρ, so that Φ(√n / 4σ) = Φ(√(2ρ) / 4)."""
        found = hadamard(number, sqrt(of_rho(float(rho), number)))
        assert found == pytest.approx(ORACLE["gaussian_counts"][rho], abs=5e-4)

    @pytest.mark.parametrize("epsilon", ORACLE["pure_counts_1024"])
    def test_a_budget_in_epsilon(self, epsilon: str) -> None:
        found = hadamard(1024, sqrt(of_epsilon(float(epsilon), 1024)))
        assert found == pytest.approx(ORACLE["pure_counts_1024"][epsilon], abs=5e-4)


class TestMembership:
    @pytest.mark.parametrize("row", ORACLE["homer"], ids=lambda row: f"{row['d']} {row['rho']}")
    def test_theory(self, row: dict[str, float]) -> None:
        variance = of_rho(row["rho"], int(row["d"])) if row["rho"] else 0.0
        assert advantage(int(row["n"]), int(row["d"]), variance) == pytest.approx(row["advantage_theory"], abs=6e-7)
        if row["rho"]:
            assert row["advantage_theory"] < erf(sqrt(row["rho"]) / 2)

    @pytest.mark.parametrize("row", ORACLE["membership_simulated"], ids=lambda row: f"{row['d']} {row['rho']}")
    def test_draws(self, row: dict[str, Any]) -> None:
        """Of 4,000 scores, or 1,000 of the largest; the other figure had at least 400."""
        groups = 5 if row["d"] > 1000 else 20
        found = membership(100, row["d"], rho=row["rho"], groups=groups).outcome
        assert 2 * found.won - 1 == pytest.approx(row["advantage"], abs=2 * (found.error + 6 * sqrt(0.25 / 400)))

    @pytest.mark.parametrize(("attributes", "epsilon"), [(100, None), (1000, None), (1000, 1.0), (200, 100.0)])
    def test_draws_win_what_theory_says(self, attributes: int, epsilon: float | None) -> None:
        """Within 5 standard deviations, and 0.02 for theory taking all attributes for equally frequent."""
        found = membership(100, attributes, epsilon, groups=20)
        assert found.outcome.won == pytest.approx(found.expected, abs=found.outcome.error + 0.02)
        assert found.outcome.won <= found.outcome.at_most + found.outcome.error
        assert len(found.members) == len(found.others) == 2000

    @pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0, 10.0])
    def test_theory_is_below_the_bound(self, epsilon: float) -> None:
        for people, attributes in ((10, 10), (10, 1000), (1000, 100)):
            right = (1 + advantage(people, attributes, of_epsilon(epsilon, attributes))) / 2
            assert 0.5 <= right <= success_bound(epsilon)
