"""Tries every mutant in a copy of the tree: `python -m tests.mutants.run`, at the top of a checkout.

The first time, a run of all tests learns which of them reach each mutant, and how long they take. That map stays in
build/mutants/ until it is deleted, or a mutant has none of it. A mutant that no test notices is named, and the exit
code is 1. What each test run said is in build/mutants/ too.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory
from typing import Any

from tests.mutants import probing
from tests.mutants.mutant import Mutant, listed
from tests.mutants.recording import CHOSEN, TAKEN

ROOT = Path(__file__).parents[2]
KIT = Path("tests/mutants")
LEFT_OUT = shutil.ignore_patterns(".git", ".venv*", "build", "dist", "__pycache__", ".*_cache", ".hypothesis")
PYTEST = ("-q", "-p", "tests.mutants.recording", "-p", "no:cacheprovider", f"--ignore={KIT}")
FAILURES = ("FAILED", "ERROR")
NOTICED = (1, 2)
"""Exit codes of pytest: a test failed, or could not even be collected."""
SPARE, TIMES = 300.0, 6.0
"""Seconds that a run of tests may take in any case, and how often what its tests took."""
FILES = 12
"""Of tests that are collected at a time."""
MAPPED = "map.json"
_moment = count(int(time.time()))


@dataclass(frozen=True, slots=True)
class Test:
    """A test that passes, and reaches a mutant, or lies in a file of one that does."""

    id: str
    seconds: float
    reaches: bool

    @property
    def file(self) -> str:
        """Its path."""
        return self.id.partition("::")[0]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a mutant: the test that noticed it, empty where none did."""

    mutant: str
    harm: str
    by: str
    seconds: float
    tried: int
    """How many tests were offered."""


def copy(tree: Path, folder: Path) -> Path:
    """A copy of a tree with its environment and this kit, to be written into."""
    shutil.copytree(tree, folder, symlinks=True, ignore=LEFT_OUT)
    shutil.rmtree(folder / KIT, ignore_errors=True)
    shutil.copytree(ROOT / KIT, folder / KIT, ignore=LEFT_OUT)
    (folder / ".venv").symlink_to((tree / ".venv").resolve())
    return folder


def write(file: Path, text: str) -> None:
    """Writes a module with a moment of its own: what was compiled of it before is never taken for it."""
    file.write_text(text, encoding="utf-8")
    moment = next(_moment)
    os.utime(file, (moment, moment))


def run(folder: Path, *options: str, log: Path, seconds: float | None = None, **environment: str) -> int:
    """Runs tests in a copy and returns pytest's exit code; that of a failure where they do not end."""
    command = [str(folder / ".venv/bin/python"), "-m", "pytest", *PYTEST, *options]
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **environment}, stdout=output, stderr=output, start_new_session=True
        )
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            output.write("\nFAILED to end in time\n")
            return NOTICED[0]
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def make_map(tree: Path, mutants: Sequence[Mutant], build: Path, selected: Sequence[str], workers: int) -> None:
    """Runs the selection once in a copy that records, and writes which tests reach which mutant."""
    with TemporaryDirectory(prefix="dprelease-mutants-") as temporary:
        folder, reached, taken = (Path(temporary, name) for name in ("tree", "reached", "taken"))
        reached.touch()
        probing.insert(copy(tree, folder), mutants, reached)
        parallel = ("-n", str(workers), "--dist", "loadfile")
        run(folder, *selected, *parallel, log=build / "map.log", **{TAKEN: str(taken)})
        found = json.loads(taken.read_text(encoding="utf-8"))
        lines = reached.read_text(encoding="utf-8").splitlines()
    by: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        what, _, who = line.partition("\t")
        by[what].add(who)
    mapped = {"tests": found, "reached": {mutant.id: sorted(_all(by, mutant.id)) for mutant in mutants}}
    (build / MAPPED).write_text(json.dumps(mapped, indent=1), encoding="utf-8")


def _all(by: dict[str, set[str]], what: str) -> set[str]:
    """Tests and fixtures that reach a line, or share what was made by one that does."""
    others = (_all(by, who) for who in by[what] if who.startswith(probing.SHARED) and who != what)
    return by[what].union(*others)


def tests_of(mutant: Mutant, mapped: dict[str, Any]) -> list[Test]:
    """The tests that reach a mutant and pass, and others in their files, those that do not, last."""
    reached = set(mapped["reached"].get(mutant.id, ()))
    passing = {name: test for name, test in mapped["tests"].items() if test["passed"]}
    tests = [
        Test(name, test["seconds"], name in reached or not reached.isdisjoint(test["fixtures"]))
        for name, test in passing.items()
    ]
    files = {test.file for test in tests if test.reaches}
    return [test for test in tests if test.file in files]


