"""Findings in the tables of a release, and the one that is stated first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, product
from math import log, sqrt

from msgspec import UnsetType, structs

from dprelease.model.certificate import Certificate
from dprelease.model.grade import QUOTABLE, Grade, grades
from dprelease.model.noise import LAPLACE, Drawn
from dprelease.model.presentation import Trait
from dprelease.model.release import TOTAL, Estimates, Release
from dprelease.model.statement import Finding, Lead, Statements
from dprelease.statements.counts import quotable, reasons
from dprelease.statements.families import BINS, TWO, YES, CellFamily, cell_of, families, places_of
from dprelease.statements.groups import Quotients, groups, quotients, shares
from dprelease.statements.number import said
from dprelease.statements.order import FINE, decimal, finding, orders
from dprelease.statements.phrases import noun_phrase
from dprelease.statements.question import StatisticLabel
from dprelease.statements.ranks import ranks
from dprelease.statements.tails import SHARP, combined_tail
from dprelease.statements.trial import TrialCounts, trials, tried

PARTS = (Fraction(1, 3), Fraction(1, 2), Fraction(2, 3))
DENSE = Fraction(13, 10)
"""Smallest density at which a stretch is stated, in multiples of its share of the width."""


def stretches(family: CellFamily) -> Iterator[Finding]:
    """Yield the densest stretch among the shortest for each part.

    The claim that a stretch of l of m bins holds more than p = a/b of all is (b − a)·inside − a·outside > 0, tested
    one-sided at β = α/(3·⌊m/2⌋·(m − l + 1)). The levels of all that are tried sum to α, whichever is chosen. The sum of
    all has to be told apart from nothing by the noise of a cell alone: else there is no share.
    """
    alpha, size, counts = family.part("stretch"), len(family.places), [int(each) for each in family.counts]
    if not alpha or not family.is_exact or sum(counts) <= 0:
        return
    sums, whole = list(accumulate(counts, initial=0)), sum(family.widths)
    found: list[tuple[Fraction, Fraction, int, int]] = []
    for part in PARTS:
        if (place := _shortest(family.noise, sums, part, alpha)) is not None:
            first, behind = place
            dense = part * whole / sum(family.widths[first:behind])
            found.append((dense, part, first, behind))
    dense, part, first, behind = max(found, default=(Fraction(0), Fraction(0), 0, 0))
    if dense >= DENSE and size > 1:
        share = decimal(Fraction(sums[behind] - sums[first], sums[-1]), FINE)
        places = (family.places[first], family.places[behind - 1])
        yield finding(family, "stretch", alpha, places, log(dense), factor=decimal(part, FINE), share=share)


def _shortest(noise: Drawn, sums: list[int], part: Fraction, alpha: Fraction) -> tuple[int, int] | None:
    """Return the first bin and the one behind the last, of the least length that passes: largest sum, then first."""
    size, (a, b) = len(sums) - 1, part.as_integer_ratio()
    for length in range(1, size // 2 + 1):
        first = max(range(size - length + 1), key=lambda place: sums[place + length] - sums[place])
        inside = sums[first + length] - sums[first]
        contrast = b * inside - a * sums[-1]
        parts = (
            (b - a, Drawn(noise.name, noise.scale, noise.draws * length)),
            (-a, Drawn(noise.name, noise.scale, noise.draws * (size - length))),
        )
        beta = alpha / (len(PARTS) * (size // 2) * (size - length + 1))
        if contrast > _deviation(parts) and combined_tail(parts, contrast) <= beta * SHARP:
            return first, first + length
    return None


def _deviation(parts: tuple[tuple[int, Drawn], ...]) -> float:
    """Return a standard deviation of the continuous noise, which noise passes more often than any β."""
    return sqrt(sum(c * c * each.scale**2 * each.draws * (2 if each.name == LAPLACE else 1) for c, each in parts))


Compared = CellFamily | Quotients | TrialCounts
COMPARISONS = ("most", "ahead", "least", "stretch", "first_last", "apart", "lowest", "better")
BOUNDS = ("spread", "envelope", "no_better")
HEADLINES = 3
SPREADS = ("std", "variance")
"""Kinds of numbers that are never stated first."""


def stated(release: Release) -> Statements:
    """Return the findings of every table, each at 5 % for the table, and the lead at 5 % for the release.

    The numbers choose the lead among T tables: its claim passes at 1/T of the levels, and stands so in its table.
    """
    tables, by_rank = release.tables, ranks(release.certificate, release.tables)
    empty = Statements(tables={}, lead=None, reasons={}, quotable={}, ranks=by_rank)
    release = replace(release, certificate=structs.replace(release.certificate, statements=empty))  # grades ask for it
    certificate = release.certificate
    compared = {name: found for name in tables if (found := _compared(release, name))}
    told = {name: list(_findings(certificate, tables[name], own)) for name, own in compared.items()}
    lead = _lead(certificate, tables, compared)
    if isinstance(lead, tuple):
        table, first = lead
        told[table] = [first, *(each for each in told[table] if _slot(each) != _slot(first))]
        lead = Lead(table=table, way=first.way, axis=first.axis)
    return Statements(
        tables={name: tuple(own) for name, own in told.items() if own},
        lead=lead,
        reasons=reasons(certificate, tables),
        quotable=quotable(certificate, tables),
        ranks=by_rank,
    )


def ordered(certificate: Certificate, name: str, table: Estimates) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """Yield rows of a table where a finding says that each of the first has more than each of the others."""
    own, asked = certificate.statements, certificate.asked(name)
    for each in own.tables.get(name, ()) if own else ():
        axis = None if isinstance(each.axis, UnsetType) else each.axis
        rest = [place for place in places_of(table, asked, axis) if place not in each.places]
        if each.way in ("most", "ahead", "apart"):
            yield each.places, rest
        elif each.way in ("least", "lowest"):
            yield rest, each.places
        elif each.way == "first_last":
            first, last = each.places
            yield ((last,), (first,)) if float(str(each.least)) > 1 else ((first,), (last,))
        elif each.way == "share" and float(str(each.least)) >= 0.5:
            yield each.places, rest
        elif each.way == "share" and float(str(each.most)) <= 0.5:
            yield rest, each.places


def _slot(found: Finding) -> tuple[object, str]:
    """Return the kind of claim of a finding; a table makes one of each kind for a family."""
    return found.axis, "most" if found.way == "ahead" else found.way


def _compared(release: Release, name: str) -> list[Compared]:
    """Return the comparisons of a table: families, quotients and trials."""
    certificate, table = release.certificate, release.tables[name]
    return [*families(certificate, name, table), *quotients(certificate, name, table), *trials(release, name)]


def _findings(
    certificate: Certificate, table: Estimates, own: list[Compared], part: Fraction = Fraction(1)
) -> list[Finding]:
    found: list[Finding] = []
    for each in own:
        family = each.at(part)
        if isinstance(family, Quotients):
            found += groups(family)
        elif isinstance(family, TrialCounts):
            found += tried(family)
        elif family.shape == TWO:
            cells = [str(cell_of(table, family.axis or 0, place)[0]) for place in family.places]
            found += shares(family, cells.index(YES) if YES in cells else 0, certificate.grades)
        else:
            found += stretches(family) if family.shape == BINS else orders(family)
    return found


def _lead(
    certificate: Certificate, tables: Mapping[str, Estimates], compared: Mapping[str, list[Compared]]
) -> tuple[str, Finding] | Lead | None:
    """Return a comparison, else a bound, else a number that can be quoted; the strongest, then the first of the plan.

    `lead` of the plan names one table: then nothing is chosen by the numbers. A table is left out where less than half
    can be quoted.
    """
    asked = certificate.plan.get("lead")
    named = [name for name in tables if asked is None or name.partition(".")[0] == asked or name == asked]
    chosen = [name for name in compared if name in named]
    found = [
        (name, each)
        for name in chosen
        if _quotable(certificate, name, tables[name])
        for each in _findings(certificate, tables[name], compared[name], Fraction(1, len(chosen)))
    ]
    for ways in (COMPARISONS, BOUNDS):
        own = [(name, each) for name, each in found if each.way in ways]
        if own:
            return max(own, key=lambda pair: float(pair[1].strength))
    numbers: list[tuple[bool, int, tuple[str, Finding] | Lead]] = []
    places = {name: place for place, name in enumerate(tables)}
    for name, each in found:
        if each.way == "share":
            numbers.append((float(each.strength) < 1, places[name], (name, each)))
    for name, letter in _single(certificate, {name: tables[name] for name in named}):
        numbers.append((letter is not Grade.RELIABLE, places[name], Lead(table=name, way="number")))
    return min(numbers, key=lambda each: each[:2])[2] if numbers else None


def _quotable(certificate: Certificate, name: str, table: Estimates) -> bool:
    """Return True if at least half of the numbers of a table can be quoted."""
    letters = list(grades(certificate, name, table))
    return 2 * sum(letter in QUOTABLE for letter in letters) >= len(letters)


def _single(certificate: Certificate, tables: Mapping[str, Estimates]) -> Iterator[tuple[str, Grade]]:
    """Yield the tables of one number with an interval that can be quoted, in the plan's order."""
    for name, table in tables.items():
        if table.key_names or len(table) != 1 or certificate.statistic(name).presentation.has(Trait.SPREAD):
            continue
        (letter,) = grades(certificate, name, table)
        if letter in QUOTABLE and None not in (table.lower95[0], table.upper95[0]):
            yield name, letter


