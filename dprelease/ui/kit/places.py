"""Where a problem is, in the words of the screen: of `statistics[1].bins`, that it is the second statistic's bins."""

from __future__ import annotations

import re

from dprelease.ui.words import known, say
from dprelease.words.phrases import visible

STATISTIC = re.compile(r"statistics\[(\d+)\](?:\.(.+))?")
COLUMN = re.compile(r"columns\.([^.]+)(?:\.(.+))?")


def place(path: str) -> str:
    """Names what a problem is about; by its path where there is no word for it."""
    if not path:
        return say("whole_plan")
    if found := STATISTIC.fullmatch(path):
        number, rest = found.groups()
        return _within(say("path_statistic", number=int(number) + 1), rest, "option")
    if found := COLUMN.fullmatch(path):
        name, rest = found.groups()
        return _within(visible(name), rest, "column")
    return _word(path.removeprefix("privacy."), "path")


def _within(owner: str, rest: str | None, kind: str) -> str:
    return owner if rest is None else say("path_within", owner=owner, what=_word(rest, kind))


def _word(path: str, kind: str) -> str:
    first = re.split(r"[.\[]", path, maxsplit=1)[0]
    return known(f"{kind}_{first}", known(f"path_{first}", path))
