"""Whether rows that come in the place of others are those others: said to the curator who brings them, to nobody else.

Nothing is spent, kept back or written down by this answer, which depends on the rows: it is a question before anything
has happened, and whoever has answered it beforehand is not asked.
"""

from __future__ import annotations

from dprelease.errors import InputError
from dprelease.store import datasets
from dprelease.workspace.state import MEMORY, State


def check_other(state: State, old: str, new: str) -> None:
    """Raises InputError where two locations hold the same stored table; `new` may be the path of an upload's, too.

    Rows on a server are not compared: their address says nothing of them.
    """
    if _are_same(state, old, new):
        raise InputError(
            "rows",
            found="the bytes that are registered already",
            allowed="other rows",
            remedy="Publishing them again is charged again; `publish --once NAME` returns what the first published. "
            "Say that you mean it: `dataset replace --same-rows`, or `same=True`.",
        )


def _are_same(state: State, old: str, new: str) -> bool:
    if old.startswith(MEMORY) and new.startswith(MEMORY):
        return state.engine.hold_the_same(state.table(old), state.table(new))
    _, stated = datasets.registered_at(state.database, old)
    return stated is not None and stated == state.checksum(new)
