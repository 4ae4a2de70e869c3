"""What the tests of browser prepare, for those of this room."""

from __future__ import annotations

from tests.browser.conftest import (
    _servers_end,
    browser,
    pytest_runtest_makereport,
    server,
)

__all__ = [
    "_servers_end",
    "browser",
    "pytest_runtest_makereport",
    "server",
]
