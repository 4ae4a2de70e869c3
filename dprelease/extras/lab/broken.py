"""Algorithms that are often printed and do not hold: what each claims, a counterexample, its real ε, and what mends it.

A counterexample is two neighbouring tables and an event whose probabilities (or densities) are further apart than the
claim allows: p > e^ε q + δ. Each has a closed form or is one integral; nothing is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, expm1, inf, log, log1p, sqrt

from dprelease.extras.lab import pair, sparse


def noisy_parts(epsilon: float, lower: float, upper: float) -> float:
    """Return the real ε of a sum with noise of scale 2 (u − l) / ε over a count with noise of scale 2 / ε.

    The sum moves by max(|l|, |u|), which is more than u − l where 0 is not among the values: ε (max(|l|, |u|) / (2 (u −
    l)) + 1/2). Scaled by max(|l|, |u|), it is ε.
    """
    return epsilon * (max(abs(lower), abs(upper)) / (2 * (upper - lower)) + 0.5)


def printed_count(epsilon: float) -> float:
    """Return the real ε of a centred sum with noise of scale (u − l) / ε, a count with noise of scale ε/2, not 2/ε."""
    return epsilon / 2 + 2 / epsilon


def resampled_at(epsilon: float, rows: int) -> float:
    """Return ln of the ratio of densities at −1, where noise is drawn anew until the mean lies from −1 to 1.

    The tables: n rows of −1, and those with a row of 1. With noise of scale b = 2 / ε on the sum, the ratio is n / (n +
    1) · e^ε · Z' / Z, Z = (1 − e^(−2n/b)) / 2 and Z' = 1 − (e^(−2/b) + e^(−2n/b)) / 2: how often a draw is kept.
    """
    kept = -expm1(-rows * epsilon) / 2
    other = 1 - (exp(-epsilon) + exp(-rows * epsilon)) / 2
    return log(rows / (rows + 1)) + epsilon + log(other / kept)


def resampled(epsilon: float) -> float:
    """Return the limit of `resampled_at` for many rows: ln(2e^ε − 1), which is more than ε."""
    return epsilon + log1p(-expm1(-epsilon))


def clamped_at(epsilon: float, rows: int) -> float:
    """Return ln of the ratio of densities at the second mean, published as the nearest of the bounds if outside.

    The tables: n rows of u, and those with a row of l. The mean's noise has a scale of (u − l) / (ε rows), so that the
    ratio at the mean of the second is ln((n + 1) / n) + ε n / (n + 1).
    """
    return log1p(1 / rows) + epsilon * rows / (rows + 1)


def clamped(epsilon: float) -> float:
    """Return the real ε of a clamped mean: max(ε, ln 2 + ε/2), more than ε up to 2 ln 2."""
    return max(epsilon, log(2) + epsilon / 2)


DELTA = 1e-5
"""δ of the claims that have one."""
ROWS = 1000
ASKED = 400
"""Questions below, so many that more change nothing that a float shows."""
ENDLESS = 20
GAP = 60
"""Counts by which the second most frequent lies behind; the loss nears its supremum as that grows."""
MODE_GAP = 10
MOVED = 50
"""Rows of 1 that a partition by rank moves to the other side."""
LARGE, TURNS = 10**6, 60

Table = tuple[tuple[float, int], ...]
"""Values, each with how many times it stands in the table, or is the answer of the next questions."""


@dataclass(frozen=True, slots=True)
class CounterExample:
    """Two neighbouring tables, and how likely one event is on each: logarithms of probabilities, or of densities."""

    first: Table
    second: Table
    ln_p: float
    ln_q: float
    density: bool = False

    @property
    def loss(self) -> float:
        """Returns ln(p / q), infinite where the event is impossible on the second table."""
        return inf if self.ln_q == -inf else self.ln_p - self.ln_q


@dataclass(frozen=True, slots=True)
class Broken:
    """One entry: at a claimed ε its counterexample, what it really loses, and the same event once it is mended.

    Its sentences (what it does, which event, what mends it) stand in the catalogues of whoever shows it.
    """

    key: str
    witness: Callable[[float], CounterExample]
    real: Callable[[float], float]
    """The least ε that holds, of all tables; at least the loss of the counterexample."""
    mended: Callable[[float], float]
    """The loss of the mended algorithm, of the same event or of one that shows more of it; at most the claim."""
    delta: float = 0.0
    substitute: bool = False
    """True if neighbours differ by one unit that is exchanged; else by one that is there or not."""
    most: float = inf
    """The largest ε at which the claim fails."""


def _flat(*values: tuple[float, int]) -> Table:
    return values


def _asked(below: int, above: int) -> tuple[list[float], list[float], list[bool]]:
    """Return questions whose answers all move, those below upwards and those above downwards."""
    return [0.0] * below + [1.0] * above, [1.0] * below + [0.0] * above, [False] * below + [True] * above


def _sparse(way: sparse.SparseMethod, below: int, above: int) -> Callable[[float], CounterExample]:
    def at(epsilon: float) -> CounterExample:
        first, second, told = _asked(below, above)
        return CounterExample(
            _flat((0, below), (1, above)),
            _flat((1, below), (0, above)),
            sparse.of_way(way, epsilon, first, told),
            sparse.of_way(way, epsilon, second, told),
            density=way.tells,
        )

    return at


def _held(below: int, above: int) -> Callable[[float], float]:
    """Return the loss of the way that holds, on the same questions."""
    return lambda epsilon: abs(_sparse(sparse.HOLDS, below, above)(epsilon).loss)


def _told_apart(epsilon: float) -> float:
    """Return the loss: half of ε for who is above, half for the number, which is told with noise of its own."""
    return abs(_sparse(sparse.HOLDS, ASKED, 1)(epsilon / 2).loss - epsilon / 2)


def _endless(way: sparse.SparseMethod, epsilon: float) -> CounterExample:
    first, second = [0.0] * (2 * ENDLESS), [1.0] * ENDLESS + [-1.0] * ENDLESS
    told = [False] * ENDLESS + [True] * ENDLESS
    tables = _flat((0, 2 * ENDLESS)), _flat((1, ENDLESS), (-1, ENDLESS))
    ln_p, ln_q = (sparse.of_way(way, epsilon, values, told) for values in (first, second))
    return CounterExample(*tables, ln_p, ln_q)


def _noisy_parts(epsilon: float) -> CounterExample:
    """The row of 60 is there or not: a noisy sum of at least 60, and a noisy count of at least 1."""
    scale, one = 20 / epsilon, epsilon / 2
    return CounterExample(_flat((60, 1)), (), 2 * log(0.5), 2 * log(0.5) - 60 / scale - one)


def _printed_count(epsilon: float) -> CounterExample:
    """The row of 1 is there or not, bounds of −1 and 1: a noisy sum of at least 1, and a noisy count of at least 1."""
    return CounterExample(_flat((1, 1)), (), 2 * log(0.5), 2 * log(0.5) - epsilon / 2 - 2 / epsilon)


def _resampled(epsilon: float) -> CounterExample:
    loss = resampled_at(epsilon, ROWS)
    density = log(ROWS * epsilon / 2) - log(-expm1(-ROWS * epsilon))
    return CounterExample(_flat((-1, ROWS)), _flat((-1, ROWS), (1, 1)), density, density - loss, density=True)


def _clamped(epsilon: float) -> CounterExample:
    """Return the counterexample of one row at a bound, and one at either: the density at the middle."""
    density = log(epsilon / 2)
    return CounterExample(
        _flat((-1, 1), (1, 1)), _flat((1, 1)), density, density - clamped_at(epsilon, 1), density=True
    )


def _both_parts(epsilon: float) -> float:
    """A sum with noise of 2 max(|l|, |u|) / ε and a count with noise of 2 / ε, of the row at a bound that is gone."""
    return epsilon / 2 + epsilon / 2


def _sigma(epsilon: float) -> CounterExample:
    """Return the counterexample of σ = 1/ε, above where the densities' ratio is e^ε."""
    place = (1 / epsilon + 0.5) * epsilon
    return CounterExample(_flat((1, 1)), (), log(pair.normal(epsilon - place)), log(pair.normal(-place)))


