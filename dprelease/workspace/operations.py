"""What all operations of a workspace stand on: its state, and who acts."""

from __future__ import annotations

from dprelease.errors import AccessError, ConfirmationError
from dprelease.model.actor import OWNER, Actor
from dprelease.store import people, sessions
from dprelease.store.facts import Mode, mode
from dprelease.workspace.access import ANEW, ANYONE, PERMISSIONS, authorise
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
        self._check_confirmed(operation, acting)
        self._state.look_after()
        return acting

    def _check_confirmed(self, operation: str, actor: Actor) -> None:
        """Some operations ask a session to show anew who acts. Raises ConfirmationError.

        The owner of a solo workspace who signs in by links alone has nothing more to show: such a link comes from the
        terminal, which may do all of this.
        """
        if operation not in ANEW or actor.session is None:
            return
        if sessions.has_shown(self._state.database, actor.session.key):
            return
        person = people.get(self._state.database, actor.name)
        by_password = "code" if person.has_second_factor else "password" if person.has_password else "link"
        way = "provider" if person.subject else by_password
        if way == "link" and self.mode is Mode.SOLO:
            return
        raise ConfirmationError(way)
