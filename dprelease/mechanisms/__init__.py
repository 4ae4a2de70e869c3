"""Noise and selection: the only room with randomness, all of it from OpenDP or the operating system.

Adding a mechanism is one file and one line in MECHANISMS.
"""

from dprelease.mechanisms.laplace import DiscreteLaplace
from dprelease.mechanisms.mechanism import Mechanism
from dprelease.mechanisms.permute_and_flip import PermuteAndFlip

MECHANISMS: tuple[type[Mechanism], ...] = (DiscreteLaplace, PermuteAndFlip)

__all__ = ["MECHANISMS", "DiscreteLaplace", "Mechanism", "PermuteAndFlip"]
