"""Releases that others published: `dprelease.load(address, key=...)`."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from dprelease.errors import IntegrityError
from dprelease.model.release import Release
from dprelease.verdict.verify import Verdict, verify
from dprelease.words import phrase


def load(
    address: str | Path, key: str | Sequence[str] | None = None, *, checks: Literal["all", "signature"] = "all"
) -> Release:
    """Load a release from a folder, a zip file or a web address, verified; pictures are not compared.

    `key`: fingerprint of the publisher's key, or the path of a signer.pub; several where any of them may have signed.
    Without one, `release.signer_known` is False. `checks`: `signature` holds files, signature, ledger and notices
    against one another, and works nothing out anew. Raises IntegrityError where something does not hold, and
    NotFoundError where nothing is there. Warns where the release is superseded.

    Example: `dp.load(bundle, key=ws.public_key)["ages"].to_pandas()`
    """
    expected: Sequence[str | None] = [key] if key is None or isinstance(key, str) else list(key)
    verdict: Verdict | None = None
    for place, each in enumerate(expected):
        try:
            verdict = verify(address, each, pictures=False, signed_only=checks == "signature")
            break
        except IntegrityError:
            if place + 1 == len(expected):
                raise
    assert verdict is not None
    if verdict.said.superseded_by is not None:
        warnings.warn(str(phrase("verdict.load_superseded", by=verdict.said.superseded_by)), stacklevel=2)
    return replace(verdict.release, signer_known=verdict.signer_known, status=verdict.state)
