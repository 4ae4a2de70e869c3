"""How fast a release is beside DuckDB and Polars without privacy, and beside other libraries; and how it grows.

    .venv/bin/python -m benchmarks.speed [--rows 10000000] [--lines row person ...] [--peers opendp ...] [--write]

Everything is measured in fresh processes, in turn, several times; a ratio is of two medians of one run. Peers live in
environments of their own, made on first use. `--write` puts the report into docs/performance.md, `growth` also its
pictures into docs/images. `make bench` runs all of it.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import dprelease
from benchmarks.environments import ENVIRONMENTS, UnavailableError, interpreter, machine, pinned, pinned_version, put
from benchmarks.growth import grow
from benchmarks.measure import ROOT, Figure, Run, measure, shown
from benchmarks.workload import pairs_table, table, wide_table

REPORT = ROOT / "docs" / "performance.md"
OURS, SCAN, POLARS = "dprelease", "DuckDB, no privacy", "Polars, no privacy"
CHOSEN = "Polars, no privacy, rows chosen by their values"
COLD_ROWS = 1_000_000
SLOW_ROWS = 100_000


@dataclass(frozen=True)
class Peer:
    """A library that does the same work by its own means."""

    name: str
    worker: str
    package: str
    environment: str = ""
    lines: tuple[str, ...] = ("row", "person")
    """In which it has something of its own to do."""
    needs: str | None = None
    """A command that must be on the PATH."""

    @property
    def version(self) -> str:
        return pinned_version(pinned(self.environment), self.package)

    def run(self, path: Path, unit: str, environments: Path) -> Run:
        python = interpreter(pinned(self.environment), environments, needs=self.needs)
        return Run(self.name, (str(python), "-m", f"benchmarks.peers.speed_{self.worker}", str(path), unit))


PEERS = (
    Peer(POLARS, "polars", "polars", "polars"),
    Peer(CHOSEN, "polars_chosen", "polars", "polars", lines=("person",)),
    Peer("python-dp", "pydp", "python-dp"),
    Peer("OpenDP", "opendp", "opendp"),
    Peer("diffprivlib", "diffprivlib", "diffprivlib"),
    Peer("PipelineDP", "pipelinedp", "pipeline-dp", lines=("slow",)),
    Peer("SmartNoise SQL", "smartnoise", "smartnoise-sql", "smartnoise", lines=("slow",)),
    Peer("Tumult Analytics", "tumult", "tmlt.analytics", "tumult", lines=("slow",), needs="java"),
)


@dataclass(frozen=True)
class Setting:
    """What was asked for on the command line."""

    rows: int
    repetitions: int
    peers: tuple[Peer, ...]
    environments: Path
    folder: Path
    largest: int

    def asked(self, line: str) -> tuple[Peer, ...]:
        """The peers of a line."""
        return tuple(peer for peer in self.peers if line in peer.lines)


def home(setting: Setting, path: Path, *plan: object) -> Path:
    """A workspace with a table and an approved plan of it, made anew."""
    place = Path(tempfile.mkdtemp(prefix="home", dir=setting.folder))
    figures = measure([Run.of_ours("registration", "register", "--path", path, "--home", place, *plan)], 1)
    if figures["registration"].problem:
        raise SystemExit(f"the table could not be registered: {figures['registration'].problem}")
    return place


def beside(setting: Setting, unit: str) -> Iterator[str]:
    """Ours, DuckDB's scan and the peers, at the same work, and whether what we ask of ourselves is met."""
    figures = yield from _compared(setting, setting.asked(unit), setting.rows, unit)
    yield from [*_targets(unit, figures), ""]


def slow(setting: Setting) -> Iterator[str]:
    """The same of fewer rows, beside peers that are too slow for so many. Of ours nothing is asked at so few."""
    yield from _compared(setting, setting.asked("slow"), SLOW_ROWS, "row")


