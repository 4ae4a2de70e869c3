"""Vega-Lite specification drawn as SVG that is small, the same each time, and fit for light and dark pages.

Only this module calls vl-convert, whose V8 takes a second to load: it is loaded with the first picture.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any
from xml.etree import ElementTree

from dprelease.charts.theme import FONT, HATCHED, LIGHT, NOTE, PADDING, STYLE, SVG, TITLE


def svg(specification: Mapping[str, Any], description: str) -> bytes:
    """Draw a specification; `description`: the words for those who do not see the picture."""
    import vl_convert

    return tidy(vl_convert.vegalite_to_svg(dict(specification), allowed_base_urls=[]), description)


def png(svg: bytes, scale: float) -> bytes:
    """Convert an SVG to PNG, so many pixels for each of its own."""
    import vl_convert

    return vl_convert.svg_to_png(svg.decode(), scale=scale)


def tidy(svg: str, description: str) -> bytes:
    """Return the SVG without empty parts and needless digits, ids numbered from 0, dark where the reader asks for it.

    Vega numbers ids through the life of a process; everything else it writes depends on the chart only.
    """
    root = ElementTree.fromstring(svg)  # noqa: S314 (our own, just made)
    _prune(root)
    if any(element.attrib.get("fill") == HATCHED for element in root.iter()):
        defined = ElementTree.Element(f"{{{SVG}}}defs")
        defined.append(hatching("hatched"))
        root.insert(0, defined)
    ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    names = {f"url(#{old})": f"url(#i{number})" for number, old in enumerate(ids)}
    for element in root.iter():
        if "id" in element.attrib:
            element.attrib["id"] = f"i{ids.index(element.attrib['id'])}"
        for name, value in element.attrib.items():
            element.attrib[name] = names.get(value, LONG.sub(_rounded, value))
    root.attrib |= {"font-family": FONT, "role": "img", "aria-label": description}
    style = ElementTree.Element(f"{{{SVG}}}style")
    style.text = STYLE
    root.insert(0, style)
    return _text(root)


def hatching(name: str) -> ElementTree.Element:
    """Return lines at 45°, the one pattern that charts have."""
    turned = {"patternUnits": "userSpaceOnUse", "patternTransform": "rotate(45)"}
    pattern = ElementTree.Element(f"{{{SVG}}}pattern", {"id": name, "width": "6", "height": "6", **turned})
    line = {"d": "M1,0V6", "stroke": LIGHT.noisy, "stroke-width": "2"}
    ElementTree.SubElement(pattern, f"{{{SVG}}}path", line)
    return pattern


def titled(svg: bytes, title: Sequence[str], notes: Sequence[str]) -> bytes:
    """Return the SVG with words above it."""
    root = ElementTree.fromstring(svg)  # noqa: S314 (our own, just made)
    fixed = [element for element in root if element.tag in (f"{{{SVG}}}style", f"{{{SVG}}}defs")]
    drawing = [element for element in root if element not in fixed]
    lines = [(line, TITLE, {"font-weight": "bold", "fill": LIGHT.ink}) for line in title]
    lines += [(line, NOTE, {"fill": LIGHT.muted}) for line in notes]
    depth = PADDING
    texts = []
    for line, size, look in lines:
        depth += round(size * 1.3)
        texts.append(
            ElementTree.Element(f"{{{SVG}}}text", {"x": str(PADDING), "y": str(depth), "font-size": str(size), **look})
        )
        texts[-1].text = line
    body = ElementTree.Element(f"{{{SVG}}}g", {"transform": f"translate(0,{depth})"})
    body.extend(drawing)
    height = str(ceil(float(root.attrib["height"])) + depth)
    root.attrib |= {"height": height, "viewBox": f"0 0 {root.attrib['width']} {height}"}
    root[:] = [*fixed, *texts, body]
    return _text(root)


def _text(root: ElementTree.Element) -> bytes:
    """Return the SVG with its elements' names plain: their prefix is a setting of the whole process."""
    ElementTree.register_namespace("", SVG)
    return ElementTree.tostring(root, encoding="unicode").encode()


def _prune(element: ElementTree.Element) -> None:
    for name in NEEDLESS:
        element.attrib.pop(name, None)
    if element.attrib.get("opacity") == "1":
        del element.attrib["opacity"]
    for child in list(element):
        empty = child.tag == f"{{{SVG}}}path" and child.attrib.get("class") in ("background", "foreground")
        if (empty and not child.attrib.keys() & {"fill", "stroke"}) or child.attrib.get("opacity") == "0":
            element.remove(child)
        else:
            _prune(child)


def _rounded(match: re.Match[str]) -> str:
    return f"{float(match[0]):.2f}".rstrip("0").rstrip(".")


LONG = re.compile(r"-?[0-9]+\.[0-9]{3,}(?:e-?[0-9]+)?")
NEEDLESS = ("font-family", "class", "aria-hidden", "pointer-events", "role", "aria-roledescription", "aria-label")
