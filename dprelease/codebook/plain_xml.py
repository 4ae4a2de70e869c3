"""XML that comes from outside: no entity is resolved, nothing is fetched."""

from __future__ import annotations

from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from dprelease.codebook.fault import CodebookError
from dprelease.codebook.limits import ELEMENTS, LEVELS, TEXT
from dprelease.words import phrase


def parse(source: str, content: bytes) -> Element:
    """Return the root of a document, built while its parts are counted. Raises CodebookError."""
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import DefusedXMLParser

    parser = DefusedXMLParser(target=LimitedTreeBuilder(source))
    try:
        parser.feed(content)
        root: Element = parser.close()
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


class LimitedTreeBuilder(TreeBuilder):
    """Builder of a tree up to the limits of a codebook. Raises CodebookError beyond."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.source = source
        self.elements = self._level = self._length = 0

    def start(self, tag: str, attrs: dict[str, str], /) -> Element:
        self._level += 1
        self._length = 0
        self.elements += 1 + len(attrs)
        LEVELS.check(self.source, self._level)
        ELEMENTS.check(self.source, self.elements)
        for text in attrs.values():
            TEXT.check(self.source, len(text))
        return super().start(tag, attrs)

    def end(self, tag: str, /) -> Element:
        self._level -= 1
        self._length = 0
        return super().end(tag)

    def data(self, data: str, /) -> None:
        self._length += len(data)
        TEXT.check(self.source, self._length)
        super().data(data)


def tag(element: Element) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def children(element: Element, name: str) -> list[Element]:
    """Return the elements of a name that stand directly in one."""
    return [child for child in element if tag(child) == name]


def text(element: Element, name: str) -> str:
    """Return the text of an element's first direct child of a name, on one line; empty where there is none."""
    found = next(iter(children(element, name)), None)
    return "" if found is None else " ".join("".join(found.itertext()).split())
