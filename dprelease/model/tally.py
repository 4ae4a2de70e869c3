"""What to count, declared in advance: the public description of a tally. The counts themselves are in `table`."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod


@dataclass(frozen=True, slots=True)
class Key:
    """A partition of one column's codes 0..codes-1 into cells.

    Without edges, code c falls into cell min(c * cells // span, cells - 1); span = cells makes each code a cell.
    With edges, cell j holds the codes from edges[j] up to, not including, edges[j + 1].
    """

    column: str
    cells: int
    span: int
    edges: tuple[int, ...] = ()

    def first_code(self, cell: int) -> int:
        """The smallest code in a cell; for cell = cells, one more than the largest code (for span = codes)."""
        return self.edges[cell] if self.edges else -(-cell * self.span // self.cells)


@dataclass(frozen=True, slots=True)
class Measure:
    """What is summed in each cell: the product of the codes of `factors`; with none, 1 (so rows are counted).

    Only rows in which every column of `present` and of `factors` has a code are counted.
    """

    factors: tuple[str, ...] = ()
    present: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TallyQuery:
    """cells = product of the keys (row-major), times a measure."""

    keys: tuple[Key, ...] = ()
    measure: Measure = Measure()

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(key.cells for key in self.keys)

    @property
    def cells(self) -> int:
        return prod(self.shape)


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How much one unit can change a vector of integers: the L1 and L∞ norm of the largest difference.

    `monotone`: one unit changes all entries in the same direction.
    """

    l1: int
    linf: int
    monotone: bool = False