def stages(mutant: Mutant, tests: Sequence[Test]) -> Iterator[list[Test]]:
    """In which order tests are tried: those of the same room, then those of others, then what only lies beside.

    Within a stage the quickest file comes first, and within a file the quickest test: a fixture of a file is made once.
    """
    own = (f"tests/{mutant.room}/", f"tests/test_{mutant.room}")
    turns = {test.id: 2 if not test.reaches else int(not test.file.startswith(own)) for test in tests}
    for turn in range(3):
        by_file: dict[str, list[Test]] = defaultdict(list)
        for test in sorted((test for test in tests if turns[test.id] == turn), key=lambda test: test.seconds):
            by_file[test.file].append(test)
        ordered = sorted(by_file.values(), key=lambda several: sum(test.seconds for test in several))
        for begin in range(0, len(ordered), FILES):
            yield [test for several in ordered[begin : begin + FILES] for test in several]


def attempt(mutant: Mutant, folder: Path, build: Path, mapped: dict[str, Any]) -> Outcome:
    """Puts a mutant into a copy, runs tests until one fails, and takes it out again."""
    begun, tried, by = time.monotonic(), 0, ""
    file, mutated = mutant.applied(folder)
    original = (folder / file).read_text(encoding="utf-8")
    write(folder / file, mutated)
    chosen, log = folder.with_suffix(".chosen"), build / f"{mutant.id}.log"
    for stage in stages(mutant, tests_of(mutant, mapped)):
        chosen.write_text("\n".join(test.id for test in stage), encoding="utf-8")
        tried += len(stage)
        files = sorted({test.file for test in stage})
        most = SPARE + TIMES * sum(test.seconds for test in stage)
        code = run(folder, "-x", "-n0", *files, log=log, seconds=most, **{CHOSEN: str(chosen)})
        if code in NOTICED:
            said = [
                line for line in log.read_text(encoding="utf-8").splitlines() if line.startswith(("FAILED", "ERROR"))
            ]
            by = said[-1] if said else f"pytest's exit code {code}"
            break
        if code != 0:
            raise RuntimeError(f"pytest ended with {code}, see {log}; a map of other tests is made anew with --map")
    write(folder / file, original)
    shutil.rmtree(folder / ".pytest_cache", ignore_errors=True)  # what tests shared while the mutant was there
    return Outcome(mutant.id, mutant.harm, by, round(time.monotonic() - begun, 1), tried)


def attempt_all(tree: Path, mutants: Sequence[Mutant], build: Path, workers: int) -> list[Outcome]:
    """Tries mutants, so many at a time, each in a copy of its worker, and prints what came of them."""
    mapped = json.loads((build / MAPPED).read_text(encoding="utf-8"))
    outcomes: list[Outcome] = []
    with TemporaryDirectory(prefix="dprelease-mutants-") as temporary:
        folders: Queue[Path] = Queue()
        for number in range(workers):
            folders.put(copy(tree, Path(temporary, f"tree{number}")))

        def one(mutant: Mutant) -> Outcome:
            folder = folders.get()
            try:
                return attempt(mutant, folder, build, mapped)
            finally:
                folders.put(folder)

        with ThreadPoolExecutor(workers) as pool:
            for outcome in pool.map(one, mutants):
                outcomes.append(outcome)
                print(f"{outcome.seconds:6.1f} s  {outcome.mutant}: {outcome.by or 'NOT NOTICED'}", flush=True)
    (build / "outcomes.json").write_text(json.dumps([asdict(each) for each in outcomes], indent=1), encoding="utf-8")
    return outcomes


def main(arguments: Sequence[str] | None = None) -> int:
    """Makes the map where it is missing, tries the mutants, and tells which of them nobody noticed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants.run", description=__doc__)
    parser.add_argument("--tree", type=Path, default=ROOT, help="another checkout whose tests and program are tried")
    parser.add_argument("--build", type=Path, help="where the map and the logs go; build/mutants of this checkout")
    parser.add_argument("--only", nargs="*", default=[], help="parts of ids of mutants; all where it is missing")
    parser.add_argument("--mark", default="not full", help="which tests the map is made of, as pytest's -m has it")
    parser.add_argument("--tests", nargs="*", default=[], help="files of tests that the map is made of; all")
    parser.add_argument("--map", action="store_true", help="make the map anew, and end")
    parser.add_argument("--workers", type=int, default=2, help="how many mutants are tried at a time; 2")
    given = parser.parse_args(arguments)
    tree, build = given.tree.resolve(), (given.build or ROOT / "build" / "mutants").resolve()
    build.mkdir(parents=True, exist_ok=True)
    mutants = [each for each in listed() if not given.only or any(part in each.id for part in given.only)]
    begun = time.monotonic()
    known = build / MAPPED
    if (
        given.map
        or not known.exists()
        or any(each.id not in json.loads(known.read_text())["reached"] for each in mutants)
    ):
        make_map(tree, mutants, build, (*given.tests, "-m", given.mark), given.workers)
        print(f"The map took {time.monotonic() - begun:.0f} s: {known}")
    if given.map:
        return 0
    outcomes = attempt_all(tree, mutants, build, given.workers)
    missed = [each for each in outcomes if not each.by]
    print(f"{len(outcomes) - len(missed)} of {len(outcomes)} mutants were noticed in {time.monotonic() - begun:.0f} s.")
    for each in missed:
        print(f"NOT NOTICED: {each.mutant}\n    {each.harm}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
