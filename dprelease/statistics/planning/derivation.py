"""How a statistic's answer is computed of what was measured and sealed: of its own measurement, or of another's."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms import Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.release import Estimates, Output
from dprelease.model.schema import Schema
from dprelease.statistics.planning.measurement import PricedMeasurement
from dprelease.statistics.planning.sharing import Source
from dprelease.statistics.tabulated import Tabulated

Drawn = Mapping[str, Sequence[Any]]
"""What was sealed, by measurement: for each mechanism integers, or integers by discovered cell."""


@dataclass(frozen=True)
class Derivation(ABC):
    """What a statistic is computed of, and how. `name` is what a certificate states."""

    name: ClassVar[str]
    measurement: PricedMeasurement

    @property
    def own(self) -> PricedMeasurement | None:
        """The measurement that is made for this statistic."""
        return None

    @property
    @abstractmethod
    def count_variance(self) -> float:
        """Returns that of the noise on each count of a table of counts, in rows squared."""

    @abstractmethod
    def answered(self, statistic: Tabulated, schema: Schema, drawn: Drawn) -> Output:
        """Returns what is published."""

    @abstractmethod
    def could_answer(self, statistic: Tabulated, schema: Schema, output: Output) -> bool:
        """Tells whether some draw gives this answer."""


@dataclass(frozen=True)
class Own(Derivation):
    """By the statistic's own formulas, of what was measured for it."""

    name = "own"

    @property
    def own(self) -> PricedMeasurement:
        return self.measurement

    @property
    def count_variance(self) -> float:
        return _variance(self.measurement.mechanisms[0])

    def answered(self, statistic: Tabulated, schema: Schema, drawn: Drawn) -> Output:
        return statistic.answered(schema, drawn[self.measurement.id], self.measurement.mechanisms)

    def could_answer(self, statistic: Tabulated, schema: Schema, output: Output) -> bool:
        return statistic.could_answer(schema, output, self.measurement.mechanisms)


@dataclass(frozen=True)
class Counts(Derivation):
    """Counts that follow from the noisy integers of another statistic, at no cost."""

    name = "counts"
    way: Source

    @property
    def half_width(self) -> int:
        """Returns that of each count, with 95 % confidence."""
        return self.way.half_width(self.measurement.mechanisms[0])

    @property
    def count_variance(self) -> float:
        return _variance(self.measurement.mechanisms[0]) * self.way.terms / self.way.size**2

    def answered(self, statistic: Tabulated, schema: Schema, drawn: Drawn) -> Estimates:
        return self.table(statistic, schema, self.way.counts(drawn[self.measurement.id][0]))

    def table(self, statistic: Tabulated, schema: Schema, counts: NDArray[np.int64]) -> Estimates:
        """Such counts with their intervals."""
        half, values = self.half_width, counts.ravel().tolist()
        lower, upper = ([value + end for value in values] for end in (-half, half))
        return Estimates(axes=statistic.axes(schema), value=values, lower95=lower, upper95=upper)

    def could_answer(self, statistic: Tabulated, schema: Schema, output: Output) -> bool:
        if not isinstance(output, Estimates) or output.extra:
            return False
        half, rows = self.half_width, zip(output.value, output.lower95, output.upper95, strict=True)
        return all(
            isinstance(value, int) and (lower, upper) == (value - half, value + half) for value, lower, upper in rows
        )


def _variance(mechanism: Mechanism) -> float:
    assert isinstance(mechanism, Noise)
    return float(mechanism.variance)
