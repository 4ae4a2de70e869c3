"""The language of whoever looks at a page, also where no page runs: in fragments and in what a button does."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st
from streamlit.runtime.scriptrunner_utils.script_run_context import get_script_run_ctx

from dprelease.ui.kit import session
from dprelease.words.language import COOKIE, LANGUAGES, language, listen, preferred, speak


def of_visitor() -> str | None:
    """Return the language chosen here, else the browser's; None where nobody looks. This thread goes on in it."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return None
    code = preferred(session.cookies().get(COOKIE), session.accepted())
    speak(code)
    return code


def others() -> list[tuple[str, str]]:
    """Return the languages not spoken now: their codes, and the addresses that choose them and lead back here."""
    here = f"/{st.session_state.get(session.PAGE) or ''}"
    query = urlencode([("to", here), *((name, value) for name, value in st.query_params.items() if name != "to")])
    return [(code, f"/language/{code}?{query}") for code in LANGUAGES if code != language()]


listen(of_visitor)
