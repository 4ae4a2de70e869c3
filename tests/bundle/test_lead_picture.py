"""Picture of the lead: few marks with their numbers, scaled by what can be quoted; none where nothing can."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest
from msgspec import structs

from dprelease.charts import render
from dprelease.charts.lead import lead_picture
from dprelease.charts.safe import safe
from dprelease.model.release import Axis, Estimates, Release
from dprelease.model.statement import Finding, Lead, Statements
from tests.bundle.releases import COLUMNS, HOSTILE, REGION, SEX, binned, listed, make_release, table

SVG = "{http://www.w3.org/2000/svg}"
MONTHS = listed("day", *(f"2025-{month:02}" for month in range(1, 13)))
CODE = {"type": "category", "categories": ["a", "b"]}
COUNT = {"kind": "histogram", "column": "region"}
MONTHLY = {"kind": "histogram", "column": "day", "levels": {"day": "month"}}


def about(asked: dict[str, Any], estimates: Estimates, *places: int, way: Any = "most") -> Release:
    """Return a release whose lead is a finding on these rows of its one table."""
    made = make_release([({"id": "x", **asked}, estimates)], columns={**COLUMNS, "code": CODE})
    finding = Finding(way=way, alpha="1/20", places=places or (0,), strength="1")
    own = Statements(tables={"x": (finding,)}, lead=Lead(table="x", way=way), reasons={}, quotable={}, ranks={})
    return Release(certificate=structs.replace(made.certificate, statements=own), outputs=made.outputs)


def texts(svg: bytes) -> list[str]:
    return [" ".join(each.itertext()) for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def bars(svg: bytes, colour: str = "#0b7a83") -> list[tuple[float, float]]:
    """Left and right end of each filled bar."""
    filled = [each.attrib["d"] for each in ElementTree.fromstring(svg).iter(f"{SVG}path") if is_filled(each, colour)]
    return [
        (float(found[1]), float(found[2])) for path in filled if (found := re.match(r"M([\d.]+),.*?h([\d.]+)", path))
    ]


def is_filled(element: ElementTree.Element, colour: str) -> bool:
    return element.attrib.get("fill") == colour


def size(svg: bytes) -> tuple[float, float]:
    root = ElementTree.fromstring(svg)
    return float(root.attrib["width"]), float(root.attrib["height"])


@pytest.mark.parametrize(
    ("asked", "estimates"),
    [
        (COUNT, table([REGION], [7000, 2100, 4300, 1800, 900], 60)),
        ({"kind": "crosstab", "columns": ["region", "sex"]}, table([REGION, SEX], list(range(900, 1900, 100)), 40)),
        ({"kind": "histogram", "column": "age"}, table([binned("age", 0, 100, 20)], list(range(100, 4100, 200)), 40)),
        (MONTHLY, table([MONTHS], list(range(1500, 2700, 100)), 40)),
        ({"kind": "histogram", "column": "code"}, table([listed("code", *HOSTILE)], list(range(900, 2400, 100)), 40)),
        ({"kind": "mean", "column": "income", "by": ["region"]}, table([REGION], [6000.0] * 5, 200)),
    ],
)
def test_it_is_small_and_the_same_each_time(asked: dict[str, Any], estimates: Estimates) -> None:
    release = about(asked, estimates)
    drawn, again = lead_picture(release), lead_picture(release)
    assert drawn is not None
    assert drawn.narrow is not None
    assert drawn == again
    for figure, width, height in ((drawn.figure, 564, 300), (drawn.narrow.figure, 338, 212)):
        safe(figure, "lead")
        assert size(figure)[0] == width
        assert size(figure)[1] <= height
        sizes = re.findall(rb'font-size="([\d.]+)', figure)
        assert min(map(float, sizes)) >= 12
        assert len(figure) < 9000
        without = re.sub(rb"<text.*?</text>", b"", figure, flags=re.DOTALL)
        assert render.png(figure, 1) != render.png(without, 1)


def test_rows_have_name_and_number_and_say_once_that_their_ranges_are_alike() -> None:
    drawn = lead_picture(about(COUNT, table([REGION], [7000, 2100, 4300, 1800, 900], 60)))
    assert drawn is not None
    assert texts(drawn.figure)[:5] == ["north", "east", "south", "west", "other"]
    assert texts(drawn.figure)[-1] == "each ± 60"
    assert "7\u202f000" in texts(drawn.figure)


def test_a_number_that_is_too_noisy_does_not_set_the_scale() -> None:
    asked = {"kind": "mean", "column": "income", "by": ["region"]}
    ends = ([6250.0, 4000.0, 3900.0, 4100.0], [5900.0, 3800.0, 3700.0, 4000.0], [6600.0, 4200.0, 4140.0, 4200.0])
    good = Estimates(axes=(Axis(("region",), REGION.cells[:4]),), value=ends[0], lower95=ends[1], upper95=ends[2])
    bad = Estimates(axes=(REGION,), value=[*ends[0], 90000.0], lower95=[*ends[1], 0.0], upper95=[*ends[2], 200000.0])
    drawn, other = (lead_picture(about(asked, each, way="apart")) for each in (good, bad))
    assert drawn is not None
    assert other is not None
    assert bars(drawn.figure) == bars(other.figure) != []
    assert "too noisy to quote" in texts(other.figure)
    assert b"stroke-dasharray" in other.figure
    assert b"stroke-dasharray" not in drawn.figure


def test_a_count_that_is_not_told_apart_from_none_has_no_mark() -> None:
    drawn = lead_picture(about(COUNT, table([REGION], [7000, 2100, 4300, 1800, 5], 60)))
    assert drawn is not None
    assert len(bars(drawn.figure)) == 4
    assert bars(drawn.figure, "#55625f") == []
    assert "none – 70" in texts(drawn.figure)


def test_where_nothing_can_be_quoted_there_is_none() -> None:
    assert lead_picture(about(COUNT, table([REGION], [3, 0, -4, 9, 1], 60))) is None
    assert (
        lead_picture(make_release([({"id": "x", **COUNT}, table([REGION], [3, 0, -4, 9, 1], 60))], columns=COLUMNS))
        is None
    )


def test_a_number_without_a_range_is_hollow() -> None:
    estimates = table([REGION], [7000, 2100, 4300, 1800, 900], 60)
    ends = ([None, *estimates.lower95[1:]], [None, *estimates.upper95[1:]])
    drawn = lead_picture(
        about(COUNT, Estimates(axes=(REGION,), value=estimates.value, lower95=ends[0], upper95=ends[1]))
    )
    assert drawn is not None
    assert len(bars(drawn.figure)) == 3


def test_periods_that_the_bounds_cut_are_not_joined() -> None:
    cells = tuple((f"2025-{month:02}", "yes" if month == 1 else "no") for month in range(1, 13))
    part = table([Axis(("day", "day_partial"), cells)], [800, *range(1500, 2600, 100)], 40)
    drawn = lead_picture(about(MONTHLY, part, 1, 11, way="first_last"))
    assert drawn is not None
    lines = [each.attrib["d"] for each in ElementTree.fromstring(drawn.figure).iter(f"{SVG}path") if is_line(each)]
    assert [path.count("L") for path in lines] == [10]


def is_line(element: ElementTree.Element) -> bool:
    return element.attrib.get("stroke") == "#0b7a83" and element.attrib.get("stroke-width") == "2"
