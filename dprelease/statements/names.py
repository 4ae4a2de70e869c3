"""Names of a release's tables: where several would share a name, with what distinguishes them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dprelease.model.certificate import Certificate
from dprelease.statements.counts import copies
from dprelease.statements.display import shown
from dprelease.statements.phrases import (
    LONGEST_CONDITION,
    LONGEST_NAME,
    WORDS,
    at_level,
    conditions,
    say,
    title_or_phrase,
)
from dprelease.words.language import language
from dprelease.words.phrases import visible
from dprelease.words.releases import enumerate_words

COLUMNS = ("column", "columns", "numerator", "denominator", "outcome", "on")
OWN = ("id", "where", "by", "levels", "bins", "edges", "survey_weights", "method", *COLUMNS)
"""Options with words of their own; any other one is told by its name and value."""


def names(certificate: Certificate) -> Mapping[str, str]:
    """Return the name of each table in the current language; two are never alike, but for a table and its copy.

    Tables that share a name are told apart in brackets by the first of kind, columns, filter, `by`, bins, weights,
    method and further options in which they differ, and the next for those that are still alike; at last their ids.
    """
    known = certificate.worked_out
    if (key := ("names", language())) not in known:
        tables = [table for each in certificate.statistics for table in each.tables]
        plain = {table: _plain(certificate, table) for table in tables}
        twice, groups = copies(certificate), defaultdict[str, list[str]](list)
        for table, name in plain.items():
            if table not in twice:
                groups[name.casefold()].append(table)
        shared = [own for own in groups.values() if len(own) > 1]
        told = plain | {table: name for own in shared for table, name in _apart(certificate, own, plain)}
        for _ in range(2):  # a title may be what another name becomes
            often = Counter(told[table].casefold() for table in tables if table not in twice)
            alike = [table for table in tables if table not in twice and often[told[table].casefold()] > 1]
            told |= {table: say("name_differs", name=told[table], what=table) for table in alike}
        known[key] = told
    found: Mapping[str, str] = known[key]
    return found


def name_of_table(certificate: Certificate, table: str) -> str:
    """Return the name of a table; for anything else with options, such as a whole family, the plain name."""
    return names(certificate).get(table) or _plain(certificate, table)


def _plain(certificate: Certificate, table: str) -> str:
    part = table.partition(".")[2]
    asked, presentation = certificate.asked(table), certificate.statistic(table).presentation
    return title_or_phrase(asked, presentation, certificate.columns, certificate.guarantee.unit, part)


def _apart(certificate: Certificate, tables: Sequence[str], plain: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the tables of one name, each with what distinguishes it."""
    aspects = {table: dict(_aspects(certificate, certificate.asked(table))) for table in tables}
    for table, own in _differing(aspects):
        yield table, say("name_differs", name=plain[table], what=", ".join(own)) if own else plain[table]


def _differing(aspects: Mapping[str, Mapping[str, str]]) -> Iterator[tuple[str, list[str]]]:
    """Yield each table with the first aspect in which not all are alike, and the next for those that still are."""
    for aspect in dict.fromkeys(key for own in aspects.values() for key in own):
        groups = defaultdict[str, dict[str, Mapping[str, str]]](dict)
        for table, own in aspects.items():
            text = own.get(aspect) or say("differs_option", option=aspect, value=say("differs_usual"))
            groups[text][table] = own
        if len(groups) > 1:
            for text, alike in groups.items():
                yield from ((table, [text, *more]) for table, more in _differing(alike))
            return
    yield from ((table, []) for table in aspects)


def _aspects(certificate: Certificate, asked: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the aspects in which statistics of one name may differ, in words, in the order in which they are told."""
    columns, levels = certificate.columns, asked.get("levels", {})

    def named(options: Sequence[str]) -> str:
        own = [asked.get(option) or () for option in options]
        every = [name for names in own for name in ([names] if isinstance(names, str) else names)]
        return enumerate_words([at_level(name, levels, columns) for name in every]) if every else ""

    kind = f"kind_{asked['kind']}"
    yield "kind", say(kind) if kind in WORDS else asked["kind"]  # one that somebody added may have no words
    yield "columns", named(COLUMNS) or say("differs_all")
    where = list(conditions(asked.get("where", ()), columns))
    yield "where", visible(enumerate_words(where), LONGEST_CONDITION) if where else say("differs_all")
    yield "by", say("differs_by", by=named(("by",))) if asked.get("by") else say("differs_all")
    yield "bins", _bins(certificate, asked)
    weights = asked.get("survey_weights")
    yield "weights", say("differs_weights", weights=at_level(weights, {}, columns)) if weights else say("differs_plain")
    yield "method", say("differs_method", method=asked.get("method") or say("differs_usual"))
    for option in sorted(asked.keys() - {*OWN, "kind"}):
        value = asked[option]
        told = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        yield option, say("differs_option", option=option, value=visible(told, LONGEST_NAME))


def _bins(certificate: Certificate, asked: Mapping[str, Any]) -> str:
    """State into how many bins a column is cut, or which columns into how many."""
    bins, edges = asked.get("bins"), asked.get("edges")
    if isinstance(bins, Mapping):
        own = [*asked.get("columns", ()), *asked.get("on", ())]
        each = ((name, len(cut) - 1 if isinstance(cut, list) else cut) for name, cut in bins.items() if name in own)
        parts = [f"{at_level(name, {}, certificate.columns)}: {_so_many(many)}" for name, many in each]
        return ", ".join(parts) or say("differs_bins_usual")
    if edges:
        return say("differs_edges", edges=visible(", ".join(map(shown, edges)), LONGEST_NAME))
    return _so_many(bins) if bins else say("differs_bins_usual")


def _so_many(bins: int) -> str:
    return say("differs_bins", bins, bins=shown(bins))
