"""What a kind of statistic says of itself in its source."""

from __future__ import annotations

import ast
import inspect
import textwrap

from dprelease.errors import InternalError
from dprelease.model.statistic import Statistic


def check_words(kind: type[Statistic]) -> None:
    """Raises InternalError where a kind does not say its sensitivity, how it is made private, what its numbers are, or
    what an option means."""
    documents = " ".join(inspect.getdoc(ancestor) or "" for ancestor in kind.__mro__[:2])
    if "sensitivity" not in documents.lower():
        raise InternalError(f"{kind.kind}: its docstring does not say its sensitivity")
    if "oise" not in documents and "chosen privately" not in documents:
        raise InternalError(
            f"{kind.kind}: its docstring does not say which noise it gets, or how it is chosen privately"
        )
    named = next(ancestor for ancestor in kind.__mro__ if "kind" in vars(ancestor))
    if "presentation" not in vars(named):
        raise InternalError(f"{kind.kind}: it does not say what its numbers are (presentation)")
    untold = undocumented(kind)
    if untold:
        raise InternalError(f"{kind.kind}: options without a docstring below them: {', '.join(untold)}")


def undocumented(kind: type[Statistic]) -> list[str]:
    """The options of a kind without a docstring below them, as its source file has it."""
    told = set()
    for ancestor in kind.__mro__:
        if issubclass(ancestor, Statistic):
            (definition,) = ast.parse(textwrap.dedent(inspect.getsource(ancestor))).body
            assert isinstance(definition, ast.ClassDef)
            for field, below in zip(definition.body, definition.body[1:], strict=False):
                match field, below:
                    case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str())):
                        told.add(name)
    return [name for name in kind.options() if name not in told]
