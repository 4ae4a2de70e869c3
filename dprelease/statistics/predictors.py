"""Columns as the terms of a linear function: what a row adds to sums of products of two terms, in exact integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from dprelease.model.column import LISTED, Column
from dprelease.model.condition import Condition
from dprelease.model.schema import Schema
from dprelease.model.tally import Addend, Key, Measure, ScoreKey, TallyQuery
from dprelease.statistics.algebra import logit, moments
from dprelease.statistics.algebra.grouping import each_value

BITS = 40
"""A score counts in 2^-40 of log-odds: so a slope of 2^20 values is off by less than 2^-20 of them."""
WIDTH = 4
"""Cells are 2^-4 of log-odds wide."""


@dataclass(frozen=True, slots=True)
class Term:
    """A column's value from -1 at its lower to 1 at its upper bound; of a longer list, 1 for one category, else 0."""

    column: Column
    category: int | None = None
    """Its code, of a column of three or more values in a list. Its first has no term."""

    @property
    def scale(self) -> int:
        """Divisor of its whole numbers 2c - K, which makes them lie between -1 and 1."""
        return 1 if self.category is not None else self.column.lattice.steps

    @property
    def is_square(self) -> bool:
        """True if its square says more than itself and the number of rows."""
        return self.category is None and self.column.lattice.steps > 1


