"""Undo and redo: what a tab's draft said before, one step each time that it was saved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MOST = 200


@dataclass
class History:
    """Bodies of a draft, as they were saved, and which of them it says now."""

    steps: list[Mapping[str, Any]] = field(default_factory=list)
    place: int = -1

    def remember(self, body: Mapping[str, Any]) -> None:
        """Takes in what was saved; what was undone before is forgotten. The same again is no step."""
        if self.steps and self.steps[self.place] == body:
            return
        self.steps = [*self.steps[: self.place + 1], body][-MOST:]
        self.place = len(self.steps) - 1

    @property
    def can_undo(self) -> bool:
        return self.place > 0

    @property
    def can_redo(self) -> bool:
        return self.place < len(self.steps) - 1

    def back(self) -> Mapping[str, Any] | None:
        """The body before, if there is one."""
        return self._step(-1) if self.can_undo else None

    def forth(self) -> Mapping[str, Any] | None:
        """The body that was undone, if there is one."""
        return self._step(1) if self.can_redo else None

    def _step(self, by: int) -> Mapping[str, Any]:
        self.place += by
        return self.steps[self.place]
