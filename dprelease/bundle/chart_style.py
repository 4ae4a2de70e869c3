"""How charts look, and SVG that is small, the same each time, and fit for light and dark pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil
from typing import Any
from xml.etree import ElementTree

from dprelease.bundle.display import THIN
from dprelease.words.language import ENGLISH, language, point

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""The first is measured by (vl-convert brings it), the second has the same widths: one layout on every machine."""
WIDTH = 720
HEIGHT = 400
PADDING = 16


@dataclass(frozen=True, slots=True)
class Room:
    """How much of it a chart has, in pixels, and what fits in it side by side."""

    width: float = WIDTH
    height: float = HEIGHT
    labels: float = 320
    """The most that labels beside lying bars take."""
    upright: int = 8
    """So many short labels stand under upright bars."""
    panels: int = 3
    beside: int = 4
    """Panels of bars that share one list of labels."""
    columns: int = 10
    """Of a heat map in which numbers still fit."""


WIDE = Room()
NARROW = Room(width=250, height=280, labels=120, upright=3, panels=1, beside=1, columns=2)
"""A phone."""
TITLE = 18
NOTE = 13
SVG = "http://www.w3.org/2000/svg"


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a chart."""

    ink: str
    muted: str
    line: str
    grid: str
    paper: str
    accent: str
    noisy: str
    """What is published: filled where it can be used, hatched where it is too noisy to be."""
    faint: str = "#e6f2f3"
    """The lightest colour of a cell."""
    deep: str = "#57b3ba"
    """The darkest."""
    against: str = "#b9a3cf"
    """As far on the other side of `faint` as `deep`, for what may be below 0."""
    on_cells: str = "#0b0c0d"
    """Numbers written on cells, light and dark alike."""


SWAPPED = ("ink", "muted", "line", "grid", "paper", "accent", "noisy")
LIGHT = Palette("#0b0c0c", "#505a5f", "#8f999e", "#e4e8ea", "#ffffff", "#0f5c6e", "#0b7a83")
DARK = Palette("#e9edef", "#a7b3b9", "#6f7c83", "#2a3338", "#14191c", "#6fc3d4", "#35a7b1")
HATCHED = "url(#hatched)"
"""What marks are filled with that are too noisy to be used."""

SUNDAY_FIRST = (6, 0, 1, 2, 3, 4, 5)
"""Of days that are counted from Monday."""
PERCENT = f"{THIN}%"
"""Where a language sets the sign apart."""

DARKENED = "".join(
    f'[{part}="{getattr(LIGHT, name)}"]{{{part}:{getattr(DARK, name)}}}'
    for name in SWAPPED
    for part in ("fill", "stroke")
)
"""CSS that puts the dark colour in the place of each light one."""
STYLE = f"@media (prefers-color-scheme:dark){{{DARKENED}}}"
"""The style sheet of every chart."""


def config(palette: Palette) -> dict[str, Any]:
    """Vega-Lite's config: one font, quiet axes, numbers grouped as in the tables."""
    axis = {
        "labelFontSize": 13,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
        "labelColor": palette.ink,
        "titleColor": palette.muted,
        "domainColor": palette.line,
        "tickColor": palette.line,
        "gridColor": palette.grid,
        "titlePadding": 12,
        "labelPadding": 6,
        "labelLimit": 220,
        "titleLimit": 640,
    }
    return {
        "font": FONT,
        "background": palette.paper,
        "padding": PADDING,
        "aria": False,
        "view": {"stroke": None},
        "axis": axis,
        "header": {
            "labelFontSize": 13,
            "labelColor": palette.accent,
            "labelFontWeight": "bold",
            "labelLimit": 200,
            "title": None,
        },
        "legend": {
            "labelFontSize": 13,
            "titleFontSize": 13,
            "titleFontWeight": "normal",
            "labelColor": palette.ink,
            "titleColor": palette.muted,
        },
        "title": {
            "anchor": "start",
            "frame": "bounds",
            "fontSize": TITLE,
            "fontWeight": "bold",
            "color": palette.ink,
            "subtitleFontSize": NOTE,
            "subtitleColor": palette.muted,
            "subtitlePadding": 6,
            "offset": 20,
        },
        "locale": locale(),
    }


