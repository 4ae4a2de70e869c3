"""What is fuzzed: each target takes any bytes, and raises only where the program did what it never may."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import dprelease
from dprelease.errors import DPReleaseError
from dprelease.table.ingest import ingest
from tests.bundle.entries import key_of
from tests.verdict.forging import entered, published, signed

CORPUS = Path(__file__).parent / "corpus"
SECRET = "Zq7Xw"
"""Stands in cells of the seeds, and never in a name of a column: no error may repeat it."""
PARTS = ("release.json", "ledger.json", "datapackage.json", "tables/n.csv", "SHA256SUMS", "signer.pub", "index.html")
"""Of a bundle: what a first byte of 1, 2, 3 … replaces, signed again; 0 is a whole zip file."""
AFTERWARDS = ("SHA256SUMS", "signer.pub")
"""Of these: what is replaced in a bundle that was signed whole."""


@cache
def scratch() -> Path:
    """A folder of this process."""
    folder = Path(tempfile.mkdtemp(prefix="dprelease-fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def plan(data: bytes) -> None:
    """A plan file is read and priced, or refused; what is read is written and read again as the same plan."""
    try:
        read = dprelease.Plan.parse_text(data)
    except DPReleaseError as error:
        _check_words(error)
        return
    assert dprelease.Plan.parse(read.to_mapping()).hash == read.hash
    try:
        dprelease.price(read)
    except DPReleaseError as error:
        _check_words(error)


def table(data: bytes) -> None:
    """A text file becomes a table, or is refused without any of its cells; what was refused leaves nothing behind."""
    folder = scratch() / "table"
    folder.mkdir(exist_ok=True)
    source, target = folder / "source.csv", folder / "target.parquet"
    source.write_bytes(data)
    try:
        ingest(source, target, filename="table.csv")
        target.unlink()
    except DPReleaseError as error:
        _check_words(error, secret=SECRET not in b"".join(data.replace(b"\0", b"").splitlines()[:1]).decode("latin-1"))
    left = sorted(path.name for path in folder.iterdir())
    assert left == ["source.csv"], left


def bundle(data: bytes) -> None:
    """Whatever stands in a bundle, verify passes it or says what is wrong, and writes nothing anywhere."""
    part, content = data[:1], data[1:]
    folder = scratch() / "bundle"
    if part in (b"", b"\0"):
        path = scratch() / "bundle.zip"
        path.write_bytes(content)
    else:
        path = _replaced(PARTS[(part[0] - 1) % len(PARTS)], content, folder)
    before = _there(scratch())
    try:
        dprelease.verify(path)
    except DPReleaseError as error:
        _check_words(error)
    assert _there(scratch()) == before, "verify wrote a file"


TARGETS: Mapping[str, Callable[[bytes], None]] = {"plan": plan, "table": table, "bundle": bundle}


def titles(name: str) -> list[str]:
    """What the seeds of a target are called, known before anything is published."""
    kept = [path.name for path in sorted((CORPUS / name).iterdir())]
    return [*kept, *(part.replace("/", "-") for part in PARTS), "whole.zip"] if name == "bundle" else kept


@cache
def seeds(name: str) -> Mapping[str, bytes]:
    """The kept corpus of a target; for bundles also the parts of one that was just published."""
    found = {path.name: path.read_bytes() for path in (CORPUS / name).iterdir()}
    if name == "bundle":
        for place, part in enumerate(PARTS, start=1):
            found[part.replace("/", "-")] = bytes([place]) + whole().get(part, b"")
        packed = shutil.make_archive(str(scratch() / "whole"), "zip", _replaced("", b"", scratch() / "bundle"))
        found["whole.zip"] = b"\0" + Path(packed).read_bytes()
    return {title: found[title] for title in titles(name)}


@cache
def whole() -> dict[str, bytes]:
    """The files of a bundle as the program writes it."""
    return published(scratch() / "published")


def _replaced(part: str, content: bytes, folder: Path) -> Path:
    """A bundle with another content of one file, which a forger's key signs."""
    files = {**whole(), **({part: content} if part not in ("", *AFTERWARDS) else {})}
    try:
        entry = content if part == "ledger.json" else entered(files, key_of(7))
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        entry = _entry()
    signed(files, folder, key_of(7), entry)
    if part in AFTERWARDS:
        (folder / part).write_bytes(content)
    return folder


@cache
def _entry() -> Any:
    return entered(whole(), key_of(7))


def _there(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*")}


def _check_words(error: DPReleaseError, *, secret: bool = True) -> None:
    """An error is for a person: words, of some length, without control characters, and without a cell."""
    text = str(error)
    assert not secret or SECRET not in text, "an error tells a cell"
    assert text, "an error without words"
    assert len(text) < 100_000, "an error that nobody can read"
    assert all(character.isprintable() or character == "\n" for character in text), "control characters in an error"
