"""The page of a release with a model: its card, and the way to where it can be tried."""

from __future__ import annotations

from dprelease.ui.words import WORDS
from dprelease.workspace import Workspace
from tests.pages.conftest import Opener, SignIn, html, words
from tests.workspace import models


def test_a_model_has_its_card(own_workspace: Workspace, sign_in: SignIn, visit: Opener) -> None:
    own_workspace.add_dataset("patients", models.ROWS, columns=models.COLUMNS, epsilon=100)
    sign_in()
    with models.listed():
        release = models.published(own_workspace, models.plan("linear"))
        page = visit("release", query={"id": release.id})
    assert not page.exception
    assert "Not to conclude" in words(page)
    assert "−8 500" in words(page)
    assert WORDS["release_try_model"] in words(page)
    assert f"/public/release/{release.id}/#model-linear" in html(page)
