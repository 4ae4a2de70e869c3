"""Basis of all operations of a workspace: its state, and who acts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache, partial, wraps
from html import escape
from inspect import cleandoc, getattr_static, isfunction, signature
from pathlib import Path
from textwrap import indent
from typing import Any, ClassVar

from dprelease.errors import AccessError, ConfirmationError, InputError, InsufficientBudgetError
from dprelease.model.actor import OWNER, Actor, Role
from dprelease.model.plan import Plan
from dprelease.model.report import Report, nearest
from dprelease.model.view import as_table
from dprelease.store import people, refused, sessions
from dprelease.store.facts import WorkspaceMode, mode
from dprelease.store.refused import Why
from dprelease.words import phrase, quoted, verbatim
from dprelease.workspace.access import ANEW, ANYONE, PERMISSIONS, authorise
from dprelease.workspace.state import State

MAX_SHOWN = 20
"""Lines of a table."""
MAX_TEXT = 2000
EXAMPLES = Path(__file__).with_name("examples.txt")
TAKEN = {
    "Plan": (Plan, verbatim('Plan.load("plan.yaml"), Plan.parse({...})')),
    "Plan | str": (Plan | str, verbatim('Plan.load("plan.yaml"), Plan.parse({...})')),
    "Actor | None": (Actor | None, verbatim('workspace.people.get("name")')),
}
"""Types of arguments that are checked, as they are annotated, and how one is had."""
Find = Callable[[], tuple[str, str]]


_wrong: ContextVar[Callable[[], InputError] | None] = ContextVar("wrong", default=None)
"""Refusal of an argument of another type, until the role is checked."""


def _taking(method: Any, kinds: Mapping[str, str]) -> Any:
    """Return a method that refuses an argument of another type, once the role is checked: how is one had?"""
    names = list(signature(method).parameters)

    @wraps(method)
    def checked(*given: Any, **named: Any) -> Any:
        found = (dict(zip(names, given, strict=False)) | named).items()
        wrong = next(
            ((key, is_) for key, is_ in found if key in kinds and not isinstance(is_, TAKEN[kinds[key]][0])), None
        )
        if wrong is None:
            return method(*given, **named)
        refusal = partial(_refused, *wrong, kinds[wrong[0]])
        token = _wrong.set(refusal)
        try:
            return method(*given, **named)
        except (AttributeError, TypeError):
            raise refusal() from None
        finally:
            _wrong.reset(token)

    return checked


def _refused(name: str, value: object, kind: str) -> InputError:
    found = phrase("model.code_found_type", type=type(value).__name__, value=quoted(value))
    return InputError(name, found=found, allowed=verbatim(kind), remedy=TAKEN[kind][1])


@cache
def examples() -> Mapping[str, Mapping[str, str]]:
    """Return an example of each operation, by noun and name."""
    found: dict[str, dict[str, str]] = {}
    for each in EXAMPLES.read_text(encoding="utf-8").split("\n# ")[1:]:
        place, _, example = each.partition("\n")
        noun, _, name = place.partition(".")
        found.setdefault(noun, {})[name] = example.strip()
    return found


class Operations:
    """Every operation takes the acting person as `actor` and checks their role itself."""

    def __init_subclass__(cls) -> None:
        for name, example in examples().get(cls.__name__.lower(), {}).items():
            found = getattr_static(cls, name)
            told = found if isfunction(found) or isinstance(found, property) else found.__func__
            told.__doc__ = f"{cleandoc(told.__doc__ or '')}\n\nExample:\n{indent(example, '    ')}"
        for name, method in list(vars(cls).items()):
            kinds = {key: said for key, said in getattr(method, "__annotations__", {}).items() if said in TAKEN}
            if isfunction(method) and kinds and not name.startswith("_"):
                setattr(cls, name, _taking(method, kinds))

    def __init__(self, state: State) -> None:
        self._state = state

    def __reduce__(self) -> Any:
        raise TypeError(phrase("workspace.workspace_stays"))

    @property
    def _mode(self) -> WorkspaceMode:
        return mode(self._state.database)

    def _act(self, operation: str, actor: Actor | None) -> Actor:
        """Check an operation, and return who acts: in a solo workspace the owner, where nobody is named."""
        if actor is None and PERMISSIONS[operation] != ANYONE and self._mode is WorkspaceMode.TEAM:
            raise AccessError(phrase("workspace.workspace_team_every_operation"))
        acting = OWNER if actor is None else actor
        authorise(operation, acting)
        self._check_confirmed(operation, acting)
        if (refusal := _wrong.get()) is not None:
            raise refusal()
        self._state.look_after()
        return acting

    @contextmanager
    def _telling(self, find: Find, actor: Actor | None, **about: str | int) -> Iterator[None]:
        """Have the ledger tell of an approval that is refused to somebody with a role here.

        `find`: the population and the author of what is decided; asked of only then, since a stranger learns nothing.
        """
        try:
            yield
        except ConfirmationError:
            raise
        except (AccessError, InsufficientBudgetError) as error:
            if actor is not None and actor.roles:
                with suppress(InputError):  # there is no such thing
                    population, author = find()
                    may_not = Why.OWN if actor.name == author and Role.REVIEWER in actor.roles else Why.ROLE
                    why = Why.CAP if isinstance(error, InsufficientBudgetError) else may_not
                    refused.tell(self._state.database, population=population, about=about, why=why, actor=actor)
            raise

    def _check_confirmed(self, operation: str, actor: Actor) -> None:
        """Check that a session showed anew who acts, for operations that ask for that. Raises ConfirmationError.

        The owner of a solo workspace who signs in by links alone has nothing more to show: such a link comes from the
        terminal, which may do all of this.
        """
        if operation not in ANEW or actor.session is None:
            return
        if sessions.has_shown(self._state.database, actor.session.key):
            return
        person = people.get(self._state.database, actor.name)
        by_password = "code" if person.has_second_factor else "password" if person.has_password else "link"
        way = "provider" if person.subject else by_password
        if way == "link" and self._mode is WorkspaceMode.SOLO:
            return
        raise ConfirmationError(way)


class Noun(Operations):
    """The operations on things of one kind. It shows itself as a table: facts of the ledger, and never a value."""

    _listed: ClassVar[str]
    """The operation that lists these things. In a team it needs to know who asks, which no table does."""
    _heads: ClassVar[tuple[str, ...]]

    def _rows(self) -> list[tuple[str, ...]]:
        """Return a row for each thing, its name first; those that are shown, where there may be very many."""
        raise NotImplementedError

    def _how_many(self) -> int:
        return len(self._rows())

    def _is_shown(self) -> bool:
        return PERMISSIONS[self._listed] == ANYONE or self._mode is WorkspaceMode.SOLO

    def __iter__(self) -> Iterator[Any]:
        """Yield the things themselves. Raises AccessError in a team, where `find` takes who asks."""
        return iter(getattr(self, "find")())  # noqa: B009 (of the subclass)

    def __getitem__(self, name: str) -> Any:
        """Return one of them by its name. Raises KeyError with the nearest name."""
        with suppress(InputError, StopIteration):
            get: Callable[[str], Any] | None = getattr(self, "get", None)
            return get(name) if get else next(each for each in self if name in _names(each))
        raise KeyError(f"{name!r}. {nearest(name, self._ipython_key_completions_())}".rstrip(". "))

    def __contains__(self, name: object) -> bool:
        return any(name in _names(each) for each in self)

    def __len__(self) -> int:
        return self._how_many() if self._is_shown() else len(list(self))

    def __bool__(self) -> bool:
        return True

    def _ipython_key_completions_(self) -> list[str]:
        return [row[0] for row in self._rows()] if self._is_shown() else []

    def __repr__(self) -> str:
        name = type(self).__name__
        if not self._is_shown():
            return f"{name}(of a team: say who asks, by actor=)"
        names, more = [row[0] for row in self._rows()[:MAX_SHOWN]], self._how_many() - MAX_SHOWN
        return f"{name}({', '.join([*names, *([f'and {more} more'] if more > 0 else [])])})"

    def _repr_html_(self) -> str:
        if not self._is_shown():
            return f"<p>{escape(repr(self))}</p>"
        more = self._how_many() - MAX_SHOWN
        return as_table(self._heads, self._rows()[:MAX_SHOWN]) + (f"<p>and {more} more</p>" if more > 0 else "")


def _names(thing: object) -> set[object]:
    return {getattr(thing, key, None) for key in ("name", "id", "uid")} - {None}


def read_text(value: object, path: str, *, least: int = 1) -> str:
    """Return a text of at least so many characters, spaces around it not counted. Raises InputError."""
    report = Report()
    text = report.text(value, path, longest=MAX_TEXT)
    if len(text.strip()) < least:
        report.add(path, found=phrase("model.nothing"), allowed=phrase("workspace.some_words"))
    report.raise_any(InputError)
    return text.strip()
