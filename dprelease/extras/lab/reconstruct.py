"""Reconstruction: a secret bit of everybody, from the sums over many groups that were drawn by chance.

Dinur and Nissim (2003): whoever answers too many questions too well tells everything. The attack is the linear estimate
with the least mean error, ridge regression with λ = 4·variance of the noise (a bit has a variance of ¼), rounded. Least
squares would fail with as many questions as people, for no other reason than that the equations are ill-conditioned.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erf, sqrt

import numpy as np
from numpy.typing import NDArray

from dprelease.extras.lab.chance import Floats, bits
from dprelease.extras.lab.defences import Defence, Private, Swapped, publish, variance
from dprelease.extras.lab.outcome import Outcome, drawn_error, success_bound
from dprelease.extras.lab.worlds import people

LEAST = 1e-6
"""λ where answers are exact: of all that fit, the one that is nearest to ½."""


@dataclass(frozen=True, slots=True)
class Reconstruction:
    """Everybody's bit, and what the attack takes it to be."""

    truth: Floats
    guessed: Floats
    outcome: Outcome

    @property
    def right(self) -> NDArray[np.bool_]:
        return np.asarray(self.truth == self.guessed)


def reconstruct(number: int, questions: int, defence: Defence, seed: str = "0") -> Reconstruction:
    """Attack so many people by so many questions, each about half of them; private: each answer costs ε."""
    truth = people(number, f"{number}/{seed}")
    asked = bits(f"asked/{number}/{questions}/{seed}", questions, number)
    noise = f"noise/{number}/{questions}/{seed}"
    known = _swapped(truth, defence.share, noise) if isinstance(defence, Swapped) else truth
    told = publish(asked @ known, defence, noise)
    guessed = guess(asked, told, defence)
    won = float((guessed == truth).mean())
    private = success_bound(questions * defence.epsilon) if isinstance(defence, Private) else 1.0
    return Reconstruction(truth, guessed, Outcome(0.5, won, private, drawn_error(won, number)))


def _swapped(truth: Floats, share: float, seed: str) -> Floats:
    """Return the bits after so many people handed theirs on to the next of them."""
    found = truth.copy()
    swapped = np.flatnonzero(bits(seed, len(truth), chance=share))
    found[swapped] = np.roll(truth[swapped], 1)
    return found


def averaged(number: int, questions: int, defence: Defence, runs: int) -> Outcome:
    """Average the outcome of `reconstruct` over several draws."""
    found = [reconstruct(number, questions, defence, str(run)).outcome for run in range(runs)]
    won = float(np.mean([each.won for each in found]))
    return Outcome(0.5, won, found[0].at_most, drawn_error(won, number * runs))


def guess(asked: Floats, told: Floats, defence: Defence) -> Floats:
    """Return the bits from the answers: x = ½ + (AᵀA + λI)⁻¹ Aᵀ (y − A·½), rounded; in the smaller of its two forms."""
    weight = max(4 * variance(defence), LEAST)
    over = told - asked.sum(axis=1) / 2
    questions, number = asked.shape
    if questions < number:
        found = asked.T @ np.linalg.solve(asked @ asked.T + weight * np.eye(questions), over)
    else:
        found = np.linalg.solve(asked.T @ asked + weight * np.eye(number), asked.T @ over)
    return np.asarray(found > 0, dtype=np.float64)


def hadamard(number: int, deviation: float) -> float:
    """Return the expected share of right bits where the n sums by the rows of a Hadamard matrix have noise of σ.

    Its inverse is its transpose over n, so that each bit has an error of standard deviation σ·2/√n about 0 or 1:
    Φ(√n / 4σ) (Dwork and Yekhanin 2008). To stop it, σ has to grow as √n.
    """
    return (1 + erf(sqrt(number) / (4 * deviation) / sqrt(2))) / 2
