"""Closed list of elements and attributes that pictures of releases have: no script, no link, no outer file."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from dprelease.charts.render import hatching
from dprelease.charts.theme import STYLE
from dprelease.errors import IntegrityError
from dprelease.words import phrase, quoted

PAINT = frozenset({"fill", "stroke", "stroke-width", "stroke-miterlimit", "fill-opacity", "opacity", "transform"})
PLACED = frozenset({"x", "y", "x1", "x2", "y1", "y2", "width", "height"})
WRITTEN = frozenset({"x", "y", "font-family", "font-size", "font-weight", "text-anchor"})
OWN: Mapping[str, frozenset[str]] = {
    "svg": frozenset({"version", "viewBox", "width", "height", "role", "aria-label", "font-family"}),
    "g": PAINT - {"stroke-width"},
    "path": PAINT | {"d", "stroke-dasharray"},
    "rect": PAINT | PLACED,
    "line": PAINT | PLACED,
    "text": PAINT | WRITTEN,
    "tspan": frozenset({"x", "dy"}),
    "style": frozenset(),
    "defs": frozenset(),
    "linearGradient": frozenset({"id", "x1", "x2", "y1", "y2"}),
    "stop": frozenset({"offset", "stop-color"}),
    "pattern": frozenset(hatching("").attrib),
}
LEADING = ("url", "@import", "src", "\\")
"""Parts of style sheets by which a file is loaded, or a name is written otherwise."""
MAX_BYTES = 8_000_000


def parsed(svg: bytes) -> Element:
    """Parse an SVG without declarations, comments and instructions. Raises ValueError."""
    text = svg.decode()
    if "<!" in text or "<?" in text:  # declarations, which are expanded; other encodings, styles from elsewhere
        raise ValueError("a declaration or an instruction")
    try:
        root: Element = fromstring(text, forbid_dtd=True)
    except (ParseError, DefusedXmlException, RecursionError) as cause:
        raise ValueError("no SVG") from cause
    return root


def safe(svg: bytes, name: str, *, ours: bool = True) -> Element:
    """Parse a picture of the listed elements and attributes only. Raises IntegrityError for any other.

    `ours`: with the one style sheet of this version; else with any that leads nowhere.
    """
    if len(svg) > MAX_BYTES:
        raise IntegrityError(phrase("bundle.more_than_bytes", name=name, most_bytes=MAX_BYTES))
    try:
        root = parsed(svg)
    except ValueError:
        raise IntegrityError(phrase("bundle.cannot_read", name=name)) from None
    for element in root.iter():
        tag = element.tag.rpartition("}")[2]
        linked = any("url(" in value and not value.startswith("url(#") for value in element.attrib.values())
        strange = tag not in OWN or element.attrib.keys() - OWN[tag] or linked
        if strange or (tag == "style" and not _is_style("".join(element.itertext()), ours)):
            raise IntegrityError(phrase("bundle.holds_something_one_no", name=name, tag=quoted(tag)))
    return root


def _is_style(text: str, ours: bool) -> bool:
    """Return True for the style sheet of this version, or another version's that loads nothing."""
    return text == STYLE or (not ours and not any(each in text.lower() for each in LEADING))
