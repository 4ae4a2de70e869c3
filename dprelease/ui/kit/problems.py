"""Errors as people see them: what they can mend, and nothing else."""

from __future__ import annotations

import logging
import re
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import streamlit as st

from dprelease.errors import AccessError, BudgetError, ConfirmationError, InputError, InsufficientBudgetError, Problem
from dprelease.model.actor import PUBLIC
from dprelease.statements.display import pointed
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.session import ASKED, actor, flash
from dprelease.ui.words import known, say, say_html
from dprelease.words.phrases import visible
from dprelease.words.sentences import Html

EMPTY = ("", "''", "None")
"""Quotations of an unanswered question."""
LOG = logging.getLogger("dprelease.ui")


@contextmanager
def kindly() -> Iterator[None]:
    """Show the errors of what is done inside; only the first three kinds with their words."""
    try:
        yield
    except InputError as error:
        show_problems(error.problems)
    except InsufficientBudgetError as error:
        amounts = {"requested": pointed(error.requested), "remaining": pointed(error.remaining)}
        box(say_html("over_budget", population=error.population, **amounts))
    except BudgetError as error:
        box(say_html("as_it_is", text=error))
    except ConfirmationError as error:
        st.session_state[ASKED] = error.way  # the dialog opens at the end of the page
    except AccessError:
        box(say_html("no_access" if actor() == PUBLIC else "no_role"), kind="notice")
    except Exception as error:  # noqa: BLE001 (nothing of it may reach the page)
        on_script_error(error)


def act(done: str, does: Callable[[], object], **values: Any) -> None:
    """Do something and draw the page again with words on what was done, or show kindly why it was not."""
    with kindly():
        does()
        flash(done, **values)
        st.rerun()


def on_script_error(error: Exception) -> bool:
    """Say that something failed; the log learns which error and where, never its text, which may quote a value."""
    places = " < ".join(
        f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)[:-6:-1]
    )
    LOG.error("%s at %s", type(error).__name__, places)
    box(say_html("failed"))
    return True


def show_problems(problems: Sequence[Problem], *, intro: str = "mend") -> None:
    """Show every problem: where it is, in words and by its path; what was found, what is allowed and what to do."""
    items = joined(fill("<li>{}</li>", _problem(problem)) for problem in problems)
    box(fill("<p>{}</p><ul>{}</ul>", say_html(intro), items))


def _problem(problem: Problem) -> Html:
    key = "problem_remedy" if problem.remedy else "problem"
    where = place(problem.path)
    path = fill("<strong>{}</strong>", where)
    if where != problem.path and problem.path:
        path = fill("{} <small><code>{}</code></small>", path, problem.path)
    found = say("nothing") if problem.found in EMPTY else problem.found
    return say_html(key, path=path, found=found, allowed=problem.allowed, remedy=problem.remedy)


def box(content: Html, *, kind: str = "alert") -> None:
    """Show a framed message; `alert` is read out at once."""
    st.html(
        fill('<div class="dp-box dp-{}" role="{}">{}</div>', kind, "alert" if kind == "alert" else "status", content)
    )


STATISTIC = re.compile(r"statistics\[(\d+)\](?:\.(.+))?")
COLUMN = re.compile(r"columns\.([^.]+)(?:\.(.+))?")


def place(path: str) -> str:
    """Name what a problem is about; by its path where there is no word for it."""
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
