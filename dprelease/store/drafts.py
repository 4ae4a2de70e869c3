"""Drafts that are not handed in yet: plans, and declarations of columns. Each is its author's alone."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dprelease.errors import InputError
from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.words import phrase

LONGEST_NAME = 200
MAX_BYTES = 8_000_000
"""Most bytes of one draft, as JSON."""
MAX_DRAFTS = 1000
"""Most drafts of one author and kind."""


class DraftKind(StrEnum):
    PLAN = "plan"
    COLUMNS = "columns"


class StaleDraftError(InputError):
    """A draft was changed elsewhere since it was read; nothing is overwritten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedDraft:
    """A draft as it is stored."""

    id: str
    kind: DraftKind
    author: str
    name: str
    body: Mapping[str, Any]
    """Content from its page: any JSON."""
    revision: int
    """Number of times it was saved: whoever saves says which revision they read."""
    created: str
    changed: str


def add(database: Database, kind: DraftKind, body: Mapping[str, Any], *, name: str, author: str) -> SavedDraft:
    """Store a new draft."""
    text, now = _written(body), timestamp()
    with database.writing() as connection:
        (count,) = connection.execute(
            "SELECT count(*) FROM drafts WHERE author = ? AND kind = ?", [author, kind]
        ).fetchone()
        if count >= MAX_DRAFTS:
            raise InputError(
                "draft",
                found=phrase("store.drafts", count=count),
                allowed=phrase("model.at_most", max_text=MAX_DRAFTS),
                remedy=phrase("store.delete_some_them"),
            )
        draft_id = secrets.token_hex(6)
        connection.execute(
            "INSERT INTO drafts VALUES (?, ?, ?, ?, ?, 1, ?, ?)",
            [draft_id, kind, author, _named(name), text, now, now],
        )
        return _get(connection, draft_id, author)


def change(
    database: Database, draft_id: str, body: Mapping[str, Any], *, name: str, revision: int, author: str
) -> SavedDraft:
    """Store what was made of a draft since a revision. Raises StaleDraftError where it is not that any more."""
    text = _written(body)
    with database.writing() as connection:
        now = _get(connection, draft_id, author)
        if now.revision != revision:
            raise StaleDraftError(
                "draft",
                found=phrase("store.one_was_changed_elsewhere"),
                allowed=phrase("store.draft_was_read"),
                remedy=phrase("store.open_again_keep_one"),
            )
        connection.execute(
            "UPDATE drafts SET name = ?, body = ?, revision = revision + 1, changed = ? WHERE id = ?",
            [_named(name), text, timestamp(), draft_id],
        )
        return _get(connection, draft_id, author)


def of_author(database: Database, kind: DraftKind, author: str) -> list[SavedDraft]:
    """Return an author's drafts, the last one changed first."""
    query = "SELECT * FROM drafts WHERE author = ? AND kind = ? ORDER BY changed DESC, rowid DESC"
    with database.reading() as connection:
        return [_read(row) for row in connection.query(query, [author, kind])]


def get(database: Database, draft_id: str, author: str) -> SavedDraft:
    """Return a draft. Raises InputError where the author has no such draft."""
    with database.reading() as connection:
        return _get(connection, draft_id, author)


def delete(database: Database, draft_id: str, author: str) -> None:
    """Delete a draft."""
    with database.writing() as connection:
        _get(connection, draft_id, author)
        connection.execute("DELETE FROM drafts WHERE id = ?", [draft_id])


def _get(connection: Connection, draft_id: str, author: str) -> SavedDraft:
    for row in connection.query("SELECT * FROM drafts WHERE id = ? AND author = ?", [draft_id, author]):
        return _read(row)
    raise InputError(
        "draft", found=draft_id, allowed=phrase("store.draft_one_own"), remedy=phrase("store.may_been_deleted")
    )


def _written(body: Mapping[str, Any]) -> str:
    text = json.dumps(body, ensure_ascii=False, allow_nan=False)
    if len(text.encode()) > MAX_BYTES:
        raise InputError(
            "draft",
            found=phrase("codebook.bytes", count=len(text.encode())),
            allowed=phrase("model.at_most", max_text=MAX_BYTES),
        )
    return text


def _named(name: str) -> str:
    return " ".join(name.split())[:LONGEST_NAME]


def _read(row: Mapping[str, Any]) -> SavedDraft:
    return SavedDraft(**{**row, "kind": DraftKind(row["kind"]), "body": json.loads(row["body"])})
