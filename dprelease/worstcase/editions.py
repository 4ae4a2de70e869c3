"""Loss of all editions of a run together, of the JSON of one of them: a second opinion on how many a unit changes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

ONE = timedelta(days=1)


def editions_changed(plan: Mapping[str, Any]) -> int:
    """Return how many editions of a plan's run one unit can change; 1 where it has no run.

    Periods are counted day by day. A history of a unit is in at most `at_most` of them; of two histories of one unit,
    which substitution compares, each is in so many. Raises ValueError where the plan does not keep an edition to the
    days of its period, or a unit to so many of them.
    """
    run = plan.get("run")
    if run is None:
        return 1
    periods: dict[str, list[date]] = {}
    day, ended = _first(str(run["first"]), run["every"]), False
    while not ended:
        name = _named(day, run["every"])
        ended = str(run["last"]) in periods and name != str(run["last"])
        if not ended:
            periods.setdefault(name, []).append(day)
            day += ONE
        if len(periods) > 600:
            raise ValueError("a run of more than 600 periods")
    most = len(periods) if run["at_most"] == "all" else int(run["at_most"])
    by_row = plan["privacy"]["unit"] == "row"
    if not 1 <= most <= len(periods) or (by_row and 1 < most < len(periods)):
        raise ValueError("nothing keeps a unit to so many editions")
    own = periods[str(run["period"])]
    kept = {"column": run["column"], "at_least": own[0].isoformat(), "at_most": own[-1].isoformat()}
    column = plan["columns"][run["column"]]
    if plan["where"][0] != kept or column["outside"] != "missing" or "count_missing_as" in column:
        raise ValueError("an edition is not kept to the days of its period")
    histories = 1 if plan["privacy"]["neighbors"] == "add_remove" else 2
    return min(histories * most, len(periods))


def _first(name: str, every: str) -> date:
    year = int(name[:4])
    if every == "day":
        return date.fromisoformat(name)
    if every == "week":
        return date.fromisocalendar(year, int(name[6:]), 1)
    month = int(name[5:7]) if every == "month" else 3 * int(name[6:]) - 2 if every == "quarter" else 1
    return date(year, month, 1)


def _named(day: date, every: str) -> str:
    if every == "day":
        return day.isoformat()
    if every == "week":
        week = day.isocalendar()
        return f"{week.year:04}-W{week.week:02}"
    if every == "quarter":
        return f"{day.year:04}-Q{(day.month + 2) // 3}"
    return f"{day.year:04}-{day.month:02}" if every == "month" else f"{day.year:04}"
