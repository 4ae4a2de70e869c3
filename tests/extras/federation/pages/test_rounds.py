"""Rounds of several sites on the screen: two workspaces in turn, whose files travel as zips, to one release."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import dprelease
from dprelease.errors import InputError, IntegrityError
from dprelease.extras.federation.folder import RoundFolder
from dprelease.extras.federation.roster import Federation, Site
from dprelease.model.actor import Actor, Role
from dprelease.model.encoding import canonical
from dprelease.ui.words import WORDS, say
from tests.extras.federation.test_federations import charges, plan, workspace
from tests.pages.conftest import Opener, SignIn, labels, opened, press, tick, words, write

NAME = "hospitals"
SITES = ("North", "South")


@pytest.fixture
def homes(tmp_path: Path) -> list[Path]:
    found = [tmp_path / name for name in SITES]
    for number, home in enumerate(found):
        workspace(home, number).plans.submit(plan(charts=False))
    return found


def begun(homes: list[Path]) -> None:
    """The roster is at both, and signed by both."""
    made = [dprelease.Workspace.open(home) for home in homes]
    named = tuple(Site(name, each.public_key) for name, each in zip(SITES, made, strict=True))
    for each in made:
        folder = each.federations.create_federation(NAME, Federation(name="Hospitals", sites=named))
        each.federations.join(folder)
    carried(homes)


def carried(homes: list[Path]) -> None:
    """Each takes what the other has."""
    made = [dprelease.Workspace.open(home) for home in homes]
    for one, other in (made, reversed(made)):
        other.federations.take_round_files(NAME, {f"{NAME}.zip": one.federations.round_files(NAME)})


def at(home: Path, monkeypatch: pytest.MonkeyPatch, sign_in: SignIn, visit: Opener) -> AppTest:
    opened(home, monkeypatch)
    sign_in()
    return visit("rounds")


def test_a_round_is_begun_with_a_list_of_sites_and_signed(
    homes: list[Path], monkeypatch: pytest.MonkeyPatch, sign_in: SignIn, visit: Opener
) -> None:
    page = at(homes[0], monkeypatch, sign_in, visit)
    assert WORDS["rounds_none"] in words(page)
    made = [dprelease.Workspace.open(home) for home in homes]
    assert made[0].public_key in words(page)
    name = next(field for field in page.text_input if field.label == say("rounds_name"))
    name.input(NAME)
    write(page, say("rounds_title_of"), "Hospitals")
    write(page, say("rounds_members"), f"North = {made[0].public_key}\nSouth")
    press(page, say("rounds_create_button"))
    assert say("rounds_member_line") in words(page)
    write(page, say("rounds_members"), f"North = {made[0].public_key}\nSouth = {made[0].public_key}")
    press(page, say("rounds_create_button"))
    assert "North" in words(page), "two sites with one key are named"
    assert made[0].federations.rounds() == ()
    write(page, say("rounds_members"), f"North = {made[0].public_key}\nSouth = {made[1].public_key}")
    press(page, say("rounds_create_button"))
    assert say("rounds_created") in words(page)
    assert say("rounds_own", name="North") in words(page)
    press(page, say("rounds_join"))
    assert say("rounds_step_roster") in words(page)
    assert say("rounds_wait_join", sites="South") in words(page)


@pytest.mark.full
def test_both_contribute_and_publish_one_release(
    homes: list[Path], monkeypatch: pytest.MonkeyPatch, sign_in: SignIn, visit: Opener
) -> None:
    begun(homes)
    page = at(homes[0], monkeypatch, sign_in, visit)
    contribute = next(each for each in page.button if each.label == say("rounds_contribute"))
    assert contribute.disabled, "not before somebody agreed to the charge"
    assert charges(dprelease.Workspace.open(homes[0])) == []
    told = []
    for _ in range(4):
        for home in homes:
            page = at(home, monkeypatch, sign_in, visit)
            if say("rounds_agree") in labels(page, "checkbox"):
                tick(page, say("rounds_agree"))
            waits = [each for each in ("rounds_contribute", "rounds_go_on") if say(each) in labels(page, "button")]
            for label in waits[:1]:
                told.append(words(press(page, say(label))))
            carried(homes)
    stalled = [say("rounds_stalled", sites="South") in each for each in told]
    assert stalled.count(True) == 1, "once it signed the sum, and only until the other one did"
    assert say("rounds_step_sum") in words(at(homes[1], monkeypatch, sign_in, visit))
    for turn in range(2):
        for home in homes:
            page = at(home, monkeypatch, sign_in, visit)
            waits = say("rounds_waits_bundle", first="North") in words(page)
            assert not waits, "before it agreed, and once the release has come, it waits for none"
            if say("rounds_publish") in labels(page, "button"):
                press(page, say("rounds_publish"))
            carried(homes)
        if turn == 0:
            assert say("rounds_waits_bundle", first="North") in words(at(homes[1], monkeypatch, sign_in, visit))
    made = [dprelease.Workspace.open(home) for home in homes]
    (one,), (other,) = (each.releases.find() for each in made)
    assert one.id == other.id
    for home in homes:
        assert say("rounds_published") in words(at(home, monkeypatch, sign_in, visit))
        assert len(charges(dprelease.Workspace.open(home))) == 1


def test_a_void_round_says_who_ended_it_and_what_to_do(
    homes: list[Path], monkeypatch: pytest.MonkeyPatch, sign_in: SignIn, visit: Opener
) -> None:
    begun(homes)
    for step in ("offer", "key"):
        page = at(homes[1], monkeypatch, sign_in, visit)
        assert say("rounds_end_agree") not in labels(page, "checkbox"), f"nothing to end before its {step}"
        for home in homes:
            made = dprelease.Workspace.open(home)
            made.federations.contribute(made.federations.round_folder(NAME), plan(charts=False))
        carried(homes)
    page = at(homes[1], monkeypatch, sign_in, visit)
    tick(page, say("rounds_end_agree"))
    press(page, say("rounds_end_button"))
    assert say("rounds_ended") in words(page)
    carried(homes)
    page = at(homes[0], monkeypatch, sign_in, visit)
    assert say("rounds_void", site="South") in words(page)
    assert say("rounds_go_on") not in labels(page, "button")
    assert say("rounds_step_void") in words(page)


def test_an_altered_file_is_refused_with_words_and_shown_as_such(
    homes: list[Path], monkeypatch: pytest.MonkeyPatch, sign_in: SignIn, visit: Opener
) -> None:
    begun(homes)
    made = dprelease.Workspace.open(homes[0])
    folder = made.federations.round_folder(NAME)
    signed = (folder / "2.roster.json").read_bytes()
    altered = signed.replace(b"Hospitals", b"Hospitels")
    with pytest.raises(IntegrityError):
        made.federations.take_round_files(NAME, {"2.roster.json": altered})
    with pytest.raises(IntegrityError):
        made.federations.take_round_files(NAME, {"1.offer.json": signed})
    for name, data in (("rows.csv", b"x"), ("x.zip", b"x"), ("../1.offer.json", b"x")):
        with pytest.raises(InputError):
            made.federations.take_round_files(NAME, {name: data})
    assert (folder / "2.roster.json").read_bytes() == signed
    with pytest.raises(InputError):
        made.federations.round_folder("../keys")
    (folder / "2.roster.json").write_bytes(altered)
    page = at(homes[0], monkeypatch, sign_in, visit)
    assert "2.roster.json" in words(page)
    assert say("rounds_refused") in words(page)
    assert say("rounds_contribute") not in labels(page, "button")


def test_a_reviewer_sees_rounds_and_changes_nothing(
    homes: list[Path], monkeypatch: pytest.MonkeyPatch, sign_in: SignIn, visit: Opener
) -> None:
    begun(homes)
    found = opened(homes[0], monkeypatch)
    found.people.invite("ben", ["reviewer"])
    sign_in(Actor("ben", frozenset({Role.REVIEWER})))
    page = visit("rounds")
    assert say("rounds_step_roster") in words(page)
    for label in ("rounds_contribute", "rounds_create_button", "rounds_take"):
        assert say(label) not in labels(page, "button")


def test_another_roster_for_the_same_round_is_refused(homes: list[Path]) -> None:
    begun(homes)
    made = dprelease.Workspace.open(homes[0])
    before = RoundFolder(made.federations.round_folder(NAME)).proposed()
    other = Federation(name="Others", sites=before.sites)
    with pytest.raises(IntegrityError):
        made.federations.take_round_files(NAME, {"federation.json": canonical(other.to_mapping())})


def test_what_came_before_is_passed_over_and_a_message_of_another_round_is_refused(homes: list[Path]) -> None:
    begun(homes)
    one, other = (dprelease.Workspace.open(home) for home in homes)
    files = {f"{NAME}.zip": other.federations.round_files(NAME)}
    assert one.federations.take_round_files(NAME, files) == ()
    sites = RoundFolder(one.federations.round_folder(NAME)).proposed().sites
    foreign = other.federations.create_federation("second", Federation(name="Second", sites=sites))
    other.federations.join(foreign)
    kept = one.federations.round_folder(NAME) / "2.roster.json"
    before = kept.read_bytes()
    with pytest.raises(IntegrityError):
        one.federations.take_round_files(NAME, {kept.name: (foreign / kept.name).read_bytes()})
    assert kept.read_bytes() == before
