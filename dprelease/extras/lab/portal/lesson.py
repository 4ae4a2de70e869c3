"""A page of the lab that a server computes whole: choices, an answer, parts with tables and pictures, and files.

Each such page is a module with a function from the query of an address to a `Lesson`. It needs no script.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from dprelease.charts.sketch import SketchSheet
from dprelease.charts.theme import STYLE
from dprelease.statements.display import shown
from dprelease.words.sentences import Html, Words

if TYPE_CHECKING:
    from dprelease.portal.pages import Portal

LAB = Words("lab")
FIGURE = re.compile(r"-?\d{1,8}(?:\.\d{1,15})?(?:e-?\d{1,2})?", re.ASCII)
MOST_TEXT = 200


@dataclass(frozen=True, slots=True)
class LessonField:
    """One choice: its name in an address, its label, what it is, and its options where there are some."""

    name: str
    label: str
    value: str
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class LessonTable:
    """A table whose first column names its rows."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: tuple[int, ...] = ()
    """Columns of sentences, counted from 0; all others but the first have numbers."""


@dataclass(frozen=True, slots=True)
class LessonFigure:
    """A picture, drawn anew each time it is asked for; its words for who does not see it; its id."""

    draw: Callable[[], SketchSheet]
    said: str
    name: str

    def inline(self) -> Html:
        return Html(self.draw().inline(self.said, self.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonPart:
    """A part of a page under its heading."""

    title: str
    texts: tuple[str, ...] = ()
    figures: tuple[LessonFigure, ...] = ()
    tables: tuple[LessonTable, ...] = ()
    squares: tuple[bool, ...] = ()
    """One each: filled where it is true, else a cross; the texts say how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A page. Its file of numbers is what its program prints; its picture is that of `figure`."""

    fields: tuple[LessonField, ...]
    link: Mapping[str, str]
    vain: tuple[str, ...]
    answer: str
    parts: tuple[LessonPart, ...]
    figure: LessonFigure
    csv: str
    program: str


@dataclass
class LessonQuery:
    """The query of an address, read part by part; what is not understood gets the usual and is remembered."""

    query: Mapping[str, str]
    vain: list[str] = field(default_factory=list)
    known: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Text of each part, and its usual text."""

    def number(self, name: str, usual: float, low: float, high: float) -> float:
        """Return a number from low to high."""
        text = self.query.get(name)
        found = usual if text is None else float(text) if FIGURE.fullmatch(text) else None
        if found is None or not low <= found <= high:
            found = usual
            self.vain.append(name)
        self.known[name] = f"{found:.10g}", f"{usual:.10g}"
        return found

    def whole(self, name: str, usual: int, low: int, high: int) -> int:
        """Return a whole number from low to high."""
        found = self.number(name, usual, low, high)
        if found != int(found):
            found = usual
            self.vain.append(name)
            self.known[name] = f"{found:g}", f"{usual:g}"
        return int(found)

    def one(self, name: str, options: Sequence[str], usual: str = "") -> str:
        """Return one of the options; the usual is the first, if no other is."""
        usual = usual or options[0]
        found = self.query.get(name, usual)
        if found not in options:
            found = usual
            self.vain.append(name)
        self.known[name] = found, usual
        return found

    def numbers(
        self, name: str, usual: Sequence[float], low: float, high: float, counts: tuple[int, int]
    ) -> tuple[float, ...]:
        """Return numbers from low to high, parted by spaces, as many as the counts allow."""
        text = self.query.get(name, " ".join(f"{each:g}" for each in usual))
        parts = text.replace(";", " ").split() if len(text) <= MOST_TEXT else []
        found = [float(each) for each in parts if FIGURE.fullmatch(each)]
        inside = len(found) == len(parts) and all(low <= each <= high for each in found)
        if not inside or not counts[0] <= len(found) <= counts[1]:
            found = list(usual)
            self.vain.append(name)
        self.known[name] = " ".join(f"{each:.10g}" for each in found), " ".join(f"{each:.10g}" for each in usual)
        return tuple(found)

    def told(self) -> tuple[dict[str, str], tuple[str, ...]]:
        """Return the address of what was read, without what is usual, and the names of what was not understood."""
        link = {name: value for name, (value, usual) in self.known.items() if value != usual}
        return link, tuple(dict.fromkeys([*self.vain, *(name for name in self.query if name not in self.known)]))

    def field(self, name: str, options: Sequence[tuple[str, str]] = ()) -> LessonField:
        """Return the choice of a part, labelled by the word `field_<name>`."""
        return LessonField(name, LAB[f"field_{name}"], self.known[name][0], tuple(options))


def told(number: float, digits: int = 5) -> str:
    """Return a number with so many significant digits."""
    if number == float("inf"):
        return "∞"
    return shown(float(f"{number:.{digits}g}"), digits)


def csv_of(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return CSV with all digits; nothing where something is None."""
    lines = (",".join("" if each is None else str(each) for each in row) for row in (head, *rows))
    return "".join(f"{line}\n" for line in lines)


def render(portal: Portal, key: str, lesson: Lesson) -> str:
    """Write the page."""
    query = urlencode(lesson.link)
    return portal.render(
        "lab_lesson.html.j2",
        path=f"lab/{key}.html",
        key=key,
        lesson=lesson,
        served=portal.served,
        title=LAB[f"{key}_title"],
        story=LAB[f"{key}_story"],
        vain=Words("ui").say("attacks_ignored", names=", ".join(lesson.vain)) if lesson.vain else "",
        link=f"{key}.html{f'?{query}' if query else ''}",
        query=f"?{query}" if query else "",
        lab=LAB.say,
        charts=STYLE,
    )


def taken(lesson: Lesson, kind: str) -> bytes:
    """Return its picture, its numbers, or the program that prints them."""
    if kind == "svg":
        return lesson.figure.draw().alone(lesson.figure.said)
    return (lesson.csv if kind == "csv" else lesson.program).encode()
