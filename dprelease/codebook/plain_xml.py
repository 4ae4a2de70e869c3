"""XML that comes from outside: no entity is resolved, nothing is fetched."""

from __future__ import annotations

from xml.etree.ElementTree import Element, ParseError

from dprelease.codebook.fault import CodebookError
from dprelease.words import phrase


def parse(source: str, content: bytes) -> Element:
    """The root of a document. Raises CodebookError."""
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
    return root


def tag(element: Element) -> str:
    """The name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def children(element: Element, name: str) -> list[Element]:
    """The elements of a name that stand directly in one."""
    return [child for child in element if tag(child) == name]


def text(element: Element, name: str) -> str:
    """What the first element of a name that stands directly in one says, on one line."""
    found = next(iter(children(element, name)), None)
    return "" if found is None else " ".join("".join(found.itertext()).split())
