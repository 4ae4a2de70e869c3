"""Success of an attack at each ε, as numbers to draw and to take along."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from dprelease.extras.lab.experiment import EACH, EPSILONS, PRIVATE, AttackRun, outcome

Row: TypeAlias = tuple[str, float | None, float, float, float]
"""A defence, its ε, and the shares of guessing, of this attack, and at most."""
HEAD = "defence,epsilon,guessing,won,at_most"


def epsilons(chosen: AttackRun) -> tuple[float, ...]:
    """Return every ε of the curve, and the chosen one."""
    own = {chosen.epsilon} if chosen.defence in (PRIVATE, EACH) else set()
    return tuple(sorted({*EPSILONS, *own}))


def rows(chosen: AttackRun) -> tuple[Row, ...]:
    """Return the defence that was chosen, unless it is this product; then this product at each ε."""
    first: tuple[Row, ...] = () if chosen.defence == PRIVATE else (_row(chosen, None),)
    if chosen.defence == EACH:
        first = tuple(_row(replace(chosen, epsilon=each), each) for each in epsilons(chosen))
    private = replace(chosen, defence=PRIVATE)
    return (*first, *(_row(replace(private, epsilon=each), each) for each in epsilons(chosen)))


def _row(chosen: AttackRun, epsilon: float | None) -> Row:
    found = outcome(chosen)
    return chosen.defence, epsilon, found.guessing, found.won, found.at_most


def csv(chosen: AttackRun) -> str:
    """Return the same rows as CSV, a line each, with all digits."""
    lines = [",".join("" if each is None else str(each) for each in row) for row in rows(chosen)]
    return "".join(f"{line}\n" for line in (HEAD, *lines))
