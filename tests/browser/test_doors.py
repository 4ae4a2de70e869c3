"""Signing in and out, one's own account and the people of a workspace: for everybody, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

import dprelease
from tests.browser.conftest import grave, settled
from tests.browser.servers import Server

PASSWORD = "correct horse battery"


@pytest.mark.full
@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.full)])
def test_the_doors_are_for_everybody(scheme: str, server: Server, browser: Browser) -> None:
    workspace = dprelease.Workspace.open(server.home)
    if "ana" not in [each.name for each in workspace.people.find()]:
        workspace.people.sign_in(workspace.people.invite("ana", ["administrator"]))
    ana = workspace.people.get("ana")
    workspace.people.set_password(
        PASSWORD, old=PASSWORD if workspace.people.has_password(actor=ana) else None, actor=ana
    )
    context = browser.new_context(color_scheme=scheme, viewport={"width": 390, "height": 800})  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"{server.base}/sign-in")
    assert grave(page) == []
    page.get_by_label("Name").fill("ana")
    page.get_by_label("Password").fill("wrong password")
    page.keyboard.press("Enter")
    page.get_by_role("alert").wait_for()
    assert grave(page) == []
    page.get_by_label("Name").fill("ana")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    settled(page)
    for address in ("account", "people"):
        page.goto(f"{server.base}/{address}")
        settled(page)
        page.get_by_text("ana", exact=True).first.wait_for()
        assert grave(page) == []
    page.goto(f"{server.base}/sign-out")
    assert grave(page) == []
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/public/**")
    assert not [each for each in context.cookies() if each["name"] == "dprelease_session"]
    context.close()
