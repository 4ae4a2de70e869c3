"""JSON that nobody vouches for yet."""

from __future__ import annotations

import json
from typing import Any

from dprelease.errors import IntegrityError
from dprelease.model.encoding import MAX_DEPTH, depth


def read_json(data: bytes, name: str, *, whole: bool = False) -> dict[str, Any]:
    """A mapping, each key once; with `whole` its numbers are whole. Raises IntegrityError where it is not."""
    try:
        value = json.loads(
            data, object_pairs_hook=_once, parse_constant=_refuse, parse_float=_refuse if whole else float
        )
    except (ValueError, RecursionError):
        raise IntegrityError(f"{name}: not JSON") from None
    if not isinstance(value, dict) or depth(value) > MAX_DEPTH:
        raise IntegrityError(f"{name}: not a mapping as this program writes it")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError
    return result


def _refuse(text: str) -> None:
    raise ValueError
