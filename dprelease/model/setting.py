"""Settings that are whole numbers and stand in the environment of the process."""

from __future__ import annotations

import os

from dprelease.errors import InputError
from dprelease.words import phrase

MOST = 10**9


def whole_number(name: str, default: int) -> int:
    """Return an environment setting, from 1; the default where it is not set. Raises InputError."""
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(MOST)) and 1 <= int(text) <= MOST):
        raise InputError(
            f"${name}",
            found=text,
            allowed=phrase("model.whole_number_from_1", max_rows=MOST),
            remedy=phrase("model.unset", default=default),
        )
    return int(text)
