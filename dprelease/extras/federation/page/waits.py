"""Rounds of several sites that are not over, as lines of the desk."""

from __future__ import annotations

from dprelease.errors import DPReleaseError
from dprelease.extras.federation.federations import rounds_of
from dprelease.extras.federation.folder import ROSTER
from dprelease.extras.federation.messages import SUM
from dprelease.extras.federation.round_files import RoundStatus
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say


def waits() -> list[tuple[str, str, str]]:
    """Return the name of each round, the sites that it waits for, and its query; broken files are told on its page."""
    found = []
    for name in rounds_of(workspace()).rounds(actor=actor()):
        try:
            told = _told(rounds_of(workspace()).standing(name, actor=actor()))
        except DPReleaseError:
            told = say("rounds_waits_broken")
        if told:
            found.append((name, told, name))
    return found


def _told(found: RoundStatus) -> str:
    if found.own is None or found.void_by or found.release:
        return ""
    late = found.missing(ROSTER) or found.missing(SUM)
    return say("rounds_waits_for", sites=", ".join(late)) if late else say("rounds_waits_publishing")
