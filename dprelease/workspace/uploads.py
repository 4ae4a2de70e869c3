"""The operations on uploads: tables that a curator brings, until they are registered or discarded."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from dprelease.errors import InputError
from dprelease.model.actor import Actor
from dprelease.model.reading import Detected, Reading
from dprelease.store import datasets, facts
from dprelease.table.detect import beginning, detect
from dprelease.table.ingest import IngestProgress
from dprelease.words import phrase
from dprelease.workspace.operations import Noun
from dprelease.workspace.proposed_readings import may_see
from dprelease.workspace.readings import Task
from dprelease.workspace.staging import Arriving, Staging, Upload

IMPORT = "DPRELEASE_IMPORT"
"""Folders of the server, separated as in PATH, whose files may be imported: whoever runs it names them."""
MOST = 500


class Uploads(Noun):
    """Files that curators work on before they are datasets."""

    _listed, _heads = "uploads", ("upload",)

    def _rows(self) -> list[tuple[str, ...]]:
        """Return the ids of uploads: the names of files are shown to curators alone."""
        return [] if self._state.home is None else [(each.id,) for each in self._staging.all()]

    @property
    def _staging(self) -> Staging:
        return Staging.of(self._state)

    def stage(
        self,
        filename: str,
        stream: BinaryIO,
        *,
        reading: Reading | None = None,
        after: str | None = None,
        actor: Actor | None = None,
    ) -> Upload:
        """Store and read an uploaded table until it is registered by `add_dataset` or discarded.

        `after`: the dataset whose rows it takes the place of, or whose next edition it is: it is read as that one is.
        """
        self._act("stage_upload", actor)
        return self._staging.stage(filename, stream, reading, self._layout(after))

    def receive(
        self, filename: str, *, expected: int = 0, after: str | None = None, actor: Actor | None = None
    ) -> AbstractContextManager[Arriving]:
        """Take a file in pieces, and then read it in the background. `expected`: its size, if known."""
        self._act("receive_upload", actor)
        return self._receive(self._staging, filename, expected, self._layout(after))

    def _layout(self, after: str | None) -> Reading | None:
        return None if after is None else datasets.layout(self._state.database, after)

    @contextmanager
    def _receive(self, staging: Staging, filename: str, expected: int, like: Reading | None) -> Iterator[Arriving]:
        with staging.arriving(filename, expected=expected) as arriving:
            yield arriving
            arriving.file.close()
            self._begin(staging, arriving.id, arriving.filename, None, like)

    def import_file(self, path: str, *, after: str | None = None, actor: Actor | None = None) -> str:
        """Copy a file from a folder that the administrator allows, and read it in the background; return its id.

        Raises InputError where the path is not in such a folder.
        """
        self._act("import_file", actor)
        source, staging, like = _checked(path), self._staging, self._layout(after)
        with staging.arriving(source.name, expected=source.stat().st_size) as arriving:
            pass

        def work(progress: IngestProgress) -> None:
            staging.copy(arriving.id, arriving.filename, source)
            staging.read(arriving.id, arriving.filename, None, progress, like=like)

        self._state.readings.start(arriving.id, arriving.filename, work)
        return arriving.id

    def importable(self, *, actor: Actor | None = None) -> list[str]:
        """Return the files that `import_file` takes."""
        self._act("importable", actor)
        return [str(path) for path in islice(_offered(), MOST)]

    def read_again(self, upload_id: str, reading: Reading, *, actor: Actor | None = None) -> Task:
        """Read a waiting upload otherwise, in the background. Where that fails, it stays as it was."""
        self._act("read_again", actor)
        staging = self._staging
        return self._begin(staging, upload_id, staging.get(upload_id).filename, reading, None)

    def read_like(self, upload_id: str, dataset: str, *, actor: Actor | None = None) -> Task | None:
        """Read a waiting upload as a dataset is read; None where it is, or where somebody said another reading."""
        self._act("read_again", actor)
        staging, like = self._staging, self._layout(dataset)
        upload = staging.get(upload_id)
        if like is None or upload.said or (upload.detected.reading == like and not upload.detected.asks):
            return None
        return self._begin(staging, upload_id, upload.filename, None, like)

    def redetected(self, upload_id: str, said: Mapping[str, Any], *, actor: Actor | None = None) -> Detected:
        """Detect a waiting upload anew, with parts of its reading that somebody said."""
        self._act("read_again", actor)
        staging = self._staging
        upload = staging.get(upload_id)
        return detect(staging.raw(upload), upload.filename, said, blind=facts.is_blind(self._state.database))

    def beginning(self, upload_id: str, reading: Reading, *, actor: Actor | None = None) -> list[tuple[int, list[str]]]:
        """Return the first rows of a waiting file as they stand there, with their numbers, for whoever brings it.

        Nothing where this workspace shows no true values, and to a token that sees none.
        """
        if not may_see(self._state, self._act("read_again", actor)):
            return []
        staging = self._staging
        upload = staging.get(upload_id)
        return beginning(staging.raw(upload), upload.filename, reading)

    def _begin(
        self, staging: Staging, upload_id: str, filename: str, reading: Reading | None, like: Reading | None
    ) -> Task:
        return self._state.readings.start(
            upload_id, filename, lambda progress: staging.read(upload_id, filename, reading, progress, like=like)
        )

    def find(self, *, actor: Actor | None = None) -> list[Upload]:
        """Return uploads that wait to be registered."""
        self._act("uploads", actor)
        return self._staging.all()

    def readings(self, *, actor: Actor | None = None) -> list[Task]:
        """Return files that are being read, and those that could not be until they are discarded."""
        self._act("readings", actor)
        return self._state.readings.all()

    def dismiss(self, upload_id: str, *, actor: Actor | None = None) -> None:
        """Forget why a file could not be read, once somebody has seen it."""
        self._act("dismiss_reading", actor)
        self._state.readings.dismiss(upload_id)

    def discard(self, upload_id: str, *, actor: Actor | None = None) -> None:
        """Delete an upload, and everything that was read of it."""
        self._act("discard_upload", actor)
        self._staging.discard(upload_id)


def _folders() -> list[Path]:
    """Return the allowed folders that are there."""
    named = (Path(text) for text in os.environ.get(IMPORT, "").split(os.pathsep) if text)
    return [folder.resolve() for folder in named if folder.is_dir()]


def _offered() -> Iterator[Path]:
    """Return the files that may be imported: no hidden ones, and no links that lead out of a folder."""
    return (path for folder in _folders() for path in sorted(folder.rglob("*")) if _is_offered(path, folder))


def _checked(text: str) -> Path:
    """Return the file at a path, if it is in an allowed folder and not hidden there. Raises InputError."""
    path = Path(text)
    if path.is_absolute() and any(_is_offered(path, folder) for folder in _folders()):
        return path.resolve()
    raise InputError("file", found=text, allowed=phrase("workspace.file_one_folders", variable=IMPORT))


def _is_offered(path: Path, folder: Path) -> bool:
    """Return True for a file of the folder, wherever links lead, if neither it nor a folder on the way is hidden."""
    if not (path.is_file() and path.resolve().is_relative_to(folder)):
        return False
    return not any(part.startswith(".") for part in (*path.resolve().relative_to(folder).parts, path.name))
