"""Readers of options that models have: bins by column, and which pairs of columns are tabulated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dprelease.model.column_options import WholeByColumn
from dprelease.model.options import Option, Values
from dprelease.model.report import Report, join
from dprelease.words import phrase, verbatim


@dataclass(frozen=True)
class BinsByColumn(WholeByColumn):
    """A mapping from columns to how many bins of equal width they have, or to the edges of their bins."""

    @property
    def _edges(self) -> Values:
        return Values(self.highest + 1)

    def read(self, value: Any, path: str, report: Report) -> Any:
        if not isinstance(value, dict) or not value:
            report.add(path, found=value, allowed=phrase("model.mapping_column_names_bins"))
            return ()
        found = ((str(name), self._bins(item, join(path, str(name)), report)) for name, item in value.items())
        return tuple((name, bins) for name, bins in found if bins)

    def _bins(self, item: Any, path: str, report: Report) -> Any:
        if isinstance(item, list):
            return self._edges.read(item, path, report)
        return report.integer(item, path, lowest=self.lowest, highest=self.highest)

    def write(self, value: Any) -> Any:
        return {name: self._edges.write(bins) if isinstance(bins, tuple) else bins for name, bins in value}


@dataclass(frozen=True)
class PairOption(Option):
    """One of some words, or a list of different pairs of columns."""

    words: tuple[str, ...]
    most: int

    def read(self, value: Any, path: str, report: Report) -> Any:
        if not isinstance(value, list):
            return report.choice(value, path, self.words)
        found = []
        for index, item in enumerate(report.sequence(value, path, longest=self.most)):
            place = f"{path}[{index}]"
            items = report.sequence(item, place, longest=2)
            names = tuple(report.text(name, f"{place}[{number}]", shortest=1) for number, name in enumerate(items))
            if items and len(set(names)) != 2:
                report.add(place, found=phrase("model.columns", count=len(set(names))), allowed=verbatim("2"))
            found.append(names)
        if len(set(map(frozenset, found))) != len(found):
            report.add(path, found=phrase("model.columns_twice"), allowed=phrase("model.each_once"))
        return tuple(found)

    def write(self, value: Any) -> Any:
        return value if isinstance(value, str) else [list(names) for names in value]
