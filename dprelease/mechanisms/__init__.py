"""Noise and selection: the only room with randomness, all of it from OpenDP or the operating system.

A mechanism's loss, tails and margins are formulas in exact fractions; OpenDP is imported with the first draw.

Adding a mechanism is one file and one line in MECHANISMS.
"""

from collections.abc import Mapping
from types import MappingProxyType

from dprelease.mechanisms.arrived_response import ArrivedResponse
from dprelease.mechanisms.exponential import ExponentialMechanism
from dprelease.mechanisms.gaussian import DiscreteGaussian
from dprelease.mechanisms.laplace import DiscreteLaplace
from dprelease.mechanisms.mechanism import Mechanism, Noise
from dprelease.mechanisms.permute_and_flip import PermuteAndFlip
from dprelease.mechanisms.randomized_response import RandomizedResponse
from dprelease.mechanisms.residual import ResidualGaussian
from dprelease.mechanisms.response import Response
from dprelease.mechanisms.sparse_vector import SparseVector
from dprelease.mechanisms.subset_response import SubsetResponse
from dprelease.mechanisms.thresholded_laplace import ThresholdedLaplace
from dprelease.mechanisms.top_k import NoisyTopK
from dprelease.mechanisms.unary_response import UnaryResponse
from dprelease.model.privacy import Currency

MECHANISMS: tuple[type[Mechanism], ...] = (
    DiscreteLaplace,
    DiscreteGaussian,
    ResidualGaussian,
    PermuteAndFlip,
    ExponentialMechanism,
    NoisyTopK,
    RandomizedResponse,
    ArrivedResponse,
    SubsetResponse,
    UnaryResponse,
    SparseVector,
    ThresholdedLaplace,
)

NOISE: Mapping[Currency, type[Noise]] = MappingProxyType(
    {Currency.PURE: DiscreteLaplace, Currency.ZCDP: DiscreteGaussian}
)
"""Noise mechanism for integers by currency, unless a statistic asks for another."""

SELECTION: Mapping[Currency, type[Mechanism]] = MappingProxyType(
    {Currency.PURE: PermuteAndFlip, Currency.ZCDP: ExponentialMechanism}
)
"""Selection mechanism of a best candidate, by currency."""

__all__ = [
    "MECHANISMS",
    "NOISE",
    "SELECTION",
    "ArrivedResponse",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "ExponentialMechanism",
    "Mechanism",
    "Noise",
    "NoisyTopK",
    "PermuteAndFlip",
    "RandomizedResponse",
    "ResidualGaussian",
    "Response",
    "SparseVector",
    "SubsetResponse",
    "ThresholdedLaplace",
    "UnaryResponse",
]
