"""Statistics have noise from a seed: its law is the subject of tests/mechanisms and tests/privacy, and not of these."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def _seeded() -> Iterator[None]:
    from tests.mechanisms.seeded import seeded_noise

    with seeded_noise():
        yield


@pytest.fixture(autouse=True)
def _restarted(_seeded: None) -> Iterator[None]:
    """Each test has the same noise whatever ran before it."""
    from tests.mechanisms.seeded import restart

    restart()
    yield
    restart()
