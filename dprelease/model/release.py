"""Published release: the certificate, and the output of each statistic.

Everything that is an estimate stands in a table of `Estimates`, whatever the answer is: so it is written, drawn,
compared and checked in one way. Rows, models and noisy integers are one file more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, compress, product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from dprelease.errors import AccessError
from dprelease.model.certificate import Certificate
from dprelease.model.report import nearest
from dprelease.model.stated import OutputKind
from dprelease.model.view import View, Viewed
from dprelease.registry import load
from dprelease.words import phrase

if TYPE_CHECKING:
    import pandas

Cell = int | float | str | None


TERMS = ("term",)
"""The key of a table of coefficients, of which the first is a constant."""
TOTAL = "_T"
"""The cell of a key that stands for all of its cells, as in SDMX."""
NO_ANSWER = "_U"
"""The cell of a key that holds the rows without an answer: unknown, as in SDMX."""
CHUNK = 10_000
"""Cells made at a time."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One key of a table: the names of its key columns, and their entries for each cell of the key."""

    names: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    """One tuple a cell, one entry a name."""

    def is_cut(self, place: int) -> bool:
        """Return True if a cell is a period of the calendar of which the bounds hold a part only."""
        return is_cut(self.names, self.cells[place])


def is_partial(name: str) -> bool:
    """Return True if a key column states of periods whether the bounds hold a part of them only."""
    return name.rstrip("_").endswith("_partial")


def is_cut(names: Sequence[str], cell: Sequence[Cell]) -> bool:
    """Return True if a cell, whose names are given, is a period of which the bounds hold a part only."""
    return any(is_partial(name) and entry == "yes" for name, entry in zip(names[1:], cell[1:], strict=True))


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
    `extra` are further columns by name, such as `raw`, the noisy value before post-processing.
    """

    kind: ClassVar[OutputKind] = "table"
    axes: tuple[Axis, ...]
    value: Sequence[Cell]
    lower95: Sequence[Cell]
    upper95: Sequence[Cell]
    extra: Mapping[str, Sequence[Cell]] = field(default_factory=dict)
    integers: Sequence[Sequence[int]] = field(default=(), repr=False)
    """Noisy integers behind the numbers, where they do not follow from these: of each mechanism, as they were sealed.
    """

    def __post_init__(self) -> None:
        rows = prod(len(axis.cells) for axis in self.axes)
        assert all(len(column) == rows for column in self.numbers.values())

    @property
    def numbers(self) -> dict[str, Sequence[Cell]]:
        """The columns that are not keys, by name."""
        return {"value": self.value, "lower95": self.lower95, "upper95": self.upper95, **self.extra}

    def __len__(self) -> int:
        return len(self.value)

    @property
    def totals(self) -> tuple[bool, ...]:
        """Flag of each row: True if it is a total along some key, of a statistic that has some."""
        return self.within([frozenset({TOTAL})] * len(self.axes))

    def within(self, codes: Sequence[Collection[Cell]]) -> tuple[bool, ...]:
        """Return for each row True if along some key it has one of the codes given for that key."""
        each = product(*([cell[0] in own for cell in axis.cells] for axis, own in zip(self.axes, codes, strict=True)))
        return tuple(map(any, each))

    def without_totals(self) -> Estimates:
        """Return the table without the totals along its keys, of a statistic that has some."""
        return self.without([frozenset({TOTAL})] * len(self.axes))

    def without(self, codes: Sequence[Collection[Cell]]) -> Estimates:
        """Return the table without those of its cells that have one of the codes given for each key."""
        axes = tuple(
            Axis(axis.names, tuple(cell for cell in axis.cells if cell[0] not in own))
            for axis, own in zip(self.axes, codes, strict=True)
        )
        return self._without(self.within(codes), axes)

    def without_first(self) -> Estimates:
        """Return the table without the first cell of its last key."""
        *others, axis = self.axes
        left_out = [place % len(axis.cells) == 0 for place in range(len(self))]
        return self._without(left_out, (*others, Axis(axis.names, axis.cells[1:])))

    def _without(self, left_out: Sequence[bool], axes: tuple[Axis, ...]) -> Estimates:
        kept = [not each for each in left_out]
        numbers = {name: list(compress(column, kept)) for name, column in self.numbers.items()}
        value, lower, upper = (numbers.pop(name) for name in ("value", "lower95", "upper95"))
        return Estimates(axes=axes, value=value, lower95=lower, upper95=upper, extra=numbers)

    def named(self, statistic: str) -> dict[str, Estimates]:
        """Return the tables of an answer by their names in a bundle: it is the one."""
        return {statistic: self}

    @property
    def key_names(self) -> tuple[str, ...]:
        return tuple(name for axis in self.axes for name in axis.names)

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.key_names, *self.numbers)

    def rows(self) -> Iterator[tuple[Cell, ...]]:
        """Yield rows in published order, as in the CSV file."""
        keys = product(*(axis.cells for axis in self.axes))
        numbers = (chain.from_iterable(plain(column)) for column in self.numbers.values())
        for key, *cells in zip(keys, *numbers, strict=True):
            yield (*chain.from_iterable(key), *cells)

    def __iter__(self) -> Iterator[Estimate]:
        names = self.key_names
        for row in self.rows():
            value, lower, upper = row[len(names) : len(names) + 3]
            keys = dict(zip(names, row, strict=False))
            yield Estimate(keys=keys, value=value, lower95=lower, upper95=upper)

    def frame(self) -> pandas.DataFrame:
        """Return keys, value, lower95, upper95 and further columns as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(list(self.rows()), columns=list(self.columns))


