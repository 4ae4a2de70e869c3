"""Files that are being read in this process, each in a thread of its own, so that nobody waits for a page."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from dprelease.table.ingest import IngestProgress

PATIENCE = 1.0
"""Seconds that whoever stops a reading waits for it: what a library reads at one go cannot be interrupted."""


@dataclass(slots=True)
class Task:
    """The reading of one file, as far as it has come."""

    id: str
    """Id of the upload."""
    filename: str
    progress: IngestProgress = field(default_factory=IngestProgress, repr=False)
    error: Exception | None = field(default=None, repr=False)
    """Error that stopped it."""
    ended: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def runs(self) -> bool:
        return not self.ended.is_set()

    @property
    def fraction(self) -> float:
        """Goes from 0 to 1."""
        return self.progress.fraction()


class Readings:
    """Tasks that run, and those that failed until somebody has seen why."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tasks: dict[str, Task] = {}

    def all(self) -> list[Task]:
        """Return the tasks in the order in which they began."""
        with self._lock:
            return list(self._tasks.values())

    def start(self, upload_id: str, filename: str, work: Callable[[IngestProgress], object]) -> Task:
        """Begin to read, unless that file is being read already."""
        with self._lock:
            known = self._tasks.get(upload_id)
            if known is not None and known.runs:
                return known
            task = self._tasks[upload_id] = Task(upload_id, filename)
        threading.Thread(target=self._run, args=(task, work), name=f"read {upload_id}", daemon=True).start()
        return task

    def dismiss(self, upload_id: str) -> None:
        """Forget a task that has ended."""
        with self._lock:
            if upload_id in self._tasks and not self._tasks[upload_id].runs:
                del self._tasks[upload_id]

    def forget(self, upload_id: str) -> None:
        """Stop a task, and forget it. One that is slow to stop deletes what it made by itself."""
        with self._lock:
            task = self._tasks.pop(upload_id, None)
        if task is not None and task.runs:
            task.progress.stop()
            task.ended.wait(PATIENCE)

    def _run(self, task: Task, work: Callable[[IngestProgress], object]) -> None:
        try:
            work(task.progress)
        except Exception as error:  # noqa: BLE001 (whoever asked is shown it)
            task.error = error.with_traceback(None)  # its frames hold what was read
        finally:
            if task.error is None:
                with self._lock:
                    self._tasks.pop(task.id, None)
            task.ended.set()
