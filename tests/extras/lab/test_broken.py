"""What is printed and does not hold: every claim is exceeded by its counterexample, and none once it is mended."""

from __future__ import annotations

from math import exp, inf, log

import numpy as np
import pytest

from dprelease.extras.lab import broken, sparse
from dprelease.extras.lab.broken import BROKEN, BY_KEY, Broken, CounterExample
from tests.extras.lab.figures import EXACT, FIGURES, FIVE, SPARSE

EPSILONS = (0.1, 0.5, 1.0, 1.9, 3.0, 5.0, 10.0)
GIVEN = 1e-3
KEYS = [each.key for each in BROKEN]
WAYS = {way.key: way for way in vars(sparse).values() if isinstance(way, sparse.SparseMethod)}


def exceeds(witness: CounterExample, epsilon: float, delta: float) -> bool:
    """Tells whether no (ε, δ)-private algorithm can have such an event."""
    if delta == 0:
        return witness.loss > epsilon
    return exp(witness.ln_p) > exp(epsilon + witness.ln_q) + delta


@pytest.mark.one_in(5)
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("entry", BROKEN, ids=KEYS)
def test_each_claim_is_exceeded_and_its_mend_is_not(entry: Broken, epsilon: float) -> None:
    witness = entry.witness(epsilon)
    assert entry.mended(epsilon) <= epsilon + EXACT
    assert witness.ln_q < witness.ln_p
    assert entry.delta or witness.loss <= entry.real(epsilon) + EXACT
    if epsilon < entry.most:
        assert exceeds(witness, epsilon, entry.delta)
        assert entry.real(epsilon) > epsilon
    else:
        assert entry.real(epsilon) <= epsilon + EXACT


@pytest.mark.parametrize("entry", BROKEN, ids=KEYS)
def test_at_1_it_is_exceeded_by_far(entry: Broken) -> None:
    assert entry.real(1.0) >= 1 + GIVEN
    assert entry.delta or entry.witness(1.0).loss >= 1 + GIVEN


@pytest.mark.parametrize("entry", BROKEN, ids=KEYS)
def test_the_two_tables_are_neighbours(entry: Broken) -> None:
    if entry.key.startswith("sparse_"):
        return  # answers of questions, each of which moves by 1
    first, second = (
        sum(times for _, times in table) for table in (entry.witness(1.0).first, entry.witness(1.0).second)
    )
    assert (first == second) if entry.substitute else (abs(first - second) == 1)


@pytest.mark.parametrize(
    "entry", [each for each in BROKEN if each.key.startswith("sparse_")], ids=lambda each: each.key
)
def test_questions_move_by_1(entry: Broken) -> None:
    first, second = (
        [value for value, times in table for _ in range(times)]
        for table in (entry.witness(1.0).first, entry.witness(1.0).second)
    )
    assert {abs(one - other) for one, other in zip(first, second, strict=True)} == {1}


@pytest.mark.parametrize("row", FIGURES["sparse"], ids=lambda row: f"{row['way']}-{row['below']}-{row['above']}")
def test_the_sparse_vector(row: dict[str, float]) -> None:
    way, below, above = WAYS[str(row["way"])], int(row["below"]), int(row["above"])
    if way.key == "a6":
        first, second = [0.0] * 2 * below, [1.0] * below + [-1.0] * below
    else:
        first, second = [0.0] * below + [1.0] * above, [1.0] * below + [0.0] * above
    told = [False] * below + [True] * above
    p, q = (sparse.of_way(way, 1.0, values, told) for values in (first, second))
    assert p == pytest.approx(row["ln_p"], abs=SPARSE)
    if row["ln_q"] is None:
        assert q == -inf
    else:
        assert q == pytest.approx(row["ln_q"], abs=SPARSE)
        assert p - q == pytest.approx(row["loss"], abs=SPARSE)


@pytest.mark.parametrize("row", FIGURES["sparse_told"], ids=str)
def test_an_answer_told_with_its_own_noise(row: list[float]) -> None:
    below, loss = int(row[0]), row[1]
    told = [False] * below + [True]
    p = sparse.of_way(sparse.TELLS, 1.0, [0.0] * below + [1.0], told)
    q = sparse.of_way(sparse.TELLS, 1.0, [1.0] * below + [0.0], told)
    assert p - q == pytest.approx(loss, abs=SPARSE)
    if below == 10:
        assert (p, q) == pytest.approx((-11.908806, -16.408806), abs=SPARSE)


def test_one_integral_is_that_of_a_hand() -> None:
    """One question without noise of its own: e^−1/2 of the threshold's mass lies beyond 1 scale."""
    assert sparse.log_likelihood([0.0], [True], 2.0, 4.0) == pytest.approx(log(0.5), abs=EXACT)
    for epsilon, p in FIGURES["sparse_bare"]:
        assert exp(BY_KEY["sparse_bare"].witness(epsilon).ln_p) == pytest.approx(p, abs=FIVE)


@pytest.mark.parametrize("row", FIGURES["resampled"], ids=str)
def test_noise_that_is_drawn_anew(row: list[float]) -> None:
    epsilon, rows, ratio = row
    assert exp(broken.resampled_at(epsilon, int(rows))) == pytest.approx(ratio, rel=EXACT)


@pytest.mark.parametrize("row", FIGURES["clamped"], ids=str)
def test_noise_that_is_clamped(row: list[float]) -> None:
    epsilon, rows, loss = row
    assert broken.clamped_at(epsilon, int(rows)) == pytest.approx(loss, abs=EXACT)


def test_what_means_really_lose() -> None:
    for epsilon, real in FIGURES["resampled_real"]:
        assert broken.resampled(epsilon) == pytest.approx(real, abs=FIVE)
    for epsilon, real in FIGURES["clamped_real"]:
        assert broken.clamped(epsilon) == pytest.approx(real, abs=EXACT)
    for epsilon, real in FIGURES["count"]:
        assert broken.printed_count(epsilon) == pytest.approx(real, abs=EXACT)
    assert broken.noisy_parts(1.0, 50, 60) == FIGURES["others"]["parts"]
    assert broken.noisy_parts(1.0, -1, 1) == pytest.approx(0.75)


def test_the_losses_of_the_others() -> None:
    for key in ("maximum", "mode", "histogram", "parts"):
        assert BY_KEY[key].witness(1.0).loss == pytest.approx(FIGURES["others"][key], abs=FIVE)


def test_floats_that_cannot_come_of_the_other_table() -> None:
    """A million noises as printed: those between −2 and 2 that are no multiple of 2^-53, on 0 and on 1."""
    count = 1_000_003
    v = (np.arange(count) + 0.5) / count - 0.5
    noise = -np.sign(v) * np.log(1 - 2 * np.abs(v))
    told = [float(np.mean((np.abs(each) < 2) & (each * 2.0**53 % 1 != 0))) for each in (noise, 1 + noise)]
    assert told[0] == pytest.approx(broken.finer(1.0), abs=1e-3)
    assert told[0] == pytest.approx(FIGURES["others"]["floats"], abs=1e-3)
    assert told[1] == 0
