"""Theme of every chart: type sizes, colours for light and dark pages, numbers, and sizes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import inf
from typing import Any

from dprelease.statements.display import THIN
from dprelease.words.language import ENGLISH, language, point

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""Fonts: the first sets the layout (vl-convert brings it), the second has the same widths: one layout everywhere."""
WIDTH = 720
HEIGHT = 400
PADDING = 16


@dataclass(frozen=True, slots=True)
class ChartSize:
    """Size of a chart, in pixels, and the number of its elements that fit side by side."""

    width: float = WIDTH
    height: float = HEIGHT
    labels: float = 320
    """Largest width of labels beside lying bars."""
    panels: int = 3
    beside: int = 4
    """Panels of bars that share one list of labels."""
    columns: int = 10
    """Largest number of columns of a heat map in which numbers still fit."""


WIDE = ChartSize()
NARROW = ChartSize(width=250, height=280, labels=120, panels=1, beside=1, columns=2)
"""Size on a phone."""
LETTER = 0.56
"""Average width of a letter, in heights of the type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsSize:
    """Sizes of rows with direct labels, in pixels."""

    width: float
    names: float
    """Width of the names at the left."""
    numbers: float
    """Width of the numbers at the right."""
    row: float
    """Height of one row."""
    along: float
    """Height of a chart along numbers or days."""
    text: float = 14
    small: float = 12
    most: float = inf
    """Largest height of the whole; rows are closer where there are many."""

    @property
    def frame(self) -> tuple[float, float]:
        """Left and right end of the marks."""
        return self.names + 10, self.width - self.numbers - 10


ROWS_WIDE = RowsSize(width=560, names=150, numbers=116, row=40, along=236, most=296)
ROWS_NARROW = RowsSize(width=334, names=92, numbers=104, row=34, along=176, most=206)
ROWS_FULL = RowsSize(width=720, names=230, numbers=140, row=40, along=300)
PRESS_WIDE = RowsSize(width=752, names=190, numbers=150, row=44, along=262, text=17, small=13, most=266)
PRESS_TALL = RowsSize(width=492, names=128, numbers=150, row=72, along=400, text=22, small=17, most=430)
"""Sizes in half pixels of pictures for the press."""
TITLE = 18
NOTE = 13
SVG = "http://www.w3.org/2000/svg"


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of a chart."""

    ink: str
    muted: str
    line: str
    grid: str
    paper: str
    accent: str
    noisy: str
    """Colour of published numbers: filled where they can be used, hatched where they are too noisy."""
    faint: str = "#e6f2f3"
    """Lightest colour of a cell."""
    deep: str = "#57b3ba"
    """Darkest colour of a cell."""
    against: str = "#b9a3cf"
    """Counterpart of `deep` on the other side of `faint`, for values that may be below 0."""
    on_cells: str = "#0b0c0d"
    """Colour of numbers written on cells, light and dark alike."""


SWAPPED = ("ink", "muted", "line", "grid", "paper", "accent", "noisy")
LIGHT = Palette("#14201f", "#55625f", "#8c9794", "#e1e6e4", "#ffffff", "#0b6b72", "#0b7a83")
DARK = Palette("#e7edec", "#9daca9", "#6d7a77", "#2e3a3b", "#141c1d", "#6fc9ce", "#35a7b1")
HATCHED = "url(#hatched)"
"""Fill of marks that are too noisy to be used."""

SUNDAY_FIRST = (6, 0, 1, 2, 3, 4, 5)
"""Order of days from Sunday on, each counted from Monday."""
PERCENT = f"{THIN}%"
"""Percent sign where a language sets it apart."""

DARKENED = "".join(
    f'[{part}="{getattr(LIGHT, name)}"]{{{part}:{getattr(DARK, name)}}}'
    for name in SWAPPED
    for part in ("fill", "stroke")
)
"""CSS that replaces each light colour by the dark one."""
STYLE = f"svg{{color-scheme:light dark}}@media (prefers-color-scheme:dark){{{DARKENED}}}"
"""Style sheet of every chart."""


def config(palette: Palette) -> dict[str, Any]:
    """Return Vega-Lite's config: one font, quiet axes, numbers grouped as in the tables."""
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
        "background": "transparent",
        "padding": PADDING,
        "aria": False,
        "view": {"stroke": None, "continuousWidth": 300, "continuousHeight": 300},
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
    """Return the formats of numbers on axes, and the names of months, in the current language."""
    number = {"decimal": point(), "thousands": THIN, "grouping": [3], "currency": ["", ""]}
    if language() == ENGLISH:
        return {"number": number}
    return {"number": {**number, "percent": PERCENT}, "time": times(language())}


@cache
def times(code: str) -> dict[str, Any]:
    """Return the names of days and months in a language, as d3-time-format takes them, whose own are English."""
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
