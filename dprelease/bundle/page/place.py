"""Place of a page: what it links to, and what was said of the release since."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from dprelease.bundle.notices import PublisherNotices
from dprelease.model.release import Cell, Estimates


@dataclass(frozen=True, slots=True)
class PageFigure:
    """Picture on a page: its address, or the picture itself as a data address, and its size in pixels."""

    source: str
    width: str
    height: str
    notes: tuple[str, ...] = ()
    narrow: PageFigure | None = None
    """Same picture for phones."""


@dataclass(frozen=True, slots=True)
class TableAct:
    """Way to use a table: links to files, texts to copy, or both."""

    name: str
    """Key of its word: `data`, `picture`, `embed` or `cite`."""
    links: Sequence[tuple[str, str]] = ()
    """Address and text."""
    texts: Sequence[tuple[str, str]] = ()
    """Label and text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnStrip:
    """Strip above a release for whoever is signed in: its guarantee, who approved it, and the ways to act on it."""

    guarantee: str
    """Loss with unit, relation, δ and all that was spent, in one sentence."""
    approver: str = ""
    """Name of whoever approved the plan; empty where the reader may not know."""
    approved: str = ""
    """Day of that."""
    alone: bool = False
    """True if no second person was asked."""
    embargo: str = ""
    """Sentence on the hour that it waits for; empty once it is public."""
    links: Sequence[tuple[str, str]] = ()
    """Address and key of the word of what can be done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePlace:
    """Place of a page, with everything on it that depends on the place."""

    kind: Literal["bundle", "portal", "site", "own"] = "bundle"
    folder: str = ""
    """Path from the page to the files of the bundle."""
    here: str = ""
    """Path from the page to the pages beside it."""
    figure: Callable[[str], PageFigure | None]
    """Picture of a table; of LEAD, the one on the first screen."""
    number: Callable[[str, Estimates, Sequence[Cell]], str] | None = None
    """Address of the page of one number, by its table and row."""
    acts: Callable[[str], Sequence[TableAct]]
    files: Callable[[str], Sequence[tuple[str, str]]] = lambda _: ()
    """Address and text of further files of a table."""
    compare: Callable[[str], str] = lambda _: ""
    """Address of the page that tells whether a difference of two numbers of a table may be noise; empty for none."""
    tried: Callable[[str], Mapping[str, Any] | None] = lambda _: None
    """Form that tries the model of a table."""
    said: PublisherNotices | None = None
    """Notices about the release since it was published; None in the bundle, which was sealed before."""
    day: str = ""
    """Day on which it became public, where that is known here; else as in the certificate."""
    command: str = ""
    """Command that checks the release."""
    known: bool = True
    """True if `command` holds a real address."""
    archive: str = ""
    """Address of the zip file of the bundle."""
    cite: Mapping[str, str] = field(default_factory=dict)
    snippets: Mapping[str, str] = field(default_factory=dict)
    links: Sequence[tuple[str, str]] = ()
    """Address and key of the words of pages beside it."""
    strip: OwnStrip | None = None
    """Strip for whoever is signed in; None on public pages."""

    @property
    def is_sealed(self) -> bool:
        """True for the page in the bundle, which links to nothing outside it."""
        return self.kind == "bundle"


LEAD = ""
"""Name of the picture on the first screen, which no table has."""
