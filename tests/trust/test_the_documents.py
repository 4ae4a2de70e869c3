"""docs/ledger.md, docs/trust.md and docs/operations.md say what is so: their tables, queries, examples and commands."""

from __future__ import annotations

import ast
import json
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import dprelease
from dprelease.cli import main
from dprelease.model.actor import OWNER
from dprelease.store.event import EventKind
from tests.trust import attacker, tour

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("ledger.md", "trust.md", "operations.md", "security.md")
LEDGER, TRUST, OPERATIONS, SECURITY = TEXTS = tuple((ROOT / "docs" / name).read_text() for name in NAMES)
PROMISES = 26
GROUPS = ("dataset", "key", "ledger", "person", "release", "session", "token")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def rows(text: str) -> Iterator[list[str]]:
    """The cells of each row of each table."""
    for line in text.splitlines():
        if line.startswith("|") and not set(line) <= set("|- "):
            yield [cell.strip() for cell in line[1:-1].split("|")]


def words(cell: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", cell))


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> dprelease.Workspace:
    return tour.make(tmp_path_factory.mktemp("tour"))


@pytest.fixture
def reader(workspace: dprelease.Workspace) -> Iterator[sqlite3.Connection]:
    """Somebody else's program, while the workspace is in use."""
    assert workspace.home is not None
    with closing(sqlite3.connect(f"{(workspace.home / 'ledger.db').as_uri()}?mode=ro", uri=True)) as connection:
        yield connection


QUERIES = blocks(LEDGER, "sql")


@pytest.mark.one_in(9)
@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_a_query_of_the_document_answers(reader: sqlite3.Connection, query: str) -> None:
    found = reader.execute(query).fetchall()
    assert bool(found) != query.startswith("-- no rows")


def test_the_queries_find_what_happened(reader: sqlite3.Connection) -> None:
    """The answers to some of them, checked against what the tour did."""

    def ask(part: str) -> list[tuple[object, ...]]:
        (query,) = [query for query in QUERIES if part in query]
        return reader.execute(query).fetchall()

    assert {row[0] for row in ask("GROUP BY population, month")} == {"people", "births"}
    (refused,) = ask("epsilon_asked")
    assert refused[5] == 3.6
    assert [row[4] for row in ask("AS previews_before")] == [1] * len(ask("AS previews_before"))
    assert {(row[4], row[5], row[-1]) for row in ask("AS alone")} == {("owner", "owner", 1), ("maria", "jonas", 0)}
    ((_, state, *_),) = ask("IN ('charged', 'sealed')")
    assert state == "charged"
    assert [(row[3], row[6], row[7]) for row in ask("'cap_raised', 'period_opened'")] == [
        ("cap_raised", "maria", "jonas"),
        ("period_opened", "maria", "jonas"),
    ]
    assert ask("AS one JOIN") == [("births", "people", None), ("births", "staff", None), ("people", "staff", "none")]


@pytest.mark.parametrize("query", [query for query in QUERIES if query.startswith("-- no rows")])
def test_a_check_in_sql_fails_where_it_should(workspace: dprelease.Workspace, query: str, tmp_path: Path) -> None:
    assert workspace.home is not None
    path = Path(shutil.copytree(workspace.home, tmp_path / "home")) / "ledger.db"
    with attacker.unlocked(path) as raw:
        raw.execute("UPDATE ledger SET epsilon_nano = epsilon_nano + 1, previous_hash = hash WHERE kind = 'charge'")
        raw.execute("DELETE FROM releases WHERE state = 'charged'")
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute(query).fetchall()


def test_every_table_and_column_is_described(reader: sqlite3.Connection) -> None:
    described: dict[str, set[str]] = {}
    for cells in rows(LEDGER):
        for name in words(cells[0]):
            described.setdefault(name, set()).update(words(cells[1]) if len(cells) > 2 else ())
    names = reader.execute(
        "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')"
        " AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_sqlite_%'"
    ).fetchall()
    for (name,) in names:
        columns = {column for (column,) in reader.execute("SELECT name FROM pragma_table_info(?)", [name])}
        if name == "publications":
            assert columns < described["ledger"] | described["releases"]
        else:
            assert columns <= described[name], name


def test_every_kind_of_event_is_described_with_its_body(workspace: dprelease.Workspace) -> None:
    described = {kind: words(cells[1]) for cells in rows(LEDGER) if len(cells) == 3 for kind in words(cells[0])}
    found: dict[str, set[str]] = {}
    for event in workspace.ledger.events(actor=OWNER):
        found.setdefault(event.kind, set()).update(event.body)
    assert found.keys() == set(EventKind)
    described["spend_refused"] |= described["charge"] - {"recovered", "accepted", "supersedes"}
    for kind, keys in found.items():
        assert keys <= described[kind], kind
    known = set().union(*found.values())
    of_rounds = {"round", "round_plan"}  # of several sites, of which this workspace has none
    of_cells = {"readings_proposed", "readings_accepted"}  # that were written otherwise; none here is
    of_runs = {"column", "every", "first", "last", "at_most", "factor", "ordered"}  # of the charge's `run`
    assert set().union(*(described[kind] for kind in EventKind)) <= known | of_rounds | of_cells | of_runs


def test_the_worked_example_can_be_computed_again() -> None:
    (lines,) = blocks(LEDGER, "json")
    events = [json.loads(line) for line in lines.splitlines()]
    hashes, previous = [], "0" * 64
    for event in events:
        public, rest = event["public"], event["rest"]
        assert public["previous_hash"] == previous
        sums = {f"spent_{name}": number for name, number in (public["spent"] or {}).items()}
        row = {**public, **public["loss"], **sums, **rest, "body": json.dumps(rest["body"] | public["facts"])}
        assert attacker.hash_of(row) == event["hash"]
        previous = event["hash"]
        hashes.append(previous)
    told = {cells[0]: words(cells[1]).pop() for cells in rows(LEDGER) if len(cells) == 2 and words(cells[1])}
    assert told["root"] == attacker.tree_root(hashes)
    assert told["node over 1 and 2"] == attacker.tree_root(hashes[:2])
    for number, hash_ in enumerate(hashes, start=1):
        assert told[f"leaf of event {number}"] == attacker.tree_root([hash_])
    for part in ("public", "rest"):
        assert json.dumps(events[0][part], sort_keys=True, separators=(",", ":")) in LEDGER


def test_the_program_in_the_document_checks_an_export(workspace: dprelease.Workspace, tmp_path: Path) -> None:
    (program,) = blocks(LEDGER, "python")
    assert (
        main(["ledger", "export", str(tmp_path / "events.jsonl"), "--home", str(workspace.home), "--as", "jonas"]) == 0
    )

    def run() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", program]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    checkpoint = workspace.ledger.checkpoint(actor=OWNER).checkpoint
    done = run()
    assert done.stdout == f"{checkpoint.size} {checkpoint.root}\n", done.stderr
    (tmp_path / "events.jsonl").write_text((tmp_path / "events.jsonl").read_text().replace("maria", "mario", 1))
    assert "AssertionError" in run().stderr


def test_each_promise_names_tests_that_there_are() -> None:
    files = {path.name: path.read_text() for path in (ROOT / "tests" / "trust").glob("test_*.py")}
    others = {path.name for room in ("web", "workspace") for path in (ROOT / "tests" / room).glob("test_*.py")}
    promises = [cells for cells in rows(TRUST) if re.fullmatch(r"\d+", cells[0])]
    assert [cells[0] for cells in promises] == [str(number) for number in range(1, PROMISES + 1)]
    told = set()
    for cells in promises:
        named = re.findall(r"`(?:tests/\w+/)?(test_\w+\.py)`|`(Test\w+)`", cells[2])
        assert named, cells[0]
        for file, name in named:
            known = file in files.keys() | others or any(f"class {name}:" in text for text in files.values())
            assert known, (cells[0], file, name)
            told.add(name)
    classes = {
        node.name
        for name in files
        for node in ast.parse(files[name]).body
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test")
    }
    assert classes <= told


@pytest.mark.parametrize("text", TEXTS, ids=NAMES)
def test_each_command_of_a_document_is_one(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Its words are known, and its options too."""
    shown = "\n".join(blocks(text, "")) + "\n".join(re.findall(r"`(dprelease [^`]+)`", text))
    commands = set(re.findall(r"(?m)(?:^|&& )dprelease ([^&#\n]+)", shown))
    for line in commands:
        parts = shlex.split(line)
        subcommand = [part for part in parts if re.fullmatch(r"[a-z]+", part)]
        with pytest.raises(SystemExit) as left:
            main([*subcommand[: 2 if subcommand[0] in GROUPS else 1], "--help"])
        assert left.value.code == 0, line
        known = capsys.readouterr().out
        for option in (part for part in parts if part.startswith("--")):
            assert option in known, line


def test_links_lead_somewhere() -> None:
    for text in TEXTS:
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            assert "://" in target or (ROOT / "docs" / target).exists(), target
