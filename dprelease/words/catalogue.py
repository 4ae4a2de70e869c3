"""The catalogues: a folder for each language, in it a file for each room, keyed by short ids.

The first use of a catalogue, and the build of a wheel, compile it beside itself. The name of what was compiled holds a
hash of the source, so that it is never of another one.
"""

from __future__ import annotations

import os
import re
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
    """What is not translated yet is said in English; KeyError where it is no text at all."""

    def __init__(self, folder: Path, room: str, code: str) -> None:
        super().__init__()
        self.folder, self.room, self.code = folder, room, code

    def gettext(self, message: str) -> str:
        if self.code == ENGLISH:
            raise KeyError(message)
        return _translations(self.folder, self.room, ENGLISH).gettext(message)


def languages() -> tuple[str, ...]:
    """The codes (ISO 639) of the languages that have a folder, English first."""
    return _languages(FOLDER)


def text(room: str, code: str, key: str) -> str:
    """One text, with its places. Raises KeyError."""
    if not key:
        raise KeyError(key)  # which is where catalogues keep their header
    return _translations(FOLDER, room, code).gettext(key)


def texts(room: str, code: str) -> dict[str, str]:
    """All texts of a catalogue by key, in its order: slower than to ask for one."""
    return dict(_texts(FOLDER, room, code))


def compiled(source: bytes, code: str) -> bytes:
    """What gettext reads, from what translators write."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    written = BytesIO()
    write_mo(written, read_po(BytesIO(source), locale=code))
    return written.getvalue()


def compiled_name(path: Path, source: bytes) -> str:
    """The name of what a catalogue is compiled to."""
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
    """Puts a compiled catalogue in the place of older ones, whole or not at all."""
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
def _texts(folder: Path, room: str, code: str) -> dict[str, str]:
    from babel.messages.pofile import read_po

    with (folder / code / f"{room}.po").open("rb") as file:
        return {str(each.id): str(each.string) for each in read_po(file, locale=code) if each.id and each.string}
