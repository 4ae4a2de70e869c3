"""Servers that tests start for themselves, and stop."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.http import free_port

READER, PASSWORD = "reader", "s3cret-pass:word"


def postgres_binary(name: str) -> str | None:
    """Where a program of the PostgreSQL server is; Debian keeps them off the path."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return shutil.which(name) or next((str(place / name) for place in places if (place / name).exists()), None)


def ended(process: subprocess.Popen[bytes] | None) -> bool:
    """Tell whether a server has ended, within a moment in which it may become ready."""
    try:
        return process is not None and process.wait(timeout=0.05) is not None
    except subprocess.TimeoutExpired:
        return False


@dataclass
class PostgresServer:
    """A server of our own on loopback. `reader` may do nothing but what a test grants it."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [str(postgres_binary("postgres")), "-D", str(self.folder / "data"), "-p", str(self.port), "-k", ""]
        for setting in ("listen_addresses=127.0.0.1", "fsync=off", "log_statement=all"):
            command += ["-c", setting]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, **_as_nobody_special())
        for _ in range(6000):
            try:
                self.admin().close()
            except psycopg.OperationalError:
                if ended(self.process):
                    break
            else:
                return
        raise RuntimeError((self.folder / "log").read_text())

    def stop(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)  # a fast shutdown: sessions are cut off
            self.process.wait()
            self.process = None

    def admin(self) -> psycopg.Connection[Any]:
        return psycopg.connect(
            host="127.0.0.1", port=self.port, user="admin", password=PASSWORD, dbname="postgres", autocommit=True
        )

    def run(self, *statements: str) -> list[Any]:
        """What the last statement answers, for the one who owns everything."""
        with self.admin() as connection:
            for statement in statements:
                cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def address(self, table: str, *, password: bool = True) -> str:
        secret = ":s3cret-pass%3Aword" if password else ""
        return f"postgresql://{READER}{secret}@127.0.0.1:{self.port}/postgres/{table}"

    def load(self, table: str, types: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> None:
        """A table that `reader` may read."""
        listed = ", ".join(f'"{name}" {type_}' for name, type_ in types.items())
        with self.admin() as connection:
            connection.execute(f"DROP TABLE IF EXISTS {table}; CREATE TABLE {table} ({listed})")
            connection.execute(f"GRANT SELECT ON {table} TO {READER}")
            with connection.cursor().copy(f"COPY {table} FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    folder = Path(tempfile.mkdtemp(prefix="dprelease-pg-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        secret = folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        made = [str(postgres_binary("initdb")), "-D", str(folder / "data"), "-U", "admin", "-A", "scram-sha-256"]
        made += ["--pwfile", str(secret), "-E", "UTF8", "--locale", "C", "-N"]
        subprocess.run(made, check=True, capture_output=True, **_as_nobody_special())
        server = PostgresServer(folder, free_port())
        try:
            server.start()
            server.run(f"CREATE ROLE {READER} LOGIN PASSWORD '{PASSWORD}'", "CREATE SCHEMA health")
            server.run(f"GRANT USAGE ON SCHEMA health TO {READER}", "REVOKE ALL ON SCHEMA public FROM PUBLIC")
            server.run("REVOKE TEMPORARY, CREATE ON DATABASE postgres FROM PUBLIC")
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _as_nobody_special() -> dict[str, Any]:
    """PostgreSQL refuses to run as root."""
    return {"user": "postgres", "group": "postgres", "cwd": "/"} if os.geteuid() == 0 else {}


@dataclass
class SparkCluster:
    """A standalone cluster of our own on loopback: a master and two workers of a core each."""

    folder: Path
    port: int
    processes: list[subprocess.Popen[bytes]]

    def address(self, folder: Path) -> str:
        return f"spark://127.0.0.1:{self.port}{folder}"

    def stop(self) -> None:
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait()
        self.processes.clear()


@contextmanager
def spark_cluster(folder: Path) -> Iterator[SparkCluster]:
    """Settings for small tables are left where Spark looks for them, by the variables it looks at."""
    import pyspark

    conf = folder / "conf"
    conf.mkdir()
    small = ("spark.sql.shuffle.partitions 2", "spark.sql.codegen.wholeStage false", "spark.driver.host 127.0.0.1")
    (conf / "spark-defaults.conf").write_text("\n".join((*small, "spark.executor.memory 700m")))
    variables = {"SPARK_CONF_DIR": str(conf), "SPARK_HOME": str(Path(pyspark.__file__).parent)}
    variables |= {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": str(folder / "scratch")}
    os.environ.update(variables)
    cluster = SparkCluster(folder, free_port(), [])
    command = [str(Path(pyspark.__file__).parent / "bin" / "spark-class")]
    master = ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(cluster.port)]
    worker = ["org.apache.spark.deploy.worker.Worker", "--cores", "1", "--memory", "1g", "--webui-port", "0"]
    try:
        with (folder / "log").open("ab") as log:
            cluster.processes.append(subprocess.Popen([*command, *master, "--webui-port", "0"], stdout=log, stderr=log))
            for number in (1, 2):
                place = ["--work-dir", str(folder / f"work{number}"), f"spark://127.0.0.1:{cluster.port}"]
                cluster.processes.append(subprocess.Popen([*command, *worker, *place], stdout=log, stderr=log))
        for _ in range(6000):
            if (folder / "log").read_text().count("Successfully registered with master") == 2:
                break
            if ended(cluster.processes[0]):
                raise RuntimeError((folder / "log").read_text())
        yield cluster
    finally:
        cluster.stop()
        for name in variables:
            os.environ.pop(name, None)
