"""Card of a model on a release's page: its kind, its use and its limits, and the function as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp
from typing import Any

from dprelease.bundle import guarantee
from dprelease.bundle.coefficients import Coefficients, Mask, coefficients, mask, unborne
from dprelease.bundle.outputs import model_path
from dprelease.bundle.pmml import known, pmml_of
from dprelease.model.certificate import Certificate
from dprelease.model.function.facts import (
    Bayes,
    ByGroup,
    ClusterFacts,
    ComponentFacts,
    Input,
    LinearFacts,
    ModelFacts,
    Nothing,
    ScorecardFacts,
    categories,
)
from dprelease.model.release import FittedOutput, Release
from dprelease.model.schema import Schema
from dprelease.model.statistic import statistic_of
from dprelease.statements.display import shown, shown_key
from dprelease.statements.phrases import titled
from dprelease.statements.question import StatisticLabel
from dprelease.words.language import ENGLISH, language, speaking
from dprelease.words.phrases import visible
from dprelease.words.releases import enumerate_words, say

DIGITS = 4
"""Significant digits of the function on a page; the file has nine."""
MAX_ROWS = 60


@dataclass(frozen=True, slots=True)
class NamedModel:
    """Model with the readers' names of its columns and values."""

    facts: ModelFacts
    columns: Schema

    def title(self, column: str) -> str:
        """Return a column's name with its unit of measure."""
        return titled(column, self.columns)

    def value(self, column: str, value: str) -> str:
        """Return the label of a category, else the category."""
        words = self.columns.texts.labels(column).get(value, {})
        return visible(self.columns.texts.said(words, language())[0] or value, 60) or say("blank")

    def values(self, given: Input) -> list[str]:
        """Return the readers' names of an input's bins or categories."""
        if not given.edges:
            return [self.value(given.column, each) for each in categories(given)]
        edges = [shown_key(edge) for edge in given.edges]
        last = len(edges) - 2
        return [
            say("range" if place == last else "model_below", first=low, last=high)
            for place, (low, high) in enumerate(pairwise(edges))
        ]

    @property
    def inputs(self) -> str:
        """Names of all inputs in a row, without the one that selects the group."""
        return enumerate_words([self.title(each.column) for each in self.facts.inputs if each.column != self.group])

    @property
    def group(self) -> str | None:
        """Input whose categories select the group's function; None where all rows have one function."""
        return self.facts.function.column if isinstance(self.facts.function, ByGroup) else None

    @property
    def groups(self) -> list[tuple[str, NamedModel]]:
        """Name and model of each group; none where all rows have the same function."""
        by = self.group or ""
        return [(self.value(by, each), NamedModel(facts, self.columns)) for each, facts in self.facts.by_group]

    @property
    def positive(self) -> str:
        """Outcome with the class whose odds are given; empty where there is none."""
        function, outcome = self.facts.function, self.facts.outcome
        if not isinstance(function, LinearFacts | ScorecardFacts) or function.positive is None or outcome is None:
            return ""
        return say("model_positive", outcome=self.outcome, value=self.value(outcome.column, function.positive))

    @property
    def outcome(self) -> str:
        """Outcome that is predicted; empty for groups and components."""
        return "" if self.facts.outcome is None else self.title(self.facts.outcome.column)


def named_model(release: Release, table: str) -> NamedModel | None:
    """Return the model that a table belongs to, where this version knows it; None for other tables."""
    output = release.outputs.get(statistic_of(table))
    facts = known(output) if isinstance(output, FittedOutput) else None
    return None if facts is None else NamedModel(facts, release.certificate.columns)


def card(release: Release, table: str) -> Mapping[str, Any] | None:
    """Return the page's card of a model, for the first of its tables; None for others."""
    statistic = statistic_of(table)
    first = next(iter(release.certificate.statistic(table).tables), None)
    named = named_model(release, table) if table == first else None
    if named is None:
        return None
    found = coefficients(release, statistic)
    heads, rows = function_table(named, mask(named.facts, found))
    hidden, many = unborne(found)
    return {
        "id": statistic,
        "title": say("model_title", question=StatisticLabel.of(release.certificate, table).name),
        "shown": say("model_show"),
        "lines": list(told(named, release.certificate.statistic(table).sources)),
        "caption": say(f"model_function_{_way(named.facts)}", outcome=named.outcome, positive=named.positive),
        "keys": key_columns(named),
        "heads": heads,
        "rows": rows[:MAX_ROWS],
        "cut": say("first_rows", rows=shown(MAX_ROWS), cells=shown(len(rows))) if len(rows) > MAX_ROWS else "",
        "json": model_path(statistic),
        "pmml": pmml_of(release, table),
        "hidden": say("model_unborne", hidden=shown(hidden), coefficients=shown(many)) if hidden else "",
    }


