"""Bytes that nobody meant well: quick here; `python -m tests.fuzz.run` searches for as long as it is given."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.targets import TARGETS, seeds, titles

ROOT = Path(__file__).resolve().parents[2]
SEEDS = [pytest.param(name, title, id=f"{name}-{title}") for name in TARGETS for title in titles(name)]


@st.composite
def mutated(draw: st.DrawFn, corpus: list[bytes]) -> bytes:
    """A seed with a few bytes cut, put in, repeated or replaced, or another seed's end."""
    data = bytearray(draw(st.sampled_from(corpus)))
    for _ in range(draw(st.integers(1, 4))):
        at, length = draw(st.integers(0, len(data))), draw(st.integers(0, 16))
        match draw(st.sampled_from(["cut", "put", "flip", "repeat", "splice"])):
            case "cut":
                del data[at : at + length]
            case "put":
                data[at:at] = draw(st.binary(max_size=16))
            case "flip" if at < len(data):
                data[at] ^= 1 << draw(st.integers(0, 7))
            case "repeat":
                data[at:at] = data[at : at + length] * draw(st.integers(1, 50))
            case "splice":
                data[at:] = draw(st.sampled_from(corpus))[at:]
            case _:
                pass
    return bytes(data)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("name", "title"), SEEDS)
def test_a_seed_is_read_or_refused(name: str, title: str) -> None:
    """What once broke something is kept among them."""
    TARGETS[name](seeds(name)[title])


@pytest.mark.parametrize(("name", "examples"), [("plan", 100), ("table", 25), ("bundle", 25)])
def test_changed_seeds_are_read_or_refused(name: str, examples: int) -> None:
    corpus = list(seeds(name).values())

    @settings(max_examples=examples, deadline=None, database=None)
    @given(mutated(corpus))
    def search(data: bytes) -> None:
        TARGETS[name](data)

    search()


@pytest.mark.full
@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris is for Linux on x86-64 only")
@pytest.mark.parametrize("name", TARGETS)
def test_a_search_guided_by_coverage_finds_nothing(name: str, tmp_path: Path) -> None:
    """Half a minute of what runs for half an hour before a release."""
    command = [sys.executable, "-m", "tests.fuzz.run", name, "--seconds", "30", "--findings", str(tmp_path)]
    place = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, cwd=ROOT, env=place, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-4000:]
