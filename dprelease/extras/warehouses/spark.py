"""Apache Spark 4: tables in Parquet or a catalogue, answered by the cluster that has them. Needs `dprelease[spark]`."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame, SparkSession

from dprelease.errors import InputError
from dprelease.extras.warehouses.spark_application import application, leave, limited
from dprelease.extras.warehouses.spark_dialect import Spark
from dprelease.extras.warehouses.spark_fault import FAULTS, translated
from dprelease.table.answer import Session, Table
from dprelease.table.connection import METADATA, refuse
from dprelease.table.warehouse import Warehouse
from dprelease.words import phrase

__all__ = ["Cluster", "Spark", "leave"]

VIEW = "dprelease_table"
"""A name in the session's own catalogue for the table; it is gone with the session, and holds no rows."""
SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.variable.substitute": "false",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
}
PATIENCE_SECONDS = 10
PATTERN = "*?[]{}\\"
"""Characters that make a pattern of a path."""


@dataclass(frozen=True)
class SparkQueries(Session):
    """Queries of one session, whose view lists the table's files once."""

    spark: SparkSession

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with limited(self.spark):
            return [tuple(row) for row in self.spark.sql(sql).collect()]

    def columns(self, sql: str) -> Mapping[str, NDArray[Any]]:
        with limited(self.spark):
            found = self.spark.sql(sql).toArrow()
        return {name: np.asarray(found.column(name)).astype(np.int64, copy=False) for name in found.column_names}


class Cluster(Warehouse):
    """One table of a cluster, or of Spark in this machine's processes (`local`)."""

    dialect = Spark

    @contextmanager
    def session(self) -> Iterator[Session]:
        with self._opened() as spark:
            with limited(spark):
                self._found(spark).createTempView(VIEW)
            yield SparkQueries(spark)

    @contextmanager
    def apart(self) -> Iterator[Session]:
        with self._opened() as spark:
            yield SparkQueries(spark)

    def table(self) -> Table:
        with self._opened() as spark, limited(spark):
            storage = {field.name: field.dataType.simpleString() for field in self._found(spark).schema.fields}
        return Table(VIEW, storage, Spark())

    @contextmanager
    def _opened(self) -> Iterator[SparkSession]:
        try:
            with application(self._master(), self.scratch) as spark:
                with limited(spark):
                    for name, value in SETTINGS.items():
                        spark.conf.set(name, value)
                yield spark
        except FAULTS as cause:
            raise translated(cause) from None

    def _found(self, spark: SparkSession) -> DataFrame:
        """Return the table, or the Parquet files of a folder that is no table of another format."""
        if self.address.table:
            return spark.table(".".join(Spark().name(part) for part in self.address.table))
        folder = self.address.option("parquet") or "/" + "/".join(self.address.path)
        if any(sign in folder for sign in PATTERN):
            raise InputError("table", found=phrase("table.pattern_folders"), allowed=phrase("table.one_folder_path"))
        reader = spark.read.option("recursiveFileLookup", "true").option("pathGlobFilter", "*.parquet")
        found = reader.parquet(folder)
        _check_format(spark, folder, found.inputFiles())
        return found

    def _master(self) -> str:
        address = self.address
        if address.port is None:
            return "local[*]"
        with socket.create_connection((address.host, address.port), timeout=PATIENCE_SECONDS):
            return f"spark://{address.host}:{address.port}"


def _check_format(spark: SparkSession, folder: str, files: Sequence[str]) -> None:
    """Raises InputError where the folder, one above it or one below it belongs to a table of another format."""
    deepest = max((name.rstrip("/").count("/") for name in files), default=0)
    java = spark.sparkContext._jvm.org.apache.hadoop.fs
    system = java.Path(folder).getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
    top = system.makeQualified(java.Path(folder))
    places = [top.toString() + "/*" * below for below in range(1 + max(0, deepest - top.toString().count("/")))]
    above = top.getParent()
    while above is not None:
        places.append(above.toString())
        above = above.getParent()
    for kind, patterns in METADATA.items():
        for place in places:
            if any(system.globStatus(java.Path(f"{place.rstrip('/')}/{pattern}")) for pattern in patterns):
                refuse(kind)
