"""Releases in a terminal: listed, corrected, superseded, finished after a crash."""

from __future__ import annotations

import shutil

import pytest

from tests.cli.conftest import Terminal

NOTICE = {"seq", "release_id", "kind", "superseded_by", "text", "published_on", "statement"}

STATUS = ("notices", "status", "superseded_by", "withheld")


@pytest.mark.full
def test_releases_are_listed_with_what_is_said_of_them(terminal: Terminal) -> None:
    terminal.say("init")
    assert terminal.say("release", "list") == "Nothing is published.\n"
    first = terminal.ask("publish", terminal.plan("first", title="First"))["release"]
    second = terminal.ask("publish", terminal.plan("second", title="Second"), "--supersedes", first)
    assert second["certificate"]["supersedes"] == first
    third = terminal.ask("publish", terminal.plan("third", title="Third"))["release"]

    erratum = terminal.ask("release", "erratum", third, "The title is wrong.")
    assert erratum.keys() == NOTICE
    assert (erratum["kind"], erratum["superseded_by"], erratum["text"]) == ("erratum", None, "The title is wrong.")
    superseded = terminal.ask("release", "supersede", second["release"], "--by", third, "--reason", "More rows.")
    assert superseded.keys() == NOTICE
    assert (superseded["kind"], superseded["superseded_by"]) == ("superseded", third)

    listed = {each["release"]: each for each in terminal.ask("release", "list")}
    assert list(listed) == [third, second["release"], first]
    assert listed[third].keys() == {"release", "title", "published", "population", "guarantee", *STATUS}
    assert listed[third]["notices"] == [erratum]
    assert [listed[each]["status"] for each in (third, first)] == ["corrected", "superseded"]
    assert listed[first]["superseded_by"] == second["release"]
    assert listed[second["release"]]["notices"] == [superseded]
    assert [each["superseded_by"] for each in listed[first]["notices"]] == [second["release"]]
    words = terminal.say("release", "list")
    assert f"superseded by {third}: More rows.\n" in words
    assert "erratum: The title is wrong.\n" in words
    assert "ε = 0.5, δ = 0" in words
    assert (terminal.home / "public" / "notices" / f"{third}.json").is_file()


def test_what_is_said_of_a_release_is_refused_in_words(terminal: Terminal) -> None:
    release = terminal.ask("publish", terminal.plan())["release"]
    assert "some words" in terminal.refused("release", "erratum", release, " ")
    for command in (
        ["erratum", "unknown", "text"],
        ["supersede", "unknown", "--by", release, "--reason", "x"],
        ["supersede", release, "--by", "unknown", "--reason", "x"],
    ):
        assert "allowed: the id of a published release" in terminal.refused("release", *command)
    assert "another release" in terminal.refused("release", "supersede", release, "--by", release, "--reason", "x")
    assert "unknown" in terminal.refused("publish", terminal.plan(), "--again", "--supersedes", "unknown")
    again = terminal.refused("publish", terminal.plan(), "--supersedes", release)
    assert f"dprelease release supersede {release} --by {release}" in again
    assert terminal.kinds().count("charge") == 1


def test_an_interrupted_release_is_listed_and_finished(terminal: Terminal) -> None:
    assert terminal.ask("release", "unfinished") == []
    assert terminal.say("release", "unfinished") == "Every release that was charged is published.\n"
    assert terminal.ask("release", "resume") == []
    assert terminal.say("release", "resume") == "No release was interrupted.\n"
    name = terminal.interrupt()
    (waiting,) = terminal.ask("release", "unfinished")
    assert waiting == {
        "release": name,
        "plan": waiting["plan"],
        "state": "charged",
        "population": "visits",
        "charge": waiting["charge"],
        "at": waiting["at"],
        "actor": "owner",
        "epsilon_nano": 5 * 10**8,
        "delta_atto": 0,
    }
    assert f"{name}  2" in terminal.say("release", "unfinished")
    assert ": charged, not drawn yet\n" in terminal.say("release", "unfinished")
    (finished,) = terminal.ask("release", "resume")
    assert finished == {"release": name, "bundle": str(terminal.home / "public" / name)}
    assert terminal.ask("verify", finished["bundle"])
    assert terminal.ask("release", "unfinished") == []
    assert terminal.kinds().count("charge") == 1


def test_resuming_writes_missing_files_again(terminal: Terminal) -> None:
    bundle = terminal.home / "public" / terminal.ask("publish", terminal.plan())["release"]
    before = (bundle / "SHA256SUMS").read_bytes()
    shutil.rmtree(bundle)
    assert [each["state"] for each in terminal.ask("release", "unfinished")] == ["published"]
    assert terminal.ask("release", "resume") == [{"release": bundle.name, "bundle": str(bundle)}]
    assert (bundle / "SHA256SUMS").read_bytes() == before


def test_what_cannot_be_finished_is_said(terminal: Terminal) -> None:
    terminal.interrupt()
    terminal.ask("dataset", "delete-table", "visits")
    assert "whose table was deleted" in terminal.refused("release", "resume", error="IntegrityError")
    assert len(terminal.ask("release", "unfinished")) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["release"],
        ["release", "erratum", "id"],
        ["release", "supersede", "id"],
        ["release", "supersede", "id", "--by", "other"],
        ["publish", "plan.yaml", "--supersedes"],
    ],
)
def test_wrong_usage_is_code_2(arguments: list[str], empty: Terminal) -> None:
    with pytest.raises(SystemExit) as left:
        empty.run(*arguments)
    assert left.value.code == 2
