"""Every state of every page: no serious finding of axe-core, nothing cut or wider than the screen, nothing elsewhere.

`make test` looks at one state in thirteen, in one width, theme and language, in turn;
the full run at all, in all eight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser

from dprelease.ui.screens import SCREENS
from tests.browser.seats import Look, Seats
from tests.browser.servers import Server, serve
from tests.browser.states import STATES, State, looked_at
from tests.browser.worlds import WORLDS
from tests.made import copied, made_workspace

Servers = Callable[[str], Server]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """One server of each workspace, from the first state that is there."""
    running: dict[str, tuple[Server, Iterator[Server]]] = {}

    def of(world: str) -> Server:
        if world not in running:
            home = made_workspace(f"world-{world}", WORLDS[world])
            serving = serve(copied(home, tmp_path_factory.mktemp(world) / "home"))
            running[world] = (next(serving), serving)
        return running[world][0]

    yield of
    for _, serving in running.values():
        assert next(serving, None) is None, "it ends here"


@pytest.fixture(scope="module")
def seats(browser: Browser) -> Seats:
    return Seats(browser)


def look(place: int, state: State) -> Look:
    """The look of `make test`: what must be in sight is looked at where it must."""
    width = 1280 if state.fits or place % 8 >= 4 else 390
    return Look(width, ("light", "dark")[place % 2], ("en", "es")[place // 2 % 2])


def test_every_page_has_a_state() -> None:
    addresses = {state.address.partition("?")[0] or "desk" for state in STATES}
    assert {screen.key for screen in SCREENS} <= addresses


@pytest.mark.one_in(26)
@pytest.mark.parametrize(("place", "state"), list(enumerate(STATES)), ids=[state.name for state in STATES])
def test_a_state_in_one_look(servers: Servers, seats: Seats, place: int, state: State) -> None:
    width, scheme, code = look(place, state)
    assert list(looked_at(seats, servers(state.world), state, width, code, [scheme])) == []


@pytest.mark.full
@pytest.mark.parametrize("code", ["en", "es"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("state", STATES, ids=[state.name for state in STATES])
def test_a_state_in_every_look(servers: Servers, seats: Seats, state: State, width: int, code: str) -> None:
    assert list(looked_at(seats, servers(state.world), state, width, code)) == []
