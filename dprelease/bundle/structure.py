"""Columns and codes of the SDMX-CSV files, as an SDMX-ML 2.1 structure message: sdmx/structure.xml.

Written here, and not by a library of SDMX: the file is signed, and has to be the same bytes for as long as bundles are
verified. The tests read it with two of them (sdmx1, pysdmx).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from dprelease.bundle.annotated import Annotated
from dprelease.bundle.exports import AGENCY, BESIDE, HEAD, OBSERVED, identifier, names
from dprelease.bundle.tables import Shape
from dprelease.model.release import Release
from dprelease.model.texts import ByLanguage
from dprelease.statements.question import StatisticLabel
from dprelease.words.language import ENGLISH
from dprelease.words.phrases import visible
from dprelease.words.releases import say, state

STRUCTURE = "sdmx/structure.xml"
SCHEMAS = "http://www.sdmx.org/resources/sdmxml/schemas/v2_1/"
PREFIXES = {"mes": f"{SCHEMAS}message", "str": f"{SCHEMAS}structure", "com": f"{SCHEMAS}common"}
SPOKEN = "{http://www.w3.org/XML/1998/namespace}lang"
MODEL = "urn:sdmx:org.sdmx.infomodel"
CODE = re.compile(r"[A-Za-z0-9_@$-]+")
"""Pattern of SDMX codes. A column with others is one of texts: codes stay as they are in the signed tables."""
VERSION = "1.0"
SCHEME = "COLUMNS"
TYPES = {"integer": "Long", "number": "Double", "string": "String"}
VALUE = OBSERVED["value"]
MEASURED = (VALUE, *BESIDE[:2])
"""Attributes that every observation has; the rest may be missing."""


@dataclass(frozen=True, slots=True)
class Component:
    """Column of a file: its identifier, type, names by language, and its list of codes, if any."""

    id: str
    kind: str
    names: ByLanguage
    codelist: str = ""


@dataclass(frozen=True, slots=True)
class DataFlow:
    """Structure of one table: its identifier, its question, its keys, and the columns beside the value."""

    id: str
    question: str
    keys: tuple[Component, ...]
    value: Component
    others: tuple[Component, ...]


@dataclass(frozen=True, slots=True)
class Message:
    """Whole message. A list of codes is shared by the tables that have the column at the same level."""

    flows: list[DataFlow] = field(default_factory=list)
    codes: dict[str, dict[str, ByLanguage]] = field(default_factory=dict)
    called: dict[str, ByLanguage] = field(default_factory=dict)
    """Names of lists."""


def structure_message(release: Release) -> bytes:
    """Write the file; of a release without a table that has keys, a message without structures."""
    message = Message()
    for table, estimates in release.tables.items():
        if estimates.key_names:
            message.flows.append(_flow(release, table, message))
    return _written(release, message)


def _flow(release: Release, table: str, message: Message) -> DataFlow:
    estimates, question = release.tables[table], StatisticLabel.of(release.certificate, table)
    annotated = Annotated.of(release.certificate, table, estimates)
    ids = [name for name in names(annotated) if name not in HEAD]
    kinds = Shape.of(estimates).kinds
    count = len(estimates.key_names)
    keys = tuple(_key(release, question, message, place, ids[place], kinds[place]) for place in range(count))
    told = {column: {ENGLISH: say(f"field_{name}", measure=question.measure)} for name, column in OBSERVED.items()}
    columns = [
        Component(own, kind, told.get(own, {ENGLISH: own}))
        for own, kind in zip(ids[count:], kinds[count:], strict=True)
    ]
    beside = [Component(name, "string", {ENGLISH: name}) for name in _beside(release)]
    return DataFlow(identifier(f"{release.id}_{table}"), question.name, keys, columns[0], (*columns[1:], *beside))


def _beside(release: Release) -> Iterator[str]:
    yield from (*BESIDE, "GRADE")


def _key(release: Release, question: StatisticLabel, message: Message, place: int, own: str, kind: str) -> Component:
    estimates, texts = release.tables[question.id], release.certificate.texts
    name = estimates.key_names[place]
    column = question.column_of(name) or name
    said = texts.columns.get(column)
    called = dict(said.label) if said is not None and said.label else {ENGLISH: visible(question.title(name))}
    codes = dict.fromkeys(
        str(cell[axis.names.index(name)]) for axis in estimates.axes if name in axis.names for cell in axis.cells
    )
    if kind != "string" or not codes or not all(map(CODE.fullmatch, codes)):
        return Component(own, kind, called)
    level = question.levels.get(column, "")
    listed = identifier("_".join(filter(None, ("CL", own, level))))
    labels = texts.labels(column)
    message.called[listed] = called
    known = message.codes.setdefault(listed, {})
    for code in codes:
        beside = question.beside(code)
        known.setdefault(code, {ENGLISH: beside} if beside else labels.get(code) or {ENGLISH: code})
    return Component(own, kind, called, listed)


def _written(release: Release, message: Message) -> bytes:
    root = Element(_name("mes", "Structure"))
    header = SubElement(root, _name("mes", "Header"))
    SubElement(header, _name("mes", "ID")).text = identifier(release.id)
    SubElement(header, _name("mes", "Test")).text = "false"
    SubElement(header, _name("mes", "Prepared")).text = f"{release.certificate.day}T00:00:00Z"
    SubElement(header, _name("mes", "Sender"), {"id": AGENCY})
    if message.flows:
        structures = SubElement(root, _name("mes", "Structures"))
        _dataflows(SubElement(structures, _name("str", "Dataflows")), message)
        if message.codes:
            _codelists(SubElement(structures, _name("str", "Codelists")), message)
        _concepts(SubElement(structures, _name("str", "Concepts")), message)
        _definitions(SubElement(structures, _name("str", "DataStructures")), message)
    ElementTree.indent(root)
    for prefix, address in PREFIXES.items():
        ElementTree.register_namespace(prefix, address)
    return bytes(ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True)) + b"\n"


def _dataflows(parent: Element, message: Message) -> None:
    for flow in message.flows:
        own = _maintained(parent, "Dataflow", flow.id, "datastructure.DataflowDefinition")
        _named(own, {ENGLISH: flow.question})
        _reference(SubElement(own, _name("str", "Structure")), flow.id, "datastructure", "DataStructure")


def _codelists(parent: Element, message: Message) -> None:
    for listed, codes in message.codes.items():
        own = _maintained(parent, "Codelist", listed, "codelist.Codelist")
        _named(own, message.called[listed])
        for code, labels in codes.items():
            _named(SubElement(own, _name("str", "Code"), {"id": code}), labels)


def _concepts(parent: Element, message: Message) -> None:
    """Add a name for each column; for one of several tables, the first one's."""
    own = _maintained(parent, "ConceptScheme", SCHEME, "conceptscheme.ConceptScheme")
    _named(own, {ENGLISH: state("sdmx_columns")})
    known: dict[str, ByLanguage] = {}
    for flow in message.flows:
        for each in (*flow.keys, flow.value, *flow.others):
            known.setdefault(each.id, each.names)
    for name, called in known.items():
        _named(SubElement(own, _name("str", "Concept"), {"id": name}), called)


