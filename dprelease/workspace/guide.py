"""The pages of the guide: `docs/guide/` in English, `docs/guide/es/` in Spanish."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from dprelease.words.language import ENGLISH, LANGUAGES
from dprelease.workspace.installed import DOCS

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


def text(page: str, language: str) -> tuple[str, str] | None:
    """Return the Markdown of a page and its language, English where there is no other; None without such a page.

    What is not in the guide is looked for among the other documents, so that links to them work too.
    """
    if not NAME.fullmatch(page) or language not in LANGUAGES:
        return None
    guide = DOCS / "guide"
    places = [(guide / f"{page}.md", ENGLISH), (DOCS / f"{page}.md", ENGLISH)]
    if language != ENGLISH:
        places.insert(0, (guide / language / f"{page}.md", language))
    found = next((place for place in places if place[0].is_file()), None)
    return None if found is None else (found[0].read_text("utf-8"), found[1])


def picture(name: str) -> Path | None:
    """Return a picture of the guide; None without such a file."""
    path = DOCS / "guide" / "images" / f"{name}.png"
    return path if NAME.fullmatch(name) and path.is_file() else None


def sections(page: str, language: str) -> dict[str, str]:
    """Return the headings of a page by their ids, the page's own first.

    An id is made of the English heading as GitHub makes it; in another language the same one has the same place.
    """
    english, own = _headings(page, ENGLISH), _headings(page, language)
    ids = [slug(heading) for heading in (english if len(english) == len(own) else own)]
    return dict(zip(ids, own, strict=True))


def slug(heading: str) -> str:
    """Return the id of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


@cache
def _headings(page: str, language: str) -> list[str]:
    found = text(page, language)
    outside_code = re.sub(r"^```.*?^```", "", found[0] if found else "", flags=re.MULTILINE | re.DOTALL)
    return [heading.strip() for heading in re.findall(r"^#{1,6} (.+)$", outside_code, re.MULTILINE)]