def _mended_sigma(epsilon: float) -> float:
    return pair.gaussian_epsilon(1 / pair.gaussian_scale(epsilon, DELTA), DELTA)


def _one_sided(epsilon: float) -> CounterExample:
    """Return the counterexample of a bit told with probability e^ε / (1 + e^ε) by who has it, never by others."""
    return CounterExample(_flat((1, 1)), _flat((0, 1)), -log1p(exp(-epsilon)), -inf)


def _uniform(epsilon: float) -> CounterExample:
    """Return the counterexample of noise of −2 to 2 on six rows and on five: an answer of 8."""
    return CounterExample(_flat((1, 6)), _flat((1, 5)), log(1 / 5), -inf)


def _above(epsilon: float) -> float:
    """Return ln P(k >= 0) of integer Laplace noise."""
    return -log1p(exp(-epsilon))


def _histogram(epsilon: float) -> CounterExample:
    """The only row moves from a cell to another: at least 1 in the first, at most 0 in the second."""
    return CounterExample(
        _flat((1, 1), (0, 1)), _flat((0, 1), (1, 1)), 2 * _above(epsilon), 2 * (_above(epsilon) - epsilon)
    )


def _ln_wins(behind: float) -> float:
    """Return ln P that whoever lies behind by so many scales of Laplace noise comes first: (2 + t) e^−t / 4."""
    return log((2 + behind) / 4) - behind


