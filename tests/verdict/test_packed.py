"""Workbooks that another machine wrote again verify; ones that hold anything else do not."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

import dprelease
from dprelease.bundle.workbook import WORKBOOK
from dprelease.verdict.container_checks import holds_the_same
from tests.verdict.forging import published


def archive(level: int = 6, **members: bytes) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED, level)
    return file.getvalue()


TEXT = b"a table of a release, a table of a release " * 50
MADE = archive(a=TEXT, b=b"codes")


def test_a_bundle_verifies_with_another_compressor_on_another_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = published(tmp_path / "own")[WORKBOOK]
    bundle = next((tmp_path / "own").rglob(WORKBOOK))
    compress = zlib.compressobj
    monkeypatch.setattr("zipfile.zlib.compressobj", lambda _, *rest: compress(1, *rest))
    monkeypatch.setattr("zipfile.sys.platform", "win32")
    assert bundle.read_bytes() == written
    dprelease.verify(bundle.parent)


def test_the_same_members_packed_otherwise_are_the_same() -> None:
    other = archive(1, a=TEXT, b=b"codes")
    assert other != MADE
    assert holds_the_same(other, MADE)


OTHERS: dict[str, Callable[[], bytes]] = {
    "another text": lambda: archive(1, a=TEXT.upper(), b=b"codes"),
    "a member less": lambda: archive(a=TEXT),
    "a member more": lambda: archive(a=TEXT, b=b"codes", c=b""),
    "another order": lambda: archive(b=b"codes", a=TEXT),
    "bytes before": lambda: b"PK" + MADE,
    "bytes after": lambda: MADE + b"\0",
    "a comment": lambda: MADE[:-2] + b"\1\0x",
    "cut": lambda: MADE[:-30],
    "no archive": lambda: b"",
    "another name in front of a member": lambda: MADE.replace(b"a", b"c", 1),
    "another way of packing in front of a member": lambda: MADE[:8] + bytes(2) + MADE[10:],
    "bytes between members and their list": lambda: (
        MADE[: MADE.index(b"PK\1\2")] + b"x" + MADE[MADE.index(b"PK\1\2") :]
    ),
    "another size in front of a member": lambda: MADE[:22] + b"\xff" + MADE[23:],
    "another checksum in front of a member": lambda: MADE[:14] + b"\xff\xff\xff\xff" + MADE[18:],
}


@pytest.mark.parametrize("name", OTHERS)
def test_anything_else_is_not(name: str) -> None:
    assert not holds_the_same(OTHERS[name](), MADE)


def test_bytes_after_the_end_of_a_packed_member_are_found() -> None:
    """Between members, and inside what a member says is its own."""
    with zipfile.ZipFile(BytesIO(MADE)) as made:
        first = made.infolist()[0]
        end = 30 + len(first.filename) + first.compress_size
        size = first.compress_size
    longer = MADE[:end] + b"hidden" + MADE[end:]
    old, new = size.to_bytes(4, "little"), (size + 6).to_bytes(4, "little")
    start = int.from_bytes(MADE[-6:-2], "little")
    moved = longer[: start + 6].replace(old, new) + longer[start + 6 :].replace(old, new)
    places = [(end, end + 6), (start, start + 6)]
    for before, after in places:
        moved = moved[: start + 6] + moved[start + 6 :].replace(
            before.to_bytes(4, "little"), after.to_bytes(4, "little")
        )
    with zipfile.ZipFile(BytesIO(moved)) as forged:
        assert forged.infolist()[0].compress_size == size + 6
    assert not holds_the_same(moved, MADE)


def test_each_member_stands_where_the_list_says() -> None:
    twins = archive(a=TEXT, b=TEXT)
    with zipfile.ZipFile(BytesIO(twins)) as made:
        second = made.infolist()[1].header_offset
    place = twins.rindex(second.to_bytes(4, "little"), 0, -6)
    moved = twins[:place] + bytes(4) + twins[place + 4 :]
    with zipfile.ZipFile(BytesIO(moved)) as forged:
        assert forged.infolist()[1].header_offset == 0
    assert not holds_the_same(moved, twins)
