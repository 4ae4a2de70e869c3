"""What went wrong on a cluster, by the file or column concerned and never by a value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException, PySparkException

from dprelease.errors import InputError, legible
from dprelease.table.answer import TableError

FAULTS = (PySparkException, Py4JError, OSError)
"""What Spark's client raises. Their own messages may quote values."""
MOST_CAUSES = 20
WHOLE = "a folder of whole Parquet files"


def translated(cause: Exception) -> Exception:
    """The one place where Spark's errors become ours."""
    conditions = list(_conditions(cause))
    for condition, said in conditions:
        if condition.startswith("FAILED_READ_FILE"):
            return _file(condition, said)
        if condition.startswith("UNRESOLVED_COLUMN"):
            return _table(f"no column {_name(said.get('objectName', ''))}")
        if condition == "UNABLE_TO_INFER_SCHEMA":
            return _table("a folder without Parquet files, named *.parquet")
        if condition == "PARQUET_TYPE_ILLEGAL":
            return InputError(
                "table",
                found=f"a column of the Parquet type {said.get('parquetType', '')}",
                allowed="types that Spark reads",
                remedy="Write times in microseconds instead.",
            )
    if isinstance(cause, OSError):
        return _unreachable("a cluster that cannot be reached")
    if any("GATEWAY" in condition for condition, _ in conditions):
        return _unreachable("no Java on this machine")
    if isinstance(cause, AnalysisException):
        return _table("no such table or folder, no permission to read it, or a column that is no longer there")
    named = ", ".join(dict.fromkeys(condition for condition, _ in conditions)) or type(cause).__name__
    return TableError(f"the cluster could not answer: {named}. The logs of its workers say more.")


def _file(condition: str, said: dict[str, str]) -> InputError:
    name = said.get("path", "").rpartition("/")[2]
    if "column" in said:
        column, kind = _name(said["column"]), said.get("actualType", "of another type")
        found = f"{name!r}, whose column {column} is {kind}, not {said.get('expectedType', 'as in other files')}"
        return InputError("table", found=found, allowed="files whose columns have one type")
    if condition.endswith("NOT_EXIST"):
        return InputError("table", found=f"the file {name!r}, which is not there any more", allowed=WHOLE)
    return InputError("table", found=f"the file {name!r}, which cannot be read", allowed=WHOLE)


def _table(found: str) -> InputError:
    allowed = "the table as it was registered, for the account that dprelease runs as"
    return InputError("table", found=found, allowed=allowed)


def _unreachable(found: str) -> InputError:
    allowed = "a Spark master that answers at the address, and Java 17 or later here"
    return InputError("connection", found=found, allowed=allowed)


def _name(text: str) -> str:
    return legible(repr(text.strip("[]`")))


def _conditions(cause: Exception) -> Iterator[tuple[str, dict[str, str]]]:
    """What Spark calls what happened, from the outermost error to its first cause, and what its message is made of."""
    if isinstance(cause, PySparkException) and (condition := cause.getCondition()):
        yield condition, dict(cause.getMessageParameters() or {})
    java: Any = getattr(cause, "_origin", None) or getattr(cause, "java_exception", None)
    for _ in range(MOST_CAUSES):
        if java is None:
            return
        try:
            condition = java.getCondition()
            if condition:
                yield str(condition), {str(key): str(value) for key, value in dict(java.getMessageParameters()).items()}
        except (Py4JError, TypeError):
            pass  # an error of Java's own has no condition
        java = java.getCause()