def _maximum(epsilon: float, noise: float) -> CounterExample:
    """Return the counterexample: noise of scale noise/ε on two counts; one row moves from the first to the second."""
    tables = _flat((1, 1), (GAP + 1, 1)), _flat((0, 1), (GAP + 2, 1))
    return CounterExample(*tables, _ln_wins(GAP * epsilon / noise), _ln_wins((GAP + 2) * epsilon / noise))


def _mode(epsilon: float, divided: float) -> CounterExample:
    """P(value) ∝ e^(ε count / divided) for two values; one row moves from the first to the second."""
    tables = _flat((1, 1), (MODE_GAP + 1, 1)), _flat((0, 1), (MODE_GAP + 2, 1))
    rate = epsilon / divided
    return CounterExample(*tables, -log1p(exp(rate * MODE_GAP)), -log1p(exp(rate * (MODE_GAP + 2))))


def _float_laplace(epsilon: float) -> CounterExample:
    return CounterExample((), _flat((1, 1)), log(finer(epsilon)), -inf)


def finer(epsilon: float) -> float:
    """Return how often ±ln(u)/ε, in floats, is no multiple of 2^-53: Σ_j (1 − 2^−j) P(2^(−j−1) <= |y| < 2^−j).

    Floats below 1/2 lie closer together than 2^-53, and their last bits come out as good as uniform. Once 1 is added,
    whatever lies between −2 and 2 is such a multiple. Mironov 2012.
    """
    places = range(1, 1100)
    return sum(-expm1(-j * log(2)) * (exp(-epsilon * 2.0 ** (-j - 1)) - exp(-epsilon * 2.0**-j)) for j in places)


def _integer_loss(epsilon: float) -> float:
    return pair.integer_laplace(epsilon).epsilon


def _candidates(epsilon: float) -> CounterExample:
    """The second most frequent of the values that stand in the table; the second table has not got it."""
    return CounterExample(_flat((1, 1), (2, 1)), _flat((1, 1)), -log1p(exp(0.0)), -inf)


def _scale(epsilon: float) -> CounterExample:
    """Noise of scale (max − min) / (nε): rows that are all the same get none, and the mean is told as it is."""
    return CounterExample(_flat((5, 10)), _flat((5, 9), (6, 1)), 0.0, -inf)


def _priors(epsilon: float) -> CounterExample:
    """Noise is on the mean and the deviation of each class, and not on how many rows of all a class has."""
    return CounterExample(_flat((0, 5), (1, 5)), _flat((0, 4), (1, 5)), 0.0, -inf)


def _memberships(epsilon: float) -> CounterExample:
    """Distances and centres get noise, and each row's memberships are a line of what is published."""
    return CounterExample(_flat((5, 5)), _flat((5, 4)), 0.0, -inf)


def _number_of_rows(epsilon: float) -> CounterExample:
    """Return a number of rows that is told as it is: nothing to know where rows are exchanged, all to know else."""
    return CounterExample(_flat((1, 5)), _flat((1, 4)), 0.0, -inf)


def _one_direction(epsilon: float) -> CounterExample:
    """Return who is there with probability 1 − e^−ε, else nothing, whose two chances have the ratio e^ε.

    Looked at in that direction, and where both tables have an output, no loss is above ε.
    """
    return CounterExample(_flat((1, 1)), (), log(-expm1(-epsilon)), -inf)


def _partition(epsilon: float) -> CounterExample:
    """Rows are parted by rank, odd and even, and 1s counted in each: one row more in front and all change sides."""
    first, second = _flat((0, MOVED), (1, MOVED)), _flat((0, MOVED + 1), (1, MOVED))
    return CounterExample(first, second, 2 * _above(epsilon), 2 * (_above(epsilon) - MOVED * epsilon))


