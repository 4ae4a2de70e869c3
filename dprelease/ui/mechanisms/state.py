"""The state of the page of mechanisms, as in its address; what an address says wrongly is left at its default."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isfinite

from dprelease.extras.lab.broken import BROKEN, BY_KEY
from dprelease.extras.lab.pair import Event, EventSide, OutputPair
from dprelease.extras.lab.promises import Promises
from dprelease.extras.lab.two_tables import MECHANISMS, pair_of

EPSILONS = (0.1, 10.0)
PEOPLE = (1, 10)
COPIES = (1, 1000)
DELTAS = (1e-9, 1e-6, 1e-5)
EVENT = re.compile(r"(ge|le|is):(-?\d{1,4}(?:\.\d{1,3})?)", re.ASCII)
SEEN = 1 / 500
"""Lowest bar drawn, as a share of the highest."""


@dataclass(frozen=True, slots=True)
class MechanismView:
    """The state of the page."""

    mechanism: str = "laplace"
    epsilon: float = 1.0
    people: int = 1
    """Number of people by which the two tables differ."""
    event: str = ""
    """Event, as `ge:108`; the worst one if empty."""
    copies: int = 10
    delta: float = 1e-6
    broken: str = BROKEN[0].key
    """The entry of the gallery."""

    def address(self) -> dict[str, str]:
        """Return the query of this state, without what is as always."""
        said = {
            "m": self.mechanism,
            "eps": f"{self.epsilon:g}",
            "people": str(self.people),
            "event": self.event,
            "k": str(self.copies),
            "delta": f"{self.delta:g}",
            "broken": self.broken,
        }
        usual = STATE.address() if self is not STATE else {}
        return {name: value for name, value in said.items() if value != usual.get(name)}

    @property
    def pair(self) -> OutputPair:
        return pair_of(self.mechanism, self.epsilon, self.people)

    @property
    def alone(self) -> MechanismView:
        """The state of one answer, whatever is asked of several, or shown below."""
        return replace(self, copies=STATE.copies, delta=STATE.delta, broken=STATE.broken)

    @property
    def promised(self) -> float:
        """The ε of that many people, of mechanisms that have one."""
        return Promises(self.mechanism, self.epsilon, self.people).pure

    @property
    def rho(self) -> float:
        """The ρ that Gaussian noise of σ = 1/ε spends, on one number that is so far off: ε² people² / 2."""
        return (self.epsilon * self.people) ** 2 / 2


STATE = MechanismView()


def read(query: Mapping[str, str]) -> tuple[MechanismView, bool]:
    """Return the state of an address, and whether any of it was not understood."""
    known = {"m", "eps", "people", "event", "k", "delta", "broken"}
    mechanism = _one_of(query.get("m"), MECHANISMS)
    epsilon = _number(query.get("eps"), EPSILONS)
    people = _whole(query.get("people"), PEOPLE)
    copies = _whole(query.get("k"), COPIES)
    delta = _delta(query.get("delta"))
    broken = _one_of(query.get("broken"), tuple(BY_KEY))
    read_as = {"m": mechanism, "eps": epsilon, "people": people, "k": copies, "delta": delta, "broken": broken}
    wrong = bool(query.keys() - known) or any(name in query and value is None for name, value in read_as.items())
    state = MechanismView(
        mechanism=mechanism or STATE.mechanism,
        epsilon=epsilon or STATE.epsilon,
        people=people or STATE.people,
        event=query.get("event", ""),
        copies=copies or STATE.copies,
        delta=delta or STATE.delta,
        broken=broken or STATE.broken,
    )
    if state.event and event_of(state) is None:
        return replace(state, event=""), True
    return state, wrong


def event_of(state: MechanismView) -> Event | None:
    """Return the event of a state; None where its mechanism has none like that in sight."""
    if not state.event:
        return worst(state.mechanism, state.epsilon, state.people)
    found = EVENT.fullmatch(state.event)
    if found is None:
        return None
    side, at, shown = EventSide(found[1]), float(found[2]), state.pair
    ends = edges(shown, side)
    if side not in shown.sides or at not in [ends[place] for place in seen(shown)]:
        return None
    return Event(ends.index(at), side)


def said(shown: OutputPair, event: Event) -> str:
    """Return an event as an address says it."""
    return f"{event.side.value}:{edges(shown, event.side)[event.place]:g}"


def edges(shown: OutputPair, side: EventSide) -> tuple[float, ...]:
    """Return where an event of each place begins: continuous noise lies about the values, and begins before them."""
    off = {EventSide.LEAST: -shown.width / 2, EventSide.MOST: shown.width / 2}[side] if shown.continuous else 0.0
    return tuple(value + off for value in shown.values)


def seen(shown: OutputPair) -> range:
    """Return the places that are drawn: from the first to the last that is not tiny, on either table."""
    high = [max(p, q) for p, q in zip(shown.p.tolist(), shown.q.tolist(), strict=True)]
    places = [place for place, each in enumerate(high) if each >= SEEN * max(high)]
    return range(places[0], places[-1] + 1) if shown.width else range(len(high))


@lru_cache(maxsize=256)
def worst(mechanism: str, epsilon: float, people: int) -> Event:
    """Return the worst event, of those in sight."""
    shown = pair_of(mechanism, epsilon, people)
    return shown.worst_event(epsilon, seen(shown))


def _one_of(text: str | None, allowed: tuple[str, ...]) -> str | None:
    return text if text in allowed else None


def _number(text: str | None, ends: tuple[float, float]) -> float | None:
    """Return a number rounded to a hundredth, as the field shows it."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return round(number, 2) if isfinite(number) and ends[0] <= number <= ends[1] else None


def _whole(text: str | None, ends: tuple[int, int]) -> int | None:
    if not re.fullmatch(r"\d{1,4}", text or "", re.ASCII):
        return None
    number = int(text or "")
    return number if ends[0] <= number <= ends[1] else None


def _delta(text: str | None) -> float | None:
    return next((each for each in DELTAS if f"{each:g}" == text), None)
