"""This process's Spark application: one master at a time, scratch that nobody else can read, and a limit of time."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import TimeoutExpired
from tempfile import mkdtemp
from typing import Any

from pyspark import SparkContext
from pyspark.sql import SparkSession

from dprelease.errors import InputError
from dprelease.model.setting import whole_number
from dprelease.words import phrase

STARTED_WITH = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",  # what it logs quotes values
    "spark.io.encryption.enabled": "true",
}
IDLE_SECONDS = 60
"""The application leaves the cluster when it was asked nothing for so long."""
LIMIT_SECONDS = whole_number("DPRELEASE_SPARK_SECONDS", 3600)
"""A question that takes longer is given up: a cluster that goes away is waited for without end otherwise."""
AGAIN_SECONDS = 1
VAIN_SECONDS = 60
"""The process of Java is ended when it was told for so long, in vain, to give a question up."""
ENDING_SECONDS = 30
PRIVATE_UMASK = 0o077


@dataclass
class _Application:
    """Running Spark application of this process, if any."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    uses: int = 0
    leaving: threading.Timer | None = None
    scratch: Path | None = None


_own = _Application()


@contextmanager
def application(master: str, scratch: Path | None) -> Iterator[SparkSession]:
    """A session of the application at a master; starting it takes seconds. One at another master gives way when idle.

    `scratch`: a private folder in which it may make one of its own for what it shuffles.
    """
    with _own.lock:
        running = SparkSession._instantiatedSession
        if running is not None and running.sparkContext.master != master:
            if _own.uses:
                found, remedy = phrase("table.another_cluster_use"), phrase("table.try_again")
                raise InputError("connection", found=found, allowed=phrase("table.one_cluster_at_time"), remedy=remedy)
            leave()
        if _own.leaving is not None:
            _own.leaving.cancel()
        with limited():
            session = (SparkSession._instantiatedSession or _start(master, scratch)).newSession()
        _own.uses += 1
    try:
        yield session
    finally:
        with _own.lock:
            _own.uses -= 1
            _own.leaving = threading.Timer(IDLE_SECONDS, leave)
            _own.leaving.daemon = True
            _own.leaving.start()


@contextmanager
def limited(session: SparkSession | None = None) -> Iterator[None]:
    """Give up what a session asks, or the start of the application, when it takes too long. Raises InputError."""
    done, late = threading.Event(), threading.Event()

    def watch() -> None:
        if done.wait(LIMIT_SECONDS):
            return
        late.set()
        last = threading.Timer(VAIN_SECONDS if session is not None else 0, _kill, [done])
        last.daemon = True
        last.start()
        with suppress(Exception):  # it is ended while it is asked
            while session is not None and not done.is_set():  # what had not begun would not notice the first time
                session.interruptAll()
                done.wait(AGAIN_SECONDS)
        done.wait()
        last.cancel()

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    except Exception:
        if not late.is_set():
            raise
        raise InputError(
            "connection",
            found=phrase("table.cluster_did_answer_within", limit_seconds=LIMIT_SECONDS),
            allowed=phrase("table.one_running_workers_room"),
            remedy=phrase("table.look_whether_there_dprelease"),
        ) from None
    finally:
        done.set()


def leave() -> None:
    """End the application and its Java process, and delete its scratch; not while it is in use."""
    with _own.lock:
        running = SparkSession._instantiatedSession
        if _own.uses or running is None:
            return
        gateway = SparkContext._gateway
        with suppress(Exception), limited():  # Java may have ended, or not answer
            running.stop()
            if gateway is not None:
                gateway.shutdown()
        _end(gateway, _forgotten())


def _kill(answered: threading.Event) -> None:
    """End a process of Java that does not answer: what waits for it sees a connection that broke."""
    gateway = SparkContext._gateway
    if gateway is not None and not answered.is_set():
        scratch = _forgotten()
        gateway.proc.kill()
        _end(gateway, scratch)


def _forgotten() -> Path | None:
    """Return the application's scratch. The next question starts another application."""
    SparkSession._instantiatedSession = SparkContext._active_spark_context = None
    SparkContext._gateway = SparkContext._jvm = None
    scratch, _own.scratch = _own.scratch, None
    return scratch


def _end(gateway: Any, scratch: Path | None) -> None:
    if gateway is not None:
        gateway.proc.stdin.close()  # it ends with its input
        try:
            gateway.proc.wait(ENDING_SECONDS)
        except TimeoutExpired:
            gateway.proc.kill()
            gateway.proc.wait(ENDING_SECONDS)
    if scratch is not None:
        shutil.rmtree(scratch, ignore_errors=True)


def _start(master: str, scratch: Path | None) -> SparkSession:
    """Start Spark: what Java's process writes here is encrypted, and only its own account can read it."""
    if scratch is not None:
        scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
    _own.scratch = Path(mkdtemp(prefix="spark-", dir=scratch))
    builder = SparkSession.builder.appName("dprelease").master(master)
    for name, value in STARTED_WITH.items():
        builder = builder.config(name, value)
    builder = builder.config("spark.local.dir", str(_own.scratch))
    builder = builder.config("spark.driver.defaultJavaOptions", f'"-Djava.io.tmpdir={_own.scratch}"')
    elsewhere, umask = os.environ.pop("SPARK_LOCAL_DIRS", None), os.umask(PRIVATE_UMASK)
    try:
        return builder.getOrCreate()
    finally:
        os.umask(umask)
        if elsewhere is not None:
            os.environ["SPARK_LOCAL_DIRS"] = elsewhere
