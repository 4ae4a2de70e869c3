"""The files of a round in a folder: what there is, pieces of it, and what comes from elsewhere. Nothing is replaced."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

KINDS = ("roster", "offer", "key", "keys", "masked", "sum", "account", "void")
NUMBERED = rf"[1-9][0-9]{{0,2}}\.(?:(?:{'|'.join(KINDS)})\.json|masked\.u64)"
NAME = re.compile(rf"federation\.json|plan\.json|sum\.i64|bundle\.zip|{NUMBERED}", re.ASCII)
"""All that a round's folder may have; docs/federation.md says what each is."""
PIECE = 8 << 20
"""Bytes of one file that one message carries at most."""
MOST = 32 << 20
"""Bytes of all files that one message carries."""
LARGEST = 1 << 30
"""Bytes of a file."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some bytes of a file, and which file that is."""

    name: str
    at: int
    size: int
    """Of the whole file."""
    digest: str
    """SHA-256 of the whole file."""
    data: bytes


class RefusedError(Exception):
    """Something came that is not kept; it says what and why."""


class Folder:
    """A round's folder. What is here is never written again; what came in part is hidden until it is whole."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: dict[str, tuple[int, int, str]] = {}

    def listed(self) -> dict[str, str]:
        """The SHA-256 of each whole file, and of a part how many bytes of it are here: `NAME.part`."""
        found = {}
        for each in sorted(self.path.iterdir()):
            if NAME.fullmatch(each.name):
                found[each.name] = self._digest(each)
            elif each.name.startswith(".") and NAME.fullmatch(each.name[1:].removesuffix(".part")):
                found[each.name[1:]] = str(each.stat().st_size)
        return found

    def due(self, there: Mapping[str, str]) -> Iterator[Piece]:
        """What another folder lacks, a vector before the message about it, as much as one message carries.

        Raises RefusedError where a file there is another than the one here.
        """
        left = MOST
        for name, digest in sorted(self.listed().items(), key=lambda each: _order(each[0])):
            if not NAME.fullmatch(name):
                continue
            if name in there:
                if there[name] != digest:
                    raise RefusedError(
                        f"{name}: another file of this name is there. Both are kept; make the round void."
                    )
                continue
            size, part = (self.path / name).stat().st_size, there.get(f"{name}.part", "0")
            at = min(int(part), size) if part.isascii() and part.isdigit() else 0
            while True:
                if left <= 0:
                    return
                with (self.path / name).open("rb") as file:
                    file.seek(at)
                    data = file.read(min(PIECE, left))
                yield Piece(name, at, size, digest, data)
                at, left = at + len(data), left - max(1, len(data))
                if at >= size:
                    break

    def take(self, piece: Piece) -> None:
        """Keeps a piece; the same again changes nothing. Raises RefusedError for another file, name or size."""
        if not NAME.fullmatch(piece.name) or not 0 <= piece.at <= piece.at + len(piece.data) <= piece.size <= LARGEST:
            raise RefusedError(
                f"{piece.name!r} of {piece.size} bytes: no file of a round. Allowed: see docs/federation.md."
            )
        target, part = self.path / piece.name, self.path / f".{piece.name}.part"
        if target.exists():
            if self._digest(target) != piece.digest:
                raise RefusedError(f"{piece.name}: another file of this name is here. It is kept; make the round void.")
            return
        have = part.stat().st_size if part.exists() else 0
        if piece.at > have:
            raise RefusedError(f"{piece.name}: a piece from byte {piece.at} on came, {have} are here. Run it again.")
        with part.open("r+b" if part.exists() else "wb") as file:
            file.seek(piece.at)
            file.write(piece.data)
            file.truncate()
            file.flush()
            os.fsync(file.fileno())
        if piece.at + len(piece.data) == piece.size:
            self._finish(piece, part, target)

    def _finish(self, piece: Piece, part: Path, target: Path) -> None:
        """Gives a file its name once it is whole; what is not as its sender said is thrown away."""
        try:
            if sha256(part.read_bytes()).hexdigest() != piece.digest:
                raise RefusedError(f"{piece.name}: its bytes are not those that were announced. Run it again.")
            os.chmod(part, 0o644)
            os.link(part, target)
        finally:
            part.unlink()
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _digest(self, path: Path) -> str:
        """Of a file, which never changes: it is read again only if its size or its time did."""
        stat = path.stat()
        known = self._known.get(path.name)
        if known is None or known[:2] != (stat.st_size, stat.st_mtime_ns):
            with path.open("rb") as file:
                digest = sha256()
                while data := file.read(1 << 20):
                    digest.update(data)
            known = self._known[path.name] = (stat.st_size, stat.st_mtime_ns, digest.hexdigest())
        return known[2]


def _order(name: str) -> tuple[int, bool, str]:
    """As a round goes; of a site's vector and the message about it the vector first."""
    if name in ("federation.json", "plan.json"):
        return -1, False, name
    kind = name.split(".")[1]
    return KINDS.index(kind) if kind in KINDS else len(KINDS), name.endswith(".json"), name
