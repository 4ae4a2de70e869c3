"""What a picture shows of an attack: what the defence publishes, and what the totals tell."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dprelease.extras.lab import scenes
from dprelease.extras.lab.experiment import EXPERIMENTS, PRIVATE, AttackRun, outcome
from dprelease.extras.lab.worlds import TABLES, table, visits


def usual(attack: str, **others: str) -> AttackRun:
    return replace(EXPERIMENTS[attack].usual(attack), **others)


def test_two_counts_and_their_difference() -> None:
    assert scenes.difference(usual("difference", world="walia")) == (6, 5)
    assert scenes.difference(usual("difference", defence="suppressed-10")) == (None, None)
    assert scenes.difference(usual("difference", defence="rounded-5")) == (5, 5)


def test_answers_to_one_question() -> None:
    assert scenes.repeat(usual("repeat", defence="exact", number="1001")) == (6,) * scenes.ANSWERS
    assert set(scenes.repeat(usual("repeat", defence="random-3", world="kings"))) <= {6, 9}
    drawn = scenes.repeat(usual("repeat"))
    assert len(set(drawn)) > 1
    assert all(each is not None and abs(each - 6) <= 2 for each in drawn)


@pytest.mark.parametrize("world", EXPERIMENTS["cells"].worlds)
def test_a_hidden_cell_is_between_its_ends(world: str) -> None:
    counts = table(TABLES[world], list(visits()))
    for defence in ("suppressed-5", "complementary-5"):
        found = scenes.cells(usual("cells", world=world, defence=defence))
        for row, own in zip(found.rows, counts.tolist(), strict=True):
            for cell, truth in zip(row, own, strict=True):
                assert cell.least <= truth <= cell.most
                assert cell.hidden or cell.least == cell.most
        assert any(cell.hidden for row in found.rows for cell in row)


def test_who_left_is_in_the_difference() -> None:
    changed = scenes.twice(usual("twice", defence="exact"))
    assert changed is not None
    assert sorted(cell.least for row in changed.rows for cell in row)[:2] == [-1, 0]
    assert scenes.twice(usual("twice", world="ages-wards-regions")) is None


@pytest.mark.one_in(3)
@pytest.mark.parametrize("attack", EXPERIMENTS)
def test_with_noise_there_is_a_picture_of_each(attack: str) -> None:
    chosen = usual(attack, defence=PRIVATE)
    if attack == "reconstruct":
        assert len(scenes.people(chosen)) == int(chosen.world)
        exact = replace(chosen, defence="exact")
        assert sum(scenes.people(exact)) == int(chosen.world) == round(outcome(exact).won * 100)
    elif attack == "membership":
        assert [sum(own) for own in scenes.scores(chosen)] == [400, 400]
    elif attack != "tracker":
        assert getattr(scenes, attack)(chosen)
