"""Tables of a release as a notebook asks for them: `release["ages"]`, with frames, a picture, and cells that add up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from dprelease.bundle.arithmetic import DerivedNumber, PublishedCell, form_of, laws, total, unit_of
from dprelease.bundle.guarantee import in_text
from dprelease.errors import InputError
from dprelease.model.grade import grades
from dprelease.model.release import TOTAL, Cell, Estimates, Release
from dprelease.model.report import nearest
from dprelease.model.view import View, Viewed
from dprelease.registry import found
from dprelease.statements import display
from dprelease.statements.question import StatisticLabel
from dprelease.words import phrase, quoted, verbatim

if TYPE_CHECKING:
    import pandas
    import pyarrow

NUMBERS = ("value", "lower95", "upper95")


@dataclass(frozen=True, repr=False)
class ReleaseTable(Viewed):
    """One published table: keys, value, interval of noise, and grade of each cell."""

    release: Release
    name: str

    @cached_property
    def estimates(self) -> Estimates:
        """The table's axes and numbers."""
        return self.release.tables[self.name]

    @property
    def question(self) -> str:
        """Question that the table answers, in the language that is spoken."""
        return StatisticLabel.of(self.release.certificate, self.name).name

    @property
    def keys(self) -> tuple[str, ...]:
        """Names of the key columns."""
        return self.estimates.key_names

    @cached_property
    def cells(self) -> tuple[PublishedCell, ...]:
        """Cells in published order."""
        table, noise = self.estimates, laws(self.release.certificate, self.name, self.estimates)
        letters, unit = grades(self.release.certificate, self.name, table), unit_of(self.release.certificate, self.name)
        own = [form_of(self.release, self.name, place, noise.get(place)) for place in range(len(table))]
        return tuple(
            PublishedCell(self, each.keys, each.value, each.lower95, each.upper95, letter, unit, form)
            for each, letter, form in zip(table, letters, own, strict=True)
        )

    def __len__(self) -> int:
        return len(self.estimates)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[PublishedCell]:
        return iter(self.cells)

    def rows(self) -> list[dict[str, Cell]]:
        """Return a mapping for each cell: keys, value, lower95, upper95, grade."""
        return [
            {**each.keys, "value": each.value, "lower95": each.lower95, "upper95": each.upper95, "grade": each.grade}
            for each in self.cells
        ]

    def where(self, **keys: Any) -> tuple[PublishedCell, ...]:
        """Return the cells whose keys have some values: one each, or a list. Raises InputError for an unknown key."""
        for key in keys:
            if key not in self.keys:
                allowed = verbatim(", ".join(self.keys)) if self.keys else phrase("model.nothing")
                raise InputError(key, found=key, allowed=allowed, remedy=nearest(key, self.keys))
        asked = {key: value if isinstance(value, list | tuple | set) else [value] for key, value in keys.items()}
        return tuple(each for each in self.cells if all(each.keys[key] in values for key, values in asked.items()))

    def cell(self, **keys: Any) -> PublishedCell:
        """Return the one cell of some keys. Raises InputError where there is none, or several."""
        held = self.where(**keys)
        if len(held) != 1:
            known = dict.fromkeys(quoted(each.keys[self.keys[0]]) for each in self.cells) if self.keys else {}
            allowed = phrase("bundle.one_cell", keys=", ".join(self.keys), known=", ".join(list(known)[:10]))
            raise InputError(self.name, found=phrase("bundle.so_many_cells", count=len(held)), allowed=allowed)
        return held[0]

    def total(self) -> DerivedNumber:
        """Return the sum of all cells but totals, with its joint noise."""
        return total([each for each in self.cells if TOTAL not in each.keys.values()])

    def to_pandas(self) -> pandas.DataFrame:
        """Return a pandas DataFrame: keys, value, lower95, upper95, grade; `attrs` say of what release it is."""
        import pandas

        frame = pandas.DataFrame(self.rows(), columns=[*self.keys, *NUMBERS, "grade"])
        frame.attrs.update(self._about())
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """Return the same as a pyarrow Table, with the same facts as its metadata."""
        import pyarrow

        rows, names = self.rows(), [*self.keys, *NUMBERS, "grade"]
        columns = {name: [row[name] for row in rows] for name in names}
        return pyarrow.table(columns).replace_schema_metadata(self._about())

    def to_polars(self) -> Any:
        """Return the same as a polars DataFrame, where polars is installed."""
        try:
            polars = import_module("polars")
        except ModuleNotFoundError:
            raise InputError(
                "to_polars", found=phrase("model.nothing"), allowed=verbatim("pip install polars")
            ) from None
        return polars.from_arrow(self.to_arrow())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _about(self) -> dict[str, str]:
        certificate = self.release.certificate
        return {"release": certificate.id, "table": self.name, "guarantee": in_text(certificate)}

    def plot(self) -> Any:
        """Return the picture of the table as an Altair chart: the one of the bundle, grades included."""
        chart = found("dprelease.charts.picture:chart")
        if chart is None:
            raise InputError("plot", found=phrase("model.nothing"), allowed=verbatim("pip install dprelease"))
        return chart(self.release, self.name)

    def view(self) -> View:
        columns = [display.estimate(each.value, each.lower95, each.upper95) for each in self.cells[:20]]
        rows = [
            (*map(display.shown_key, each.keys.values()), *told, each.grade.value)
            for each, told in zip(self.cells, columns, strict=False)
        ]
        more = [] if len(self) <= 20 else [str(phrase("bundle.view_cells", count=len(self)))]
        return View(self.question, [in_text(self.release.certificate), *more], (*self.keys, *NUMBERS, ""), rows)


def view(release: Release) -> View:
    """Return what a release shows of itself: its guarantee, who signed it, and its tables."""
    certificate, known = release.certificate, release.signer_known
    signer = [] if known is None else [str(phrase("bundle.view_signer" if known else "bundle.view_no_signer"))]
    names = ", ".join(release.tables)
    rows = [(name, StatisticLabel.of(certificate, name).name) for name in release.tables]
    title = f"{certificate.title or certificate.id} ({certificate.id})"
    return View(title, [*signer, in_text(certificate), names], (), rows)
