"""A tab's look at true values or at a look-alike of the plan in hand, and what the ledger is told of it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Literal

import streamlit as st

from dprelease.errors import AccessError, InputError
from dprelease.model.population import Dataset
from dprelease.model.preview_policy import PreviewPolicy
from dprelease.model.privacy import NANO
from dprelease.statistics import Plan
from dprelease.ui.kit.session import MODE, PREVIEW, actor, may, workspace
from dprelease.workspace import sample
from dprelease.workspace.look import PlanPreview

Mode = Literal["true", "invented"]
MODES: tuple[Mode, ...] = ("true", "invented")


@dataclass
class Seen:
    """A tab's look, held while its page is open. Its repr shows no values."""

    look: PlanPreview = field(repr=False)
    plan: Plan = field(repr=False)
    mode: Mode
    statistic: str = ""
    """Id of the statistic that is looked at."""
    least: Decimal = Decimal(0)
    most: Decimal = Decimal(0)
    unsaid: int = 0
    """Looks at true values of it that the ledger was not told of yet."""
    said: int = 0
    rests: int | None = None
    """Place where the slider came to rest, in nano, once the ledger was told of it."""

    def leave(self) -> None:
        """Tell the ledger what was looked at since the last event. Nothing waits for it, and nothing stops for it."""
        with suppress(InputError, AccessError):  # that this plan was looked at, at this ε, is in the ledger already
            self._tell()

    def goes_on(self, look: PlanPreview, plan: Plan) -> None:
        """Show the same tallies of a plan with another ε, other shares or words, of which the ledger is told first.

        It was told where the slider alone was moved. Raises InputError where it cannot be told.
        """
        moved = replace(self.plan, epsilon_nano=plan.epsilon_nano) == plan and plan.epsilon_nano == self.rests
        if self.mode == "true" and not moved:
            self.leave()
            ids = [each.id for each in plan.statistics]
            epsilon = look.bench.epsilon
            told = Seen(look, plan, self.mode, self.statistic if self.statistic in ids else ids[0], epsilon, epsilon, 1)
            told._tell()
            self.said += told.said
        self.look, self.plan, self.rests = look, plan, None
        self.least = self.most = look.bench.epsilon

    def _tell(self) -> None:
        if self.mode != "true" or not self.unsaid or not self.statistic:
            return
        workspace().plans.swept(
            self.plan, statistic=self.statistic, least=self.least, most=self.most, looks=self.unsaid, actor=actor()
        )
        self.said, self.unsaid = self.said + self.unsaid, 0

    def shown(self, statistic: str) -> None:
        """Note which statistic reaches the screen; what was seen of another one before is told first."""
        if statistic != self.statistic:
            self.leave()
            self.statistic = statistic
            self._looked(self.look.bench.epsilon, self.look.bench.epsilon, 1)

    def once_more(self) -> None:
        """Note another view, or another draw, of the same."""
        epsilon = self.look.bench.epsilon
        self._looked(min(self.least, epsilon), max(self.most, epsilon), 1)

    def sweep(self, epsilon: Any, least: Any, most: Any, looks: int) -> None:
        """Tell the ledger, after a pause of the slider, between which ε it was moved, and where it came to rest."""
        ends = [self.look.bench.epsilon, *(Decimal(str(each)) for each in (epsilon, least, most))]
        if self.unsaid:
            ends += [self.least, self.most]
        self._looked(min(ends), max(ends), looks)
        self.leave()
        self.rests = None if self.unsaid else int(Decimal(str(epsilon)) * NANO)

    def _looked(self, least: Decimal, most: Decimal, looks: int) -> None:
        self.least, self.most = least, most
        self.unsaid += looks


def modes() -> tuple[Mode, ...]:
    """Return the modes allowed here: true values and a look-alike, the look-alike alone, or nothing."""
    policy = workspace().plans.preview_policy
    if policy is PreviewPolicy.NONE or not may("preview"):
        return ()
    return MODES if policy is PreviewPolicy.TRUE else MODES[1:]


def mode(dataset: Dataset) -> Mode | None:
    """Return the mode: the look-alike unless true values are asked for; of the sample, true values."""
    allowed = modes()
    if not allowed:
        return None
    chosen: Mode = st.session_state.get(MODE) or ("true" if sample.is_of(dataset) else "invented")
    return chosen if chosen in allowed else allowed[-1]


def held() -> Seen | None:
    """Return this tab's look, if there is one and it is still allowed."""
    found: Seen | None = st.session_state.get(PREVIEW)
    if found is not None and found.mode not in modes():
        forget()
        return None
    return found


def forget() -> None:
    """Let go of what was looked at, and tell the ledger."""
    found: Seen | None = st.session_state.pop(PREVIEW, None)
    if found is not None:
        found.leave()


def seen(plan: Plan, chosen: Mode) -> Seen | None:
    """Return the look for this plan: the same tallies at another ε; None where it takes another look."""
    found = held()
    if found is None or found.mode != chosen or found.plan.dataset != plan.dataset:
        return None
    if found.plan.hash != plan.hash:
        try:
            look = found.look.at(plan)
        except InputError:
            return None
        found.goes_on(look, plan)
    return found


def take(plan: Plan, chosen: Mode) -> Seen:
    """Take another look: the ledger is told, then the rows are counted, once."""
    before = held()
    if before is not None:
        before.leave()
    since = (
        before.look if before is not None and before.mode == chosen and before.plan.dataset == plan.dataset else None
    )
    look = workspace().plans.look(plan, invented=chosen == "invented", since=since, actor=actor())
    found = Seen(look, plan, chosen, said=0 if before is None else before.said)
    st.session_state[PREVIEW] = found
    return found
