"""What was published: the certificate and the tables of estimates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprelease.errors import AccessError

if TYPE_CHECKING:
    import pandas

Cell = int | float | str | None


@dataclass(frozen=True, slots=True)
class Axis:
    """One key of a table: the names of its key columns, and their entries for each cell of the key."""

    names: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    """One tuple a cell, one entry a name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """One published number with its interval."""

    keys: Mapping[str, Cell]
    value: Cell
    lower95: Cell
    upper95: Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """The published table of one statistic: the product of its axes (row-major), and columns of numbers.

    `lower95` and `upper95` bound the noise only: not sampling, clipping or row-cutting. None: no interval is published.
    """

    axes: tuple[Axis, ...]
    value: Sequence[Cell]
    lower95: Sequence[Cell]
    upper95: Sequence[Cell]

    def __post_init__(self) -> None:
        rows = prod(len(axis.cells) for axis in self.axes)
        assert len(self.value) == len(self.lower95) == len(self.upper95) == rows

    def __len__(self) -> int:
        return len(self.value)

    @property
    def key_names(self) -> tuple[str, ...]:
        return tuple(name for axis in self.axes for name in axis.names)

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.key_names, "value", "lower95", "upper95")

    def rows(self) -> Iterator[tuple[Cell, ...]]:
        """Rows in published order, as in the CSV file."""
        keys = product(*(axis.cells for axis in self.axes))
        for key, value, lower, upper in zip(keys, self.value, self.lower95, self.upper95, strict=True):
            yield (*(entry for cell in key for entry in cell), value, lower, upper)

    def __iter__(self) -> Iterator[Estimate]:
        for row in self.rows():
            *keys, value, lower, upper = row
            yield Estimate(keys=dict(zip(self.key_names, keys, strict=True)), value=value, lower95=lower, upper95=upper)

    def frame(self) -> pandas.DataFrame:
        """Keys, value, lower95, upper95 as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(list(self.rows()), columns=list(self.columns))


class Frames(Mapping[str, Any]):
    """The estimates of a release by statistic id, each made a DataFrame when it is read."""

    def __init__(self, tables: Mapping[str, Estimates]) -> None:
        self._tables = tables

    def __getitem__(self, statistic: str) -> pandas.DataFrame:
        return self._tables[statistic].frame()

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __repr__(self) -> str:
        return f"<estimates of {', '.join(self._tables)}>"


def _no_writer(release: Release, folder: Path) -> Path:
    raise AccessError("only the workspace that published a release can sign its bundle")


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A published release: nothing in it depends on the data except through noise."""

    id: str
    certificate: Mapping[str, Any]
    """What stands in release.json."""
    tables: Mapping[str, Estimates] = field(repr=False)
    writer: Callable[[Release, Path], Path] = field(default=_no_writer, repr=False, compare=False)

    @property
    def estimates(self) -> Frames:
        """DataFrames by statistic id: keys, value, lower95, upper95."""
        return Frames(self.tables)

    def write(self, folder: str | Path) -> Path:
        """Writes the signed bundle into folder/<id>/ and returns that path. The same bytes each time."""
        return self.writer(self, Path(folder))
