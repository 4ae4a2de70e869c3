"""Series, edition, days and their column, asked for beside the title of a plan."""

from __future__ import annotations

import pandas

from dprelease.ui.kit import session
from dprelease.workspace import Workspace
from tests.pages.conftest import PLAN, Opener, dialog, in_hand

DAYS = {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31", "outside": "missing"}
COUNT = {"id": "visits", "kind": "count", "by": ["day"], "levels": {"day": "month"}}


def test_a_plan_names_its_series_and_the_column_of_its_days(small: Workspace, visit: Opener) -> None:
    rows = pandas.DataFrame({"pid": range(90), "day": ["2025-03-01"] * 90})
    small.add_dataset("dated", rows, population="few", unit_column="pid", columns={"day": DAYS})
    plan = {
        **PLAN,
        "dataset": "dated",
        "columns": {"day": DAYS},
        "statistics": [COUNT],
        "about": {"licence": "CC0-1.0"},
    }
    page = dialog(visit("workbench", state=in_hand(plan)), "title")
    asked = {each.key.rpartition("-")[2]: each for each in page.text_input if "-about-" in (each.key or "")}
    for name, text in {"series": "visits", "edition": "2025", "reference_period": "2025-01-01/2025-12-31"}.items():
        asked[name].input(text)
    page.run()
    choice = next(each for each in page.selectbox if (each.key or "").endswith("-about-reference"))
    assert choice.options == ["day"]
    choice.select("day").run()
    assert page.session_state[session.DRAFT].about == {
        "licence": "CC0-1.0",
        "series": "visits",
        "edition": "2025",
        "reference_period": "2025-01-01/2025-12-31",
        "reference": {"column": "day"},
    }
