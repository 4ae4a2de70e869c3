"""One round: its terms, its sites with how far each is, and what the sum may cost whom."""

from __future__ import annotations

import streamlit as st

from dprelease.extras.federation.federations import rounds_of
from dprelease.extras.federation.round_files import RoundStatus
from dprelease.statements.display import shown
from dprelease.ui.kit import blocks
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.problems import box
from dprelease.ui.kit.session import actor, address, workspace
from dprelease.ui.screens import read
from dprelease.ui.words import say, say_html

PER_RHO = 1e9
DIGITS = 3


def chosen() -> str | None:
    """Return the round that is looked at: the one of the address, else one of those that are here."""
    names = rounds_of(workspace()).rounds(actor=actor())
    if not names:
        blocks.note("rounds_none")
        return None
    asked = st.query_params.get("round")
    place = names.index(asked) if asked in names else 0
    return st.selectbox(say("rounds_which"), names, index=place, key="rounds-which", width=300)


def overview(name: str) -> RoundStatus:
    """Show and return a round. Raises IntegrityError where a file is not as a site signed it."""
    found = rounds_of(workspace()).standing(name, actor=actor())
    federation = found.federation
    blocks.heading("rounds_of", name=federation.name)
    if found.void_by:
        box(say_html("rounds_void", site=found.void_by), kind="notice")
    if found.release:
        box(say_html("rounds_published"), kind="done")
        read(found.release, say("rounds_open_release"))
    if found.own is None:
        box(say_html("rounds_not_ours"), kind="notice")
    blocks.facts(
        [
            ("rounds_sites", shown(len(federation.sites))),
            ("rounds_lost", shown(federation.lost_sites)),
            ("rounds_most", shown(federation.max_sites)),
            ("rounds_hash", fill("<code>{}</code>", federation.hash)),
        ]
    )
    _sites(found)
    _losses(found)
    blocks.note("rounds_served", address=f"{address()}/federation/{name}")
    return found


def _sites(found: RoundStatus) -> None:
    """Show a table of the sites: name, state and key."""
    heads = [say("rounds_site"), say("rounds_state"), say("rounds_key")]
    rows = [
        (
            say("rounds_own", name=each.site.name) if each.is_own else each.site.name,
            _state(found, each.step),
            fill("<code>{}</code>", each.site.key),
        )
        for each in found.sites
    ]
    blocks.table(say("rounds_all"), heads, rows, whole=True)
    if found.own is not None and not found.own.step:
        blocks.note("rounds_compare")


def _state(found: RoundStatus, step: str) -> str:
    """Return a site's state in words."""
    if step == "void":
        return say("rounds_step_void")
    return say(f"rounds_step_{step or 'invited'}")


def _losses(found: RoundStatus) -> None:
    """Show the ρ that remains with more dishonest sites than were assumed."""
    if found.plan is None:
        return
    with st.expander(say("rounds_losses")):
        blocks.note("rounds_losses_note", attempt=shown(found.attempt))
        heads = [say("rounds_dishonest"), "ρ"]
        rows = [(shown(sites), shown(rho / PER_RHO, DIGITS)) for sites, rho in found.losses]
        blocks.table(say("rounds_losses"), heads, rows, numbers=(0, 1), whole=True)