@dataclass(frozen=True)
class Predictors:
    """The terms of some columns, a constant before them, and an outcome after them: of two values -1 and 1, or ordered.

    A column with one value has no term; one of a list of two, or an ordered one, has one. `origin`: there is no
    constant, and values are divided by the largest that is declared, so that 0 stays 0; of two values in a list the
    second is 1. Then only squares and products of terms, and those with the outcome, are summed.
    """

    on: tuple[Column, ...]
    outcome: Column
    origin: bool = False

    @cached_property
    def schema(self) -> Schema:
        """Columns by name."""
        return Schema({column.name: column for column in (*self.on, self.outcome)})

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """Terms in order, without the constant."""
        return tuple(term for column in self.on for term in _terms(column))

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Columns that have terms, each once."""
        return tuple(dict.fromkeys(term.column for term in self.terms))

    @property
    def grouped(self) -> int:
        """Number of columns with several terms, of which a row has one at most."""
        return len({term.column.name for term in self.terms if term.category is not None})

    @property
    def signed(self) -> bool:
        """True if some of the values are below 0 and some of the same column above."""
        return any(low < 0 < high for low, high in map(ends, (*self.terms, Term(self.outcome))))

    @property
    def squares(self) -> int:
        """Number of terms whose squares say something."""
        return sum(term.is_square for term in self.terms)

    @property
    def unit(self) -> int:
        """Largest product of two terms, as the integers are measured: at least 64 times as fine as the
        lattice of the products, and so that those of 2^31 rows stay below 2^62."""
        finest = max(map(self.scale, range(1, 2 + len(self.terms))))
        return 1 << min(30, (finest * finest).bit_length() + 6)

    @cached_property
    def entries(self) -> tuple[tuple[int, int], ...]:
        """The pairs of terms whose products are summed, by place: 0 is the constant, and the last the outcome."""
        last = 1 + len(self.terms)
        if not self.origin:
            return self._counted
        squares = {(place, place) for place in range(1, last)}
        return tuple(sorted(squares | {(i, j) for i, j in self._counted if 0 < i < last}))

    @cached_property
    def _counted(self) -> tuple[tuple[int, int], ...]:
        """Entries whose sums follow from tallies."""
        last = 1 + len(self.terms)
        own = [(0, 0), *((0, place) for place in range(1, last + 1))]
        for i, term in enumerate(self.terms, start=1):
            own += [(i, i)] if term.is_square else []
            own += [(i, j) for j in range(i + 1, last) if self.terms[j - 1].column is not term.column]
            own.append((i, last))
        return (*own, (last, last)) if Term(self.outcome).is_square else tuple(own)

    def elsewhere(self, *, one_sided: bool) -> dict[tuple[int, int], tuple[int, int]]:
        """Return the entries in place of squares that are none: of a term of two values rows, or itself from 0 to 1."""
        return {} if self.origin else self._squares(one_sided=one_sided)

    def _squares(self, *, one_sided: bool) -> dict[tuple[int, int], tuple[int, int]]:
        found = {}
        for place, term in enumerate((*self.terms, Term(self.outcome)), start=1):
            if not term.is_square:
                found[place, place] = (0, place) if one_sided or term.category is not None else (0, 0)
        return found

    @property
    def present(self) -> tuple[str, ...]:
        """Every column that a row has to have a value in."""
        return tuple(self.schema.columns)

    @cached_property
    def queries(self) -> tuple[TallyQuery, ...]:
        """Tallies of sums of products of codes, by category where a column has several terms."""
        asked = (query for queries in self._asked.values() for query in queries)
        return tuple(dict.fromkeys((*self._alone[""], *asked)))

    @cached_property
    def _pairs(self) -> dict[tuple[str, str], tuple[Column, Column]]:
        columns = [*self.columns, self.outcome]
        own = [(column, column) for column in columns if not _is_long(column)]
        return {(one.name, other.name): (one, other) for one, other in [*own, *combinations(columns, 2)]}

    @cached_property
    def _asked(self) -> dict[tuple[str, str], tuple[TallyQuery, ...]]:
        """Queries by pair of columns."""
        parts = {names: _parts(*pair) for names, pair in self._pairs.items()}
        return {names: moments.queries(*own, self.schema, self.present) for names, own in parts.items()}

    @cached_property
    def _alone(self) -> dict[str, tuple[TallyQuery, ...]]:
        """Queries by column with one term, and of none: rows, and the sum of its codes."""
        columns = [column for column in (*self.columns, self.outcome) if not _is_long(column)]
        own: dict[str, list[moments.Factor]] = {"": []}
        own |= {column.name: [moments.around(column)] for column in columns}
        return {name: moments.queries((), factors, self.schema, self.present) for name, factors in own.items()}

    def scale(self, place: int) -> int:
        """Return the divisor of a term's whole numbers, to lie between -1 and 1; of the constant 1."""
        if self.origin and place:
            return largest((*self.terms, Term(self.outcome))[place - 1])
        return (None, *self.terms, Term(self.outcome))[place].scale if place else 1  # type: ignore[union-attr]

    def products(self, tallies: Sequence[Any]) -> dict[tuple[int, int], int]:
        """Return by entry Σ over rows of the product of its terms' whole numbers."""
        found = self._products(tallies)
        return self._from_zero(found) if self.origin else found

    def _products(self, tallies: Sequence[Any]) -> dict[tuple[int, int], int]:
        """Return the products of whole numbers 2c - K."""
        answered = dict(zip(self.queries, tallies, strict=True))
        tables = {names: self._table(names, pair, answered) for names, pair in self._pairs.items()}
        all_terms = [None, *self.terms, Term(self.outcome)]
        found = {}
        for i, j in self._counted:
            first, second = all_terms[i], all_terms[j]
            if second is None:
                found[i, j] = self._rows(answered)
            elif first is None:
                found[i, j] = self._own(second, answered)
            else:
                table = tables[first.column.name, second.column.name]
                places = tuple(each.category for each in (first, second) if each.category is not None)
                found[i, j] = int(table[places])
        return found

    def from_lower(self, products: Mapping[tuple[int, int], int], *, outcome: bool) -> dict[tuple[int, int], int]:
        """Return by entry Σ of products of codes, of those of 2c - K: 0 at a column's lower bound to K; with `outcome`
        its own, too."""
        places = [term.scale for term in (*self.terms, Term(self.outcome))]
        return self._moved(products, places, outcome=outcome)

    def _from_zero(self, products: Mapping[tuple[int, int], int]) -> dict[tuple[int, int], int]:
        """Return by entry Σ of products of values in steps of their columns: 2c - K and both ends' sum, halved."""
        squares = {place: products[source] for place, source in self._squares(one_sided=False).items()}
        places = [0 if term.category is not None else sum(ends(term)) for term in (*self.terms, Term(self.outcome))]
        found = self._moved({**products, **squares}, places, outcome=True)
        return {entry: found[entry] for entry in self.entries}

    def _moved(
        self, products: Mapping[tuple[int, int], int], places: Sequence[int], *, outcome: bool
    ) -> dict[tuple[int, int], int]:
        """Return Σ of products of half of (2c - K + a place), where a column has one term."""
        halved = [False, *(term.category is None for term in self.terms), outcome]
        moved = [own * half for own, half in zip((0, *places), halved, strict=True)]
        found = {}
        for (i, j), whole in products.items():
            whole += moved[j] * products[0, i] + moved[i] * products[0, j] + moved[i] * moved[j] * products[0, 0]
            found[i, j] = whole >> (halved[i] + halved[j])
        return found

    def residuals(
        self, tallies: Sequence[Any], scored: Sequence[Any], expected: Sequence[int], whole: int, positive: int
    ) -> list[int]:
        """Return by term Σ over rows of (whole·y - expected of the score's cell)·term, in whole numbers: y is 1 where
        the outcome has the code `positive`, else 0.

        `scored`: the answers to `further`, by cell.
        """
        known, last = self.products(tallies), 1 + len(self.terms)
        rows, *others = (np.asarray(each).astype(object) for each in scored)
        weights = np.array(expected, dtype=object)
        sign = 1 if positive else -1
        found = [whole * ((known[0, 0] + sign * known[0, last]) // 2) - int((weights * rows).sum())]
        for place, (term, own) in enumerate(zip(self.terms, others, strict=True), start=1):
            by_cell = own if term.category is not None else 2 * own - term.scale * rows
            of_positive = (known[0, place] + sign * known[place, last]) // 2
            found.append(whole * of_positive - int((weights * by_cell).sum()))
        return found

    def _rows(self, answered: Mapping[TallyQuery, Any]) -> int:
        (query,) = self._alone[""]
        return int(answered[query])

    def _own(self, term: Term, answered: Mapping[TallyQuery, Any]) -> int:
        """Return the sum of a term alone."""
        if term.category is not None:
            rows = self._asked[term.column.name, self.outcome.name][0]
            return int(answered[rows][term.category])
        asked = self._alone[term.column.name]
        return int(moments.total([moments.around(term.column)], asked, [answered[query] for query in asked]))

    def _table(self, names: tuple[str, str], pair: tuple[Column, Column], answered: Mapping[TallyQuery, Any]) -> Any:
        """Return Σ of products of 2c - K, by category where a column has several terms."""
        asked, (_, factors) = self._asked[names], _parts(*pair)
        return moments.total(factors, asked, [answered[query] for query in asked])

    def further(self, score: ScoreKey) -> tuple[TallyQuery, ...]:
        """Return rows by score, and by score the sums of codes and the numbers of rows of categories."""
        present = moments.with_nulls(self.present, self.schema)
        measures = [Measure((), present)]
        for term in self.terms:
            if term.category is None:
                measures.append(Measure((term.column.name,), present))
            else:
                value = term.column.value(term.category)
                measures.append(Measure((), present, (Condition(term.column.name, (("equals", value),)),)))
        return tuple(TallyQuery((), measure, score=score) for measure in measures)


def ends(term: Term) -> tuple[int, int]:
    """Return the least and the largest value, in steps of the column; of a list 0 and 1."""
    if term.column.type in LISTED:
        return 0, 1
    lattice = term.column.lattice
    return lattice.start, lattice.start + lattice.steps


def largest(term: Term) -> int:
    """Return the value furthest from 0, in steps of the column."""
    return max(map(abs, ends(term)))


@lru_cache(maxsize=64)
def predictors(on: tuple[Column, ...], outcome: Column, *, origin: bool = False) -> Predictors:
    """Return the predictors of these columns, worked out once."""
    return Predictors(on, outcome, origin)


def score(own: Predictors, beta: Sequence[float]) -> ScoreKey:
    """Return the cells of β·terms, in whole numbers: a column's part is a slope by code, or a number by category."""
    start, slopes, lists = beta[0], dict[str, float](), dict[str, list[int]]()
    for term, number in zip(own.terms, beta[1:], strict=True):
        if term.category is None:
            start -= number
            slopes[term.column.name] = 2.0 * number / term.scale
        else:
            listed = lists.setdefault(term.column.name, [0] * term.column.codes)
            listed[term.category] = round(number * 2.0**BITS)
    addends = [Addend(name, slope=round(slope * 2.0**BITS)) for name, slope in slopes.items()]
    addends += [Addend(name, of_code=tuple(listed)) for name, listed in lists.items()]
    return ScoreKey(round(start * 2.0**BITS), tuple(addends), BITS - WIDTH, logit.HALF)


def _terms(column: Column) -> list[Term]:
    if _is_long(column):
        return [Term(column, code) for code in range(1, column.codes)]
    return [Term(column)] if column.lattice.steps else []


def _is_long(column: Column) -> bool:
    return column.type in LISTED and column.codes > 2


def _parts(one: Column, other: Column) -> tuple[tuple[Key, ...], list[moments.Factor]]:
    """Return the keys and factors of products of two columns."""
    keys = tuple(each_value(column) for column in (one, other) if _is_long(column))
    return keys, [moments.around(column) for column in (one, other) if not _is_long(column)]
