"""OpenDP, imported narrowly (its prelude pulls in scikit-learn) and used on i64 vectors only."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from opendp.domains import atom_domain, vector_domain
from opendp.measurements import make_laplace, make_noisy_max
from opendp.measures import max_divergence
from opendp.metrics import l1_distance, linf_distance
from opendp.mod import enable_features

enable_features("contrib")


@lru_cache(maxsize=4096)
def laplace(scale: float) -> Any:
    """Discrete Laplace noise on a vector of i64, measured in L1. The map of d_in = Δ₁ is Δ₁ / scale."""
    return make_laplace(vector_domain(atom_domain(T="i64")), l1_distance(T="i64"), scale=scale)


@lru_cache(maxsize=4096)
def permute_and_flip(scale: float, monotone: bool) -> Any:
    """Noisy max with exponential noise on i64 scores. The map of d_in = Δ∞ is 2Δ∞ / scale, half if monotone."""
    return make_noisy_max(
        vector_domain(atom_domain(T="i64")),
        linf_distance(T="i64", monotonic=monotone),
        max_divergence(),
        scale=scale,
    )
