"""What a tab holds of a preview."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from dprelease.workspace.preview import Preview


@dataclass
class Seen:
    """What a tab holds of a preview while its page is open. Its repr shows no values."""

    hash: str
    preview: Preview = field(repr=False)
    draw: int = 0
    pictures: dict[tuple[str, ...], bytes | None] = field(default_factory=dict, repr=False)
    """Drawn once: by what they show."""

    @property
    def draws(self) -> int:
        return min(len(item.draws) for item in self.preview.statistics)

    def picture(self, draw: Callable[[], bytes | None], *key: object) -> bytes | None:
        """A picture, drawn unless it was."""
        name = tuple(map(str, key))
        if name not in self.pictures:
            self.pictures[name] = draw()
        return self.pictures[name]
