"""Changes that taking over a codebook would make, column by column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dprelease.codebook.book import Codebook, ColumnEntry
from dprelease.model.column import keys_of


@dataclass(frozen=True, slots=True)
class ColumnProposal:
    """One column: as it is declared now, and as it would be. Both as in a plan file; nothing is declared by it."""

    name: str
    now: Mapping[str, Any]
    then: Mapping[str, Any]

    @property
    def changed(self) -> tuple[str, ...]:
        """The keys that would be written otherwise."""
        keys = dict.fromkeys((*self.now, *self.then))
        return tuple(key for key in keys if _plain(self.now.get(key)) != _plain(self.then.get(key)))


@dataclass(frozen=True, slots=True)
class Proposals:
    """Proposals of a codebook for a table."""

    changes: tuple[ColumnProposal, ...]
    same: int
    """Columns of which the codebook says what is declared already."""
    unknown: tuple[str, ...]
    """Columns of the codebook that the table does not have."""
    silent: tuple[str, ...]
    """Columns of the table that the codebook does not know."""


def propose(book: Codebook, names: Iterable[str], now: Mapping[str, Mapping[str, Any]]) -> Proposals:
    """Compare a codebook with the columns of a table. `now`: what is declared, by column, complete or not.

    Raises CodebookError where bounds of the codebook are ambiguous or not understood, and nobody has settled them.
    """
    columns = tuple(names)
    book = book.decided(columns=described(book, columns))
    found, unknown = matched(book, columns)
    each = [
        ColumnProposal(name, now.get(name, {}), compatible(now.get(name, {}), found[name].declared)) for name in found
    ]
    order = {name: place for place, name in enumerate(columns)}
    changes = sorted((item for item in each if item.changed), key=lambda item: order[item.name])
    silent = tuple(name for name in columns if name not in found)
    return Proposals(tuple(changes), len(each) - len(changes), unknown, silent)


def described(book: Codebook, names: Iterable[str]) -> frozenset[str]:
    """Return the names in the book of columns that the table has."""
    return frozenset(entry.name for entry in matched(book, names)[0].values())


def matched(book: Codebook, names: Iterable[str]) -> tuple[dict[str, ColumnEntry], tuple[str, ...]]:
    """Return the entry of each column of a table that the book knows, and the names that the table does not have.

    Names are matched as they are, else without regard to case, where that is one column.
    """
    columns = tuple(names)
    folded: dict[str, list[str]] = {}
    for name in columns:
        folded.setdefault(name.strip().casefold(), []).append(name)

    def named(name: str) -> str | None:
        alike = [name] if name in columns else folded.get(name.strip().casefold(), [])
        return alike[0] if len(alike) == 1 else None

    found: dict[str, ColumnEntry] = {}
    unknown = []
    for entry in book.entries:
        alike = next((name for name in map(named, (entry.name, *entry.also)) if name is not None), None)
        if alike is not None:
            found[alike] = entry
        else:
            unknown.append(entry.name)
    return found, tuple(unknown)


def compatible(now: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """Return a declaration with other keys written over it, without what its new type cannot have."""
    then = {**now, **said}
    before, after = now.get("type"), then.get("type")
    if after is None:
        return then
    of_all, of_type = keys_of(None), keys_of(after)
    stays = of_type if before in (None, after) else of_all | (of_type & set(said))
    return {key: value for key, value in then.items() if key in stays}


def _plain(value: Any) -> Any:
    """Values that are written alike are alike."""
    if isinstance(value, list | tuple):
        return [{key: str(end) for key, end in item.items()} if isinstance(item, dict) else str(item) for item in value]
    return "" if value is None or value is False else str(value)