def _way(facts: ModelFacts) -> str:
    """Return the word for the kind of its function."""
    function = facts.function
    if isinstance(function, Bayes):
        return "bayes" if any(term.logs for term in function.terms) else "normal"
    ways = {"identity": "linear", "by": "by", "none": "none", "logit": "logit", "project": "components"}
    return ways.get(function.link, "clusters")


def told(named: NamedModel, sources: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield headings with their texts. `sources`: the statistics whose tables it was fitted to, if not its own."""
    facts = named.facts
    values = {"outcome": named.outcome, "inputs": named.inputs}
    about = (
        "outcome" if facts.outcome is not None else "groups" if isinstance(facts.function, ClusterFacts) else "parts"
    )
    what = say(f"model_what_{facts.kind}", **values)
    by = say("model_by", group=named.title(named.group)) if named.group else ""
    yield say("model_head_what"), f"{what} {by}".rstrip()
    if not isinstance(facts.function, Nothing):
        yield say("model_head_use"), say(f"model_use_{about}", **values)
    yield say("model_head_rows"), say(f"model_rows_{'outcome' if facts.outcome is not None else 'groups'}", **values)
    yield say("model_head_noise"), " ".join(_noise(named, sources))
    if facts.held_out is not None:
        yield say("model_head_tried"), say("model_tried", share=shown(100 * float(facts.held_out), DIGITS))
    if not isinstance(facts.function, Nothing):
        yield say("model_head_not"), say(f"model_not_{about}", **values)


def _noise(named: NamedModel, sources: Sequence[str]) -> Iterator[str]:
    facts, groups = named.facts, named.groups
    if isinstance(facts.function, Nothing):
        yield say("model_bins_none", used=shown(facts.function.bins_used), inputs=named.inputs)
        return
    functions = [each.facts.function for _, each in groups] or [facts.function]
    lines = [each for each in functions if isinstance(each, LinearFacts)]
    yield say(f"model_noise_{(lines[0].method if lines else None) or facts.kind}")
    if any(each.through_origin for each in lines):
        yield say("model_through_origin")
    for intervals in ("quotient", "region", "none"):
        if any(each.intervals == intervals for each in lines):
            yield say(f"model_intervals_{intervals}")
    if (used := lines[0].bins_used if lines else None) is not None:
        yield say("model_bins", used=shown(used), inputs=named.inputs)
    if isinstance(facts.function, ScorecardFacts) and facts.function.joint in ("whole", "sampled", "none"):
        yield say(f"model_joint_{facts.function.joint}")
    if sources:
        yield say("model_of_tables", sources=enumerate_words(sources))
    flat = [label for label, each in groups if is_flat(each.facts)]
    if is_flat(facts):
        yield say("model_flat")
    elif flat:
        yield say("model_flat_groups", groups=enumerate_words(flat))


def is_flat(facts: ModelFacts) -> bool:
    """Return True if nothing stood out of the noise, so that every row gets the same prediction."""
    function = facts.function
    if isinstance(function, LinearFacts):
        return not any(term.coefficient for term in function.terms)
    if isinstance(function, ByGroup):
        return len({float(each.function.intercept) for each in function.groups}) == 1 and all(
            is_flat(facts) for _, facts in facts.by_group
        )
    return isinstance(function, ScorecardFacts) and not any(any(term.points) for term in function.terms)


def function_table(named: NamedModel, words: Mask | None = None) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows of the function: an input, mostly one of its values, and what they add or multiply by.

    `words`: texts in place of digits that cannot be quoted.
    """
    heads, rows = _function(named)
    keys = key_columns(named)
    for row, own in zip(rows, words or (), strict=False):
        row[keys : keys + len(own)] = [word or cell for word, cell in zip(own, row[keys:], strict=False)]
    return heads, rows


def key_columns(named: NamedModel) -> int:
    """Return the number of key columns of the function's table."""
    return 1 if isinstance(named.facts.function, ClusterFacts | ComponentFacts) else 3 if named.group else 2


def _function(named: NamedModel) -> tuple[list[str], list[list[str]]]:
    facts, function = named.facts, named.facts.function
    where = [say("model_head_input"), say("model_head_value")]
    given = {each.column: each for each in facts.inputs}
    if isinstance(function, Nothing):
        return where, []
    if isinstance(function, ByGroup):
        return [named.title(function.column), *where, say("model_head_adds")], list(_each_group(named))
    if isinstance(function, LinearFacts | ScorecardFacts):
        start = [say("model_start"), "", _number(function.intercept)]
        adds = say("model_head_adds" if function.link == "identity" else "model_head_adds_odds")
        return [*where, adds], [start, *_added(named, function, given)]
    if isinstance(function, Bayes):
        labels = [named.value(facts.outcome.column, each) if facts.outcome else each for each in function.classes]
        priors = [say("model_start"), "", *map(_share, function.priors)]
        return [*where, *labels], [priors, *_likely(named, function, given)]
    groups = isinstance(function, ClusterFacts)
    rows = function.centres if isinstance(function, ClusterFacts) else function.axes
    heads = [say("model_group" if groups else "model_component", number=place + 1) for place in range(len(rows))]
    means = () if isinstance(function, ClusterFacts) else (function.means,)
    heads += [*(say("model_head_mean") for _ in means), say("model_head_width")]
    columns = (*rows, *means, function.widths)
    body = [
        [named.title(each.column), *(_number(column[place]) for column in columns)]
        for place, each in enumerate(facts.inputs)
    ]
    return [say("model_head_input"), *heads], body


def _each_group(named: NamedModel) -> Iterator[list[str]]:
    """Yield the rows of each group's function, after the group's name."""
    for label, own in named.groups:
        yield from ([label, *row] for row in _function(own)[1])


def _added(
    named: NamedModel, function: LinearFacts | ScorecardFacts, given: Mapping[str, Input]
) -> Iterator[list[str]]:
    if isinstance(function, ScorecardFacts):
        for points in function.terms:
            for label, added in zip(named.values(given[points.column]), points.points, strict=True):
                yield [named.title(points.column), label, _number(added)]
        return
    for term in function.terms:
        day = given[term.column].type == "date"
        each = say("model_each_day" if day else "model_each_unit")
        label = each if term.category is None else named.value(term.column, term.category)
        yield [named.title(term.column), label, _number(term.coefficient)]


def _likely(named: NamedModel, function: Bayes, given: Mapping[str, Input]) -> Iterator[list[str]]:
    for term in function.terms:
        title = named.title(term.column)
        if term.means:
            yield [title, say("model_mean"), *map(_number, term.means)]
            yield [title, say("model_deviation"), *map(_number, term.deviations)]
            continue
        for label, row in zip(named.values(given[term.column]), zip(*term.logs, strict=True), strict=True):
            yield [title, label, *map(_share, row)]


def _number(number: float) -> str:
    return shown(number if isinstance(number, int) else float(number), DIGITS)


def _share(log: float) -> str:
    return say("model_percent", share=shown(float(f"{100 * exp(log):.3g}"), DIGITS))


def card_text(
    facts: ModelFacts, certificate: Certificate, tables: Sequence[str], found: Coefficients, *, says_nothing: bool
) -> str:
    """Write the card as Markdown, in English: the model, its use, its loss, the release's guarantee, the function.

    `tables`: those that it was fitted to. `found`: its coefficients. `says_nothing`: no bin stands out of the noise.
    """
    with speaking(ENGLISH):
        named = NamedModel(facts, certificate.columns)
        sections = [*told(named, ())]
        if says_nothing:
            sections.insert(1, (say("model_head_nothing"), say("model_says_nothing")))
        cost = say("model_from_cost", tables=enumerate_words(list(dict.fromkeys(tables))), release=certificate.id)
        sections.append((say("model_head_cost"), f"{cost} {guarantee.in_text(certificate)}"))
        heads, rows = function_table(named, mask(facts, found))
        title, function = (
            say("model_from_title", outcome=named.outcome, inputs=named.inputs),
            say("model_head_function"),
        )
        lines = [f"# {title}"]
        for head, text in sections:
            lines += ["", f"## {head}", "", text]
        lines += ["", f"## {function}", "", _row(heads), _row(["---"] * len(heads)), *map(_row, rows)]
        return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