def _compared(
    setting: Setting, peers: tuple[Peer, ...], rows: int, unit: str
) -> Generator[str, None, Mapping[str, Figure]]:
    path = table(setting.folder, rows)
    place = home(setting, path, "--unit", unit)
    runs = [
        Run.of_ours(SCAN, "scan", "--unit", unit, "--path", path),
        Run.of_ours(OURS, "release", "--home", place),
        Run.of_ours("its tallies alone", "tallies", "--unit", unit, "--path", path),
    ]
    notes = []
    for peer in peers:
        try:
            runs.append(peer.run(path, unit, setting.environments))
        except UnavailableError as cause:
            notes.append(f"- {peer.name} {peer.version} was not asked: {cause}")
    figures = measure(runs, setting.repetitions)
    shutil.rmtree(place)
    own = figures[OURS]
    yield f"### One release of {rows:,} rows, unit: {unit}"
    yield ""
    yield "| | seconds: median (least–most) | of processor | peak memory | × ours | × ours, of processor |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name, figure in figures.items():
        if figure.problem is not None:
            notes.append(f"- {name} failed: {figure.problem}")
            continue
        ratios = [figure.median(each) / own.median(each) for each in ("seconds", "processor")]
        told = f"{figure.spread()} | {shown(figure.median('processor'))} | {figure.peak_mb:.0f} MB"
        yield f"| {name} | {told} | {ratios[0]:.2f} | {ratios[1]:.2f} |"
    yield from ["", *notes, *([""] if notes else [])]
    return figures


def _targets(unit: str, figures: Mapping[str, Figure]) -> Iterator[str]:
    medians = {name: figure.median() for name, figure in figures.items() if figure.found}

    def times(one: str, other: str) -> float | None:
        return medians[one] / medians[other] if one in medians and other in medians else None

    asked: list[tuple[str, float | None, float, bool]]
    if unit == "row":
        asked = [
            ("of DuckDB's scan", times(OURS, SCAN), 1.5, True),
            ("faster than python-dp", times("python-dp", OURS), 15, False),
            ("faster than OpenDP", times("OpenDP", OURS), 20, False),
        ]
        memory = 400
    else:
        asked = [
            ("of Polars' time without privacy, where it keeps a person's first rows", times(OURS, POLARS), 0.6, True),
            ("of its time where it chooses rows by their values, as ours does", times(OURS, CHOSEN), 0.6, True),
        ]
        memory = 700
    for words, found, bound, most in asked:
        if found is not None:
            met = found <= bound if most else found >= bound
            limit = "at most" if most else "at least"
            yield f"- {found:.2f} × {words}; asked: {limit} {bound} ×: {'met' if met else 'missed'}."
    peak = figures[OURS].peak_mb
    yield f"- {peak:.0f} MB; asked: at most {memory} MB: {'met' if peak <= memory else 'missed'}."


def cold(setting: Setting) -> Iterator[str]:
    """`dprelease publish` from the start of its process."""
    path = table(setting.folder, COLD_ROWS)
    place = home(setting, path)
    figures = measure(
        [
            Run.of_ours(SCAN, "cold-scan", "--path", path, cold=True),
            Run.of_ours(OURS, "cold-publish", "--home", place, cold=True),
        ],
        max(5, setting.repetitions),
    )
    shutil.rmtree(place)
    scan, own = figures[SCAN], figures[OURS]
    more = min(each["seconds"] for each in own.found) - min(each["seconds"] for each in scan.found)
    processor = own.median("processor") - scan.median("processor")
    bound = min(each["seconds"] for each in scan.found) + 0.6
    yield f"### From the start of the process: {COLD_ROWS:,} rows"
    yield ""
    yield "| | seconds: median (least–most) | of processor | peak memory |"
    yield "|---|---:|---:|---:|"
    for name, figure in (("a script of DuckDB", scan), ("`dprelease publish`, up to the seal", own)):
        yield f"| {name} | {figure.spread()} | {shown(figure.median('processor'))} | {figure.peak_mb:.0f} MB |"
    yield ""
    yield (
        f"- {more:.2f} s more than the script at best ({processor:.2f} s of processor); asked: 0.6 s: "
        f"{own.within(bound)}. Charts and HTML follow in {min(each['after'] for each in own.found):.1f} s at best; "
        f"asked: 2 s: {own.within(2, 'after')}."
    )
    yield ""


