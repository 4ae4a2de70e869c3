"""What a statistic must say to be priced, released and checked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from numpy.typing import NDArray

from dprelease.mechanisms import Mechanism
from dprelease.model.plan import Expected
from dprelease.model.privacy import NeighboringRelation
from dprelease.model.release import Axis, Estimates
from dprelease.model.schema import Schema
from dprelease.model.statistic import Statistic
from dprelease.model.tally import Sensitivity, TallyQuery

Integers = NDArray[Any]
Basis = Literal["mechanism", "expected"]
Pick = Callable[[int, int], int]
"""Chooses a whole number from the first to the last."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One vector (or matrix) of exact integers and the kind of mechanism that may publish it."""

    mechanism: type[Mechanism]
    sensitivity: Sensitivity


@dataclass(frozen=True, slots=True)
class ExpectedError:
    """A half-width that holds with 95 %, in the statistic's own units; noise only.

    Basis `mechanism`: certain, from the noise alone. Basis `expected`: computed from the plan's public guess of the
    number of rows and an even spread of values.
    """

    error95: float
    basis: Basis


@dataclass(frozen=True, kw_only=True)
class Tabulated(Statistic):
    """A statistic answered from tallies: all that it publishes comes from noisy integers over declared cells."""

    @abstractmethod
    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        """The tallies it needs."""

    @abstractmethod
    def measurements(self, schema: Schema, max_rows: int, neighbors: NeighboringRelation) -> tuple[Measurement, ...]:
        """The mechanisms it runs, with the sensitivity of what each is given."""

    @abstractmethod
    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        """What each measurement is given: integers from the tallies, in the order of `queries`."""

    def drawn(self, schema: Schema, noisy: Sequence[Integers], pick: Pick) -> tuple[Integers, ...]:
        """What is sealed: the mechanisms' outputs, with any further choice made by `pick` (uniform when published)."""
        return tuple(noisy)

    @abstractmethod
    def estimates(self, schema: Schema, drawn: Sequence[Integers], mechanisms: Sequence[Mechanism]) -> Estimates:
        """The published table: a function of what was sealed and of public facts only."""

    @abstractmethod
    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        """Whether some draw gives this table: what a verifier can check without the data."""

    @abstractmethod
    def error(self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None) -> ExpectedError | None:
        """The expected error, from public facts only; None where it needs `expected` and that is not given."""

    @abstractmethod
    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        """The keys of its published table."""

    @abstractmethod
    def size(self, schema: Schema) -> int:
        """How many rows its published table has."""
