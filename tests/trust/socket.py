"""Somebody who speaks Streamlit's protocol over a raw websocket: any page, widget and fragment, with any cookie."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from dprelease.workspace.process import COOKIE

SECONDS = 300


@dataclass
class Tab:
    """One browser tab, without the browser."""

    connection: ClientConnection
    pages: dict[str, str] = field(default_factory=dict)
    """By address: the hash by which a page is asked for."""
    id: str = ""
    """What Streamlit calls it."""
    answers: list[ForwardMsg] = field(default_factory=list)

    def run(self, page: str = "", *, pressed: Iterable[str] = (), typed: Iterable[str] = (), fragment: str = "") -> str:
        """Asks for a page, or a fragment of it, with these buttons pressed and texts typed; all that is sent back."""
        self.ask(page, pressed=pressed, typed=typed, fragment=fragment)
        return "\n".join(str(each) for each in self.answers)

    def ask(
        self, page: str = "", *, pressed: Iterable[str] = (), typed: Iterable[str] = (), fragment: str = ""
    ) -> None:
        """The same; what is sent back is kept in `answers`."""
        message = BackMsg()
        message.rerun_script.page_script_hash = self.pages.get(page, "")
        message.rerun_script.page_name = page
        message.rerun_script.fragment_id = fragment
        for widget in pressed:
            message.rerun_script.widget_states.widgets.add(id=widget, trigger_value=True)
        for widget in typed:
            message.rerun_script.widget_states.widgets.add(id=widget, string_value="mallory")
        self.connection.send(message.SerializeToString())
        self.answers = list(self._answers())

    def _answers(self) -> Iterator[ForwardMsg]:
        while True:
            data = self.connection.recv(timeout=SECONDS)
            message = ForwardMsg.FromString(data)  # type: ignore[arg-type]
            if message.WhichOneof("type") == "new_session":
                self.id = message.new_session.initialize.session_id
            for each in message.navigation.app_pages:
                self.pages[each.url_pathname] = each.page_script_hash
            yield message
            if message.WhichOneof("type") == "script_finished":
                return

    def widgets(self, *kinds: str) -> list[str]:
        """The ids of such elements in the last answer."""
        return [
            getattr(each.delta.new_element, kind).id
            for each in self.answers
            for kind in kinds
            if each.WhichOneof("type") == "delta" and each.delta.new_element.WhichOneof("type") == kind
        ]

    def fragments(self) -> set[str]:
        return {each.delta.fragment_id for each in self.answers} - {""}


@contextmanager
def opened(base: str, cookie: str = "", *, again: str | None = None, **headers: Any) -> Iterator[Tab]:
    """A tab of the server at an address; `again`: the id of one that it was before."""
    sent = {"Origin": base, **({"Cookie": f"{COOKIE}={cookie}"} if cookie else {})}
    spoken = ["streamlit"] if again is None else ["streamlit", "x", again]
    address = base.replace("http", "ws") + "/_stcore/stream"
    told: dict[str, Any] = {"subprotocols": spoken, "additional_headers": {**sent, **headers}}
    with connect(address, **told, max_size=2**26, open_timeout=SECONDS) as found:
        tab = Tab(found)
        tab.run()
        yield tab


__all__ = ["ConnectionClosed", "Tab", "opened"]
