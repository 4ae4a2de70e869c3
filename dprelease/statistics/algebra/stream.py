"""Numbers that look random and follow from others: the same on every machine, known to whoever knows these.

They are no noise, and protect nobody: no mechanism may use them. What is published already is made into rows by them,
so that whoever verifies a release makes the same rows again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import shake_256

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Stream:
    """Stream of numbers, as many for each purpose as asked: SHAKE-256 of the origin and the purpose."""

    origin: bytes = field(repr=False)

    def words(self, purpose: str, count: int) -> NDArray[np.uint64]:
        """Return so many numbers of 64 bits."""
        made = shake_256(len(self.origin).to_bytes(8) + self.origin + purpose.encode()).digest(8 * count)
        return np.frombuffer(made, dtype="<u8").astype(np.uint64)

    def uniform(self, purpose: str, count: int) -> NDArray[np.float64]:
        """Return so many multiples of 2^-53, from 0 to less than 1."""
        return (self.words(purpose, count) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def bell(self, purpose: str, count: int) -> NDArray[np.float64]:
        """Return so many numbers of mean 0 and variance 1, nearly normal: of 64 bits, how many are set."""
        return (np.bitwise_count(self.words(purpose, count)).astype(np.float64) - 32) / 4
