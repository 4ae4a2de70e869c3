"""The attacks as somebody chooses them: which, on what world, against which defence, at what ε; and their outcomes.

What is chosen stands in an address. Whatever an address holds beside that is ignored, and said to be.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

from dprelease.adversaries.suppression import Suppressed
from dprelease.extras.lab import attacks
from dprelease.extras.lab.defences import (
    Defence,
    Minimum,
    NoDefence,
    Private,
    RandomlyRounded,
    Rounded,
    Swapped,
    Uniform,
    variance,
)
from dprelease.extras.lab.membership import advantage, membership, of_epsilon
from dprelease.extras.lab.outcome import Outcome, success_bound
from dprelease.extras.lab.reconstruct import averaged, hadamard
from dprelease.extras.lab.tables import republished, subtract
from dprelease.extras.lab.worlds import BY_KEY, KINGS, TABLES, adults, table, visits

EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0)
"""ε of a curve, for all answers together; a chosen ε lies between the first and the last, or is one of them."""
NUMBER = re.compile(r"\d{1,2}(?:\.\d{1,4})?", re.ASCII)
PRIVATE, EACH = "private", "each"
"""Noise of this product: an ε for all answers together, or for each of them."""
KNOWN: dict[str, Defence] = {
    "exact": NoDefence(),
    "minimum-3": Minimum(3),
    "minimum-5": Minimum(5),
    "between-3": Minimum(3, both=True),
    "between-5": Minimum(5, both=True),
    "suppressed-5": Suppressed(5),
    "suppressed-10": Suppressed(10),
    "complementary-5": Suppressed(5, complementary=True),
    "rounded-5": Rounded(5),
    "rounded-10": Rounded(10),
    "random-3": RandomlyRounded(3),
    "random-5": RandomlyRounded(5),
    "swapped-10": Swapped(0.1),
    "uniform-2": Uniform(2),
    "uniform-5": Uniform(5),
}
"""Defences by what they are called in an address; `private` and `each` have an ε beside them."""
PEOPLE = 800
"""About whom something is guessed where an attack is drawn: few enough for an answer at once."""
SMALL = range(1, 5)
"""Counts that are hidden by a rule of 5."""


@dataclass(frozen=True, slots=True)
class AttackRun:
    """One attack, and what it is run on."""

    attack: str
    world: str
    defence: str
    number: str
    epsilon: float

    def address(self) -> dict[str, str]:
        """Return the query parameters of an address: those that differ from the usual ones."""
        usual = ALL[self.attack].usual(self.attack)
        named = {"e": self.attack, "world": self.world, "defence": self.defence, "n": self.number}
        named["eps"] = f"{self.epsilon:g}"
        left = {"world": usual.world, "defence": usual.defence, "n": usual.number, "eps": f"{usual.epsilon:g}"}
        return {key: value for key, value in named.items() if left.get(key) != value}


@dataclass(frozen=True, slots=True)
class Experiment:
    """Choices of an attack; the first of each is the usual."""

    worlds: tuple[str, ...]
    defences: tuple[str, ...]
    numbers: tuple[str, ...]
    """Numbers of answers or of attributes, or ways to ask; none where there is nothing to say."""
    compute: Callable[[AttackRun, Defence], Outcome]
    answers: int = 1
    """Among how many the budget is divided; 0 for as many as the number says."""
    number: str = ""
    """The usual one, if not the first."""

    def usual(self, attack: str) -> AttackRun:
        number = self.number or next(iter(self.numbers), "")
        return AttackRun(attack, self.worlds[0], self.defences[0], number, 1.0)


def read(query: Mapping[str, str], of: str = "") -> tuple[AttackRun, tuple[str, ...]]:
    """Read the run that an address asks for, and the names of what it asks for in vain, for which the usual stands.

    `of`: the attack, where a page has no other.
    """
    vain = [key for key in query if key not in ("e", "world", "defence", "n", "eps")]
    attack = query.get("e", of or FIRST)
    if attack not in (EXPERIMENTS if not of else (of,)):
        vain.append("e")
        attack = of or FIRST
    experiment = ALL[attack]
    usual = experiment.usual(attack)

    def one(key: str, allowed: tuple[str, ...], otherwise: str) -> str:
        asked = query.get(key, otherwise)
        if asked in allowed:
            return asked
        if asked != otherwise:
            vain.append(key)
        return otherwise

    epsilon = _epsilon(query.get("eps", f"{usual.epsilon:g}"))
    if epsilon is None:
        vain.append("eps")
    return AttackRun(
        attack,
        one("world", experiment.worlds, usual.world),
        one("defence", experiment.defences, usual.defence),
        one("n", experiment.numbers, usual.number),
        usual.epsilon if epsilon is None else epsilon,
    ), tuple(vain)


def _epsilon(text: str) -> float | None:
    """Return ε from its text, with at most four decimals; None if out of range."""
    found = float(text) if NUMBER.fullmatch(text) else 0.0
    return found if EPSILONS[0] <= found <= EPSILONS[-1] else None


@lru_cache(maxsize=1024)
def outcome(chosen: AttackRun) -> Outcome:
    """Compute the outcome of an attack; the ε that was chosen is for all of its answers together."""
    experiment = ALL[chosen.attack]
    if chosen.defence == EACH:
        return experiment.compute(chosen, Private(chosen.epsilon))
    if chosen.defence != PRIVATE:
        return experiment.compute(chosen, KNOWN[chosen.defence])
    answers = int(chosen.world) if chosen.attack == "hadamard" else experiment.answers or int(chosen.number)
    return experiment.compute(chosen, Private(chosen.epsilon / answers))


def question_list(chosen: AttackRun) -> attacks.Tracked:
    """Return a tracker's questions, and if each is answered."""
    rule = KNOWN.get(chosen.defence, NoDefence())
    return attacks.tracker(BY_KEY[chosen.world], chosen.number, rule)


