"""How a population's budget was spent: a step line of what was spent, and one of what could be."""

from __future__ import annotations

import textwrap
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import altair as alt
import vl_convert

from dprelease.bundle.chart_style import LIGHT, WIDTH, config, tidy
from dprelease.bundle.display import exact, shown, visible
from dprelease.model.privacy import NANO, Currency, PrivacyLoss
from dprelease.store.event import EventKind
from dprelease.ui.kit import blocks, budget
from dprelease.ui.kit.phrases import milliseconds, moment
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import known, say

if TYPE_CHECKING:
    from dprelease.store.account import Account
    from dprelease.store.event import LedgerEvent


MOST_CHARGES = 500
"""Of one chart: the last ones."""
CAPS = (EventKind.POPULATION_CREATED, EventKind.CAP_RAISED, EventKind.PERIOD_OPENED)
HOUR = 60 * 60 * 1000


@dataclass(frozen=True, slots=True)
class Step:
    """A charge or a cap, with what was spent and allowed from then on."""

    event: LedgerEvent
    spent: PrivacyLoss
    """By all charges ever."""
    cap: PrivacyLoss
    before: PrivacyLoss
    """What was spent before the period."""
    period: str | None

    @property
    def used(self) -> PrivacyLoss:
        return self.spent - self.before

    @property
    def ceiling(self) -> int:
        """What all charges ever may come to, in nano: the cap, above what was spent before its period."""
        return (self.before + self.cap).nano


def steps(account: Account) -> list[Step]:
    """The caps of a population and the last of its charges, oldest first."""
    ws, name = workspace(), account.population
    caps = ws.ledger.events(name, kinds=CAPS, actor=actor())
    charges = ws.ledger.events(name, kinds=(EventKind.CHARGE,), limit=MOST_CHARGES, newest_first=True, actor=actor())
    found: list[Step] = []
    cap, before, period = PrivacyLoss(), PrivacyLoss(), None
    for event in sorted((*caps, *charges), key=lambda each: each.seq):
        assert event.spent is not None
        if event.kind in CAPS:
            cap = _cap(event.body)
        if event.kind == EventKind.PERIOD_OPENED:
            before, period = event.spent, str(event.body["period"])
        found.append(Step(event, event.spent, cap, before, period))
    # Where earlier charges are left out, the line begins at what was spent by then: no flat line says otherwise.
    if len(charges) < account.charges:
        first = next(place for place, step in enumerate(found) if step.event.kind == EventKind.CHARGE)
        found = found[first:]
    return found


