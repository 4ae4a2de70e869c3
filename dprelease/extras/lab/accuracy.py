"""Accuracy of the sparse vector technique, and the scales of its noise; Δ = 1.

(α, β)-accurate: but for a probability of β whatever is told above the threshold T is at least T − α, and whatever is
told below at most T + α, of k questions of which at most c reach T − α. Dwork, Roth 2014, chapter 3.
"""

from __future__ import annotations

from math import log, sqrt

OUTER = sqrt(512) / (sqrt(512) + 1)
"""Part of ε that the questions have where answers are told by their numbers and δ > 0; 8/9 where δ = 0."""


def sparse_scale(epsilon: float, above: int, delta: float = 0.0) -> float:
    """Return the scale of the threshold's noise for c answers, 2c/ε or √(32 c ln(1/δ))/ε; twice that a question."""
    return sqrt(32 * above * log(1 / delta)) / epsilon if delta else 2 * above / epsilon


def numeric_scale(epsilon: float, above: int, delta: float = 0.0) -> float:
    """Return the same where numbers are told: 2c/(8ε/9), or √(32 c ln(2/δ)) over √512/(√512 + 1) ε."""
    return sqrt(32 * above * log(2 / delta)) / (OUTER * epsilon) if delta else 2 * above / (8 / 9 * epsilon)


def one_above(epsilon: float, questions: int, beta: float) -> float:
    """Return α of one answer above: 8 (ln k + ln(2/β)) / ε. Theorem 5.1.4 of the source."""
    return 8 * (log(questions) + log(2 / beta)) / epsilon


def several_above(epsilon: float, questions: int, beta: float, above: int, delta: float = 0.0) -> float:
    """Return α of c answers above: 4 s (ln k + ln(2c/β)), s the scale of the threshold. Theorem 5.1.6."""
    return 4 * sparse_scale(epsilon, above, delta) * (log(questions) + log(2 * above / beta))


def numbers_told(epsilon: float, questions: int, beta: float, above: int, delta: float = 0.0) -> float:
    """Return α where c answers are told by their numbers: 4 s (ln k + ln(4c/β)). Theorem 5.1.9."""
    return 4 * numeric_scale(epsilon, above, delta) * (log(questions) + log(4 * above / beta))


def chosen(epsilon: float, questions: int, beta: float) -> float:
    """Return how far ahead the best of k must lie for the exponential mechanism to choose it but for β.

    Of monotone scores: ln((k − 1)(1 − β)/β) / ε: all questions have to be known beforehand.
    """
    return log((questions - 1) * (1 - beta) / beta) / epsilon
