"""What the tests of pages prepare, for those of this room."""

from __future__ import annotations

from tests.pages.conftest import (
    _components_are_sought_once,
    _dialogs_stay_open,
    _files_are_read_before_a_page_goes_on,
    _ladders_are_drawn_in_a_moment,
    copy_of,
    own_workspace,
    sample_home,
    sample_workspace,
    sign_in,
    small,
    visit,
)

__all__ = [
    "_components_are_sought_once",
    "_dialogs_stay_open",
    "_files_are_read_before_a_page_goes_on",
    "_ladders_are_drawn_in_a_moment",
    "copy_of",
    "own_workspace",
    "sample_home",
    "sample_workspace",
    "sign_in",
    "small",
    "visit",
]
