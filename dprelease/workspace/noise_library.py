"""Record that the noise library passed its test here, kept in the private folder by version and kind of machine."""

from __future__ import annotations

import json
import platform
from dataclasses import dataclass, field
from pathlib import Path

from dprelease.mechanisms import self_test
from dprelease.workspace.home import SECRET_MODE


@dataclass
class NoiseLibrary:
    """`path`: where the result is kept; None for a workspace in memory."""

    path: Path | None
    _passed: dict[str, str] | None = field(default=None, repr=False)

    def require(self, *, charged: bool) -> None:
        """Test the library unless this version of it passed here before. Raises NoiseLibraryError.

        `charged`: noise is to be drawn for a charge that stands already.
        """
        now = {"version": self_test.installed(), "machine": platform.machine()}
        if self._kept() == now:
            return
        self_test.require(charged=charged)
        self._passed = now
        if self.path is not None:
            self.path.write_text(json.dumps(now), "utf-8")
            self.path.chmod(SECRET_MODE)

    @property
    def version(self) -> str:
        """The version that passed here last, which drew what was sealed since; tests the library where none is kept."""
        if (kept := self._kept()) is None:
            self.require(charged=True)
            kept = self._kept()
        assert kept is not None
        return kept["version"]

    def _kept(self) -> dict[str, str] | None:
        """Return the version that passed here last; None where that is not known, or cannot be read."""
        if self._passed is None and self.path is not None and self.path.is_file():
            try:
                found = json.loads(self.path.read_bytes())
            except ValueError:
                return None
            self._passed = found if isinstance(found, dict) and found.keys() == {"version", "machine"} else None
        return self._passed
