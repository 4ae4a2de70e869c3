"""What an SVG shows, as its markup says: texts and shapes with their places, and the cells that they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from xml.etree import ElementTree

from dprelease.charts.render import hatching
from dprelease.errors import IntegrityError
from dprelease.words import phrase, quoted

KNOWN = frozenset({"svg", "g", "path", "rect", "line", "text", "tspan", "style", "defs", "clipPath", "circle"})
PAINT = frozenset({"fill", "stroke", "stroke-width", "stroke-miterlimit", "fill-opacity", "opacity", "transform"})
DASHED = "stroke-dasharray"
SAYS = frozenset({"data-part", "data-series", "data-shows"})
PLACED = frozenset({"x", "y", "x1", "x2", "y1", "y2", "width", "height"})
WRITTEN = frozenset({"font-family", "font-size", "font-weight", "text-anchor"})
OUTER = frozenset({"version", "viewBox", "width", "height", "role", "aria-label", "font-family"})
OWN: Mapping[str, frozenset[str]] = {
    "svg": OUTER,
    "g": PAINT - {"stroke-width"},
    "path": PAINT | SAYS | {"d", DASHED},
    "rect": PAINT | SAYS | PLACED,
    "line": PAINT | SAYS | PLACED,
    "text": PAINT | SAYS | WRITTEN | {"x", "y"},
    "tspan": frozenset({"x", "dy"}),
    "style": frozenset(),
    "defs": frozenset(),
    "linearGradient": frozenset({"id", "x1", "x2", "y1", "y2"}),
    "stop": frozenset({"offset", "stop-color"}),
    "pattern": frozenset(hatching("").attrib),
}
"""What this version writes: no other element and no other attribute, by which something might stand elsewhere."""
MOST_BYTES = 8_000_000
MOST_PARTS = 25_000
"""Of a chart, which has one for each of at most 5000 cells, and few more."""
KNOWN_TOO = frozenset({"title", "desc", "metadata", "linearGradient", "stop", "pattern"})
SHAPES = ("path", "rect", "line", "circle")
SHOWS = re.compile(r"([0-9]{1,9})\.([a-z0-9_]+)(?:=([^ ]*))?")
MOVED = re.compile(r"(translate|rotate)\(\s*(-?[0-9.]+(?:e-?[0-9]+)?)(?:[ ,]+(-?[0-9.]+(?:e-?[0-9]+)?))?\s*\)")
STEP = re.compile(r"([a-zA-Z])|(-?[0-9]*\.?[0-9]+(?:e-?[0-9]+)?)")
PLACES = {"M": 2, "L": 2, "H": 1, "V": 1, "A": 7, "Z": 0}
"""How many numbers follow a command of a path."""
SPACES = re.compile(r"[ \t\r\n]+")
THIN = 4.0
"""Pixels: a shape that is not thicker stands at one place, and a line that is thicker is a bar."""
DEEPEST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A text or a shape. Places are pixels from the upper left corner, y downwards."""

    tag: str
    text: str
    kind: str
    """`axis`, `legend`, `panel`, or nothing."""
    series: str
    """`value` or `band`, of a path through all cells of a panel."""
    lines: tuple[tuple[tuple[float, float], ...], ...]
    """The corners of each unbroken line."""
    shows: tuple[tuple[int, str, str | None], ...]
    """Rows, columns and values that it says it shows; of an interval both ends."""
    left: float
    right: float
    top: float
    bottom: float
    first: tuple[float, float]
    last: tuple[float, float]
    """Where a line begins and ends."""
    within: tuple[int, ...]
    """The groups around it, by number, the innermost last."""
    fill: str
    """Its colour; `none` where it has none."""
    stroke: str
    unsure: bool
    """Whether it is hatched or dashed."""
    thick: float
    """The width of its line."""
    opacity: float
    """Of its fill; 1 hides what is behind."""

    @property
    def centre(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    @property
    def filled(self) -> bool:
        return self.fill != "none"

    @property
    def is_shape(self) -> bool:
        return self.tag in SHAPES


def parts(svg: bytes, name: str, *, style: str) -> list[Part]:
    """Everything that an SVG shows. Raises IntegrityError where it holds what cannot be compared, as a picture.

    `style`: the only style sheet that it may have. It holds nothing but what charts of releases have.
    """
    root = drawn(svg, name)
    try:
        _check_own(root, style, name)
        return list(_walk(root, name))
    except (ValueError, IndexError, OverflowError, RecursionError):
        raise IntegrityError(phrase("bundle.cannot_read", name=name)) from None


def drawn(svg: bytes, name: str) -> ElementTree.Element:
    """An SVG with the elements and attributes of charts alone, none of which leads to another file. IntegrityError."""
    if len(svg) > MOST_BYTES:
        raise IntegrityError(phrase("bundle.more_than_bytes", name=name, most_bytes=MOST_BYTES))
    try:
        text = svg.decode()
        if "<!" in text or "<?" in text:  # neither declarations, which are expanded, nor other encodings and styles
            raise IntegrityError(phrase("bundle.holds_what_no_chart", name=name))
        root = ElementTree.fromstring(text)  # noqa: S314 (no declarations)
    except (ElementTree.ParseError, ValueError, RecursionError):
        raise IntegrityError(phrase("bundle.cannot_read", name=name)) from None
    for element in root.iter():
        tag = element.tag.rpartition("}")[2]
        if tag not in OWN or element.attrib.keys() - OWN[tag]:
            raise IntegrityError(phrase("bundle.holds_something_one_no", name=name, tag=quoted(tag)))
    return root


def _check_own(root: ElementTree.Element, style: str, name: str) -> None:
    for element in root.iter():
        tag = element.tag.rpartition("}")[2]
        if tag == "style" and "".join(element.itertext()) != style:
            raise IntegrityError(phrase("bundle.style_chart", name=name))
        if tag == "pattern" and not _is_hatching(element):
            raise IntegrityError(phrase("bundle.holds_something_one_no", name=name, tag=quoted(tag)))
        thick = tag in SHAPES and float(element.attrib.get("stroke-width", 0)) > THIN
        if thick and "data-shows" not in element.attrib:
            raise IntegrityError(phrase("bundle.draws_something_does_say", name=name))


def _is_hatching(pattern: ElementTree.Element) -> bool:
    """Whether a pattern is the one of charts: in any other might stand what nothing is compared with."""
    own = hatching(pattern.attrib.get("id", ""))
    return ElementTree.canonicalize(ElementTree.tostring(pattern)) == ElementTree.canonicalize(
        ElementTree.tostring(own)
    )


def beside(marks: Sequence[Part], header: Part) -> list[Part]:
    """The marks of the panel that a header is of: those in the innermost group around it that holds any."""
    for group in reversed(header.within):
        if inside := [part for part in marks if group in part.within]:
            return inside
    return []


def _walk(root: ElementTree.Element, name: str) -> Iterator[Part]:
    waiting: list[tuple[ElementTree.Element, float, float, tuple[int, ...]]] = [(root, 0.0, 0.0, ())]
    groups = 0
    for _ in range(MOST_PARTS):
        if not waiting:
            return
        element, x, y, within = waiting.pop()
        tag = element.tag.rpartition("}")[2]
        if tag not in KNOWN | KNOWN_TOO or len(within) > DEEPEST or "style" in element.attrib:
            raise IntegrityError(phrase("bundle.holds_cannot_compared", name=name, tag=quoted(tag)))
        right, down = _moved(element.attrib.get("transform", ""), name, turned=tag == "text")
        x, y = x + right, y + down
        if tag in ("g", "svg"):
            groups += 1
            waiting += [(child, x, y, (*within, groups)) for child in reversed(element)]
            loose = " ".join(
                (element.attrib.get("aria-label", ""), element.text or "", *(e.tail or "" for e in element))
            )
            if loose.strip():
                yield _part("text", element, loose, (x, y), within)
        elif tag in ("text", "title", "desc", "metadata"):
            yield _part("text", element, " ".join(element.itertext()), (x, y), within)
        elif tag in SHAPES:
            yield _part(tag, element, "", (x, y), within)
    if waiting:
        raise IntegrityError(phrase("bundle.more_than_parts", name=name, most_parts=MOST_PARTS))


def _moved(transform: str, name: str, *, turned: bool) -> tuple[float, float]:
    """How far something is moved, up to where it is turned, as texts alone may be."""
    if MOVED.sub("", transform).strip() or (not turned and "rotate" in transform):
        raise IntegrityError(phrase("bundle.holds_transform_cannot_compared", name=name))
    x = y = 0.0
    for kind, first, second in MOVED.findall(transform):
        if kind == "rotate":
            break
        x, y = x + float(first), y + float(second or 0)
    return x, y


def _part(tag: str, element: ElementTree.Element, text: str, at: tuple[float, float], within: tuple[int, ...]) -> Part:
    lines = _lines(element.attrib.get("d", "")) if tag == "path" else [_points(tag, element)]
    points = [(x + at[0], y + at[1]) for line in lines for x, y in line] or [at]
    across, down = zip(*points, strict=True)
    shows = [SHOWS.fullmatch(each) for each in element.attrib.get("data-shows", "").split(" ") if each]
    return Part(
        tag=tag,
        text=SPACES.sub(" ", text).strip(),
        kind=element.attrib.get("data-part", ""),
        series=element.attrib.get("data-series", ""),
        lines=tuple(tuple((x + at[0], y + at[1]) for x, y in line) for line in lines),
        shows=tuple((int(each[1]), each[2], each[3]) if each else (-1, "", None) for each in shows),
        left=min(across),
        right=max(across),
        top=min(down),
        bottom=max(down),
        first=points[0],
        last=points[-1],
        within=within,
        fill=element.attrib.get("fill", "none"),
        stroke=element.attrib.get("stroke", "none"),
        unsure=element.attrib.get("fill", "").startswith("url(") or DASHED in element.attrib,
        thick=float(element.attrib.get("stroke-width", 1)),
        opacity=float(element.attrib.get("opacity", 1)) * float(element.attrib.get("fill-opacity", 1)),
    )


def _points(tag: str, element: ElementTree.Element) -> list[tuple[float, float]]:
    """The corners of a shape; of a text its middle."""
    number = {key: float(value.removesuffix("px")) for key, value in element.attrib.items() if key in NUMBERS}
    x, y = number.get("x", 0), number.get("y", 0)
    if tag == "rect":
        return [(x, y), (x + number.get("width", 0), y + number.get("height", 0))]
    if tag == "line":
        return [(number.get("x1", 0), number.get("y1", 0)), (number.get("x2", 0), number.get("y2", 0))]
    if tag == "circle":
        return [(number.get("cx", 0), number.get("cy", 0))]
    below = 0.0 if "dominant-baseline" in element.attrib else 0.3 * number.get("font-size", 0)
    lines = sum(float(child.attrib.get("dy", 0)) for child in element)
    return [(x, y - below + lines / 2)]


NUMBERS = frozenset({"x", "y", "width", "height", "x1", "x2", "y1", "y2", "cx", "cy", "font-size"})


def _lines(path: str) -> list[list[tuple[float, float]]]:
    """The corners that a path goes through, as SVG writes them, in unbroken lines."""
    lines: list[list[tuple[float, float]]] = []
    for begins, point in _corners(path):
        if begins:
            lines.append([])
        lines[-1].append(point)
    return lines


def _corners(path: str) -> Iterator[tuple[bool, tuple[float, float]]]:
    tokens = [letter or float(number) for letter, number in STEP.findall(path)]
    starts = [place for place, token in enumerate(tokens) if isinstance(token, str)]
    x = y = 0.0
    for start, end in pairwise([*starts, len(tokens)]):
        command = str(tokens[start])
        given = [float(token) for token in tokens[start + 1 : end]]
        size = PLACES.get(command.upper(), -1)
        if size < 0 or (size and len(given) % size) or (not size and given):
            raise ValueError
        for place in range(0, len(given), size or 1):
            numbers, relative = given[place : place + size], command.islower()
            across = {"V": None}.get(command.upper(), numbers[-2] if size > 1 else numbers[0])
            down = {"H": None}.get(command.upper(), numbers[-1])
            x = x if across is None else across + (x if relative else 0)
            y = y if down is None else down + (y if relative else 0)
            yield command.upper() == "M" and place == 0, (x, y)
