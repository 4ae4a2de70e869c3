"""Codes of an authenticator that never turn while a test runs, by secrets that are the same in each run.

A code of six digits is that of another step once in a million times; and a test whose two codes are to be of one step
fails where half a minute ends between them.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from hashlib import sha256
from itertools import count

import pyotp
import pytest

STEP = timedelta(days=1000)
SECONDS = int(STEP.total_seconds())


@contextmanager
def steady_codes() -> Iterator[None]:
    """In this process, until the block is left."""
    numbers = count()

    def secret() -> str:
        return base64.b32encode(sha256(str(next(numbers)).encode()).digest()[:20]).decode()

    quick = pyotp.TOTP.timecode
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pyotp.TOTP, "timecode", lambda self, at: quick(self, at) * self.interval // SECONDS)
        patch.setattr(pyotp, "random_base32", secret)
        yield