def plain(column: Sequence[Cell]) -> Iterator[Sequence[Cell]]:
    """Yield a column in parts, of Python's own numbers where it is an array: all at once, these take room."""
    for start in range(0, len(column), CHUNK):
        part = column[start : start + CHUNK]
        yield part.tolist() if hasattr(part, "tolist") else part


class _Prefixed(Mapping[str, Estimates]):
    """Tables by a longer name."""

    def __init__(self, prefix: str, parts: Mapping[str, Estimates]) -> None:
        self._prefix, self._parts = prefix, parts

    def __getitem__(self, name: str) -> Estimates:
        if not name.startswith(self._prefix):
            raise KeyError(name)
        return self._parts[name.removeprefix(self._prefix)]

    def __iter__(self) -> Iterator[str]:
        return (f"{self._prefix}{part}" for part in self._parts)

    def __len__(self) -> int:
        return len(self._parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """Several tables of one statistic, each by a name of its own."""

    kind: ClassVar[OutputKind] = "tables"
    parts: Mapping[str, Estimates]

    def named(self, statistic: str) -> Mapping[str, Estimates]:
        """Return the tables by their names in a bundle, each made when it is read."""
        return _Prefixed(f"{statistic}.", self.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticRows(Tables):
    """Rows that are nobody's, made of what was noised; `parts` tell what was measured, and how far the rows are off."""

    kind: ClassVar[OutputKind] = "rows"
    columns: Mapping[str, Sequence[Cell]] = field(repr=False)
    """Columns by name, each with an entry for each row."""
    integers: Sequence[Sequence[int]] = field(default=(), repr=False)
    """Noisy integers behind the rows, as sealed: one mechanism after the other; nothing where `parts` tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedOutput(Tables):
    """A function that was fitted to what was noised; `parts` are its numbers with their intervals."""

    kind: ClassVar[OutputKind] = "model"
    facts: Mapping[str, Any]
    """All that it takes to compute it, as JSON has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredTables(Tables):
    """Tables that are computed of noisy integers beside them, which are measurements of no table alone."""

    kind: ClassVar[OutputKind] = "measured"
    integers: Sequence[Sequence[int]] = field(repr=False)
    """Noisy integers as they were sealed: of each mechanism, one after the other."""


Output = Estimates | Tables | SyntheticRows | FittedOutput | MeasuredTables


class Named(Mapping[str, Estimates]):
    """The tables of a release by name, each made when it is read."""

    def __init__(self, certificate: Certificate, outputs: Mapping[str, Output]) -> None:
        self._outputs = outputs
        stated = [each for each in certificate.statistics if each.id in outputs]
        self._names = {name: each.id for each in stated for name in each.tables}

    def __getitem__(self, name: str) -> Estimates:
        statistic = self._names[name]
        return self._outputs[statistic].named(statistic)[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Frames(Mapping[str, Any]):
    """The estimates of a release by table, each made a DataFrame when it is read."""

    def __init__(self, tables: Mapping[str, Estimates]) -> None:
        self._tables = tables

    def __getitem__(self, statistic: str) -> pandas.DataFrame:
        if statistic not in self._tables:
            raise no_table(statistic, self._tables)
        return self._tables[statistic].frame()

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __repr__(self) -> str:
        return f"<estimates of {', '.join(self._tables)}>"

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._tables)


def no_table(name: str, tables: Collection[str]) -> KeyError:
    """Return the error for a name that no table has, with the nearest one."""
    return KeyError(f"no table {name!r}. {nearest(name, tables)}".rstrip())


VIEWS = "dprelease.bundle.release_view"
"""Place of what shows a release and its tables: above this room, and loaded where somebody looks."""


def _no_writer(release: Release, folder: Path) -> Path:
    raise AccessError(phrase("model.only_workspace_published_release"))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Release(Viewed):
    """A published release: nothing in it depends on the data except through noise.

    Example: `release["ages"].to_pandas()`.
    """

    certificate: Certificate
    """Certificate, the content of release.json."""
    outputs: Mapping[str, Output] = field(repr=False)
    """Outputs by statistic; none of a release that is withheld."""
    entry: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """Content of ledger.json: the release's line in the publisher's ledger, and the proof that it stands there."""
    writer: Callable[[Release, Path], Path] = field(default=_no_writer, repr=False, compare=False)
    beside: Mapping[str, bytes] = field(default_factory=dict, repr=False, compare=False)
    """Files that are as they were given, by their paths: the messages and the sum of a round of several sites."""
    signer_known: bool | None = field(default=None, compare=False)
    """True if it was loaded and signed by the expected key; None where it was not loaded from files."""
    status: tuple[Any, ...] = field(default=(), compare=False)
    """Verdict that it was loaded with: intact, superseded or corrected, each with its words."""
    _named: list[Named] = field(default_factory=list, init=False, repr=False, compare=False)
    """Cache of the release's tables, once they were asked for."""

    @property
    def id(self) -> str:
        return self.certificate.id

    @property
    def is_withheld(self) -> bool:
        """True if the release failed its plan's criteria: then only that is published, and what it cost."""
        return self.certificate.is_withheld

    @property
    def tables(self) -> Mapping[str, Estimates]:
        """Tables by name: the id of their statistic, or of one with several, with its own after a point."""
        if not self._named:
            self._named.append(Named(self.certificate, self.outputs))
        return self._named[0]

    @property
    def estimates(self) -> Frames:
        """DataFrames by table: keys, value, lower95, upper95."""
        return Frames(self.tables)

    def __getitem__(self, name: str) -> Any:
        """Return a table with its frames, its picture and its cells (`dprelease.bundle.release_view.ReleaseTable`)."""
        if name not in self.tables:
            raise no_table(name, self.tables)
        return load(f"{VIEWS}:ReleaseTable")(self, name)

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def __bool__(self) -> bool:
        return True

    def __contains__(self, name: object) -> bool:
        return name in self.tables

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.tables)

    def view(self) -> View:
        view: View = load(f"{VIEWS}:view")(self)
        return view

    def __reduce__(self) -> Any:
        """Return what is public of it: a copy is written by nobody, for a key signs it."""
        public = (self.certificate, self.outputs, self.entry, self.beside, self.signer_known, self.status)
        return _again, public

    def write(self, folder: str | Path) -> Path:
        """Write the signed bundle into folder/<id>/ and returns that path. The same bytes each time."""
        return self.writer(self, Path(folder))


def _again(certificate: Certificate, outputs: Any, entry: Any, beside: Any, known: bool | None, status: Any) -> Release:
    given = {"certificate": certificate, "outputs": outputs, "entry": entry, "beside": beside}
    return Release(**given, signer_known=known, status=status)


def alone(certificate: Certificate, name: str, table: Estimates) -> Release:
    """Return a release of which one table is looked at."""
    statistic, _, part = name.partition(".")
    return Release(certificate=certificate, outputs={statistic: Tables(parts={part: table}) if part else table})
