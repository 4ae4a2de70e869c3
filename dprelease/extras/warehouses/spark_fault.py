"""Faults on a cluster, by the file or column concerned and never by a value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException, PySparkException

from dprelease.errors import InputError
from dprelease.table.answer import TableError
from dprelease.words import Phrase, phrase, quoted
from dprelease.words.phrases import visible

FAULTS = (PySparkException, Py4JError, OSError)
"""Exceptions of Spark's client. Their own messages may quote values."""
MAX_CAUSES = 20
WHOLE = phrase("table.folder_whole_parquet_files")


def translated(cause: Exception) -> Exception:
    """Translate Spark's errors into ours, here alone."""
    conditions = list(_conditions(cause))
    for condition, said in conditions:
        if condition.startswith("FAILED_READ_FILE"):
            return _file(condition, said)
        if condition.startswith("UNRESOLVED_COLUMN"):
            return _table(phrase("table.no_column", unknown=_name(said.get("objectName", ""))))
        if condition == "UNABLE_TO_INFER_SCHEMA":
            return _table(phrase("table.folder_without_parquet_files"))
        if condition == "PARQUET_TYPE_ILLEGAL":
            return InputError(
                "table",
                found=phrase("table.column_parquet_type", get=said.get("parquetType", "")),
                allowed=phrase("table.types_spark_reads"),
                remedy=phrase("table.write_times_microseconds_instead"),
            )
    if isinstance(cause, OSError):
        return _unreachable(phrase("table.cluster_cannot_reached"))
    if any("GATEWAY" in condition for condition, _ in conditions):
        return _unreachable(phrase("table.no_java_machine"))
    if isinstance(cause, AnalysisException):
        return _table(phrase("table.no_such_table_folder"))
    named = ", ".join(dict.fromkeys(condition for condition, _ in conditions)) or type(cause).__name__
    return TableError(f"the cluster could not answer: {named}. The logs of its workers say more.")


def _file(condition: str, said: dict[str, str]) -> InputError:
    name = said.get("path", "").rpartition("/")[2]
    if "column" in said:
        column, kind = _name(said["column"]), said.get("actualType", phrase("table.another_type"))
        found = phrase(
            "table.whose_column",
            name=quoted(name),
            column=column,
            kind=kind,
            get=said.get("expectedType", "as in other files"),
        )
        return InputError("table", found=found, allowed=phrase("table.files_whose_columns_one"))
    if condition.endswith("NOT_EXIST"):
        return InputError("table", found=phrase("table.file_there_any_more", name=quoted(name)), allowed=WHOLE)
    return InputError("table", found=phrase("table.file_cannot_read_2", name=quoted(name)), allowed=WHOLE)


def _table(found: Phrase) -> InputError:
    allowed = phrase("table.table_was_registered_account")
    return InputError("table", found=found, allowed=allowed)


def _unreachable(found: Phrase) -> InputError:
    allowed = phrase("table.spark_master_answers_at")
    return InputError("connection", found=found, allowed=allowed)


def _name(text: str) -> str:
    return visible(repr(text.strip("[]`")))


def _conditions(cause: Exception) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield Spark's error conditions and their message parameters, from the outermost error to its first cause."""
    if isinstance(cause, PySparkException) and (condition := cause.getCondition()):
        yield condition, dict(cause.getMessageParameters() or {})
    java: Any = getattr(cause, "_origin", None) or getattr(cause, "java_exception", None)
    for _ in range(MAX_CAUSES):
        if java is None:
            return
        try:
            condition = java.getCondition()
            if condition:
                yield str(condition), {str(key): str(value) for key, value in dict(java.getMessageParameters()).items()}
        except (Py4JError, TypeError):
            pass  # an error of Java's own has no condition
        java = java.getCause()