def _definitions(parent: Element, message: Message) -> None:
    for flow in message.flows:
        own = _maintained(parent, "DataStructure", flow.id, "datastructure.DataStructure")
        _named(own, {ENGLISH: flow.question})
        components = SubElement(own, _name("str", "DataStructureComponents"))
        dimensions = SubElement(components, _name("str", "DimensionList"), {"id": "DimensionDescriptor"})
        for place, key in enumerate(flow.keys, 1):
            _component(SubElement(dimensions, _name("str", "Dimension"), {"id": key.id, "position": str(place)}), key)
        attributes = SubElement(components, _name("str", "AttributeList"), {"id": "AttributeDescriptor"})
        for each in flow.others:
            status = "Mandatory" if each.id in MEASURED else "Conditional"
            told = SubElement(attributes, _name("str", "Attribute"), {"id": each.id, "assignmentStatus": status})
            _component(told, each)
            related = SubElement(
                SubElement(told, _name("str", "AttributeRelationship")), _name("str", "PrimaryMeasure")
            )
            SubElement(related, "Ref", {"id": VALUE})
        measures = SubElement(components, _name("str", "MeasureList"), {"id": "MeasureDescriptor"})
        _component(SubElement(measures, _name("str", "PrimaryMeasure"), {"id": VALUE}), flow.value)


def _component(own: Element, told: Component) -> None:
    """Add a column's concept and its type or list of codes."""
    where = {"maintainableParentID": SCHEME, "maintainableParentVersion": VERSION, "agencyID": AGENCY}
    kind = {"package": "conceptscheme", "class": "Concept"}
    identity = SubElement(own, _name("str", "ConceptIdentity"))
    SubElement(identity, "Ref", {"id": told.id, **where, **kind})
    local = SubElement(own, _name("str", "LocalRepresentation"))
    if told.codelist:
        _reference(SubElement(local, _name("str", "Enumeration")), told.codelist, "codelist", "Codelist")
    else:
        SubElement(local, _name("str", "TextFormat"), {"textType": TYPES[told.kind]})


def _maintained(parent: Element, tag: str, name: str, kind: str) -> Element:
    urn = f"{MODEL}.{kind}={AGENCY}:{name}({VERSION})"
    own = {"id": name, "urn": urn, "agencyID": AGENCY, "version": VERSION, "isFinal": "true"}
    return SubElement(parent, _name("str", tag), {**own, "isExternalReference": "false"})


def _reference(parent: Element, name: str, package: str, kind: str) -> None:
    told = {"id": name, "version": VERSION, "agencyID": AGENCY, "package": package, "class": kind}
    SubElement(parent, "Ref", told)


def _named(own: Element, words: ByLanguage) -> None:
    for spoken, text in words.items():
        SubElement(own, _name("com", "Name"), {SPOKEN: spoken}).text = visible(text)


def _name(prefix: str, tag: str) -> str:
    return f"{{{PREFIXES[prefix]}}}{tag}"
