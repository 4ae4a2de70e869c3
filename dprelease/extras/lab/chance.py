"""Reproducible chance for pictures and for tests of the lab: the same numbers from the same seed on every machine.

It is no noise that protects anybody: whoever knows a seed knows every number. No room but this one imports it, and the
tests hold that (`tests/test_architecture.py`). SplitMix64 (Steele, Lea, Flood 2014) on a counter that begins at a key,
which is the first eight bytes of the SHA-256 of the seed: each number depends on its place only, and on no library.
"""

from __future__ import annotations

import hashlib
from math import exp, prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def uniforms(seed: str, *shape: int) -> Floats:
    """Return numbers between 0 and 1, neither of which occurs, each (z + ½) / 2^53 of 53 bits z."""
    key = np.uint64(int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "little"))
    z = key + GOLDEN * np.arange(1, prod(shape) + 1, dtype=np.uint64)
    z = (z ^ (z >> np.uint64(30))) * FIRST
    z = (z ^ (z >> np.uint64(27))) * SECOND
    z ^= z >> np.uint64(31)
    found = ((z >> np.uint64(11)).astype(np.float64) + 0.5) / 2.0**53
    return np.minimum(found, 1 - 2.0**-53).reshape(shape)


def bits(seed: str, *shape: int, chance: float = 0.5) -> Floats:
    """Return bits 0 or 1, 1 with this chance."""
    return (uniforms(seed, *shape) < chance).astype(np.float64)


def integer_laplace(u: Floats, scale: float) -> Ints:
    """Return integers k with chances ∝ e^(−|k| / scale), by the inverse of their distribution function."""
    if scale <= 0:
        return np.zeros(u.shape, dtype=np.int64)
    q = exp(-1 / scale)
    below = -np.floor(np.log(u * (1 + q)) * -scale)
    above = np.ceil(np.log((1 - u) * (1 + q)) * -scale) - 1
    return np.where(u * (1 + q) < q, below, np.maximum(above, 0)).astype(np.int64)


def integers(u: Floats, reach: int) -> Ints:
    """Return integers from −reach to reach, each as likely as any other."""
    return (np.floor(u * (2 * reach + 1)) - reach).astype(np.int64)


def normals(seed: str, *shape: int) -> Floats:
    """Return standard normal numbers (Box and Muller 1958)."""
    first, second = uniforms(seed, 2, *shape)
    return np.asarray(np.sqrt(-2 * np.log(first)) * np.cos(2 * np.pi * second), dtype=np.float64)
