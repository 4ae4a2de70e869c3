"""Displays of values in a terminal and in a notebook: one description, as short text and as a table of HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap

from dprelease.words import phrase
from dprelease.words.phrases import visible

LINES, WIDE = 10, 100
"""Lines and columns of a text: 1,000 characters at most, line ends included."""
MAX_SHOWN = 200
"""Rows of a table of HTML."""


@dataclass(frozen=True)
class View:
    """Parts that a value shows of itself: a title, facts, and rows of a table."""

    title: str
    facts: Sequence[str] = ()
    heads: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    text_rows: bool = True
    """False where the rows are for a notebook alone."""
    marked: bool = False
    """True of values that nobody else may see: they stand in a box."""


class Viewed:
    """A value that shows itself by its `view`."""

    __slots__ = ()

    def view(self) -> View:
        """Return what is shown. Subclasses have their own."""
        raise NotImplementedError

    def __repr__(self) -> str:
        view = self.view()
        facts = (line for fact in view.facts for line in wrap(fact, WIDE - 1))
        lines = [view.title, *facts][: LINES - 1]
        rows = ["  ".join(each for each in row if each) for row in view.rows] if view.text_rows else []
        room = LINES - len(lines)
        if len(rows) > room:
            rows = [*rows[: room - 1], str(phrase("model.view_more", count=len(rows) - room + 1))]
        cut = (visible(line.replace("\n", " ")) for line in [*lines, *rows])
        return "\n".join(line if len(line) < WIDE else f"{line[: WIDE - 2]}…" for line in cut)

    def _repr_html_(self) -> str:
        view = self.view()
        told = "".join(f"<p>{escape(fact)}</p>" for fact in view.facts)
        more = len(view.rows) - MAX_SHOWN
        rest = f"<p>{escape(str(phrase('model.view_more', count=more)))}</p>" if more > 0 else ""
        table = as_table(view.heads, view.rows[:MAX_SHOWN]) if view.rows else ""
        style = ' style="border: 3px solid #b00; padding: 0.5em"' if view.marked else ""
        return f"<div{style}><p><b>{escape(view.title)}</b></p>{told}{table}{rest}</div>"


def as_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return an HTML table whose every cell is text."""
    return f"<table>{_line('th', heads)}{''.join(_line('td', each) for each in rows)}</table>"


def _line(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
