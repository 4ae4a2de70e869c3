"""Apache Spark 4: tables in Parquet or a catalogue, answered by the cluster that has them. Needs `dprelease[spark]`."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import SparkSession

from dprelease.errors import InputError
from dprelease.table.answer import Session, Table, TableError
from dprelease.table.dialect import DATE, DAY, NUMBER, WORD, Dialect
from dprelease.table.warehouse import Warehouse

INTEGERS = ("tinyint", "smallint", "int", "bigint")
FLOATS = ("float", "double")
TIMES = ("timestamp", "timestamp_ntz")
VIEW = "dprelease_table"
"""A name in the session's own catalogue for the table; it is gone with the session, and holds no rows."""
SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.variable.substitute": "false",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
}
STARTED_WITH = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "OFF"}
PATIENCE_SECONDS = 10
IDLE_SECONDS = 60
"""The application leaves the cluster when it was asked nothing for so long."""


class Spark(Dialect):
    """Casts are tried, so that no error depends on the data; sums are of decimals, since whole numbers wrap."""

    double_type = "DOUBLE"
    integers = INTEGERS

    def name(self, identifier: str) -> str:
        return "`" + identifier.replace("`", "``") + "`"

    def text(self, value: str) -> str:
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def category_code(self, x: str, categories: Sequence[str], other: bool) -> str:
        listed = ", ".join(self.text(category) for category in categories)
        position = f"(NULLIF(ARRAY_POSITION(ARRAY({listed}), {x}), 0) - 1)"
        if not other:
            return position
        return f"CASE WHEN {x} IS NULL THEN NULL ELSE COALESCE({position}, {len(categories)}) END"

    def as_text(self, x: str, storage: str) -> str:
        text = f"CAST({x} AS STRING)"
        if storage in FLOATS:
            return self._float_text(x, text)
        if storage.startswith("decimal") and not storage.endswith(",0)"):
            return f"RTRIM('.', RTRIM('0', {text}))"
        return f"CONCAT({text}, '+00')" if storage == "timestamp" else text

    def _float_text(self, x: str, text: str) -> str:
        """Java's text of a float, as other engines write it: 1e-05 for 1.0E-5, 12345678.5 for 1.23456785E7."""
        parts = self.text("^(-?[0-9]+(?:[.][0-9]*[1-9])?)(?:[.]0)?E(-?)([0-9]+)$")
        mantissa, sign, exponent = (f"REGEXP_EXTRACT({text}, {parts}, {place})" for place in (1, 2, 3))
        written = (
            f"CONCAT({mantissa}, 'e', CASE {sign} WHEN '-' THEN '-' ELSE '+' END, "
            f"CASE WHEN LENGTH({exponent}) < 2 THEN CONCAT('0', {exponent}) ELSE {exponent} END)"
        )
        plain = f"RTRIM('.', RTRIM('0', CAST(TRY_CAST({text} AS DECIMAL(38, 21)) AS STRING)))"
        return (
            f"CASE WHEN {x} = CAST('NaN' AS DOUBLE) THEN NULL WHEN {x} = CAST('Infinity' AS DOUBLE) THEN 'inf' "
            f"WHEN {x} = CAST('-Infinity' AS DOUBLE) THEN '-inf' "
            f"WHEN ABS({x}) < 9.2E18D AND {x} = FLOOR({x}) THEN CAST(CAST({x} AS BIGINT) AS STRING) "
            f"WHEN ABS({x}) >= 1E-4D AND ABS({x}) < 1E16D THEN {plain} ELSE {written} END"
        )

    def as_double(self, x: str, storage: str) -> str:
        if storage != "string":
            return x if storage == "double" else f"CAST({x} AS DOUBLE)"
        return f"CASE WHEN {x} RLIKE {self.text(NUMBER)} THEN TRY_CAST(REPLACE({x}, '_', '') AS DOUBLE) END"

    def as_date(self, x: str, storage: str) -> str:
        if storage != "string":
            return x if storage == "date" else f"CAST({x} AS DATE)"
        year, month, day = (f"REGEXP_EXTRACT({x}, {self.text(DAY)}, {place})" for place in (1, 3, 4))
        text = f"CONCAT(LPAD({year}, 4, '0'), '-', {month}, '-', {day})"
        return f"CASE WHEN {x} RLIKE {self.text(DATE)} THEN TRY_CAST({text} AS DATE) END"

    def days_between(self, first: str, last: str) -> str:
        return f"CAST(DATEDIFF({last}, {first}) AS BIGINT)"

    def identifier(self, x: str, storage: str) -> str:
        return f"CAST({x} AS BIGINT)" if storage in INTEGERS else self.as_text(x, storage)

    def identifier_number(self, u: str, storage: str) -> str:
        if storage in INTEGERS:
            return u
        number = f"TRY_CAST({u} AS BIGINT)"
        return f"CASE WHEN CAST({number} AS STRING) = {u} THEN {number} ELSE {self.text_number(u)} END"

    def text_number(self, x: str) -> str:
        return f"CAST(CONV(SUBSTR(SHA2({x}, 256), 1, 15), 16, 10) AS BIGINT)"

    def has_text(self, storage: str) -> bool:
        return storage in (*INTEGERS, *FLOATS, *TIMES, "string", "boolean", "date") or storage.startswith("decimal")

    def has_numbers(self, storage: str) -> bool:
        return storage in (*INTEGERS, *FLOATS, "string", "boolean") or storage.startswith("decimal")

    def has_dates(self, storage: str) -> bool:
        return storage in (*TIMES, "string", "date")

    def shifted(self, x: str, bits: int) -> str:
        return f"SHIFTRIGHT({x}, {bits})"

    def divided(self, numerator: str, denominator: int) -> str:
        return f"({numerator} DIV {denominator})"

    def exact_sum(self, x: str) -> str:
        return f"COALESCE(SUM(CAST({x} AS DECIMAL(38, 0))), 0)"

    def low(self, total: str) -> str:
        return f"CAST({total} % {WORD} AS BIGINT)"

    def high(self, total: str) -> str:
        return f"CAST({total} DIV {WORD} AS BIGINT)"


