"""Files and lists of files as Flower's records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from flwr.app import ConfigRecord, RecordDict

from dprelease_flower.files import Piece, RefusedError


def packed(listed: Mapping[str, str], pieces: Iterable[Piece], refused: str = "") -> RecordDict:
    """What a folder has, what it gives, and what it did not keep."""
    given = list(pieces)
    return RecordDict(
        {
            "listed": ConfigRecord({"names": list(listed), "digests": list(listed.values()), "refused": refused}),
            "pieces": ConfigRecord(
                {
                    "names": [each.name for each in given],
                    "at": [each.at for each in given],
                    "sizes": [each.size for each in given],
                    "digests": [each.digest for each in given],
                    "data": [each.data for each in given],
                }
            ),
        }
    )


def opened(records: RecordDict) -> tuple[dict[str, str], list[Piece], str]:
    """The same again. Raises RefusedError for anything else."""
    try:
        listed: Mapping[str, Any] = records.config_records["listed"]
        found: Mapping[str, Any] = records.config_records["pieces"]
        columns = [found[name] for name in ("names", "at", "sizes", "digests", "data")]
        pieces = [Piece(*row) for row in zip(*columns, strict=True)]
        names = dict(zip(map(str, listed["names"]), map(str, listed["digests"]), strict=True))
        if not all(_is_one(each) for each in pieces):
            raise TypeError("pieces are of other types")
        return names, pieces, str(listed["refused"])
    except (KeyError, TypeError, ValueError) as error:
        raise RefusedError(f"a message of another program: {error}") from None


def _is_one(piece: Piece) -> bool:
    texts, numbers = (piece.name, piece.digest), (piece.at, piece.size)
    whole = all(isinstance(each, int) for each in numbers) and isinstance(piece.data, bytes)
    return whole and all(isinstance(each, str) for each in texts)
