"""What an address asks for, and that no outcome that can be chosen is above its bound."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprelease.extras.lab.chance import integers, uniforms
from dprelease.extras.lab.experiment import BY_THEORY, EACH, EPSILONS, EXPERIMENTS, PRIVATE, AttackRun, outcome, read
from dprelease.extras.lab.outcome import drawn_error
from dprelease.extras.lab.worlds import people
from tests.extras.lab.oracle import by_hadamard


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "attack", [pytest.param(each, marks=pytest.mark.full if each == "tracker" else ()) for each in EXPERIMENTS]
)
def test_every_choice_stands_in_an_address_and_stays_below_its_bound(attack: str) -> None:
    """Of what is drawn, within 5 standard deviations; the seeds are fixed, so that it passes for ever or never."""
    experiment = EXPERIMENTS[attack]
    for world, defence, number in product(experiment.worlds, experiment.defences, experiment.numbers or ("",)):
        for epsilon in EPSILONS if defence == PRIVATE else (1.0,):
            chosen = AttackRun(attack, world, defence, number, epsilon)
            assert read(chosen.address()) == (chosen, ())
            assert sum(map(len, [*chosen.address(), *chosen.address().values()])) < 250
            found = outcome(chosen)
            assert found.guessing - found.error - 1e-9 <= found.won <= found.at_most + found.error + 1e-9
            assert (found.at_most < 1) == (defence == PRIVATE) or defence == EACH


def test_the_usual_choice_needs_no_address() -> None:
    for attack, experiment in EXPERIMENTS.items():
        assert experiment.usual(attack).address() == {"e": attack}
        assert read({"e": attack}) == (experiment.usual(attack), ())
        assert PRIVATE in experiment.defences


@pytest.mark.parametrize("attack", BY_THEORY)
def test_what_a_formula_says_stands_in_an_address_and_below_its_bound(attack: str) -> None:
    experiment = BY_THEORY[attack]
    for world, defence, number in product(experiment.worlds, experiment.defences, experiment.numbers or ("",)):
        for epsilon in (0.1, 0.7, 3.25, 10.0) if defence == PRIVATE else (1.0,):
            chosen = AttackRun(attack, world, defence, number, epsilon)
            assert read(chosen.address(), attack) == (chosen, ())
            assert "e" in read(chosen.address())[1], "the dashboard has none of that name"
            assert 0.5 <= outcome(chosen).won <= outcome(chosen).at_most
            assert (outcome(chosen).at_most < 1) == (defence == PRIVATE)


def test_the_formula_of_a_hadamard_matrix_is_what_is_drawn() -> None:
    """Reconstruction with all 1,024 sums and noise of ±5: within five standard deviations; the seed is fixed."""
    noise = integers(uniforms("hadamard", 1024), 5).astype(float)
    truth = people(1024, "hadamard")
    won = float((by_hadamard(truth, noise) == truth).mean())
    expected = outcome(AttackRun("hadamard", "1024", "uniform-5", "", 1.0)).won
    assert abs(won - expected) <= drawn_error(expected, 1024)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["e", "world", "defence", "n", "eps", "x"]), st.text(max_size=12)))
def test_any_address_gets_something_that_exists(query: dict[str, str]) -> None:
    chosen, vain = read(query)
    experiment = EXPERIMENTS[chosen.attack]
    assert chosen.world in experiment.worlds
    assert chosen.defence in experiment.defences
    assert chosen.number in (experiment.numbers or ("",))
    assert EPSILONS[0] <= chosen.epsilon <= EPSILONS[-1]
    assert set(vain) <= set(query)
