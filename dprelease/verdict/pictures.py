"""The pictures of a bundle, drawn again from its tables; and its page, written again around them.

Compared is as much as this program draws alike: everything where Altair and vl-convert are those that the release
names, the specifications where only Altair is, nothing where neither is or nobody asks for it. Whatever is not compared
is held to a closed list of elements, so that a picture stays one.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Mapping
from itertools import zip_longest
from typing import TypeAlias

from dprelease.bundle.described import Described
from dprelease.bundle.listing import CHARTS, LEADS, facts_of, picture_path, specification_path
from dprelease.bundle.outputs import release_files
from dprelease.bundle.page.place import LEAD
from dprelease.bundle.page.render import SIZE, Placed, figures, page
from dprelease.bundle.read import ReadBundle
from dprelease.bundle.row_files import parquet_paths
from dprelease.charts.data import MAX_CELLS
from dprelease.charts.renderer import Alike
from dprelease.charts.safe import safe
from dprelease.errors import IntegrityError
from dprelease.model.encoding import read_json
from dprelease.model.release import Estimates, Release
from dprelease.verdict.redrawn import PictureDifference, compare
from dprelease.words import phrase, quoted
from dprelease.words.language import ENGLISH, speaking

PAGE = "index.html"
Figure: TypeAlias = tuple[str, bool]
"""A picture on the page: its table, and whether it is the one for phones."""
FIGURE = re.compile(rb'="data:image/svg\+xml;base64,([^"]*)"')
MAX_SHOWN = 120
"""Characters of a line that an error shows."""


def check_pictures(bundle: ReadBundle, compared: Alike) -> int:
    """Count the pictures of a bundle. Raises IntegrityError where one is not that of its table, or the page another.

    Of `Alike.NOTHING` no library that draws is loaded, and notes are taken as the specifications have them.
    """
    release, contents = bundle.release, bundle.contents
    with speaking(ENGLISH):
        if compared is Alike.DRAWING:
            _check_lead(bundle)
        stored = _stored(bundle) if PAGE in contents else {}
        placed = {}
        for table in _drawn(release):
            if specification_path(table) in contents:
                notes = _notes(bundle, table, stored, compared)
                placed[table] = _placed(table, stored, notes)
        if PAGE in contents:
            if {*LEADS} <= contents.keys():
                wide, narrow = (contents[path] for path in LEADS)
                placed[LEAD] = Placed(wide, (), Placed(narrow))
            _check_page(bundle, placed)
    files = (*(picture_path(table) for table in placed if table != LEAD), *LEADS)
    return sum(path in contents for path in files) + len(stored)


def check_files(bundle: ReadBundle) -> None:
    """Raises IntegrityError where a table has no picture, a picture no table, or one holds what no picture has."""
    contents, tables = bundle.contents, _drawn(bundle.release)
    expected = {path: table for table in tables for path in (picture_path(table), specification_path(table))}
    for path in sorted(each for each in contents if each.startswith(CHARTS)):
        if path not in expected and not (tables and path in LEADS):
            raise IntegrityError(phrase("verdict.picture_without_table", name=quoted(path)))
        if path.endswith(".svg"):
            safe(contents[path], path, ours=bundle.release.certificate.is_ours)
    for path, table in expected.items():
        if path not in contents and len(tables[table]) <= MAX_CELLS:
            raise IntegrityError(phrase("verdict.table_without_picture", name=path, table=table))


def _drawn(release: Release) -> Mapping[str, Estimates]:
    """Return the tables that have pictures."""
    return release.tables if release.certificate.has_charts else {}


def _stored(bundle: ReadBundle) -> dict[Figure, bytes]:
    """Return the pictures on the page."""
    pictures: dict[Figure, bytes] = {}
    leading = [(LEAD, True), (LEAD, False)] if LEADS[0] in bundle.contents else []
    for each, text in zip_longest([*leading, *figures(bundle.release)], FIGURE.findall(bundle.contents[PAGE])):
        if each is None or text is None:
            raise IntegrityError(phrase("verdict.page_pictures", page=PAGE))
        name = f"{PAGE}: {each[0]}"
        try:
            pictures[each] = b64decode(text, validate=True)
        except Error:
            raise IntegrityError(phrase("bundle.cannot_read", name=name)) from None
        root = safe(pictures[each], name)
        if not SIZE.search(pictures[each]) or not {"width", "height"} <= root.attrib.keys():
            raise IntegrityError(phrase("bundle.cannot_read", name=name))
    return pictures


def _placed(table: str, stored: Mapping[Figure, bytes], notes: tuple[str, ...]) -> Placed:
    """Return a table's picture as the page has it; an empty one where the page shows none."""
    if (table, False) not in stored:
        return Placed(notes=notes)
    return Placed(stored[table, False], notes, Placed(stored[table, True]) if (table, True) in stored else None)