def _cap(body: Mapping[str, Any]) -> PrivacyLoss:
    """In the currency that it is counted in: ρ where the event states one."""
    if "rho_nano" in body:
        return PrivacyLoss(rho_nano=body["rho_nano"], delta_atto=body["delta_atto"] // 2)
    return PrivacyLoss(epsilon_nano=body["epsilon_nano"], delta_atto=body["delta_atto"])


def chart(account: Account, found: Sequence[Step]) -> None:
    """The picture. Its libraries take a moment to load the first time: all else should be on the page before."""
    from dprelease.ui.kit import charts
    from dprelease.ui.ledger.burn_down import Lines, picture

    times = [milliseconds(step.event.at) for step in found]
    opened = [
        (when, step.period or "")
        for when, step in zip(times, found, strict=True)
        if step.event.kind == EventKind.PERIOD_OPENED
    ]
    symbol = "ε" if account.currency is Currency.PURE else "ρ"
    spent, most = (
        say("amount", symbol=symbol, amount=exact(amount.epsilon + amount.rho))
        for amount in (account.rounded.spent, account.rounded.before + account.rounded.cap)
    )
    words = say("burn_alt", population=account.population, spent=spent, cap=most)
    lines = Lines(
        points=tuple((when, step.spent.nano, step.ceiling) for when, step in zip(times, found, strict=True)),
        opened=tuple(opened),
        periods=account.period is not None,
        end=(int(datetime.now(UTC).timestamp() * 1000) // HOUR + 1) * HOUR,
        symbol=symbol,
    )
    svg = b64encode(picture(lines, words)).decode()
    charts.image(f"data:image/svg+xml;base64,{svg}", words)


def table(account: Account, found: Sequence[Step]) -> None:
    """The same numbers, newest first."""
    periods = account.period is not None
    heads = ["event_at", "event_what", "burn_amount", "burn_of_cap", "cap", *(["burn_ever"] if periods else [])]
    rows = [
        (
            moment(step.event.at),
            known(f"event_{step.event.kind}", step.event.kind),
            budget.loss(step.event.loss if step.event.kind == EventKind.CHARGE else step.cap, account.currency),
            budget.loss(step.used, account.currency),
            budget.loss(step.cap, account.currency),
            *([budget.loss(step.spent, account.currency)] if periods else []),
        )
        for step in reversed(found)
    ]
    blocks.table(say("burn_caption"), [say(head) for head in heads], rows)


def note(account: Account, found: Sequence[Step]) -> None:
    """That earlier charges are left out, where they are."""
    charges = sum(step.event.kind == EventKind.CHARGE for step in found)
    if charges < account.charges:
        blocks.note("burn_last", shown=shown(charges), count=shown(account.charges))


HEIGHT = 300
HEADROOM = 1.12
"""How far the axis goes above the highest line: names of periods stand there."""
NAME = 24
"""Characters of a period's name."""
TIMES = {"year": "%Y", "quarter": "%b %Y", "month": "%b %Y", "week": "%d %b", "date": "%d %b", "day": "%d %b"} | {
    "hours": "%H:%M",
    "minutes": "%H:%M",
}
"""How the axis writes times, by how far its ticks are apart."""


@dataclass(frozen=True, slots=True)
class Lines:
    """What is drawn: times in milliseconds, amounts in nano."""

    points: tuple[tuple[int, int, int], ...]
    """When, and what was spent and what could be from then on."""
    opened: tuple[tuple[int, str], ...]
    """When a period was opened, and its name."""
    periods: bool
    """Whether there are periods, shown or not."""
    end: int
    """Up to when."""
    symbol: str
    """ε or ρ."""


@lru_cache(maxsize=64)
def picture(lines: Lines, description: str) -> bytes:
    """The chart as SVG."""
    series = ("burn_spent", "burn_cap") if lines.periods else ("burn_spent_plain", "burn_cap_plain")
    names = [say(key) for key in series]
    stretched = (*lines.points, (lines.end, *lines.points[-1][1:]))
    spent = [{"t": when, "s": names[0], "value": amount / NANO} for when, amount, _ in stretched]
    cap = [{"t": when, "s": names[1], "value": amount / NANO} for when, _, amount in stretched]
    highest = max(max(amounts) for _, *amounts in lines.points) / NANO
    time = alt.Scale(type="utc", domain=[lines.points[0][0], lines.end], nice=False)
    axis = alt.Axis(grid=False, tickCount=6, labelOverlap=True, format=TIMES)
    x = alt.X(field="t", type="temporal", title=say("burn_days"), scale=time, axis=axis)
    y = alt.Y(
        field="value",
        type="quantitative",
        title=say("burn_axis", symbol=lines.symbol),
        scale=alt.Scale(domain=[0, HEADROOM * highest], nice=False),
        axis=alt.Axis(tickCount=6),
    )
    legend = alt.Legend(title=None, orient="top", direction="vertical", labelLimit=500, symbolStrokeWidth=2)
    colours = alt.Scale(domain=names, range=[LIGHT.accent, LIGHT.noisy])
    dashes = alt.Scale(domain=names, range=[[1, 0], [6, 4]])
    look = {
        "color": alt.Color(field="s", type="nominal", scale=colours, legend=legend),
        "strokeDash": alt.StrokeDash(field="s", type="nominal", scale=dashes, legend=legend),
    }
    area = _data(spent).mark_area(color=LIGHT.accent, opacity=0.15, interpolate="step-after", line=False)
    line = _data([*spent, *cap]).mark_line(strokeWidth=2, interpolate="step-after")
    layers = [area.encode(x=x, y=y), line.encode(x=x, y=y, **look), *_periods(lines, x)]
    body = alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, config=alt.Config.from_dict(config(LIGHT)))
    return tidy(vl_convert.vegalite_to_svg(body.to_dict(), allowed_base_urls=[]), description)


def _periods(lines: Lines, x: Any) -> list[Any]:
    """A rule where each period begins, with its name."""
    if not lines.opened:
        return []
    data = _data([{"t": when, "name": _short(name)} for when, name in lines.opened])
    rule = data.mark_rule(color=LIGHT.line, strokeWidth=1)
    text = data.mark_text(align="left", baseline="top", dx=6, dy=2, fontSize=13, color=LIGHT.muted)
    return [rule.encode(x=x), text.encode(x=x, y=alt.value(0), text=alt.Text(field="name", type="nominal"))]


def _short(name: str) -> str:
    text = visible(name)
    return textwrap.shorten(text, NAME, placeholder="…") if " " in text else visible(text, NAME)


def _data(rows: list[dict[str, Any]]) -> Any:
    return alt.Chart(alt.InlineData(values=rows))
