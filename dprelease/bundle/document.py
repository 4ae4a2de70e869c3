"""Printable document: facts, paragraphs and tables, as a page for a browser and as a PDF file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from dprelease.errors import need
from dprelease.words.language import language
from dprelease.words.phrases import visible

Row = Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Heading with the text and table under it; a table without rows is replaced by `empty`."""

    heading: str
    text: str = ""
    heads: Row = ()
    rows: Sequence[Row] = ()
    empty: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Content of a printed document. All of it is plain text, never markup."""

    kind: str
    """Kind of document, such as an audit report."""
    title: str
    lead: str
    facts: Sequence[tuple[str, str]] = ()
    sections: Sequence[Section] = field(default=())

    def html(self) -> str:
        """Return a page that is complete in one file and needs no script."""
        from dprelease.bundle.page.render import environment

        return environment().get_template("document.html.j2").render(document=self, language=language())

    def pdf(self) -> bytes:
        """Return the same on numbered A4 pages, with a heading row on each page of a table."""
        need("pdf", "typst")
        import typst

        from dprelease.bundle.page.render import TEMPLATES

        shown = {
            "kind": visible(self.kind),
            "title": visible(self.title),
            "lead": visible(self.lead),
            "language": language(),
            "facts": [[visible(cell) for cell in fact] for fact in self.facts],
            "sections": [
                {
                    "heading": visible(section.heading),
                    "text": visible(section.text),
                    "heads": [visible(cell) for cell in section.heads],
                    "rows": [[visible(cell) for cell in row] for row in section.rows],
                    "empty": visible(section.empty),
                }
                for section in self.sections
            ],
        }
        template = TEMPLATES / "document.typ"
        written: bytes = typst.compile(template, sys_inputs={"document": json.dumps(shown)}, ignore_system_fonts=True)
        return written
