"""The one tree of errors. No message ever holds a value from a private table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

LONGEST = 400
"""Of a place in an error, which may hold a key that somebody made up."""


class DPReleaseError(Exception):
    """Anything this program raises on purpose."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with an input: where, what was found, what is allowed, what to do."""

    path: str
    found: str
    allowed: str
    remedy: str = ""

    def __str__(self) -> str:
        place = legible(self.path if len(self.path) <= LONGEST else self.path[: LONGEST - 3] + "...")
        text = f"{place}: found {self.found}; allowed: {self.allowed}"
        return f"{text}. {self.remedy}" if self.remedy else text


def shown(value: object) -> str:
    """How a value given by the person is quoted back in a message: short and without control characters."""
    if isinstance(value, int) and abs(value) >= 10**80:
        return "a number of more than 80 digits"
    text = repr(value) if isinstance(value, str) else format(value, "f") if isinstance(value, Decimal) else str(value)
    return legible(text if len(text) <= 80 else text[:77] + "...")


def legible(text: str) -> str:
    """Without characters that nobody can read, such as those that direct a terminal or turn the direction of text."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


class InputError(DPReleaseError):
    """Something the person gave is not usable. Holds every problem found, not only the first."""

    def __init__(self, path: str, *, found: object, allowed: str, remedy: str = "") -> None:
        self.problems: tuple[Problem, ...] = (Problem(path, shown(found), allowed, remedy),)
        super().__init__(str(self.problems[0]))

    @classmethod
    def from_problems(cls, problems: Iterable[Problem]) -> InputError:
        """Gathers many problems in one error."""
        gathered = tuple(problems)
        error = cls.__new__(cls)
        error.problems = gathered
        Exception.__init__(error, "\n".join(map(str, gathered)))
        return error


class UploadError(InputError):
    """A table could not be read."""


class SchemaError(InputError):
    """The declaration of a table's columns is not usable."""


class PlanError(InputError):
    """A plan is not usable."""


class BudgetError(DPReleaseError):
    """The budget does not allow it."""


class InsufficientBudgetError(BudgetError):
    """A charge would exceed the population's cap. Amounts are decimal texts, such as '0.25'."""

    def __init__(self, population: str, *, requested: str, remaining: str) -> None:
        self.population = population
        self.requested = requested
        self.remaining = remaining
        super().__init__(
            f"population {population!r} has {remaining} left and the plan asks for {requested}. "
            "Lower the plan's ε, or ask for a higher cap."
        )


WAYS = {
    "password": "give your password",
    "code": "give your password and a code of your second factor",
    "provider": "sign in at the identity provider",
    "link": "ask for a new sign-in link, and set a password within an hour of using it",
}


class AccessError(DPReleaseError):
    """The actor may not do this."""


class ConfirmationError(AccessError):
    """Who acts in a session has to show anew that it is them.

    `way`: by a `password`, by that and a `code`, at the `provider`; `link` where there is none of these.
    """

    def __init__(self, way: str) -> None:
        self.way = way
        super().__init__(f"show anew that it is you: {WAYS[way]}")


class IntegrityError(DPReleaseError):
    """Stored or bundled bytes are not what was signed."""


class InternalError(DPReleaseError):
    """A bug of ours."""
