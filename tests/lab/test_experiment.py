"""What an address asks for, and that no outcome that can be chosen is above its bound."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprelease.lab.experiment import EPSILONS, EXPERIMENTS, PRIVATE, Chosen, outcome, read


@pytest.mark.parametrize(
    "attack", [pytest.param(each, marks=pytest.mark.full if each == "tracker" else ()) for each in EXPERIMENTS]
)
def test_every_choice_stands_in_an_address_and_stays_below_its_bound(attack: str) -> None:
    """Of what is drawn, within 5 standard deviations; the seeds are fixed, so that it passes for ever or never."""
    experiment = EXPERIMENTS[attack]
    for world, defence, number in product(experiment.worlds, experiment.defences, experiment.numbers or ("",)):
        for epsilon in EPSILONS if defence == PRIVATE else (1.0,):
            chosen = Chosen(attack, world, defence, number, epsilon)
            assert read(chosen.address()) == (chosen, ())
            assert sum(map(len, [*chosen.address(), *chosen.address().values()])) < 250
            found = outcome(chosen)
            assert found.guessing - found.error - 1e-9 <= found.won <= found.at_most + found.error + 1e-9
            assert (found.at_most < 1) == (defence == PRIVATE)


def test_the_usual_choice_needs_no_address() -> None:
    for attack, experiment in EXPERIMENTS.items():
        assert experiment.usual(attack).address() == {"e": attack}
        assert read({"e": attack}) == (experiment.usual(attack), ())
        assert PRIVATE in experiment.defences


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
