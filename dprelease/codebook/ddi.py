"""DDI Codebook 2.5 (XML), as archives and statistics offices write it. Earlier versions are read alike."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element, ParseError

from dprelease.codebook.book import Codebook, CodebookError, Note, Writing, number_text, sentences, without_repeats
from dprelease.codebook.codes import within
from dprelease.model.column import ColumnType
from dprelease.model.missing import CODES
from dprelease.model.report import as_decimal
from dprelease.words import phrase

SYSTEM = ("", ".", "Sysmiss")
"""What stands for a cell without a value."""
OBSERVED = ("sumStat", "catStat")
"""What was counted in the rows: minima, means, frequencies. Data, not public facts."""


def read_ddi(source: str, content: bytes, *, by_label: bool) -> Codebook:
    """Reads the variables of `dataDscr`. No entity is resolved and nothing is fetched. Raises CodebookError."""
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        root: Element = fromstring(content)
    except DefusedXmlException:
        raise CodebookError(
            source, found=phrase("codebook.xml_entities_outside_parts"), allowed=phrase("codebook.plain_xml")
        ) from None
    except (ParseError, ValueError, LookupError, RecursionError) as cause:
        place = getattr(cause, "position", None)
        found = (
            phrase("codebook.bad_xml_at_line", place=place[0], number=place[1] + 1)
            if place
            else phrase("codebook.bad_xml")
        )
        raise CodebookError(source, found=found, allowed=phrase("codebook.ddi_codebook_xml")) from None
    writing = Writing(source, by_label=by_label)
    for variable in (each for each in root.iter() if _tag(each) == "var"):
        _variable(writing, variable)
    return writing.done()


def _tag(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _all(element: Element, tag: str) -> list[Element]:
    return [child for child in element if _tag(child) == tag]


def _text(element: Element, tag: str) -> str:
    found = next(iter(_all(element, tag)), None)
    return "" if found is None else " ".join("".join(found.itertext()).split())


def _variable(writing: Writing, variable: Element) -> None:
    name = variable.get("name") or variable.get("ID") or ""
    if not name:
        return
    if any(_tag(each) in OBSERVED for each in variable.iter()):
        writing.note(Note.STATISTICS, name)
    labels: dict[str, str] = {}
    codes: list[Any] = _invalid(variable)
    for category in _all(variable, "catgry"):
        value = number_text(_text(category, "catValu"))
        if category.get("missing") == "Y" or value in SYSTEM:
            codes += [value] if value not in (*SYSTEM, *codes) else []
            codes += [_text(category, "labl")] if writing.by_label else []
        else:
            labels[value] = _text(category, "labl")
    labels = {value: label for value, label in labels.items() if not within(value, codes)}
    declared = _kind(variable, labels)
    if codes and "type" in declared:
        declared[CODES] = codes
        writing.note(Note.MISSING_CODES, name)
    if "type" not in declared:
        writing.note(Note.TEXT, name)
    if declared.get("type") in (ColumnType.INTEGER, ColumnType.NUMBER):
        limits = _range(variable)
        if limits:
            writing.note(Note.RANGES, name)
        declared |= limits
    if variable.get("measUnit"):
        declared["unit"] = str(variable.get("measUnit")).strip()
    question = next((_text(each, "qstnLit") for each in _all(variable, "qstn")), "")
    texts = dict.fromkeys(text for text in (_text(variable, "labl"), question or _text(variable, "txt")) if text)
    description = sentences(texts)
    writing.add(name, declared, labels=labels, description=description)


def _kind(variable: Element, labels: dict[str, str]) -> dict[str, Any]:
    """A type, as far as the file states it; decimals make a number, categories that are not only numbers a list."""
    written = next(iter(_all(variable, "varFormat")), None)
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
    """The declared invalid values and ranges."""
    found: list[Any] = []
    for invalid in _all(variable, "invalrng"):
        found += [number_text(value) for item in _all(invalid, "item") if (value := item.get("VALUE", "").strip())]
        for item in _all(invalid, "range"):
            ends = {"from": item.get("min", "").strip(), "to": item.get("max", "").strip()}
            code = {key: number_text(end) for key, end in ends.items() if as_decimal(end) is not None}
            found += [code] if code else []
    return found


def _range(variable: Element) -> dict[str, str]:
    """The declared valid range, where it is a single one."""
    ranges = [item for valid in _all(variable, "valrng") for item in _all(valid, "range")]
    if len(ranges) != 1:
        return {}
    limits = {"lower": ranges[0].get("min"), "upper": ranges[0].get("max")}
    return {key: number_text(text) for key, text in limits.items() if text and as_decimal(text.strip()) is not None}
