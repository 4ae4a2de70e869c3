"""SDMX-ML structure messages 2.1 and 3.0: components of a data structure with their code lists, or code lists alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element

from dprelease.codebook.book import UNSTATED, ByLanguage, Codebook, Note, Writing, without_repeats
from dprelease.codebook.bounds import ExactText
from dprelease.codebook.fault import CodebookError
from dprelease.codebook.plain_xml import children, tag, text
from dprelease.codebook.rows import CodeList
from dprelease.model.column import ORDERED, ColumnType
from dprelease.words import phrase, verbatim

LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
URN = re.compile(r"=[^:]+:(?P<list>[^(]+)\([^)]*\)(?:\.(?P<item>.+))?")
"""Pattern of a reference in version 3.0: class=agency:id(version), and an item of it."""
LISTS = ("DimensionList", "AttributeList", "MeasureList")
COMPONENTS = ("Dimension", "TimeDimension", "MeasureDimension", "Attribute", "PrimaryMeasure", "Measure")
TYPES = {
    ColumnType.INTEGER: "Integer Long Short BigInteger Count",
    ColumnType.NUMBER: "Decimal Double Float",
    ColumnType.BOOLEAN: "Boolean",
    ColumnType.DATE: "GregorianDay Date",
}
KINDS = {word: kind for kind, words in TYPES.items() for word in words.split()}
FREE_TEXT = ("", "String", "Alpha", "AlphaNumeric", "XHTML", "URI")
TOTAL = "_T"
"""The code of SDMX for a total, which is no row's."""
ORIGINAL = "ORIGINAL_CODE"
"""The annotation of a code whose value in the table is no identifier of SDMX."""
PREFIX = "CL_"


def is_structure(root: Element) -> bool:
    """Return True if a document is a structure message of SDMX."""
    return tag(root) == "Structure" and "sdmx" in root.tag.lower()


def read_structure(source: str, root: Element, resource: str | None, *, by_label: bool) -> Codebook:
    """Read the data structure that is wanted, else the first; where there is none, a column for each code list.

    Raises CodebookError.
    """
    writing = Writing(source, by_label=by_label)
    lists = {_id(each): each for each in root.iter() if tag(each) in ("Codelist", "ValueList")}
    concepts = {_id(each): each for each in root.iter() if tag(each) == "Concept"}
    structures = {_id(each): each for each in root.iter() if tag(each) == "DataStructure"}
    if resource is not None and resource not in structures:
        raise CodebookError("resource", found=resource, allowed=verbatim(", ".join(structures)))
    if structures:
        chosen = structures[resource or next(iter(structures))]
        for component in _components(chosen):
            _component(writing, component, concepts, lists)
    else:
        for key, codes in lists.items():
            declared, labels = _listed(codes)
            writing.add(key.removeprefix(PREFIX), declared, label=_names(codes), labels=labels, also=[key])
    return writing.done(tuple(structures) if len(structures) > 1 else ())


def read_list(source: str, root: Element) -> CodeList:
    """Return the first code list of a message. Raises CodebookError where it has none."""
    for codes in root.iter():
        if tag(codes) in ("Codelist", "ValueList"):
            return CodeList(_listed(codes)[1])
    raise CodebookError(source, found=phrase("codebook.no_code_list"), allowed=phrase("codebook.sdmx_structure"))


def _id(element: Element) -> str:
    return element.get("id", "")


def _components(structure: Element) -> Iterator[Element]:
    """Dimensions, attributes and measures, in the order of the message."""
    for group in structure.iter():
        if tag(group) in LISTS:
            yield from (each for each in group if tag(each) in COMPONENTS)


def _component(writing: Writing, component: Element, concepts: dict[str, Element], lists: dict[str, Element]) -> None:
    """One column: its own representation, else its concept's."""
    identity = next((_reference(each) for each in children(component, "ConceptIdentity")), "")
    concept = concepts.get(identity)
    name = _id(component) or identity
    if not name:
        return
    declared: dict[str, Any] = {}
    labels: dict[str, ByLanguage] = {}
    typed: dict[str, str] = {}
    held = [*children(component, "LocalRepresentation")]
    held += [] if concept is None else children(concept, "CoreRepresentation")
    for representation in held[:1]:
        codes = next((lists.get(_reference(each)) for each in children(representation, "Enumeration")), None)
        if codes is not None:
            declared, labels = _listed(codes)
        else:
            declared, typed = _formatted(writing, name, representation)
    label = {} if concept is None else _names(concept)
    note = {} if concept is None else _names(concept, "Description")
    writing.add(name, declared, label=label, note=note, labels=labels, typed=typed)


def _reference(element: Element) -> str:
    """Return the id of what an element refers to: by a Ref, as in 2.1, or a URN, as in 3.0."""
    found = next((each for each in element.iter() if tag(each) == "Ref"), None)
    if found is not None:
        return _id(found)
    said = URN.search("".join(element.itertext()).strip())
    return "" if said is None else said["item"] or said["list"]


def _listed(codes: Element) -> tuple[dict[str, Any], dict[str, ByLanguage]]:
    """Return a category for each code, without the total."""
    each = [code for code in codes if tag(code) in ("Code", "ValueItem") and _id(code) not in ("", TOTAL)]
    labels: dict[str, ByLanguage] = {_original(code) or _id(code): _names(code) for code in each}
    return {"type": ColumnType.CATEGORY.value, "categories": without_repeats(labels)}, labels


def _original(code: Element) -> str:
    for annotation in (each for held in children(code, "Annotations") for each in children(held, "Annotation")):
        if ORIGINAL in (_id(annotation), text(annotation, "AnnotationType")):
            return text(annotation, "AnnotationTitle") or text(annotation, "AnnotationText")
    return ""


def _names(element: Element, name: str = "Name") -> dict[str, str]:
    """Return the names, or descriptions, of something by language."""
    found = {each.get(LANGUAGE, UNSTATED): "".join(each.itertext()) for each in children(element, name)}
    return {language: words for language, words in found.items() if words.strip()}


def _formatted(writing: Writing, name: str, representation: Element) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the type of a text format, and its bounds as they are written."""
    formats = [each for each in representation if tag(each) in ("TextFormat", "EnumerationFormat")]
    stated = formats[0] if formats else Element("TextFormat")
    kind = KINDS.get(stated.get("textType", ""))
    if kind is None:
        writing.note(Note.TEXT if stated.get("textType", "") in FREE_TEXT else Note.UNKNOWN_TYPE, name)
        return {}, {}
    ends = {"lower": stated.get("minValue"), "upper": stated.get("maxValue")}
    typed: dict[str, str] = {key: ExactText(end) for key, end in ends.items() if end} if kind in ORDERED else {}
    return {"type": kind.value}, typed