def small(setting: Setting) -> Iterator[str]:
    """What has a figure of its own: imports, prices, many histograms, many cells."""
    wide, pairs = wide_table(setting.folder, 1_000_000, 300), pairs_table(setting.folder, 1_000_000)
    place = home(setting, pairs, "--cells", 1000)
    figures = measure(
        [
            Run.of_ours("import", "import"),
            Run.of_ours("price", "price"),
            Run.of_ours("wide", "tallies", "--path", wide, "--histograms", 300),
            Run.of_ours("cells", "release", "--home", place),
        ],
        setting.repetitions,
    )
    shutil.rmtree(place)
    asked = (
        ("import", "`import dprelease`", 0.1),
        ("price", "parsing and pricing a plan of 300 histograms", 0.1),
        ("wide", "300 columns × 1,000,000 rows, a histogram each: every tally", 5),
        ("cells", "a cross table of 1,000,000 cells: charge, tallies, noise, intervals, seal", 10),
    )
    yield "### Single figures"
    yield ""
    yield "| | seconds: median (least–most) | of processor | peak memory | asked | |"
    yield "|---|---:|---:|---:|---:|---|"
    for name, words, bound in asked:
        figure = figures[name]
        if figure.problem is not None:
            yield f"| {words} | failed: {figure.problem} | | | {bound} s | missed |"
            continue
        yield (
            f"| {words} | {figure.spread()} | {shown(figure.median('processor'))} | {figure.peak_mb:.0f} MB "
            f"| {bound} s | {figure.within(bound)} |"
        )
    yield ""


def growth(setting: Setting) -> Iterator[str]:
    yield from grow(setting.folder, setting.largest, lambda path, *plan: home(setting, path, *plan))


LINES: dict[str, Callable[[Setting], Iterator[str]]] = {
    "row": lambda setting: beside(setting, "row"),
    "person": lambda setting: beside(setting, "person"),
    "slow": slow,
    "cold": cold,
    "small": small,
    "growth": growth,
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, default=10_000_000, help="of the lines `row` and `person`")
    options.add_argument("--repetitions", type=int, default=3)
    options.add_argument("--lines", nargs="*", choices=LINES, default=list(LINES))
    options.add_argument("--peers", nargs="*", choices=[peer.worker for peer in PEERS], default=None)
    options.add_argument("--largest", type=int, default=10_000_000, help="rows of the largest table of `growth`")
    options.add_argument("--environments", type=Path, default=ENVIRONMENTS, help="where peers live")
    options.add_argument("--folder", type=Path, default=None, help="where tables are kept; by default they are deleted")
    options.add_argument("--write", action="store_true", help="put the report into docs/performance.md")
    chosen = options.parse_args()
    peers = tuple(peer for peer in PEERS if chosen.peers is None or peer.worker in chosen.peers)
    with tempfile.TemporaryDirectory() as scratch:
        folder = chosen.folder or Path(scratch)
        setting = Setting(chosen.rows, chosen.repetitions, peers, chosen.environments, folder, chosen.largest)
        for line in chosen.lines:
            print(f"{line}:", file=sys.stderr)
            versions = ", ".join(dict.fromkeys(f"{peer.package} {peer.version}" for peer in setting.asked(line)))
            beside_whom = f" Peers: {versions}." if versions else ""
            measured = f"Measured on {machine()}; dprelease {dprelease.__version__}.{beside_whom}"
            text = "\n".join([*LINES[line](setting), measured])
            print(f"{text}\n", flush=True)
            if chosen.write:
                put(REPORT, f"benchmarks.speed {line}", text)


if __name__ == "__main__":
    main()
