"""An analyst in the dashboard: an account with tokens, and nothing of the tables; and who opens a dataset to them."""

from __future__ import annotations

import re
from io import BytesIO

import pytest

from dprelease.model.actor import Actor, Role
from dprelease.ui.screens import SCREENS
from dprelease.ui.words import say
from dprelease.workspace import Workspace
from tests.pages.conftest import COLUMNS, TABLE, Opener, SignIn, choose, press, words, write

ANA = Actor("ana", frozenset({Role.ANALYST}))


@pytest.mark.parametrize("screen", [each.key for each in SCREENS])
def test_pages_show_an_analyst_nothing_of_a_table(
    screen: str, small: Workspace, sign_in: SignIn, visit: Opener
) -> None:
    upload = small.datasets.uploads.stage("zebra.csv", BytesIO(TABLE))
    small.add_dataset("zebra", upload, population="few", unit_column="pid", columns=COLUMNS)
    small.people.require_two_people()
    sign_in(ANA)
    shown = words(visit(screen))
    assert "zebra" not in shown


def test_an_analyst_makes_a_token_in_the_settings(small: Workspace, sign_in: SignIn, visit: Opener) -> None:
    small.people.require_two_people()
    sign_in(ANA)
    page = visit("settings")
    write(page, say("token_label"), "monthly")
    next(box for box in page.selectbox if box.label == say("token_profile")).select("publish")
    write(page, say("token_dataset"), "small")
    press(page, say("token_create"))
    secret = re.search(r"dpr_\S+", words(page))
    assert secret is not None
    acting = small.people.token_actor(secret[0])
    assert acting is not None
    assert (acting.name, acting.dataset) == ("ana", "small")
    assert "remote_publish" in (acting.scope or ())


def test_a_curator_opens_a_dataset_and_closes_it(small: Workspace, visit: Opener) -> None:
    page = choose(visit("tables"), say("kept_which"), "small")
    assert say("analysts_closed") in words(page)
    press(page, say("analysts_admit"))
    assert small.datasets.get("small").analysts
    assert say("analysts_open") in words(page)
    press(page, say("analysts_close"))
    assert not small.datasets.get("small").analysts
