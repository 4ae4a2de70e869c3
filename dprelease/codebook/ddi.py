"""DDI Codebook 2.5 (XML), as archives and statistics offices write it. Earlier versions are read alike."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

from dprelease.codebook.book import Codebook, Note, Writing, number_text, without_repeats
from dprelease.codebook.bounds import ExactText
from dprelease.codebook.codes import within
from dprelease.codebook.plain_xml import children, tag, text
from dprelease.model.column import ColumnType
from dprelease.model.missing import CODES
from dprelease.model.report import as_decimal

SYSTEM = ("", ".", "Sysmiss")
"""Texts that stand for a cell without a value."""
OBSERVED = ("sumStat", "catStat")
"""Elements counted in the rows: minima, means, frequencies. Data, not public facts."""


def read_ddi(source: str, root: Element, *, by_label: bool) -> Codebook:
    """Read the variables of `dataDscr`. Raises CodebookError where there are none."""
    writing = Writing(source, by_label=by_label)
    for variable in (each for each in root.iter() if tag(each) == "var"):
        _variable(writing, variable)
    return writing.done()


def _variable(writing: Writing, variable: Element) -> None:
    name = variable.get("name") or variable.get("ID") or ""
    if not name:
        return
    within_it = [variable, *children(variable, "catgry")]
    if any(tag(each) in OBSERVED for held in within_it for each in held):
        writing.note(Note.STATISTICS, name)
    labels: dict[str, str] = {}
    missing: dict[str, str] = {}
    codes: list[Any] = _invalid(variable)
    stated = {code for code in codes if isinstance(code, str)}
    for category in children(variable, "catgry"):
        value = number_text(text(category, "catValu"))
        if category.get("missing") == "Y" or value in SYSTEM:
            codes += [value] if value not in SYSTEM and value not in stated else []
            stated.add(value)
            missing |= {value: text(category, "labl")} if value not in SYSTEM else {}
            codes += [text(category, "labl")] if writing.by_label else []
        else:
            labels[value] = text(category, "labl")
    unanswered = within(labels, codes)
    missing |= {value: label for value, label in labels.items() if value in unanswered}
    labels = {value: label for value, label in labels.items() if value not in missing}
    declared = _kind(variable, labels)
    typed: dict[str, str] = {}
    if codes and "type" in declared:
        declared[CODES] = codes
        writing.note(Note.MISSING_CODES, name)
    if "type" not in declared:
        writing.note(Note.TEXT, name)
    if declared.get("type") in (ColumnType.INTEGER, ColumnType.NUMBER):
        typed = _range(variable)
        if typed:
            writing.note(Note.RANGES, name)
    if variable.get("measUnit"):
        declared["unit"] = str(variable.get("measUnit")).strip()
    question = next((text(each, "qstnLit") for each in children(variable, "qstn")), "")
    label, note = text(variable, "labl"), question or text(variable, "txt")
    writing.add(
        name, declared, label=label, note="" if note == label else note, labels=labels, missing=missing, typed=typed
    )


def _kind(variable: Element, labels: dict[str, str]) -> dict[str, Any]:
    """A type, as far as the file states it; decimals make a number, categories that are not only numbers a list."""
    written = next(iter(children(variable, "varFormat")), None)
    if written is not None and (
        written.get("category") == "date" or "date" in (written.get("formatname") or "").lower()
    ):
        return {"type": ColumnType.DATE.value}
    numeric = written is not None and written.get("type") == "numeric"
    continuous = variable.get("intrvl") == "contin"
    if labels and not (continuous and numeric and all(as_decimal(value) is not None for value in labels)):
        return {"type": ColumnType.CATEGORY.value, "categories": without_repeats(labels)}
    if not numeric:
        return {}
    decimals = variable.get("dcml")
    whole = decimals == "0" or (decimals is None and variable.get("intrvl") == "discrete")
    return {"type": (ColumnType.INTEGER if whole else ColumnType.NUMBER).value}


def _invalid(variable: Element) -> list[Any]:
    """Return the declared invalid values and ranges."""
    found: list[Any] = []
    for invalid in children(variable, "invalrng"):
        found += [number_text(value) for item in children(invalid, "item") if (value := item.get("VALUE", "").strip())]
        for item in children(invalid, "range"):
            ends = {"from": item.get("min", "").strip(), "to": item.get("max", "").strip()}
            code = {key: number_text(end) for key, end in ends.items() if as_decimal(end) is not None}
            found += [code] if code else []
    return found


def _range(variable: Element) -> dict[str, str]:
    """Return the declared valid range, where it is a single one."""
    ranges = [item for valid in children(variable, "valrng") for item in children(valid, "range")]
    if len(ranges) != 1:
        return {}
    limits = {"lower": ranges[0].get("min"), "upper": ranges[0].get("max")}
    return {key: ExactText(end.strip()) for key, end in limits.items() if end and end.strip() not in SYSTEM}
