"""Errors in a codebook."""

from __future__ import annotations

from dprelease.errors import InputError


class CodebookError(InputError):
    """A file is no codebook that can be read."""
