"""Pictures for other sites: a number or a chart with its grade, its day and its source in the picture itself."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from math import ceil
from xml.etree import ElementTree

from dprelease.bundle.notices import PublisherNotices
from dprelease.charts.safe import safe
from dprelease.charts.theme import FONT, LIGHT, PADDING, STYLE, SVG
from dprelease.errors import IntegrityError
from dprelease.portal.cite import citations
from dprelease.portal.number import NumberPage
from dprelease.portal.shelf import Bundle
from dprelease.words import phrase
from dprelease.words.pages import tell
from dprelease.words.phrases import visible

WIDTH = 440
LARGEST = 20_000
"""Largest side of a chart in pixels: a picture of it takes memory for each."""
LARGE, USUAL, SMALL = 40, 16, 13
LETTER = 0.54
"""Average width of a letter, as a share of the size of the type."""
Line = tuple[str, int, str, str]
"""Text with its size, weight and colour."""


def number_card(number: NumberPage, bundle: Bundle, said: PublisherNotices) -> bytes:
    """Draw one number as SVG: its name, interval, grade, day of publication and publisher."""
    ends = tell("embed_interval", lower=number.lower, upper=number.upper) if number.lower and number.upper else ""
    grade = tell(f"embed_grade_{number.letter}") if number.letter else ""
    lines = [
        (number.name, SMALL, "normal", LIGHT.muted),
        (number.named, USUAL, "bold", LIGHT.ink),
        (number.value, LARGE, "bold", LIGHT.accent),
        (number.measure, SMALL, "normal", LIGHT.muted),
        (ends, USUAL, "normal", LIGHT.ink),
        (grade, USUAL, "normal", LIGHT.ink),
        *_source(bundle, said),
    ]
    root = ElementTree.Element(f"{{{SVG}}}svg", {"font-family": FONT, "role": "img"})
    root.attrib["aria-label"] = visible(number.sentence)
    ElementTree.SubElement(root, f"{{{SVG}}}style").text = STYLE
    paper = ElementTree.SubElement(root, f"{{{SVG}}}rect", {"width": str(WIDTH), "fill": LIGHT.paper})
    texts, height = _texts(lines, 0, WIDTH)
    root.extend(texts)
    paper.attrib["height"] = str(height)
    return _written(root, WIDTH, height)


def chart_card(svg: bytes, graded: str, bundle: Bundle, said: PublisherNotices) -> bytes:
    """Draw a chart as SVG with a strip below it. `graded`: the sentence on the grades of its numbers.

    Raises IntegrityError for what is no chart of this program: a renderer would fetch the files that it names.
    """
    root = safe(svg, bundle.id)
    try:
        width, top = (float(root.attrib[side]) for side in ("width", "height"))
    except (KeyError, ValueError):
        raise IntegrityError(phrase("bundle.cannot_read", name=bundle.id)) from None
    if not (0 < width <= LARGEST and 0 < top <= LARGEST):
        raise IntegrityError(phrase("bundle.cannot_read", name=bundle.id))
    lines = [(graded, SMALL, "normal", LIGHT.ink), *_source(bundle, said)]
    texts, height = _texts(lines, ceil(top), ceil(width))
    paper = {"width": str(ceil(width)), "height": str(height), "fill": LIGHT.paper}
    root.insert(0, ElementTree.Element(f"{{{SVG}}}rect", paper))
    root.extend(texts)
    return _written(root, ceil(width), height)


def _source(bundle: Bundle, said: PublisherNotices) -> list[Line]:
    """Return the lines that must not be cut off: the status of the release, its publisher and day."""
    facts = bundle.certificate
    told = {"superseded": "superseded", "corrected": "erratum", "unknown": "status_unknown"}.get(said.status)
    cited = f"{citations(bundle)['apa']} {tell('published_on', day=facts.shown_day)}."
    warning = [(tell(told), USUAL, "bold", LIGHT.ink)] if told else []
    return [*warning, (cited, SMALL, "normal", LIGHT.muted)]


def _texts(lines: Iterable[Line], top: int, width: int) -> tuple[list[ElementTree.Element], int]:
    """Return the lines below `top`, broken where they are too long; and the depth that they reach."""
    depth, found = top + PADDING // 2, []
    for text, size, weight, colour in lines:
        letters = max(8, int((width - 2 * PADDING) / (size * LETTER)))
        for part in textwrap.wrap(visible(text), letters, break_on_hyphens=False):
            depth += round(size * 1.4)
            look = {"x": str(PADDING), "y": str(depth), "font-size": str(size), "font-weight": weight, "fill": colour}
            found.append(ElementTree.Element(f"{{{SVG}}}text", look))
            found[-1].text = part
        depth += 4
    return found, depth + PADDING


def _written(root: ElementTree.Element, width: int, height: int) -> bytes:
    root.attrib |= {"width": str(width), "height": str(height), "viewBox": f"0 0 {width} {height}"}
    ElementTree.register_namespace("", SVG)
    return ElementTree.tostring(root)
