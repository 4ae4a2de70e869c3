"""Files that already lie on the server, in folders that whoever runs it allows."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from dprelease.errors import InputError

VARIABLE = "DPRELEASE_IMPORT"
"""Folders, separated as in PATH."""
MOST = 500


def folders() -> list[Path]:
    """The allowed folders that are there."""
    named = (Path(text) for text in os.environ.get(VARIABLE, "").split(os.pathsep) if text)
    return [folder.resolve() for folder in named if folder.is_dir()]


def files() -> list[str]:
    """What may be imported, by its path. Hidden files are left out, and links that lead out of a folder."""
    found = (path for folder in folders() for path in sorted(folder.rglob("*")) if _is_offered(path, folder))
    return [str(path) for path in islice(found, MOST)]


def checked(text: str) -> Path:
    """The file at a path, if it is in an allowed folder and not hidden there. Raises InputError."""
    path = Path(text)
    if path.is_absolute() and any(_is_offered(path, folder) for folder in folders()):
        return path.resolve()
    raise InputError("file", found=text, allowed=f"a file in one of the folders of ${VARIABLE}")


def _is_offered(path: Path, folder: Path) -> bool:
    """Whether it is a file of the folder, wherever links lead, and neither it nor a folder on the way is hidden."""
    if not (path.is_file() and path.resolve().is_relative_to(folder)):
        return False
    return not any(part.startswith(".") for part in (*path.resolve().relative_to(folder).parts, path.name))
