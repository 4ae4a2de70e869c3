"""Rates, indices and changes of published counts: tables computed from signed ones, and from public figures.

`public/NAME.csv` are the figures as the plan has them, `derived/ID.csv` a number for each row of the table that it is
of, `derived/ID.json` the same with a description. None of this adds noise: verdict computes it again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from itertools import chain, product
from math import inf
from typing import Any

from dprelease.bundle.annotated import GRADE, free
from dprelease.bundle.compared import ITSELF, CountNoise, PublishedQuotient
from dprelease.bundle.listing import Content
from dprelease.bundle.tables import csv_chunks
from dprelease.charts.cells import TableText
from dprelease.model.certificate import Certificate
from dprelease.model.compared import pairs
from dprelease.model.derived import Compared, Derived, DerivedRate
from dprelease.model.grade import Grade, Scale, grade, grades
from dprelease.model.public import PublicTable
from dprelease.model.release import TOTAL, Cell, Estimates, Release, plain
from dprelease.model.standard import Form, code_of, standardised
from dprelease.model.stated import as_json
from dprelease.statements.display import shown
from dprelease.statements.question import StatisticLabel
from dprelease.words.language import ENGLISH, speaking
from dprelease.words.phrases import visible
from dprelease.words.releases import enumerate_words, say

ENDS = ("value", "lower95", "upper95")
Ends = tuple[float | None, float | None, float | None]
NO_VALUE: Ends = (None, None, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedTable:
    """Derived table: its numbers with their grades, their numerator and denominator."""

    asked: Derived
    public: PublicTable | None = None
    """Denominators of rates."""
    weights: PublicTable | None = None
    """Standard population of standardised rates."""
    estimates: Estimates
    grades: tuple[Grade, ...]
    question: StatisticLabel

    @property
    def path(self) -> str:
        return f"derived/{self.asked.id}.csv"

    def text(self, most: int) -> TableText:
        """Return the table as text for readers, at most so many rows."""
        return TableText(self.estimates, self.question, most, self.grades[:most])

    def csv(self) -> Iterator[bytes]:
        """Return its CSV file, a part after another."""
        return csv_chunks(self.estimates, self.grades)

    @property
    def explanation(self) -> str:
        """Sentence that names numerator, denominator and their source."""
        told = {"of": self.asked.of}
        if isinstance(self.asked, Compared):
            return say("derived_change_how" if self.asked.base is None else "derived_index_how", **told)
        assert self.public is not None
        told |= {"value": visible(self.public.value), "source": visible(self.public.source)}
        if self.weights is None:
            return say("derived_rate_how", **told)
        weights, standard = visible(self.weights.value), visible(self.weights.source)
        return say("derived_standard_how", **told, weights=weights, standard=standard)


def all_derived(release: Release) -> dict[str, DerivedTable]:
    """Return all derived tables of the plan by id; none of a release that is withheld."""
    names = [each.id for each in release.certificate.derived]
    return {name: found for name in names if (found := derived_of(release, name)) is not None}


def derived_of(release: Release, name: str) -> DerivedTable | None:
    """Return a derived table by its id; None where there is none."""
    public = {each.name: each for each in release.certificate.public}
    asked = next((each for each in release.certificate.derived if each.id == name), None)
    if asked is None or asked.of not in release.tables:
        return None
    if isinstance(asked, Compared):
        return _compared(release, asked)
    return _rates(release, asked, public[asked.per]) if asked.standardise is None else _standard(release, asked, public)


def derived_names(certificate: Certificate) -> list[str]:
    """Return the paths of derived tables and public figures."""
    if certificate.is_withheld:
        return []
    rates = [f"derived/{each.id}.{ending}" for each in certificate.derived for ending in ("csv", "json")]
    return [*(public_path(each) for each in certificate.public), *rates]


def derived_files(release: Release, every: Mapping[str, DerivedTable]) -> dict[str, Content]:
    """Return every such file by its path. `every`: the result of `all_derived`."""
    if not release.certificate.derived or release.is_withheld:
        return {}
    found: dict[str, Content] = {public_path(each): each.content.encode() for each in release.certificate.public}
    for name, rates in every.items():
        found[rates.path] = rates.csv()
        found[f"derived/{name}.json"] = _json(release, rates)
    return found


def public_path(table: PublicTable) -> str:
    """Return the path of public figures in the bundle."""
    return f"public/{table.name}.csv"


def _rates(release: Release, asked: DerivedRate, public: PublicTable) -> DerivedTable:
    table, certificate = release.tables[asked.of], release.certificate
    letters = grades(certificate, asked.of, table)
    factors = [Fraction(asked.times) / whole if whole else None for whole in _wholes(table, public)]
    columns = [
        [_times(cell, factor) for cell, factor in zip(_cells(getattr(table, name)), factors, strict=True)]
        for name in ENDS
    ]
    return DerivedTable(
        asked=asked,
        public=public,
        estimates=Estimates(axes=table.axes, value=columns[0], lower95=columns[1], upper95=columns[2]),
        grades=tuple(
            Grade.MISSING if factor is None else letter for letter, factor in zip(letters, factors, strict=True)
        ),
        question=_question(certificate, asked, public, table),
    )


def _standard(release: Release, asked: DerivedRate, public: Mapping[str, PublicTable]) -> DerivedTable:
    """Return standardised rates: sums of counts times known factors, with the margins that the certificate states."""
    table, certificate = release.tables[asked.of], release.certificate
    limits, stated = certificate.grades, certificate.reaches
    assert asked.standardise is not None
    assert isinstance(stated, dict)
    counts = [*_cells(table.value)]
    axes, forms = standardised(table.axes, asked, public)
    rows: list[Ends] = [
        NO_VALUE if form is None or reach is None else _ends(form, counts, Fraction(repr(reach)))
        for form, reach in zip(forms, stated[asked.id], strict=True)
    ]
    scales = [Scale(feasible=(0, inf), step=float(max((each for _, each in form or ()), default=0))) for form in forms]
    value, lower, upper = zip(*rows, strict=True)
    weights = public[asked.standardise.weights]
    estimates = Estimates(axes=axes, value=value, lower95=lower, upper95=upper)
    return DerivedTable(
        asked=asked,
        public=public[asked.per],
        weights=weights,
        estimates=estimates,
        grades=tuple(grade(*row, scale, limits) for row, scale in zip(rows, scales, strict=True)),
        question=_question(certificate, asked, public[asked.per], estimates, weights),
    )


def _compared(release: Release, asked: Compared) -> DerivedTable:
    """Return an index or a change: quotients of two counts each, graded as an index."""
    table, certificate = release.tables[asked.of], release.certificate
    limits, noise = certificate.grades, CountNoise.of(certificate, asked.of, table)
    counts, less = [*_cells(table.value)], 0 if asked.lag is None else 1
    rows: list[Ends] = []
    letters: list[Grade] = []
    for pair in pairs(table.axes, asked):
        found = None if pair is None else _quotient(noise, counts, *pair)
        rows.append(NO_VALUE if found is None else _percent(found, less))
        index = NO_VALUE if found is None else _percent(found, 0)
        letter = grade(*index, Scale(feasible=(0, inf)), limits)
        letters.append(Grade.UNRELIABLE if less and letter is Grade.NONE else letter)
    value, lower, upper = zip(*rows, strict=True)
    estimates = Estimates(axes=table.axes, value=value, lower95=lower, upper95=upper)
    question = _question(certificate, asked, None, estimates)
    return DerivedTable(asked=asked, estimates=estimates, grades=tuple(letters), question=question)


def _quotient(noise: CountNoise, counts: Sequence[Cell], row: int, other: int) -> PublishedQuotient | None:
    count, by = counts[row], counts[other]
    assert isinstance(count, int) and isinstance(by, int)
    return ITSELF if row == other and by > 0 else noise.quotient(count, by)


def _percent(found: PublishedQuotient, less: int) -> Ends:
    """Return a quotient and its ends in percent, less 100 for a change, each rounded to the nearest float."""
    every = (found.value, found.lower, found.upper)
    value, lower, upper = (None if each is None else float(100 * (Fraction(each) - less)) for each in every)
    return value, lower, upper


def _ends(form: Form, counts: Sequence[Cell], reach: Fraction) -> Ends:
    """Return value and interval, each the float nearest to the exact fraction."""
    value = Fraction(0)
    for row, factor in form:
        count = counts[row]
        assert isinstance(count, int)
        value += factor * count
    return float(value), float(value - reach), float(value + reach)


def _wholes(table: Estimates, public: PublicTable) -> Iterator[Fraction | None]:
    """Yield the denominator of each row, of a total summed over its parts; None where any is missing."""
    names = [axis.names[0] for axis in table.axes]
    order = [names.index(key) for key, _ in public.keys]
    codes = [[code_of(cell[0]) for cell in axis.cells] for axis in table.axes]
    if not any(TOTAL in axis for axis in codes):
        yield from (public.numbers.get(tuple(row[place] for place in order)) for row in product(*codes))
        return
    parts = [[code for code in axis if code != TOTAL] for axis in codes]
    for row in product(*codes):
        each = [part if code == TOTAL else [code] for code, part in zip(row, parts, strict=True)]
        found = [public.numbers.get(tuple(cells[place] for place in order)) for cells in product(*each)]
        known = [number for number in found if number is not None]
        yield sum(known, Fraction(0)) if len(known) == len(found) else None


def _cells(column: Any) -> Iterator[Cell]:
    yield from chain.from_iterable(plain(column))


def _times(cell: Cell, factor: Fraction | None) -> float | None:
    """Return a cell, as it stands in the file, times a factor, to the nearest float; an integer is divided once."""
    if isinstance(cell, int) and factor is not None:
        return cell * factor.numerator / factor.denominator
    return float(Fraction(repr(cell)) * factor) if isinstance(cell, float) and factor is not None else None


def _question(
    certificate: Certificate,
    asked: Derived,
    public: PublicTable | None,
    table: Estimates,
    weights: PublicTable | None = None,
) -> StatisticLabel:
    own = StatisticLabel.of(certificate, asked.of)
    by = enumerate_words([own.axis_title(axis) for axis in table.axes]) if table.axes else ""
    if isinstance(asked, Compared):
        told = {"measure": own.measure, "over": own.title(asked.over), "by": by, "lag": shown(asked.lag)}
        told["base"] = "" if asked.base is None else _called(own, asked)
        way = "index" if asked.base is not None else "change" if asked.lag == 1 else "change_lag"
        text, measure = say(f"derived_{way}_question", **told), say(f"derived_{way}_measure", **told)
        limits = (0.0, inf) if asked.base is not None else (-100.0, inf)
        return replace(
            own, id=asked.id, name=measure, text=text, measure=measure, limits=limits, is_count=False, is_share=False
        )
    assert public is not None
    told = {"measure": own.measure, "times": shown(_number(asked)), "value": visible(public.value, 60)}
    measure = say("derived_rate_measure", **told)
    own = replace(own, id=asked.id, name=measure, measure=measure, is_count=False, is_share=False)
    if asked.standardise is None or weights is None:
        return replace(own, text=say("derived_rate_question", **told, by=by))
    told |= {"over": own.title(asked.standardise.over), "standard": visible(weights.source, 60)}
    text = say("derived_standard_question", **told, by=by) if table.axes else say("derived_standard_one", **told)
    return replace(own, text=text)


def _called(own: StatisticLabel, asked: Compared) -> str:
    """Return the readers' name of the base."""
    return visible(own.coded(asked.over, asked.base)[0] or asked.base or "", 60)


