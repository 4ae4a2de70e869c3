"""Lines and bars as SVG, written at once: for pictures that follow a control, where Vega would take 70 ms each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import TypeAlias
from xml.etree import ElementTree

from dprelease.charts.theme import FONT, LIGHT, STYLE, SVG
from dprelease.statements.display import shown
from dprelease.words.phrases import visible

Points: TypeAlias = Sequence[tuple[float, float]]
Look: TypeAlias = tuple[str, str]
"""Colour and dashes of a line: neither tells lines apart alone."""
SAMPLE, ROW = 26, 20
"""Pixels of a legend: the length of its line, the height of a row."""


@dataclass(frozen=True, slots=True)
class SketchAxis:
    """Axis with its ends, the texts of its ticks by their place, and its title."""

    low: float
    high: float
    ticks: Mapping[float, str]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """Place of a panel on its sheet, in pixels."""

    left: float
    top: float
    right: float
    bottom: float


def ticks(low: float, high: float, most: int = 6) -> dict[float, str]:
    """Return at most so many round numbers from `low` to `high`: multiples of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / most
    power = 10.0 ** floor(log10(rough))
    step = next(times * power for times in (1, 2, 5, 10) if times * power * (1 + 1e-9) >= rough)
    places = range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)
    return {place * step: shown(place * step, 4) for place in places}


class SketchSheet:
    """Drawing of so many pixels."""

    def __init__(self, width: float, height: float, size: int = 13) -> None:
        box = {"viewBox": f"0 0 {width:g} {height:g}", "width": f"{width:g}", "height": f"{height:g}"}
        font = {"font-family": FONT, "font-size": str(size), "fill": LIGHT.muted}
        self.root = ElementTree.Element("svg", {"xmlns": SVG, **box, **font, "role": "img"})

    def add(self, tag: str, **said: str | float) -> ElementTree.Element:
        """Add one more element; an underscore stands for a dash, and for nothing after `class`."""
        attributes = {
            name.rstrip("_").replace("_", "-"): value if isinstance(value, str) else f"{value:.4g}"
            for name, value in said.items()
        }
        return ElementTree.SubElement(self.root, tag, attributes)

    def text(self, x: float, y: float, words: str, **said: str | float) -> None:
        self.add("text", x=x, y=y, **said).text = visible(words)

    def panel(self, box: Box, across: SketchAxis, up: SketchAxis) -> Panel:
        """Draw two axes, with a line at each tick of the one that goes up."""
        drawn = Panel(self, box, across, up)
        for value, words in up.ticks.items():
            at = drawn.y(value)
            self.add("path", class_="grid", stroke=LIGHT.grid, d=f"M{box.left:.1f} {at:.1f}H{box.right:.1f}")
            self.text(box.left - 6, at + 4, words, class_="up", text_anchor="end")
        for value, words in across.ticks.items():
            self.text(drawn.x(value), box.bottom + 18, words, class_="across", text_anchor="middle")
        middle, height = (box.left + box.right) / 2, (box.top + box.bottom) / 2
        if across.title:
            self.text(middle, box.bottom + 38, across.title, text_anchor="middle")
        turned = f"translate(13 {height:.0f}) rotate(-90)"
        self.text(0, 0, up.title, text_anchor="middle", transform=turned)
        return drawn

    def legend(self, x: float, y: float, names: Mapping[str, Look]) -> None:
        """Draw a row for each line: its look and its name."""
        for row, (words, look) in enumerate(names.items()):
            at = y + ROW * row
            self.add("path", d=f"M{x:.1f} {at:.1f}h{SAMPLE}", **_stroke(look))
            self.text(x + SAMPLE + 8, at + 4, words, fill=LIGHT.ink)

    def inline(self, said: str, name: str) -> str:
        """Return the drawing as a part of a page, which has its own style; `said`: its words for screen readers."""
        ElementTree.SubElement(self.root, "title").text = visible(said)
        self.root.attrib |= {"id": name, "aria-label": visible(said)}
        return ElementTree.tostring(self.root, encoding="unicode")

    def alone(self, said: str) -> bytes:
        """Return the drawing as a file, on its viewer's background, dark where the reader asks for it."""
        style = ElementTree.Element("style")
        style.text = STYLE
        self.root.insert(0, style)
        self.root.attrib["aria-label"] = visible(said)
        return ElementTree.tostring(self.root, encoding="unicode").encode()


class Panel:
    """Drawing area between two axes."""

    def __init__(self, sheet: SketchSheet, box: Box, across: SketchAxis, up: SketchAxis) -> None:
        self.sheet, self.box, self.across, self.up = sheet, box, across, up

    def x(self, value: float) -> float:
        share = (value - self.across.low) / (self.across.high - self.across.low)
        return self.box.left + share * (self.box.right - self.box.left)

    def y(self, value: float) -> float:
        share = (value - self.up.low) / (self.up.high - self.up.low)
        return self.box.bottom - share * (self.box.bottom - self.box.top)

    def line(self, points: Points, look: Look, name: str) -> None:
        """Draw a line through these points, given by their values."""
        drawn = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)
        self.sheet.add("polyline", class_=name, fill="none", points=drawn, **_stroke(look))

    def bar(self, ends: tuple[float, float], value: float, fill: str, outline: str) -> None:
        """Draw a bar from one value across to the other, as high as its value."""
        left, right, top = self.x(ends[0]), self.x(ends[1]), self.y(value)
        drawn = f"M{left:.1f} {self.box.bottom:.1f}V{top:.1f}H{right:.1f}V{self.box.bottom:.1f}Z"
        self.sheet.add("path", d=drawn, fill=fill, stroke=outline, stroke_width="0.5")

    def dot(self, x: float, y: float, fill: str) -> None:
        self.sheet.add("circle", cx=self.x(x), cy=self.y(y), r=5.0, fill=fill)


def _stroke(look: Look) -> dict[str, str]:
    colour, dashes = look
    return {"stroke": colour, "stroke_width": "2"} | ({"stroke_dasharray": dashes} if dashes else {})
