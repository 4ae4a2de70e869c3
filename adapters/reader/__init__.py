"""Releases of `dprelease`, read and checked: what anyone needs who did not publish them.

Names are those of `dprelease` and do the same: `load`, `verify`, `total`, `share`, and the errors.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from dprelease.model.version import VERSION

__version__ = VERSION
_HOMES = {
    "DPReleaseError": "dprelease.errors",
    "InputError": "dprelease.errors",
    "IntegrityError": "dprelease.errors",
    "NotFoundError": "dprelease.errors",
    "Release": "dprelease.model.release",
    "Verdict": "dprelease.verdict.verify",
    "load": "dprelease.verdict.loading",
    "share": "dprelease.bundle.arithmetic",
    "total": "dprelease.bundle.arithmetic",
    "verify": "dprelease.verdict.verify",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it reads releases, dprelease makes them")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
