"""Coefficients of a model that can be quoted: digits of mere noise are neither shown nor used in predictions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from dprelease.model.function.facts import (
    Bayes,
    ByGroup,
    ClusterFacts,
    ComponentFacts,
    LinearFacts,
    ModelFacts,
    Nothing,
    ScorecardFacts,
)
from dprelease.model.grade import QUOTABLE, Grade, Scale, grade, grades
from dprelease.model.release import TERMS, Estimates, FittedOutput, Release
from dprelease.model.stated import Grades
from dprelease.statements.number import hidden, is_small
from dprelease.statements.question import PARTS

CONSTANT = "(intercept)"
TABLES = (*PARTS, "classes")
"""Tables of a model that its function is made of."""
Mask = Sequence[Sequence[str | None]]
"""Words in place of digits, by row and column of numbers of a function's table; None where the digits stand."""


@dataclass(frozen=True, slots=True)
class PublishedCoefficient:
    """Coefficient of a model, by its published estimate."""

    bears: bool
    """True if a prediction may rest on it: it can be quoted, or is known to be small."""
    word: str | None
    """Word in place of its digits where these cannot be quoted, else None."""
    is_constant: bool = False


Coefficients = Mapping[str, Sequence[PublishedCoefficient]]
"""Coefficients by part of the model, in the order of the part's table."""


def coefficients(release: Release, statistic: str) -> Coefficients:
    """Return a model's coefficients, by the tables of its release."""
    found = {}
    for name in release.certificate.statistic(statistic).tables:
        part = name.partition(".")[2]
        if part in TABLES:
            table = release.tables[name]
            found[part] = list(_graded(part, table, grades(release.certificate, name, table)))
    return found


def of_tables(model: FittedOutput, limits: Grades) -> Coefficients:
    """Return the coefficients of a model of bins that was fitted to the tables of a release."""
    table, found = model.parts["points"], Scale(feasible=(float("-inf"), float("inf")), is_log_odds=True)
    rows = zip(table.value, table.lower95, table.upper95, strict=True)
    return {"points": list(_graded("points", table, (grade(*row, found, limits) for row in rows)))}


def _graded(part: str, table: Estimates, letters: Iterator[Grade]) -> Iterator[PublishedCoefficient]:
    for letter, each in zip(letters, table, strict=True):
        ends = (each.lower95, each.upper95)
        bears = letter in QUOTABLE or is_small(part, *ends)
        constant = table.key_names[-1:] == TERMS and CONSTANT in each.keys.values() and letter is not Grade.MISSING
        yield PublishedCoefficient(bears, hidden(part, letter, *ends), constant)


def unborne(found: Coefficients) -> tuple[int, int]:
    """Count the coefficients that no prediction may rest on, and all; a constant counts only where it is missing."""
    each = [own for part in PARTS for own in found.get(part, ()) if not own.is_constant]
    return sum(not own.bears for own in each), len(each)


def mask(facts: ModelFacts, found: Coefficients) -> Mask | None:
    """Return the words in a function's table; None where all digits stand, or none of its tables is known."""
    bayes = isinstance(facts.function, Bayes)  # whose table has shares: of small odds beside another class, too
    words = {part: [None if bayes and own.bears else own.word for own in column] for part, column in found.items()}
    function = facts.function
    if isinstance(function, Nothing) or not any(chain.from_iterable(words.values())):
        return None
    if isinstance(function, LinearFacts | ByGroup):
        return [[word] for word in _with_constants(function, words["coefficients"])]
    if isinstance(function, ScorecardFacts):
        return [[None], *([word] for word in words["points"])]
    if isinstance(function, Bayes):
        return list(_likely(function, words))
    if isinstance(function, ClusterFacts):
        return _rows(words["centres"], len(facts.inputs))
    assert isinstance(function, ComponentFacts)
    return list(zip(*_rows(words["loadings"], len(function.axes)), strict=True))


def _with_constants(function: LinearFacts | ByGroup, words: Sequence[str | None]) -> Iterator[str | None]:
    """Yield one word per row of the function's table; a line through the origin has the constant 0, shown as such."""
    left = iter(words)
    for line in [each.function for each in function.groups] if isinstance(function, ByGroup) else [function]:
        yield None if line.through_origin else next(left)
        yield from islice(left, len(line.terms))


def _rows(words: Sequence[str | None], many: int) -> list[Sequence[str | None]]:
    width = len(words) // many
    return [words[place * width : (place + 1) * width] for place in range(many)]


def _likely(function: Bayes, words: Mapping[str, Sequence[str | None]]) -> Iterator[Sequence[str | None]]:
    """Yield each row's words by class: where its odds to the first class have one; the first, where all others do."""
    others = len(function.classes) - 1
    points, bells = iter(words.get("points", ())), {part: iter(words.get(part, ())) for part in ("means", "deviations")}
    yield words.get("classes") or [None] * (others + 1)
    for term in function.terms:
        if term.means:
            for part in bells.values():
                yield [next(part) for _ in range(others + 1)]
            continue
        for _ in term.logs[0]:
            own = [next(points) for _ in range(others)]
            yield [own[0] if None not in own else None, *own]