def _difference(chosen: AttackRun, defence: Defence) -> Outcome:
    return attacks.difference(adults() - BY_KEY[chosen.world].adult, defence)


def _tracker(chosen: AttackRun, defence: Defence) -> Outcome:
    if isinstance(defence, Private):
        return attacks.salary(defence)
    found = question_list(chosen).found
    guessing = attacks.salary(NoDefence()).guessing
    return Outcome(guessing, 1.0 if found else guessing, 1.0)


def _repeat(chosen: AttackRun, defence: Defence) -> Outcome:
    return attacks.repeat({"kings": 5, "eve": 47}[chosen.world], defence, int(chosen.number))


def _reconstruct(chosen: AttackRun, defence: Defence) -> Outcome:
    people, questions = _asked(chosen)
    if isinstance(defence, Private):
        defence = Private(defence.epsilon / questions)
    return averaged(people, questions, defence, PEOPLE // people)


def _asked(chosen: AttackRun) -> tuple[int, int]:
    return int(chosen.world), round(int(chosen.world) * float(chosen.number))


def _membership(chosen: AttackRun, defence: Defence) -> Outcome:
    epsilon = defence.epsilon if isinstance(defence, Private) else None
    people = int(chosen.world)
    return membership(people, int(chosen.number), epsilon, groups=PEOPLE // people // 2).outcome


def _hadamard(chosen: AttackRun, defence: Defence) -> Outcome:
    """Estimate by theory: as many sums as people, whose noise is nearly normal once all of them are put together."""
    people = int(chosen.world)
    most = success_bound(chosen.epsilon) if isinstance(defence, Private) else 1.0
    noise = variance(defence)
    return Outcome(0.5, min(most, hadamard(people, sqrt(noise)) if noise else 1.0), most)


def _scores(chosen: AttackRun, defence: Defence) -> Outcome:
    """Estimate by theory, with attributes that half of all people have."""
    people, attributes = int(chosen.world), int(chosen.number)
    private = isinstance(defence, Private)
    most = success_bound(chosen.epsilon) if private else 1.0
    noise = of_epsilon(chosen.epsilon, attributes) if private else 0.0
    return Outcome(0.5, min(most, (1 + advantage(people, attributes, noise)) / 2), most)


def _cells(chosen: AttackRun, defence: Defence) -> Outcome:
    if isinstance(defence, Suppressed):
        return subtract(table(TABLES[chosen.world], list(visits())), defence).outcome
    return attacks.named(SMALL, defence)


def _twice(chosen: AttackRun, defence: Defence) -> Outcome:
    return republished(list(visits()), TABLES[chosen.world], defence).outcome


KING_KEYS = ("sigerico", *(king.key for king in KINGS if king.key != "sigerico"))
TWO_COLUMNS = ("ages-wards", "wards-regions", "ages-regions")
EXPERIMENTS: dict[str, Experiment] = {
    "difference": Experiment(
        KING_KEYS,
        ("exact", "minimum-5", "suppressed-10", "rounded-5", "random-5", "swapped-10", "uniform-2", PRIVATE),
        (),
        _difference,
        answers=2,
    ),
    "tracker": Experiment(
        KING_KEYS,
        ("exact", "minimum-3", "minimum-5", "between-3", "between-5", PRIVATE),
        attacks.WAYS,
        _tracker,
        answers=2,
    ),
    "repeat": Experiment(
        ("kings", "eve"),
        ("uniform-2", "exact", "rounded-5", "random-3", EACH, PRIVATE),
        ("1", "5", "11", "25", "49", "101", "1001"),
        _repeat,
        answers=0,
        number="11",
    ),
    "reconstruct": Experiment(
        ("100", "250"),
        ("exact", "rounded-5", "rounded-10", "random-5", "uniform-5", "swapped-10", PRIVATE),
        ("0.5", "1", "2", "4"),
        _reconstruct,
        number="2",
    ),
    "membership": Experiment(("100", "50"), ("exact", PRIVATE), ("100", "300", "1000"), _membership, number="300"),
    "cells": Experiment(
        TWO_COLUMNS,
        (
            "suppressed-5",
            "complementary-5",
            "rounded-5",
            "random-5",
            "exact",
            PRIVATE,
        ),
        (),
        _cells,
    ),
    "twice": Experiment(
        ("wards-regions", *TWO_COLUMNS[::2], "ages-wards-regions"),
        ("suppressed-5", "suppressed-10", "rounded-5", "exact", PRIVATE),
        (),
        _twice,
        answers=2,
    ),
}
FIRST = next(iter(EXPERIMENTS))
BY_THEORY: dict[str, Experiment] = {
    "hadamard": Experiment(
        ("1024", "64", "256", "4096"),
        ("exact", "rounded-5", "rounded-10", "random-5", "uniform-5", PRIVATE),
        (),
        _hadamard,
    ),
    "scores": Experiment(
        ("100", "50", "1000"), ("exact", PRIVATE), ("100", "300", "1000", "5000"), _scores, number="300"
    ),
}
"""Experiments on reconstruction and membership by a formula: nothing is drawn, so that a browser finds the same."""
ALL = EXPERIMENTS | BY_THEORY