def _about(public: PublicTable) -> dict[str, Any]:
    """Return the path, hash and description of public figures."""
    own = {key: told for key, told in public.to_mapping().items() if key != "content"}
    return {"path": public_path(public), "sha256": sha256(public.content.encode()).hexdigest(), **own}


def _number(asked: DerivedRate) -> int | float:
    return int(asked.times) if asked.times == int(asked.times) else float(asked.times)


def _json(release: Release, rates: DerivedTable) -> bytes:
    """Return the table with its question, denominators and guarantee, then one mapping per row, as JSON."""
    certificate, table, public, asked = release.certificate, rates.estimates, rates.public, rates.asked
    with speaking(ENGLISH):
        question = _question(certificate, asked, public, table, rates.weights)
    names = [*table.columns, free(GRADE, table)]
    facts = {
        "release": release.id,
        **asked.to_mapping(),
        **({"times": _number(asked)} if isinstance(asked, DerivedRate) else {}),
        "question": question.text,
        "measure": question.measure,
        "published": certificate.day,
        **({} if public is None else {"public": _about(public)}),
        **({} if rates.weights is None else {"weights": _about(rates.weights)}),
        "population": certificate.population.name,
        "guarantee": as_json(certificate.guarantee),
        "cumulative": as_json(certificate.cumulative),
        "columns": names,
    }
    rows: list[Mapping[str, Any]] = [
        dict(zip(names, (*row, grade.value), strict=True))
        for row, grade in zip(table.rows(), rates.grades, strict=True)
    ]
    return (json.dumps({**facts, "rows": rows}, ensure_ascii=False, separators=(",", ":")) + "\n").encode()
