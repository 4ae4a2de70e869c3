"""The visitor of an open tab of the dashboard."""

from __future__ import annotations

from streamlit.runtime import get_instance


def is_of(tab: str, visitor: str) -> bool:
    """Return True if an open tab, by its id, is that of a visitor, as the guard told Streamlit when it was opened."""
    found = get_instance()._session_mgr.get_active_session_info(tab)
    return found is not None and found.session.matches_user_info({"visitor": visitor})
