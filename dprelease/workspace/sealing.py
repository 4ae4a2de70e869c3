"""The key by which the secrets of second factors are encrypted in the ledger's database."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from dprelease.bundle.signing import store_secret
from dprelease.errors import IntegrityError
from dprelease.words import phrase

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

CODES_KEY = "second-factor.key"


def sealing_key(path: Path | None) -> Fernet:
    """The key in a file that nobody else can read, made where there is none yet; without a file, in memory.

    So a copy of the database alone tells no secret. Raises IntegrityError where the file holds something else.
    """
    from cryptography.fernet import Fernet

    if path is None:
        return Fernet(Fernet.generate_key())
    if not path.exists():
        with contextlib.suppress(FileExistsError):
            store_secret(path, Fernet.generate_key())
    try:
        return Fernet(path.read_bytes())
    except ValueError:
        raise IntegrityError(phrase("workspace.key_second_factors", path=path.name)) from None