def _median(epsilon: float, scale: float) -> CounterExample:
    """Return the counterexample: a median of {0, 0, 10⁶} or {0, 10⁶, 10⁶}, noise of so many times 10⁶/ε."""
    tables = _flat((0, 2), (LARGE, 1)), _flat((0, 1), (LARGE, 2))
    return CounterExample(*tables, log(0.5), log(0.5) - epsilon / scale)


def _class_mean(epsilon: float) -> CounterExample:
    """Return the counterexample: a class of one row of 0, or of one row of 1 more; its mean's noise is 1 / ((n + 1) ε).

    The scale tells n: far below both means, at −10, the wider noise is any number of times as likely.
    """
    return CounterExample(_flat((0, 1)), _flat((0, 1), (1, 1)), log(0.5) - 20 * epsilon, log(0.5) - 31.5 * epsilon)


def _rounds(epsilon: float) -> CounterExample:
    """Return the counterexample of σ = 1/ε in each of 60 rounds, above where the densities' ratio is e^ε."""
    far = sqrt(TURNS) * epsilon
    place = epsilon / far + far / 2
    return CounterExample(_flat((1, 1)), (), pair.log_tail(place - far), pair.log_tail(place))


def _never(epsilon: float) -> float:
    return inf


BROKEN = (
    Broken("parts", _noisy_parts, lambda e: noisy_parts(e, 50, 60), _both_parts),
    Broken("resampled", _resampled, resampled, _both_parts),
    Broken("clamped", _clamped, clamped, _both_parts, most=2 * log(2)),
    Broken("count", _printed_count, printed_count, _both_parts, most=2.0),
    Broken("sparse_told", _sparse(sparse.TELLS, ASKED, 1), _never, _told_apart),
    Broken("sparse_fixed", _sparse(sparse.FIXED, ASKED, 5), lambda e: 31 * e / 4, _held(ASKED, 5)),
    Broken("sparse_grown", _sparse(sparse.GROWN, ASKED, 5), lambda e: 7 * e / 4, _held(ASKED, 5)),
    Broken("sparse_bare", _sparse(sparse.BARE, 1, 1), _never, _held(1, 1)),
    Broken(
        "sparse_endless",
        lambda e: _endless(sparse.ENDLESS, e),
        _never,
        lambda e: abs(_endless(sparse.HOLDS, e).loss),
    ),
    Broken("sparse_monotone", _sparse(sparse.MONOTONE, ASKED, 5), lambda e: 3 * e / 2, _held(ASKED, 5)),
    Broken("sigma", _sigma, lambda e: pair.gaussian_epsilon(e, DELTA), _mended_sigma, delta=DELTA),
    Broken("one_sided", _one_sided, _never, lambda e: pair.randomised_response(e).epsilon, substitute=True),
    Broken("uniform", _uniform, _never, _integer_loss),
    Broken("histogram", _histogram, lambda e: 2 * e, lambda e: _histogram(e / 2).loss, substitute=True),
    Broken("maximum", lambda e: _maximum(e, 1), lambda e: 2 * e, lambda e: _maximum(e, 2).loss, substitute=True),
    Broken("mode", lambda e: _mode(e, 1), lambda e: 2 * e, lambda e: _mode(e, 2).loss, substitute=True),
    Broken("floats", _float_laplace, _never, _integer_loss),
    Broken("candidates", _candidates, _never, lambda e: _mode(e, 2).loss),
    Broken("scale", _scale, _never, _integer_loss, substitute=True),
    Broken("priors", _priors, _never, _integer_loss),
    Broken("memberships", _memberships, _never, _integer_loss),
    Broken("neighbours", _number_of_rows, _never, _integer_loss),
    Broken("one_direction", _one_direction, _never, lambda e: pair.randomised_response(e).epsilon),
    Broken("partition", _partition, _never, _integer_loss),
    Broken("median", lambda e: _median(e, 0.5), lambda e: 2 * e, lambda e: _median(e, 1).loss, substitute=True),
    Broken("class_mean", _class_mean, _never, _both_parts),
    Broken("rounds", _rounds, lambda e: pair.gaussian_epsilon(sqrt(TURNS) * e, DELTA), _mended_sigma, delta=DELTA),
)
BY_KEY = {each.key: each for each in BROKEN}
