"""Findings and the lead as sentences, from release.json and the labels of the plan: in any language.

Only ways, places and values are stated. So charts, pages, feeds and verify say the same, and the words of a release
can be translated after it was published.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from msgspec import UNSET

from dprelease.model.calendar import days_of
from dprelease.model.certificate import Certificate
from dprelease.model.column import Column
from dprelease.model.grade import Grade, grades
from dprelease.model.presentation import Quantity
from dprelease.model.release import TOTAL, Estimates, Release, is_partial
from dprelease.model.statement import Finding
from dprelease.statements.cell_names import cell_label, key_text
from dprelease.statements.display import estimate, grouped
from dprelease.statements.families import YES, cell_of
from dprelease.statements.number import said
from dprelease.statements.number import sentence as quoted
from dprelease.statements.phrases import WORDS, predicate, record
from dprelease.statements.question import StatisticLabel
from dprelease.words.language import language
from dprelease.words.releases import enumerate_words

say = WORDS.say
GROUPS = ("apart", "lowest", "envelope")
PARTS = {"0.333": "third", "0.500": "half", "0.667": "two_thirds"}
"""Words for the parts of a stretch."""


def findings(release: Release, table: str) -> list[str]:
    """Return the findings of a table as sentences, the strongest first."""
    own = release.certificate.statements
    return [sentence(release, table, each) for each in own.tables.get(table, ())] if own else []


def lead(release: Release) -> str:
    """State the lead of a release in one sentence; empty where it is withheld or has no statements."""
    certificate = release.certificate
    if certificate.is_withheld or not certificate.statements:
        return ""
    own = certificate.statements.lead
    if own is None:
        good, numbers = (sum(each) for each in zip((0, 0), *certificate.statements.quotable.values(), strict=True))
        if good:
            return say("found_some", numbers, quotable=grouped(Decimal(good)), n=grouped(Decimal(numbers)))
        return say("found_none", numbers, n=grouped(Decimal(numbers)))
    if own.way == "number":
        return number(release, own.table)
    found = certificate.statements.tables[own.table]
    return sentence(release, own.table, next(each for each in found if (each.way, each.axis) == (own.way, own.axis)))


def how_often_wrong(certificate: Certificate) -> str:
    """State once a page how often noise makes a finding wrong; empty where there are none."""
    own = certificate.statements
    if not own or not own.tables:
        return ""
    return say("found_wrong_lead" if own.lead is not None and own.lead.way != "number" else "found_wrong")


def number(release: Release, table: str) -> str:
    """Return the sentence of a table of one number."""
    certificate, estimates = release.certificate, release.tables[table]
    question, cells = (
        StatisticLabel.of(certificate, table),
        (estimates.value[0], estimates.lower95[0], estimates.upper95[0]),
    )
    (letter,) = grades(certificate, table, estimates)
    return quoted(question, record(certificate.texts), question.name, *cells, letter)


def sentence(release: Release, table: str, found: Finding) -> str:
    """State one finding; for a table with periods that the bounds cut, with a note that it is of whole ones."""
    certificate, estimates = release.certificate, release.tables[table]
    question = StatisticLabel.of(certificate, table)
    names = [name_of(question, estimates, place) for place in found.places]
    values = {"many": record(certificate.texts).many, **_numbers(found)}
    key = f"found_{found.way}"
    if found.way == "stretch":
        key = f"found_{PARTS[str(found.factor)]}"
        values |= _ends(question, estimates, found)
    elif found.way == "share":
        values |= {"label": names[0], "predicate": _predicate(question, estimates, found)}
        key = "found_share_that" if values["predicate"] else key
        values["label"] = question.title(estimates.axes[found.axis or 0].names[0]) if names[0] == YES else names[0]
    elif found.way == "first_last":
        key = "found_more" if Decimal(str(found.least)) >= 1 else "found_fewer"
        values |= dict(zip(("first", "last"), names, strict=True))
    elif found.guess is not UNSET:
        values |= _of_model(certificate.columns[str(certificate.asked(table)["outcome"])], question, found)
    elif found.way in GROUPS:
        values |= _of_groups(question, found) | {"name": names[0] if names else "", "phrase": question.name}
    elif names:
        values["name"] = enumerate_words(names)
        key = "found_most_times" if found.factor else key
    if certificate.statistic(table).presentation.measure is not Quantity.RECORDS and f"{key}_other" in WORDS:
        key = f"{key}_other"
    told = say(key, **values)
    if found.way == "first_last":
        return _with_days(told, certificate.asked(table).get("levels", {}), question, estimates, found)
    axes = estimates.axes if found.axis is UNSET else [estimates.axes[found.axis]]
    cut = any(axis.is_cut(place) for axis in axes for place in range(len(axis.cells)))
    return say("found_whole", finding=told) if cut else told


def _with_days(
    told: str, levels: Mapping[str, str], question: StatisticLabel, estimates: Estimates, found: Finding
) -> str:
    """State two periods that are compared, and their days where one has more: February beside March."""
    axis = found.axis or 0
    level = levels[str(question.column(estimates.axes[axis]))]
    ends = (days_of(str(cell_of(estimates, axis, place)[0]), level) for place in found.places)
    first, last = ((end - begin).days + 1 for begin, end in ends)
    return told if first == last else say("found_days", finding=told, first=str(first), last=str(last))


def name_of(question: StatisticLabel, estimates: Estimates, place: int) -> str:
    """Return the name of a row: its keys as in charts, without those that it is a total along."""
    keys = [(axis, cell_of(estimates, number, place)) for number, axis in enumerate(estimates.axes)]
    named = [each for each in keys if not (question.margins and each[1][0] == TOTAL)]
    return ", ".join(cell_label(axis, cell, question) for axis, cell in named)


def _numbers(found: Finding) -> dict[str, str]:
    """Return its numbers as they are stated: shares and differences in %, ends outward."""
    share, least, most, factor = (
        None if each is UNSET else Decimal(each) for each in (found.share, found.least, found.most, found.factor)
    )
    told: dict[str, str] = {}
    if share is not None and least is not None and most is not None:
        three = [share, least, most]
        if found.way == "first_last":
            three = [each - 1 for each in three] if least >= 1 else [1 - share, 1 - most, 1 - least]
        told = dict(zip(("share", "least", "most"), estimate(*(float(100 * each) for each in three)), strict=True))
    elif share is not None:
        told["share"] = grouped((100 * share).quantize(Decimal(1)))
    if factor is not None:
        times = found.way == "most"
        told["factor"] = grouped(factor.normalize() if times else (100 * (factor - 1)).to_integral_value(ROUND_CEILING))
    return told


def _of_groups(question: StatisticLabel, found: Finding) -> dict[str, str]:
    """Return the numbers of means and shares by group: limits outward, all in steps that fit the range."""
    numbers = {key: float(each) for key in ("share", "least", "most") if (each := getattr(found, key)) is not UNSET}
    low, high = min(numbers.values()), max(numbers.values())
    least, most = (low, high) if high > low else (low - 1, high + 1)
    told = {
        "share": said(question, numbers.get("share", low), least, most, grade=Grade.RELIABLE)[0],
        "least": said(question, low, numbers.get("least", low), most, grade=Grade.RELIABLE)[1],
        "most": said(question, low, least, numbers.get("most", high), grade=Grade.RELIABLE)[2],
    }
    unit = f" {question.unit}" if question.unit and not question.is_share else ""
    return {key: f"{told[key]}{unit}" for key in numbers}


def _of_model(outcome: Column, question: StatisticLabel, found: Finding) -> dict[str, str]:
    """Return the accuracy of a model and of the commoner class, in %; and the difference in points, outward."""
    share, guess, least, most = (
        100 * Decimal(str(each)) for each in (found.share, found.guess, found.least, found.most)
    )
    code = outcome.labels[int(found.code or 0)]
    labels = question.columns.texts.labels(outcome.name).get(code, {})
    return {
        "share": grouped(share.quantize(Decimal(1))),
        "guess": grouped(guess.quantize(Decimal(1))),
        "least": grouped(least.quantize(Decimal(1), ROUND_FLOOR)),
        "most": grouped(most.quantize(Decimal(1), ROUND_CEILING)),
        "name": question.columns.texts.said(labels, language())[0] or code,
    }


def _ends(question: StatisticLabel, estimates: Estimates, found: Finding) -> dict[str, str]:
    """Return the column of a stretch, with its start and end."""
    axis = found.axis or 0
    first, last = (cell_of(estimates, axis, place) for place in found.places)
    names = estimates.axes[axis].names
    end = last[1] if len(names) > 1 and not is_partial(names[1]) else last[0]
    return {"column": question.axis_title(estimates.axes[axis]), "first": key_text(first[0]), "last": key_text(end)}


def _predicate(question: StatisticLabel, estimates: Estimates, found: Finding) -> str:
    """Return the plan's words for records with the code whose share it is; empty where it has none."""
    axis = found.axis or 0
    column, code = question.column(estimates.axes[axis]), cell_of(estimates, axis, found.places[0])[0]
    return predicate([{"column": column, "equals": code}], question.columns.texts)
