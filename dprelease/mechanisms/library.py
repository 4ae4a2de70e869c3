"""OpenDP, imported narrowly (its prelude pulls in scikit-learn) and used on i64 and on bits only."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any


@cache
def _opendp() -> Any:
    """OpenDP, imported with the first draw: losses, tails and margins are formulas, and need nothing of it."""
    import opendp.domains
    import opendp.measurements
    import opendp.measures
    import opendp.metrics
    from opendp.mod import enable_features

    enable_features("contrib")
    return opendp


@lru_cache(maxsize=4096)
def laplace(scale: float) -> Any:
    """Discrete Laplace noise on a vector of i64, measured in L1. The map of d_in = Δ₁ is Δ₁ / scale."""
    return _opendp().measurements.make_laplace(_integers(), _l1(), scale=scale)


@lru_cache(maxsize=4096)
def gaussian(scale: float) -> Any:
    """Discrete Gaussian noise on a vector of i64, measured in L2 as a float. The map of d_in = Δ₂ is Δ₂² / 2scale²."""
    return _opendp().measurements.make_gaussian(_integers(), _l2(), scale=scale)


@lru_cache(maxsize=4096)
def permute_and_flip(scale: float, monotone: bool) -> Any:
    """Noisy max with exponential noise on i64 scores. The map of d_in = Δ∞ is 2Δ∞ / scale, half if monotone."""
    return _opendp().measurements.make_noisy_max(*_scores(monotone), _max_divergence(), scale=scale)


@lru_cache(maxsize=4096)
def exponential(scale: float, monotone: bool) -> Any:
    """Noisy max with Gumbel noise on i64 scores. The map of d_in = Δ∞ is (2Δ∞ / scale)² / 8, a quarter if monotone.

    OpenDP 0.15 drew exponential noise here, for which that ρ is four times too small (its issue 2911): the tests hold
    the frequencies of the choices against Gumbel noise.
    """
    return _opendp().measurements.make_noisy_max(*_scores(monotone), _zcdp(), scale=scale)


@lru_cache(maxsize=4096)
def top_k(scale: float, k: int, monotone: bool, gumbel: bool) -> Any:
    """The k best i64 scores, one after the other: k times the map of `exponential`, else of `permute_and_flip`."""
    measure = _zcdp() if gumbel else _max_divergence()
    return _opendp().measurements.make_noisy_top_k(*_scores(monotone), measure, k=k, scale=scale)


@lru_cache(maxsize=4096)
def randomized_response(answers: int, truth: float) -> Any:
    """Return randomized response on 0..answers−1, true with probability `truth`. For its map: a call takes 65 µs."""
    return _opendp().measurements.make_randomized_response(list(range(answers)), truth, T="i32")


@lru_cache(maxsize=4096)
def coins(chance: float) -> Any:
    """Turn zero bytes into bits that are 1 with exactly a probability of at most 1/2, at 0.5 µs a bit.

    It is randomized response on a vector of bits, which flips each with probability f / 2. Its own map is not used.
    """
    return _opendp().measurements.make_randomized_response_bitvec(
        _opendp().domains.bitvector_domain(max_weight=0), _opendp().metrics.discrete_distance(), f=2 * chance
    )


@lru_cache(maxsize=4096)
def laplace_threshold(scale: float, threshold: int) -> Any:
    """Discrete Laplace noise on the i64 counts of texts; a noisy count stays if it is at least the threshold.

    The map of d_in = (Δ₀, Δ₁, Δ∞) is (ε, δ), of which ε is Δ₁ / scale. Its δ is too small in OpenDP 0.16 (its issue
    2922), and not used.
    """
    texts = _opendp().domains.map_domain(
        _opendp().domains.atom_domain(T="String"), _opendp().domains.atom_domain(T="i64")
    )
    distance = _opendp().metrics.l01inf_distance(_opendp().metrics.absolute_distance(T="i64"))
    return _opendp().measurements.make_laplace_threshold(texts, distance, scale=scale, threshold=threshold)


def _max_divergence() -> Any:
    return _opendp().measures.max_divergence()


def _zcdp() -> Any:
    return _opendp().measures.zero_concentrated_divergence()


@cache
def _integers() -> Any:
    """Vectors of i64. Made once, like the distances: making one takes longer than the rest of a map."""
    return _opendp().domains.vector_domain(_opendp().domains.atom_domain(T="i64"))


@cache
def _l1() -> Any:
    return _opendp().metrics.l1_distance(T="i64")


@cache
def _l2() -> Any:
    return _opendp().metrics.l2_distance(T="f64")


@cache
def _scores(monotone: bool) -> tuple[Any, Any]:
    return _integers(), _opendp().metrics.linf_distance(T="i64", monotonic=monotone)
