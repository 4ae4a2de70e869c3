"""The one tree of errors. No message ever holds a value from a private table.

What an error says is a phrase, which becomes words in the language of whoever reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec

from dprelease.words.phrases import NOTHING, Figure, Phrase, phrase, quoted, visible

ASKED = "reading.ask"
"""The code of an error that is a question: something may be read in several ways, and somebody has to say in which."""
LONGEST = 400
"""Return the words of a place in an error, which may hold a key that somebody made up."""


class DPReleaseError(Exception):
    """Anything this program raises on purpose. `exit_code`: that of a command that ends with it.

    Example: `dp.Plan.load("none.yaml")` raises it.
    """

    exit_code = 1

    def __reduce__(self) -> tuple[object, ...]:
        """Return how another process has the same error, whatever its subclass takes."""
        return _again, (type(self), self.args, vars(self))


def _again(cls: type[DPReleaseError], args: tuple[object, ...], facts: Mapping[str, object]) -> DPReleaseError:
    error = cls.__new__(cls, *args)
    vars(error).update(facts)
    return error


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with an input: where, what was found, what is allowed, what to do."""

    path: str
    found: Phrase | str
    """Words of ours, or what the person gave, quoted."""
    allowed: Phrase
    remedy: Phrase = NOTHING
    answers: tuple[str, ...] | None = None
    """Possible answers of a question that has to be answered first, empty where these are no list. Else None."""

    def to_mapping(self) -> dict[str, object]:
        """Return the problem as JSON, without a language."""
        found = self.found.to_mapping() if isinstance(self.found, Phrase) else self.found
        allowed, remedy = self.allowed.to_mapping(), self.remedy.to_mapping() if self.remedy else None
        asked = {} if self.answers is None else {"answers": list(self.answers)}
        return {"path": self.path, "found": found, "allowed": allowed, "remedy": remedy, **asked}

    def __str__(self) -> str:
        place = visible(self.path if len(self.path) <= LONGEST else self.path[: LONGEST - 3] + "...")
        key = "errors.problem_remedy" if self.remedy else "errors.problem"
        values = {"found": self.found, "allowed": self.allowed, "remedy": self.remedy}
        return str(phrase(key, place=place, **values))


class InputError(DPReleaseError):
    """Something the person gave is not usable. Holds every problem found, not only the first.

    Example: `ws.releases.get("none")` raises it.
    """

    exit_code = 3

    def __init__(self, path: str, *, found: object, allowed: Phrase, remedy: Phrase = NOTHING) -> None:
        """`found`: words of ours, or a value given by the person, which is quoted."""
        self.problems: tuple[Problem, ...] = (problem(path, found, allowed, remedy),)
        super().__init__(path)

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))

    @property
    def code(self) -> str:
        """`reading.ask` where something has to be answered first, else empty."""
        return ASKED if self.questions else ""

    @property
    def questions(self) -> tuple[Problem, ...]:
        """Problems that are questions, each with its answers."""
        return tuple(problem for problem in self.problems if problem.answers is not None)

    @classmethod
    def from_problems(cls, problems: Iterable[Problem]) -> InputError:
        """Gathers many problems in one error."""
        error = cls.__new__(cls)
        error.problems = tuple(problems)
        return error


def problem(path: str, found: object, allowed: Phrase, remedy: Phrase = NOTHING) -> Problem:
    """Makes one with what was found quoted, where it is no phrase of ours."""
    return Problem(path, found if isinstance(found, Phrase) else quoted(found), allowed, remedy)


def question(path: str, found: object, allowed: Phrase, remedy: Phrase, *, answers: Iterable[str] = ()) -> Problem:
    """Makes one that somebody has to answer. `answers`: what may be said, where that is a list."""
    return replace(problem(path, found, allowed, remedy), answers=tuple(answers))


class NewerFormatError(InputError):
    """A bundle or a workspace was written by a later format than this program reads."""


class NotFoundError(InputError):
    """A path, a dataset, a plan or a release that was named is not there.

    Example: `dp.Plan.load("none.yaml")` raises it.
    """

    exit_code = 7


class UploadError(InputError):
    """A table could not be read."""


class SchemaError(InputError):
    """The declaration of a table's columns is not usable.

    Example: `dp.Schema.parse({"age": {"type": "integer"}})` raises it.
    """


class PlanError(InputError):
    """A plan is not usable.

    Example: `dp.Plan.parse({"dataset": "visits"})` raises it.
    """


class RefusalError(DPReleaseError):
    """An error whose words are one phrase."""

    def __init__(self, said: Phrase) -> None:
        self.said = said
        super().__init__(said)


class MissingPartError(RefusalError):
    """An installation lacks a part that is asked for."""


def need(part: str, module: str) -> None:
    """Raise MissingPartError, with the command that installs it, where a module of a part is not installed."""
    if find_spec(module) is None:
        raise MissingPartError(phrase("errors.missing_part", part=part))


class BudgetError(RefusalError):
    """The budget does not allow it.

    Example: `ws.publish(plan.replace(epsilon=90))` raises it.
    """

    exit_code = 4


class InsufficientBudgetError(BudgetError):
    """A charge would exceed the population's cap. Amounts are decimal texts, such as '0.25'."""

    def __init__(self, population: str, *, requested: str, remaining: str) -> None:
        self.population = population
        self.requested = requested
        self.remaining = remaining
        amounts = {"requested": Figure(requested), "remaining": Figure(remaining)}
        super().__init__(phrase("errors.over_budget", population=quoted(population), **amounts))


class AccessError(RefusalError):
    """The actor may not do this.

    Example: `ws.publish(plan, actor=dp.Actor("anybody"))` raises it.
    """

    exit_code = 3


class WaitingError(AccessError):
    """A plan, with the id `plan`, that waits for the approval of a person."""

    exit_code = 5

    def __init__(self, said: Phrase, plan: str) -> None:
        self.plan = plan
        super().__init__(said)


class ConfirmationError(AccessError):
    """Raised where somebody in a session has to show anew who they are.

    `way`: by a `password`, by that and a `code`, at the `provider`; `link` where there is none of these.
    """

    def __init__(self, way: str) -> None:
        self.way = way
        super().__init__(phrase(f"errors.confirm_{way}"))


class NoiseLibraryError(RefusalError):
    """The library that draws noise did not pass its test, or is a version that was never tried."""

    exit_code = 3


class IntegrityError(RefusalError):
    """Stored or bundled bytes are not what was signed.

    Example: `dp.verify(bundle, key=dp.Workspace.in_memory().public_key)` raises it.
    """

    exit_code = 6


class InternalError(DPReleaseError):
    """A bug of ours."""
