"""Time and memory of a release against rows, statistics and cells; two pictures a line, in docs/images."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import altair as alt
import pyarrow as pa
import vl_convert

from benchmarks.measure import ROOT, Figure, Run, measure, shown
from benchmarks.workload import pairs_table, table, wide_table

IMAGES = ROOT / "docs" / "images"
SMALLEST = 100_000
ROWS = 1_000_000
REPETITIONS = 3
Home = Callable[..., Path]
"""A workspace with the table of a path and an approved plan."""


@dataclass(frozen=True)
class Point:
    line: str
    size: int
    figure: Figure


def grow(folder: Path, largest: int, home: Home) -> Iterator[str]:
    """Measures all three, draws them, and tells them as tables."""
    kinds = (
        ("rows", "rows", "### Growth with the number of rows", _by_rows(folder, largest, home)),
        (
            "statistics",
            "statistics",
            "### Growth with the number of statistics, 1,000,000 rows",
            _by_statistics(folder, home),
        ),
        (
            "cells",
            "cells of a cross table",
            "### Growth with the number of cells, 1,000,000 rows",
            _by_cells(folder, home),
        ),
    )
    for name, words, title, measured in kinds:
        points = list(measured)
        picture = IMAGES / f"growth-{name}.svg"
        picture.write_text(_drawn(points, words), encoding="utf-8")
        yield title
        yield ""
        yield f"![Seconds and memory against {words}](images/{picture.name})"
        yield ""
        yield f"| {words} | | seconds up to the seal | of processor | peak memory |"
        yield "|---:|---|---:|---:|---:|"
        for point in points:
            figure = point.figure
            told = f"{figure.spread()} | {shown(figure.median('processor'))} | {figure.peak_mb:.0f} MB"
            yield f"| {point.size:,} | {point.line} | {told if figure.found else f'{figure.problem} | |'} |"
        yield ""


def _by_rows(folder: Path, largest: int, home: Home) -> Iterator[Point]:
    rows = SMALLEST
    while rows <= largest:
        path = table(folder, rows)
        homes = {unit: home(path, "--unit", unit) for unit in ("row", "person")}
        runs = [Run.of_ours(f"unit: {unit}", "release", "--home", place) for unit, place in homes.items()]
        runs.append(Run.of_ours("DuckDB, no privacy", "scan", "--path", path))
        yield from (Point(name, rows, figure) for name, figure in measure(runs, REPETITIONS).items())
        for place in homes.values():
            shutil.rmtree(place)
        rows *= 10


def _by_statistics(folder: Path, home: Home) -> Iterator[Point]:
    path = wide_table(folder, ROWS, 300)
    yield from _of_plans(path, "histograms", (1, 10, 30, 100, 300), home, lambda count: count)


def _by_cells(folder: Path, home: Home) -> Iterator[Point]:
    path = pairs_table(folder, ROWS)
    yield from _of_plans(path, "cells", (10, 32, 100, 320, 1000), home, lambda each: each * each)


def _of_plans(path: Path, option: str, sizes: Sequence[int], home: Home, size: Callable[[int], int]) -> Iterator[Point]:
    for each in sizes:
        place = home(path, f"--{option}", each)
        figures = measure([Run.of_ours("unit: row", "release", "--home", place)], REPETITIONS)
        shutil.rmtree(place)
        yield Point("unit: row", size(each), figures["unit: row"])


def _drawn(points: Sequence[Point], words: str) -> str:
    known = [point for point in points if point.figure.found]
    data = pa.table(
        {
            "size": [point.size for point in known],
            "line": [point.line for point in known],
            "processor": [point.figure.median("processor") for point in known],
            "MB": [point.figure.peak_mb for point in known],
        }
    )
    sizes = sorted({point.size for point in known})
    ticks = alt.Axis(values=sizes, format=".2~s", grid=False, labelFlush=False)
    along = alt.X("size:Q", title=words, scale=alt.Scale(type="log", domain=[sizes[0], sizes[-1]]), axis=ticks)
    colour = alt.Color("line:N", title=None, legend=alt.Legend(orient="bottom"))
    powers = alt.Axis(values=[10.0**power for power in range(-3, 4)], format="~g", gridColor="#e3e3e3")
    up = (
        alt.Y("processor:Q", title="seconds of processor", scale=alt.Scale(type="log"), axis=powers),
        alt.Y("MB:Q", title="peak memory in MB", axis=alt.Axis(tickCount=5, gridColor="#e3e3e3")),
    )
    both = [alt.Chart(data, width=300, height=220).mark_line(point=True).encode(along, each, colour) for each in up]
    chart = alt.hconcat(*both).configure(background="white", font="sans-serif").configure_view(stroke=None)
    return str(vl_convert.vegalite_to_svg(chart.to_dict(), allowed_base_urls=[]))
