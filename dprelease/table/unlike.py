"""Differences between a file's detected layout and the one kept for it. States shares, no cell."""

from __future__ import annotations

from pathlib import Path

from dprelease.errors import UploadError
from dprelease.model.reading import Reading
from dprelease.table.detect import detect
from dprelease.words import Phrase, phrase, quoted

PARTS = ("encoding", "delimiter", "sheet", "header")


def unlike(source: Path, filename: str, kept: Reading) -> tuple[Phrase, ...]:
    """Return what would be detected otherwise, in words; nothing of a file that nothing can be detected of."""
    try:
        found = detect(source, filename).reading
    except (OSError, UploadError, UnicodeError):
        return ()
    if found.format is not kept.format:
        return ()
    told = (
        phrase(f"table.{part}_otherwise", found=_shown(getattr(found, part)), kept=_shown(getattr(kept, part)))
        for part in PARTS
        if kept.asks(part) and getattr(found, part) != getattr(kept, part)
    )
    return tuple(told)


def _shown(part: object) -> object:
    return quoted(part) if isinstance(part, str) else part
