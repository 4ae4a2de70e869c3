"""The catalogues: a folder for each language, in it a file for each room, keyed by short ids.

The first use of a catalogue, and the build of a wheel, compile it beside itself. The name of what was compiled holds a
hash of the source, so that it is never of another one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache
from gettext import GNUTranslations, NullTranslations
from hashlib import sha256
from io import BytesIO
from pathlib import Path

FOLDER = Path(__file__).parent
ENGLISH = "en"
CODE = re.compile("[a-z]{2,3}")
HASHED = 16
"""Hexadecimal digits."""


class Otherwise(NullTranslations):
    """Fallback to English for texts that are not translated yet; KeyError for no text at all."""

    def __init__(self, folder: Path, room: str, code: str) -> None:
        super().__init__()
        self.folder, self.room, self.code = folder, room, code

    def gettext(self, message: str) -> str:
        if self.code == ENGLISH:
            raise KeyError(message)
        return _translations(self.folder, self.room, ENGLISH).gettext(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        if self.code == ENGLISH:
            raise KeyError(msgid1)
        return _translations(self.folder, self.room, ENGLISH).ngettext(msgid1, msgid2, n)


def languages() -> tuple[str, ...]:
    """Return the codes (ISO 639) of the languages that have a folder, English first."""
    return _languages(FOLDER)


def text(room: str, code: str, key: str, number: int | None = None) -> str:
    """Return one text, with its places; of one that counts, the form for a number, else the first. Raises KeyError."""
    if not key:
        raise KeyError(key)  # which is where catalogues keep their header
    translations = _translations(FOLDER, room, code)
    if number is None:
        return translations.gettext(key)
    try:
        return translations.ngettext(key, key, number)
    except KeyError:  # it has one form
        return translations.gettext(key)


def texts(room: str, code: str) -> dict[str, str]:
    """Return all texts of a catalogue by key, in its order, the first form of each: slower than to ask for one."""
    return {key: each[0] for key, each in forms(room, code).items()}


def forms(room: str, code: str) -> Mapping[str, tuple[str, ...]]:
    """Return all forms of all texts of a catalogue: one, and of those that count as many as the language has."""
    return _forms(FOLDER, room, code)


def compiled(source: bytes, code: str) -> bytes:
    """Return the catalogue that gettext reads, compiled from what translators write."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    written, read = BytesIO(), read_po(BytesIO(source), locale=code)
    for message in read:
        if message.pluralizable and not all(message.string or ()):
            message.string = ""  # not translated yet: its id would be said
    write_mo(written, read)
    return written.getvalue()


def compiled_name(path: Path, source: bytes) -> str:
    """Return the name of what a catalogue is compiled to."""
    return f"{path.stem}.{sha256(source).hexdigest()[:HASHED]}.mo"


@cache
def _languages(folder: Path) -> tuple[str, ...]:
    codes = sorted(path.name for path in folder.iterdir() if CODE.fullmatch(path.name) and path.is_dir())
    return tuple(sorted(codes, key=lambda code: code != ENGLISH))


@cache
def _translations(folder: Path, room: str, code: str) -> GNUTranslations:
    path = folder / code / f"{room}.po"
    source = path.read_bytes()
    made = path.with_name(compiled_name(path, source))
    try:
        data = made.read_bytes()
    except FileNotFoundError:
        data = compiled(source, code)
        _keep(made, data, f"{room}.*.mo")
    translations = GNUTranslations(BytesIO(data))
    translations.add_fallback(Otherwise(folder, room, code))
    return translations


def _keep(made: Path, data: bytes, others: str) -> None:
    """Put a compiled catalogue in the place of older ones, whole or not at all."""
    from tempfile import NamedTemporaryFile

    try:
        with NamedTemporaryFile(dir=made.parent, suffix=".part", delete=False) as file:
            file.write(data)
        for older in made.parent.glob(others):
            older.unlink(missing_ok=True)
        os.replace(file.name, made)
    except OSError:
        return  # a place where nothing may be written: each process compiles for itself


@cache
def _forms(folder: Path, room: str, code: str) -> dict[str, tuple[str, ...]]:
    from babel.messages.pofile import read_po

    with (folder / code / f"{room}.po").open("rb") as file:
        read = [(each.id, each.string) for each in read_po(file, locale=code) if each.id and each.string]
    return {
        str(key if isinstance(key, str) else key[0]): (said,) if isinstance(said, str) else tuple(said)
        for key, said in read
    }