def locale() -> dict[str, Any]:
    """Tells how axes write numbers, and the names of months, in the language that is spoken."""
    number = {"decimal": point(), "thousands": THIN, "grouping": [3], "currency": ["", ""]}
    if language() == ENGLISH:
        return {"number": number}
    return {"number": {**number, "percent": PERCENT}, "time": times(language())}


@cache
def times(code: str) -> dict[str, Any]:
    """The names of days and months in a language, as d3-time-format takes them, whose own are English."""
    from babel import Locale

    spoken = Locale(code)
    months, days = spoken.months["stand-alone"], spoken.days["stand-alone"]
    return {
        "dateTime": "%Y-%m-%d %H:%M:%S",
        "date": "%Y-%m-%d",
        "time": "%H:%M:%S",
        "periods": [spoken.day_periods["format"]["abbreviated"][half] for half in ("am", "pm")],
        "days": [days["wide"][day] for day in SUNDAY_FIRST],
        "shortDays": [days["abbreviated"][day] for day in SUNDAY_FIRST],
        "months": [months["wide"][month] for month in range(1, 13)],
        "shortMonths": [months["abbreviated"][month] for month in range(1, 13)],
    }


def tidy(svg: str, description: str) -> bytes:
    """The SVG without empty parts and needless digits, ids numbered from 0, dark where the reader asks for it.

    Vega numbers ids through the life of a process; everything else it writes depends on the chart only.
    """
    root = ElementTree.fromstring(svg)  # noqa: S314 (our own, just made)
    _name(root)
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
            if name != "data-shows":  # what the file says, with all its digits
                element.attrib[name] = names.get(value, LONG.sub(_rounded, value))
    root.attrib |= {"font-family": FONT, "role": "img", "aria-label": description}
    style = ElementTree.Element(f"{{{SVG}}}style")
    style.text = STYLE
    root.insert(0, style)
    return _text(root)


def hatching(name: str) -> ElementTree.Element:
    """Lines at 45°, the one pattern that charts have."""
    turned = {"patternUnits": "userSpaceOnUse", "patternTransform": "rotate(45)"}
    pattern = ElementTree.Element(f"{{{SVG}}}pattern", {"id": name, "width": "6", "height": "6", **turned})
    line = {"d": "M1,0V6", "stroke": LIGHT.noisy, "stroke-width": "2"}
    ElementTree.SubElement(pattern, f"{{{SVG}}}path", line)
    return pattern


def titled(svg: bytes, title: Sequence[str], notes: Sequence[str]) -> bytes:
    """The SVG with words above it."""
    root = ElementTree.fromstring(svg)  # noqa: S314 (our own, just made)
    fixed = [element for element in root if element.tag in (f"{{{SVG}}}style", f"{{{SVG}}}defs")]
    paper, *drawing = [element for element in root if element not in fixed]
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
    paper.attrib["height"] = height
    root[:] = [*fixed, paper, *texts, body]
    return _text(root)


def _text(root: ElementTree.Element) -> bytes:
    """The SVG with its elements' names plain: which prefix they get is a setting of the whole process."""
    ElementTree.register_namespace("", SVG)
    return ElementTree.tostring(root, encoding="unicode").encode()


def _name(root: ElementTree.Element) -> None:
    """Says of each mark what it shows, and of each text on an axis that it stands there: values, for programs.

    Vega writes both as descriptions for readers and as classes.
    """
    for group in root.iter(f"{{{SVG}}}g"):
        part = next((part for role, part in PARTS.items() if role in group.attrib.get("class", "")), None)
        for child in group:
            told = child.attrib.get("aria-label", "")
            if SHOWS.fullmatch(told):
                child.attrib["data-shows"] = told
            elif told in SERIES and child.tag == f"{{{SVG}}}path":
                child.attrib["data-series"] = told
            elif part is not None and child.tag in (f"{{{SVG}}}text", f"{{{SVG}}}path", f"{{{SVG}}}rect"):
                child.attrib["data-part"] = part


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
SHOWS = re.compile(r"[0-9]+\.[a-z0-9_]+(=[^ ]*)?( [0-9]+\.[a-z0-9_]+(=[^ ]*)?)?")
SERIES = ("value", "band")
"""What a path through all cells of a panel shows."""
PARTS = {
    "role-axis-label": "axis",
    "role-legend-label": "legend",
    "role-legend-gradient": "legend",
    "role-title-text": "panel",
}
NEEDLESS = ("font-family", "class", "aria-hidden", "pointer-events", "role", "aria-roledescription", "aria-label")
