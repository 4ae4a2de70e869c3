"""Kills: a process that is gone at one moment, just before something is kept or just after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from dprelease.extras.federation import folder as folder_module
from dprelease.extras.federation import own_round
from dprelease.extras.federation.own_round import Keep

KEPT = ((own_round, "store_secret"), (folder_module, "sync_folder"), (Keep, "remove"))
"""What a site keeps and removes, and what it writes into the folder of a round."""


class KilledError(BaseException):
    """The process is gone: nothing catches this."""


class Mortal:
    """Counts what is written and removed, and dies at one of these, just before it or just after."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, more: Sequence[tuple[Any, str]] = ()) -> None:
        self.left: int | None = None
        self.done, self.deaths = 0, 0
        for owner, name in (*KEPT, *more):
            monkeypatch.setattr(owner, name, self.mortal(getattr(owner, name)))

    def mortal(self, real: Any) -> Any:
        def wrapped(*given: Any, **named: Any) -> Any:
            self.step()
            answer = real(*given, **named)
            self.step()
            return answer

        return wrapped

    def step(self) -> None:
        self.done += 1
        if self.left is not None:
            self.left -= 1
            if self.left == 0:
                self.deaths += 1
                raise KilledError
