"""Charts: every estimate with its interval, for every shape of table, the same bytes each time, and inert."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import altair as alt
import pytest

from dprelease.charts import render
from dprelease.charts.picture import picture, specification
from dprelease.charts.theme import DARK
from dprelease.model.grade import Grade, grades
from dprelease.model.release import Axis, Cell, Estimates, Release
from tests.bundle.releases import COLUMNS, REGION, SEX, binned, listed, make_release, svg, table

SVG = "{http://www.w3.org/2000/svg}"
NOISY = "#0b7a83"
DASHED = "stroke-dasharray"
INK = "#14201f"
DAYS = [(date(2025, 1, 1) + timedelta(day)).isoformat() for day in range(365)]
ELSEWHERE = """
import hashlib
from tests.bundle.releases import make_release, COLUMNS, REGION, SEX, table, svg
first = make_release([({"id": "a", "kind": "mean", "column": "income"}, table((), [3.5], 1.0))], columns=COLUMNS)
crosstab = {"id": "t", "kind": "crosstab", "columns": ["region", "sex"]}
release = make_release([(crosstab, table([REGION, SEX], list(range(10)), 2))], columns=COLUMNS)
svg(first, "a")
print(hashlib.sha256(svg(release, "t")).hexdigest())
"""

CODE = {"type": "category", "categories": ["a"]}


def single(asked: dict[str, Any], estimates: Estimates) -> Release:
    return make_release([({"id": "x", **asked}, estimates)], columns={**COLUMNS, "code": CODE})


def drawn(release: Release, statistic: str = "x") -> ElementTree.Element:
    return ElementTree.fromstring(svg(release, statistic))


def texts(root: ElementTree.Element) -> list[str]:
    return [" ".join(element.itertext()) for element in root.iter(f"{SVG}text")]


def intervals(root: ElementTree.Element) -> int:
    """Lines in ink: only intervals are drawn so."""
    return sum(element.attrib.get("stroke") == INK for element in root.iter(f"{SVG}line"))


def marks(root: ElementTree.Element) -> int:
    looks = [element.attrib for element in root.iter(f"{SVG}path")]
    grey = "#55625f"
    """Of other values."""
    arrows = [look.get("d", "").startswith("M-3.32") for look in looks]
    filled = [look.get("fill") in (NOISY, grey) or "url(" in look.get("fill", "") or DASHED in look for look in looks]
    return sum(is_mark and not is_arrow for is_mark, is_arrow in zip(filled, arrows, strict=True))


def counted(cells: int) -> list[Cell]:
    return [100 + index * 37 % 91 for index in range(cells)]


COLUMN, COUNTS = {"kind": "histogram", "column": "code"}, {"kind": "crosstab", "columns": ["code", "region"]}
MEANS = {"kind": "mean", "column": "income", "by": ["region"]}
SHARES = listed("probability", 0.25, 0.5, 0.75)
MANY = listed("code", *(f"code {index}" for index in range(60)))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("asked", "axes", "half"),
    [
        ({"kind": "count"}, (), 4),
        (MEANS, (REGION,), 4),
        (MEANS, (REGION, SEX), 4),
        (COLUMN, (listed("code", "a", "b"),), 4),
        (COLUMN, (listed("code", *(f"a rather long name of a code, number {index}" for index in range(5))),), 4),
        (COLUMN, (MANY,), 4),
        ({"kind": "histogram", "column": "age"}, (binned("age", 0, 100, 20),), 4),
        ({"kind": "histogram", "column": "age"}, (listed("age", *range(101)),), 4),
        (
            {"kind": "histogram", "column": "day"},
            (Axis(("day_from", "day_to"), ((DAYS[0], DAYS[99]), (DAYS[100], DAYS[364]))),),
            4,
        ),
        (COUNTS, (listed("code", *"abcdef"), SEX), 4),
        ({"kind": "crosstab", "columns": ["age", "region"]}, (binned("age", 0, 100, 10), REGION), 4),
        ({"kind": "quantiles", "column": "income"}, (SHARES,), 4),
        ({"kind": "quantiles", "column": "income", "by": ["region"]}, (REGION, SHARES), 4),
    ],
)
def test_every_estimate_is_drawn_with_its_interval(asked: dict[str, Any], axes: tuple[Axis, ...], half: float) -> None:
    cells = len(Estimates(axes=(), value=[0], lower95=[0], upper95=[0])) if not axes else 1
    for axis in axes:
        cells *= len(axis.cells)
    root = drawn(single(asked, table(axes, counted(cells), half)))
    assert marks(root) == intervals(root) == cells
    assert "Intervals: 95 %, noise only" in texts(root)
    without = drawn(single(asked, table(axes, counted(cells), None)))
    assert marks(without) == intervals(without) == 0
    told = "None of these" if axes else "No interval is published"
    assert any(text.startswith(told) for text in texts(without))


def test_a_single_number_is_written_with_the_digits_its_noise_supports() -> None:
    words = texts(drawn(single({"kind": "count"}, table((), [11873], 105))))
    assert "Records" in words
    assert "11\u202f870" in words
    assert "95 % interval 11\u202f760 to 11\u202f980" in words


def test_a_heat_map_writes_each_number_with_its_margin() -> None:
    release = single(COUNTS, table([listed("code", *"abcdefgh"), REGION], counted(40), 4))
    words = texts(drawn(release))
    assert words.count("± 4") == 40
    assert {"a", "h", "north", "other"} <= set(words)


@pytest.mark.parametrize(
    ("asked", "axes"),
    [
        ({"kind": "count", "by": ["day"]}, (listed("day", *DAYS),)),
        ({"kind": "count", "by": ["region", "day"]}, (REGION, listed("day", *DAYS))),
        (COLUMN, (listed("code", *map(str, range(300))),)),
    ],
)
def test_more_cells_than_bars_can_show_become_a_step_line_in_its_band(
    asked: dict[str, Any], axes: tuple[Axis, ...]
) -> None:
    cells = 1
    for axis in axes:
        cells *= len(axis.cells)
    root = drawn(single(asked, table(axes, counted(cells), 4)))
    panels = len(REGION.cells) if len(axes) > 1 else 1
    assert marks(root) == panels
    assert sum(element.attrib.get("stroke") == NOISY for element in root.iter(f"{SVG}path")) == panels
    assert "Band: 95 % interval, noise only" in texts(root)


def test_a_large_heat_map_states_the_widest_interval() -> None:
    axes = (listed("code", *map(str, range(30))), listed("region", *map(str, range(40))))
    words = texts(drawn(single(COUNTS, table(axes, counted(1200), 4))))
    assert "95 % intervals, noise only, reach at most 4 to each side" in words


def test_a_table_too_large_to_draw_says_so() -> None:
    axes = (listed("code", *map(str, range(100))), listed("region", *map(str, range(51))))
    root = drawn(single(COUNTS, table(axes, counted(5100), 4)))
    assert "This table has 5\u202f100 cells: too many to draw. They are all in the CSV file." in texts(root)
    assert marks(root) == 0


def test_answers_in_words_and_missing_answers_say_so() -> None:
    mode = {"kind": "mode", "column": "region"}
    assert "(north)" in texts(drawn(single(mode, table((), ["north"], None))))
    long = table([listed("code", *map(str, range(61)))], ["north"] * 61, None)
    assert "These answers are words, and too many to draw. They are all in the table." in texts(
        drawn(single({**mode, "by": ["code"]}, long))
    )
    missing: list[Cell] = [None] * 5
    assert "No value was published." in texts(drawn(single(MEANS, table([REGION], missing, None))))
    some = drawn(single(MEANS, table([REGION], [1.5, None, 2, 3, 4], 1)))
    assert "Cells without a published value: 1" in texts(some)
    assert marks(some) == intervals(some) == 4


def test_groups_stand_in_their_declared_order() -> None:
    release = single(
        {"kind": "crosstab", "columns": ["sex", "code"]}, table([SEX, listed("code", "z", "a", "m")], counted(6), 4)
    )
    words = texts(drawn(release))
    assert words.index("F") < words.index("M")
    assert words.index("z") < words.index("a") < words.index("m")


def test_bars_begin_at_zero_and_points_need_not() -> None:
    bars = specification(single(COLUMN, table([listed("code", "a", "b")], [1000, 1010], 4)), "x").body
    points = specification(single(MEANS, table([REGION], [1000.0, 1010, 1005, 1001, 1002], 4)), "x").body
    assert bars["layer"][0]["encoding"]["x"]["scale"]["domain"][0] == 0
    assert points["layer"][0]["encoding"]["x"]["scale"]["domain"][0] > 900


@pytest.mark.full
def test_the_same_release_gives_the_same_bytes_here_and_elsewhere(release: Release) -> None:
    first = {statistic: svg(release, statistic) for statistic in release.tables}
    assert {statistic: svg(release, statistic) for statistic in reversed(list(release.tables))} == first
    root = Path(__file__).parents[2]
    answers = {
        subprocess.run([sys.executable, "-c", ELSEWHERE], cwd=root, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    }
    assert len(answers) == 1


def test_charts_are_wide_and_small_files(release: Release) -> None:
    for statistic in release.tables:
        data = svg(release, statistic)
        root = ElementTree.fromstring(data)
        assert float(root.attrib["width"]) >= 720
        assert float(root.attrib["height"]) >= 200
        assert len(data) < 20_000


def test_colours_follow_the_reader_or_the_page(release: Release) -> None:
    data = svg(release, "ages").decode()
    assert f'[fill="{INK}"]{{fill:{DARK.ink}}}' in data
    assert "prefers-color-scheme:dark" in data
    assert '<rect width="100%"' not in data, "the ground is that of what shows it"


def test_what_is_too_noisy_to_quote_is_hollow_and_dashed_and_what_may_be_none_has_no_mark() -> None:
    asked = {"id": "x", "kind": "histogram", "column": "code"}
    for values, dashed, bare in (([100, 20, 1, 6], 1, 1), ([100, 20, 9, 8], 0, 0), ([100, 20, 9, -30], 0, 1)):
        release = make_release([(asked, table((listed("code", *"abcd"),), values, 4))], columns=COLUMNS)
        root = drawn(release)
        assert sum(DASHED in element.attrib for element in root.iter(f"{SVG}path")) == dashed
        assert ("too noisy to quote" in texts(root)) == bool(dashed)
        assert marks(root) == intervals(root) == 4 - bare
    mean = {"id": "x", "kind": "mean", "column": "age", "by": ["code"]}
    release = make_release([(mean, table((listed("code", *"abcd"),), [40, 41, 3, 42], 4))], columns=COLUMNS)
    assert svg(release, "x").decode().count("stroke-dasharray") == 1
    many = make_release([(asked, table((MANY,), [*counted(58), 6, 1], 4))], columns=COLUMNS)
    assert "Hollow and dashed: too noisy to quote" in texts(drawn(many))


@pytest.mark.parametrize("asked", [MEANS, {"kind": "count", "by": ["region"]}])
def test_a_number_that_is_too_noisy_ends_at_the_frame_with_an_arrow(asked: dict[str, Any]) -> None:
    """It sets no scale: all other marks stand as they would without it."""
    values, halves = [4000, 4400, 3900, 4200, 90_000], [100, 100, 100, 100, 80_000]
    ends = [[value + sign * half for value, half in zip(values, halves, strict=True)] for sign in (-1, 1)]
    wild = Estimates(axes=(REGION,), value=values, lower95=ends[0], upper95=ends[1])
    few = [[*each[:4], each[0]] for each in (values, *ends)]
    calm = Estimates(axes=(REGION,), value=few[0], lower95=few[1], upper95=few[2])
    domains = []
    for estimates in (wild, calm):
        text = json.dumps(specification(single(asked, estimates), "x").body)
        domains.append(set(re.findall(r'"domain": (\[-?[0-9][^]]*\])', text)))
    assert domains[0] == domains[1]
    assert len(domains[0]) == 2, "of values, and of rows"
    shapes = [each for each in specification(single(asked, wild), "x").body["layer"] if "triangle" in str(each["mark"])]
    assert [shape["mark"]["shape"].startswith("triangle-") for shape in shapes] == [True] * len(shapes) != []


@pytest.mark.full
def test_an_interval_is_drawn_from_its_lower_to_its_upper_end(release: Release) -> None:
    bodies = [specification(release, statistic).body for statistic in release.tables]
    ends = [
        {each["encoding"][end].get("field") for end in (way, f"{way}2")}
        for body in bodies
        for each in body.get("layer", ())
        for way in ("x", "y")
        if "rule" in str(each["mark"]) and {way, f"{way}2"} <= each["encoding"].keys()
    ]
    assert len(ends) > 3
    assert all(each == {"lower", "upper"} for each in ends if "lower" in each)


def test_specifications_are_valid_in_the_grammar(release: Release, hostile_release: Release) -> None:
    """The program does not ask, for that takes a third of the time of composing one."""
    for made in (release, hostile_release):
        for statistic in made.tables:
            for narrow in (False, True):
                alt.Chart.from_dict(dict(specification(made, statistic, narrow=narrow).body))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("letter", ["@", "W", "Œ", "Ŋ"])
@pytest.mark.parametrize("narrow", [False, True])
def test_limits_of_labels_are_left_out_where_they_cut_nothing(letter: str, narrow: bool) -> None:
    """The renderer measures a text twice for each limit."""
    codes = [letter * length for length in range(1, 22 if not narrow else 9)] + list("abcde")
    asked = {"id": "x", "kind": "histogram", "column": "code"}
    release = make_release([(asked, table([listed("code", *codes)], counted(len(codes)), 4))], columns=COLUMNS)
    text = json.dumps(specification(release, "x", narrow=narrow).body)
    assert text.count('"labelLimit": 0') == 2 * len(json.loads(text)["layer"])
    limited = text.replace('"labelLimit": 0', f'"labelLimit": {120 if narrow else 300}')
    assert render.svg(json.loads(limited), "") == render.svg(json.loads(text), "")


def test_labels_and_numbers_that_may_be_long_keep_their_limit() -> None:
    asked = {"id": "x", "kind": "histogram", "column": "code"}
    long = "short", "a label of more letters than there is ever room for beside the bars of a chart"
    for values, labels in (([1e300, 2e300], ("a", "b")), ([1000, 2000], long), ([1000, 2000], ("a", "\ufdfd" * 9))):
        codes = [*labels, *(f"c{number}" for number in range(12))]
        cells = [*values, *([1000] * 12)]
        release = make_release([(asked, table([listed("code", *codes)], cells, 4))], columns=COLUMNS)
        (first, *_) = specification(release, "x", narrow=True).body["layer"]
        limits = {first["encoding"][channel]["axis"].get("labelLimit") for channel in "xy"}
        kept = limits - {0}
        assert len(limits) == 2
        assert kept == {None} if values[0] > 1e9 else 100 < kept.pop() < 150


def test_hostile_text_is_text_and_nothing_else(hostile_release: Release) -> None:
    for statistic in hostile_release.tables:
        drawing = picture(hostile_release, statistic)
        root = ElementTree.fromstring(drawing.svg())
        assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
            *("svg", "style", "rect", "g", "path", "line", "text", "tspan", "defs", "pattern")
        }
        assert not [
            name for element in root.iter() for name in element.attrib if name.startswith("on") or "href" in name
        ]
        words = "".join(root.itertext())
        assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", words)
        if "None of these" in words:
            continue
        assert "<script>alert(1)</script>" in words
        letters = list(grades(hostile_release.certificate, statistic, hostile_release.tables[statistic]))
        assert marks(root) == sum(letter is not Grade.NONE for letter in letters)


def test_no_text_of_a_release_stands_where_vega_would_run_it(hostile_release: Release) -> None:
    """Vega runs strings under these keys; all of ours are the same for every release."""

    def run(value: Any) -> list[str]:
        if isinstance(value, dict):
            own = [
                str(value[key])
                for key in ("expr", "signal", "labelExpr", "filter", "calculate", "test", "field")
                if key in value
            ]
            return own + [found for item in value.values() for found in run(item)]
        return [found for item in value for found in run(item)] if isinstance(value, list) else []

    for statistic in hostile_release.tables:
        assert set(run(specification(hostile_release, statistic).body)) <= {
            *(
                "split(datum.label, '\\n')",
                "datum.solid && !datum.partial",
                "datum.solid",
                "frame",
                "datum.unsure",
                "!datum.unsure",
                "!datum.unsure && !datum.solid",
                "k0",
                "k1",
                "i",
                "j",
                "value",
                "lower",
                "upper",
                "tip",
                "label",
            )
        }


@pytest.mark.full
@pytest.mark.parametrize("name", ["😀" * 150, "x" * 200, "\\u12", "💩" * 79 + "a"])
def test_whatever_a_category_is_called_a_picture_is_made(name: str) -> None:
    """A release that is paid for must not fail on a picture."""
    for count in (2, 28, 31, 33):
        names = tuple((f"{name[: 200 - 3]}{place}",) for place in range(count))
        table = Estimates(axes=(Axis(("town",), names),), value=[5] * count, lower95=[1] * count, upper95=[9] * count)
        statistic = {"id": "s", "kind": "histogram", "column": "town"}
        columns = {"town": {"type": "category", "categories": [label for (label,) in names]}}
        drawn = svg(make_release([(statistic, table)], columns=columns), "s")
        assert drawn.startswith(b"<svg")


def test_numbers_whose_noise_is_less_than_a_step_are_not_said_to_have_no_interval() -> None:
    made = table([listed("region", "a", "b")], [100, 200], 0)
    release = make_release([({"id": "n", "kind": "count", "by": ["region"]}, made)], columns=COLUMNS)
    assert picture(release, "n").notes == ()


def test_totals_that_may_be_off_do_not_say_that_their_parts_have_no_interval() -> None:
    """Charts leave totals out."""
    axis = Axis(("region",), (("_T",), ("a",), ("b",)))
    made = Estimates(axes=(axis,), value=[300, 100, 200], lower95=[299, 100, 200], upper95=[301, 100, 200])
    asked = {"id": "n", "kind": "count", "by": ["region"], "margins": True}
    assert picture(make_release([(asked, made)], columns=COLUMNS), "n").notes == ()


def test_days_and_intervals_without_width_are_not_said_to_have_none() -> None:
    days = Estimates(axes=(), value=["2025-07-03"], lower95=["2025-06-18"], upper95=["2025-07-09"])
    columns = COLUMNS | {"day": {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31"}}
    release = make_release([({"id": "d", "kind": "median", "column": "day"}, days)], columns=columns)
    assert picture(release, "d").notes == ()
    axis = listed("region", "a", "b", "c")
    for upper, said in ((300, 0), (None, 1)):
        made = Estimates(axes=(axis,), value=[90, 200, 300], lower95=[80, 200, 300], upper95=[99, 200, upper])
        asked = {"id": "n", "kind": "count", "by": ["region"]}
        notes = picture(make_release([(asked, made)], columns=COLUMNS), "n").notes
        assert sum("only one end" in note for note in notes) == said


def test_an_axis_of_whole_numbers_says_no_halves() -> None:
    years = table([listed("age", *range(18, 23))], [8143, 7970, 8008, 7934, 7949], 4)
    words = texts(drawn(single({"kind": "histogram", "column": "age"}, years)))
    assert {"18", "19", "20", "21", "22"} <= {*words}
    assert not [word for word in words if word.endswith(".5")]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("panels", "rows"), [(1, 1), (2, 1), (3, 1), (4, 2), (5, 2), (6, 2), (7, 3), (8, 4), (9, 3)])
def test_every_axis_has_a_panel_above_it(panels: int, rows: int) -> None:
    """Ages along each axis: where the last row of panels is short each has its own, else each column has one."""
    places = listed("region", *(f"place {number}" for number in range(panels)))
    asked = {"kind": "crosstab", "columns": ["age", "region"]}
    words = texts(drawn(single(asked, table([binned("age", 0, 100, 10), places], counted(10 * panels), 4))))
    full = panels % rows == 0
    assert words.count("90") == (panels // rows if full else panels)
