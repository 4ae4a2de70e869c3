"""Statistics have noise from a seed: its law is the subject of tests/mechanisms and tests/privacy, and not of these."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True, scope="module")
def _seeded_module(seeded_module: None) -> None:
    """Before every other fixture of a module."""


@pytest.fixture(autouse=True)
def _seeded(seeded: None) -> None:
    """Before every test."""