@dataclass(frozen=True, slots=True)
class Headline:
    """Number of a release which can be quoted."""

    statistic: str
    name: str
    measure: str
    value: str
    lower: str
    upper: str


def headlines(release: Release) -> list[Headline]:
    """Return up to three numbers that can be quoted, in the plan's order, without the lead's: statistics of one number,
    and totals of tables with margins, each called by its own noun phrase and told once."""
    certificate, tables = release.certificate, release.tables
    lead = certificate.statements.lead if certificate.statements else None
    single, found = dict(_single(certificate, tables)), dict[str, Headline]()
    taken = StatisticLabel.of(certificate, lead.table).name if lead is not None and lead.way == "number" else ""
    for name, table in tables.items():
        question, place = (
            StatisticLabel.of(certificate, name),
            0 if name in single else _total(certificate, name, table),
        )
        if place is None or (name in single and lead is not None and lead.table == name):
            continue
        letter = [*grades(certificate, name, table)][place]
        ends = table.lower95[place], table.upper95[place]
        if letter in QUOTABLE and None not in ends:
            called = question.name if name in single else _of_all(certificate, name)
            cells = said(question, table.value[place], *ends, grade=letter)
            if called != taken and (name in single or called not in found):
                found[called] = Headline(name, called, question.measure, *cells)
    return [*found.values()][:HEADLINES]


def _total(certificate: Certificate, name: str, table: Estimates) -> int | None:
    """Return the row of a table with margins that is the total of all; None for other tables."""
    asked = certificate.asked(name)
    if not asked.get("margins") or asked.get("max_rows_per_cell"):
        return None
    cells = product(*(axis.cells for axis in table.axes))
    return next((place for place, own in enumerate(cells) if all(cell[0] == TOTAL for cell in own)), None)


def _of_all(certificate: Certificate, name: str) -> str:
    """Return the name of a table's total: that of the same statistic without groups."""
    asked = {key: value for key, value in certificate.asked(name).items() if key not in ("by", "columns")}
    presentation = certificate.statistic(name).presentation
    asked |= {"kind": "count"} if presentation.has(Trait.COUNTS_ROWS) else {}
    return noun_phrase(asked, presentation, certificate.columns, certificate.guarantee.unit)
