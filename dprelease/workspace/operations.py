"""What all operations of a workspace stand on: its state, and who acts."""

from __future__ import annotations

from dprelease.errors import AccessError
from dprelease.model.actor import OWNER, Actor
from dprelease.store.facts import Mode, mode
from dprelease.workspace.access import ANYONE, PERMISSIONS, authorise
from dprelease.workspace.state import State


class Operations:
    """Every operation takes the acting person as `actor` and checks their role itself."""

    def __init__(self, state: State) -> None:
        self._state = state

    @property
    def mode(self) -> Mode:
        """`solo`, or `team` where decisions take two people."""
        return mode(self._state.database)

    def _act(self, operation: str, actor: Actor | None) -> Actor:
        """Who acts: in a solo workspace the owner, where nobody is named."""
        if actor is None and PERMISSIONS[operation] != ANYONE and self.mode is Mode.TEAM:
            raise AccessError("in a workspace of a team every operation needs to know who acts")
        acting = OWNER if actor is None else actor
        authorise(operation, acting)
        self._state.look_after()
        return acting