def _notes(bundle: ReadBundle, table: str, stored: Mapping[Figure, bytes], compared: Alike) -> tuple[str, ...]:
    """Return the notes of a picture, once specification and drawing are those of the table. Raises IntegrityError."""
    release, contents, path = bundle.release, bundle.contents, specification_path(table)
    if compared is Alike.NOTHING:
        return _stated(contents[path], path)
    from dprelease.charts.picture import not_drawn, picture, specification

    drawn = picture(release, table) if compared is Alike.DRAWING else None
    if drawn is not None:
        made = {drawn.specification: drawn.notes}
    else:
        own, none = specification(release, table), not_drawn(release, table)
        made = {own.text: own.notes, none.text: none.notes}
    if contents[path] not in made:
        raise IntegrityError(phrase("verdict.specification_differs", name=path, table=table))
    if drawn is not None:
        _check_same(picture_path(table), table, contents.get(picture_path(table), b""), drawn.svg())
        for (name, narrow), figure in stored.items():
            if name == table:
                again = picture(release, table, narrow=True).figure if narrow else drawn.figure
                _check_same(f"{PAGE}: {table}", table, figure, again)
    return made[contents[path]]


def _check_lead(bundle: ReadBundle) -> None:
    """Raises IntegrityError where the picture of the lead is not the one that is drawn again."""
    from dprelease.charts.lead import lead_picture

    own = lead_picture(bundle.release)
    figures = (own.figure, own.narrow.figure) if own is not None and own.narrow is not None else (b"", b"")
    stated = bundle.release.certificate.statements
    table = stated.lead.table if stated and stated.lead is not None else ""
    for path, figure in zip(LEADS, figures, strict=True):
        if not figure and path in bundle.contents:
            raise IntegrityError(phrase("verdict.picture_without_table", name=quoted(path)))
        if figure:
            _check_same(path, table, bundle.contents.get(path, b""), figure)


def _stated(data: bytes, path: str) -> tuple[str, ...]:
    """Return the notes as a specification states them."""
    notes = read_json(data, path).get("usermeta", {}).get("notes")
    if not isinstance(notes, list) or not all(isinstance(note, str) for note in notes):
        raise IntegrityError(phrase("bundle.cannot_read", name=path))
    return tuple(notes)


def _check_same(name: str, table: str, stored: bytes, drawn: bytes) -> None:
    match = compare(stored, drawn)
    if isinstance(match, PictureDifference):
        values = {"place": match.place, "found": quoted(match.stored), "drawn": quoted(match.drawn)}
        raise IntegrityError(phrase("verdict.picture_differs", name=name, table=table, **values))


def _check_page(bundle: ReadBundle, placed: Mapping[str, Placed]) -> None:
    """Raises IntegrityError where the page is not, byte by byte, the one that is written around these pictures."""
    release, contents = bundle.release, bundle.contents
    answers = (*release_files(release), *(path for path in parquet_paths(release) if path in contents))
    described = Described(release, facts_of({path: contents[path] for path in answers}))
    own, found = page(release, placed, described, bundle.fingerprint), contents[PAGE]
    if own != found:
        lines = zip_longest(found.split(b"\n"), own.split(b"\n"))
        number, pair = next((number, pair) for number, pair in enumerate(lines, 1) if pair[0] != pair[1])
        strange, written = (quoted((line or b"").decode(errors="replace").strip()[:MAX_SHOWN]) for line in pair)
        raise IntegrityError(phrase("verdict.page_differs", page=PAGE, line=number, found=strange, written=written))