@dataclass(frozen=True)
class _Asking(Session):
    """Queries of one session, whose view lists the table's files once."""

    spark: SparkSession

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self.spark.sql(sql).collect()]

    def columns(self, sql: str) -> Mapping[str, NDArray[Any]]:
        found = self.spark.sql(sql).toArrow()
        return {name: np.asarray(found.column(name)).astype(np.int64, copy=False) for name in found.column_names}


class Cluster(Warehouse):
    """One table of a cluster, or of Spark in this machine's processes (`local`)."""

    @contextmanager
    def session(self) -> Iterator[Session]:
        with self._opened() as spark:
            yield _Asking(spark)

    def table(self) -> Table:
        with self._opened() as spark:
            storage = {field.name: field.dataType.simpleString() for field in spark.table(VIEW).schema.fields}
        return Table(VIEW, storage, Spark())

    @contextmanager
    def _opened(self) -> Iterator[SparkSession]:
        address = self.address
        try:
            with _application(self._master()) as application:
                spark = application.newSession()
                for name, value in SETTINGS.items():
                    spark.conf.set(name, value)
                if address.table:
                    found = spark.table(".".join(Spark().name(part) for part in address.table))
                else:
                    folder = address.option("parquet") or "/" + "/".join(address.path)
                    found = spark.read.option("recursiveFileLookup", "true").parquet(folder)
                found.createTempView(VIEW)
                yield spark
        except (PySparkException, Py4JError, OSError) as cause:
            raise _translated(cause) from None

    def _master(self) -> str:
        address = self.address
        if address.port is None:
            return "local[*]"
        with socket.create_connection((address.host, address.port), timeout=PATIENCE_SECONDS):
            return f"spark://{address.host}:{address.port}"


_lock = threading.RLock()
_uses = 0
_leaving: threading.Timer | None = None


@contextmanager
def _application(master: str) -> Iterator[SparkSession]:
    """This process's Spark application at a master: a process has one at a time, and starting it takes seconds."""
    global _uses, _leaving
    with _lock:
        active = SparkSession.getActiveSession()
        if active is not None and active.sparkContext.master != master and _uses == 0:
            active.stop()
        if _leaving is not None:
            _leaving.cancel()
        builder = SparkSession.builder.appName("dprelease").master(master)
        for name, value in STARTED_WITH.items():
            builder = builder.config(name, value)
        application = builder.getOrCreate()
        if application.sparkContext.master != master:
            raise InputError(
                "connection", found="another cluster in use", allowed="one cluster at a time", remedy="Try again."
            )
        _uses += 1
    try:
        yield application
    finally:
        with _lock:
            _uses -= 1
            _leaving = threading.Timer(IDLE_SECONDS, _leave)
            _leaving.daemon = True
            _leaving.start()


def _leave() -> None:
    with _lock:
        active = SparkSession.getActiveSession() or SparkSession._instantiatedSession
        if _uses == 0 and active is not None:
            active.stop()


def _translated(cause: Exception) -> Exception:
    """The one place where Spark's errors become ours. Their own messages may quote values."""
    if isinstance(cause, AnalysisException):
        return InputError(
            "table",
            found="no such table or folder, no permission to read it, or a column that is no longer there",
            allowed="the table as it was registered, for the account that dprelease runs as",
        )
    if isinstance(cause, OSError) or "GATEWAY" in str(getattr(cause, "getCondition", lambda: "")()):
        return InputError(
            "connection",
            found="a cluster that cannot be reached" if isinstance(cause, OSError) else "no Java on this machine",
            allowed="a Spark master that answers at the address, and Java 17 or later here",
        )
    return TableError("the cluster could not answer: it stopped with an error of its own. Its log says more.")
