"""The programs that people take along print what the lab computes."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from io import StringIO
from itertools import product

import pytest

from dprelease.extras.lab import two_tables
from dprelease.extras.lab.curves import csv as curve
from dprelease.extras.lab.experiment import ALL, AttackRun
from dprelease.extras.lab.mechanism_snippets import mechanism_snippet
from dprelease.extras.lab.snippets import snippet
from dprelease.extras.lab.two_tables import MECHANISMS, pair_of

MAX_LINES = 30
SEVERAL = "import sys\nfor text in sys.stdin.read().split('\\0'):\n    exec(text, {})\n    print('-')\n"
"""Runs programs one after the other, each in names of its own: numpy is loaded once."""


def states(attack: str) -> list[AttackRun]:
    """Every defence; of worlds and numbers, the usual and the last."""
    experiment = ALL[attack]
    usual = experiment.usual(attack)
    places = {(usual.world, usual.number), (experiment.worlds[-1], next(reversed(experiment.numbers), ""))}
    if attack == "reconstruct":  # which takes a while
        places = {("100", "0.5")}
    return [AttackRun(attack, *place, 1.0) for place in all_of(places, experiment.defences)]


def all_of(places: set[tuple[str, str]], defences: tuple[str, ...]) -> list[tuple[str, str, str]]:
    return [(world, defence, number) for (world, number), defence in product(sorted(places), defences)]


def run(programs: list[str]) -> list[str]:
    """What each prints, in a Python that knows nothing of this project."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", SEVERAL],
        input="\0".join(programs),
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("-\n")[:-1]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("attack", ALL)
def test_a_program_prints_the_file_of_its_picture(attack: str) -> None:
    chosen = states(attack)
    for state, printed in zip(chosen, run([snippet(each) for each in chosen]), strict=True):
        found, wanted = (list(csv.reader(StringIO(text))) for text in (printed, curve(state)))
        assert [row[:1] for row in found] == [row[:1] for row in wanted]
        for one, other in zip(found[1:], wanted[1:], strict=True):
            own = [float(each or 0) for each in other[1:]]
            assert [float(each or 0) for each in one[1:]] == pytest.approx(own, abs=1e-9), state


@pytest.mark.parametrize("attack", ALL)
def test_a_program_is_short_and_needs_numpy_alone(attack: str) -> None:
    for chosen in states(attack):
        text = snippet(chosen)
        assert len(text.splitlines()) <= MAX_LINES
        assert all(len(line) <= 120 or line.startswith(("rows = ", "told = ")) for line in text.splitlines())
        assert "dprelease" not in text
        assert "@" not in text.replace(" @ ", " ")


def test_a_program_prints_the_two_tables_of_each_mechanism() -> None:
    states = [*product(MECHANISMS, (0.1, 1.0, 7.25), (1, 3))]
    for state, printed in zip(states, run([mechanism_snippet(*each) for each in states]), strict=True):
        wanted = list(csv.reader(StringIO(two_tables.csv(pair_of(*state)))))
        found = list(csv.reader(StringIO(printed)))
        assert found[0] == wanted[0]
        assert len(found) == len(wanted)
        table, own = ([list(map(float, row)) for row in rows[1:]] for rows in (found, wanted))
        assert [row[:3] for row in table] == [pytest.approx(row[:3], abs=1e-9) for row in own], state
        if state[0] != "gaussian_real":  # whose smallest cells are rounding, and so is what they tell
            assert table == [pytest.approx(row, abs=1e-9) for row in own], state
        assert len(mechanism_snippet(*state).splitlines()) <= MAX_LINES
