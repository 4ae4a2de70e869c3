"""Every mutant still applies: its symbol is there, and its text stands in it once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.mutants.mutant import PACKAGE, Mutant, UnknownSymbolError, find, listed
from tests.mutants.probing import insert, places

ROOT = Path(__file__).parents[2]
MUTANTS = listed()
FEWEST, FEWEST_A_ROOM = 80, 3
SIGN = """
def sign(x):
    if x > 0:
        return 1
    elif x < 0:
        return -1
    return 0
"""


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.id)
def test_it_applies_and_its_line_can_be_watched(mutant: Mutant) -> None:
    file, mutated = mutant.applied(ROOT)
    assert mutated != (ROOT / file).read_text(encoding="utf-8")
    assert list(places(ROOT, mutant))


def test_there_are_enough_of_every_room() -> None:
    rooms = {path.stem for path in (ROOT / PACKAGE).iterdir() if path.suffix in ("", ".py")}
    counted = Counter(mutant.room for mutant in MUTANTS)
    assert len({mutant.id for mutant in MUTANTS}) == len(MUTANTS) >= FEWEST
    assert {room: counted[room] for room in rooms if counted[room] < FEWEST_A_ROOM and not room.startswith("__")} == {}
    assert all(mutant.harm.endswith((".", ")")) for mutant in MUTANTS)


@pytest.mark.parametrize("symbol", ["dprelease.nowhere.act", "dprelease.errors.act", "dprelease.errors.Problem.act"])
def test_a_symbol_that_is_not_there_is_named(symbol: str) -> None:
    with pytest.raises(UnknownSymbolError, match=symbol):
        find(ROOT, symbol)


def test_a_text_that_stands_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "room.py").write_text("def twice(x):\n    return x + 1 if x else x + 1\n")
    with pytest.raises(UnknownSymbolError, match="2 times"):
        Mutant(symbol="room.twice", old="x + 1", new="x", harm="").applied(tmp_path)


def test_a_line_that_is_watched_says_who_reaches_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In front of the statement, in a branch of its own, and once for each test."""
    package = tmp_path / PACKAGE
    package.mkdir()
    (package / "__init__.py").write_text("from __future__ import annotations\n")
    (package / "room.py").write_text(SIGN)
    mutant = Mutant(symbol="dprelease.room.sign", old="-1", new="1", harm="")
    insert(tmp_path, [mutant], tmp_path / "reached")
    scope: dict[str, object] = {}
    exec(compile((package / "__init__.py").read_text(), "package", "exec"), scope)
    exec(compile((package / "room.py").read_text(), "room", "exec"), scope)
    for number, name in ((5, "one"), (-5, "two"), (-6, "two")):
        monkeypatch.setenv("PYTEST_CURRENT_TEST", f"{name} (call)")
        scope["sign"](number)  # type: ignore[operator]
    assert (tmp_path / "reached").read_text() == f"{mutant.id}\ttwo\n"
