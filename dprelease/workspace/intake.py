"""Operations that bring tables in, say on what terms they are kept, and delete them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import date
from typing import BinaryIO

from dprelease.errors import InputError
from dprelease.model.actor import Actor
from dprelease.model.dataset_terms import DatasetTerms
from dprelease.model.reading import Reading
from dprelease.store import datasets, terms
from dprelease.table.ingest import Progress
from dprelease.workspace import imports
from dprelease.workspace.operations import Operations
from dprelease.workspace.readings import Task
from dprelease.workspace.state import MEMORY
from dprelease.workspace.uploads import Arriving, Upload, Uploads
from dprelease.workspace.warehouses import is_elsewhere


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Where the rows of a dataset are. For curators."""

    folder: str | None = None
    """None where they are in memory, on a server of their own, or nowhere."""
    size: int | None = None
    """Bytes on the disk."""
    deleted: bool = False


class Intake(Operations):
    """What curators do with files before they are datasets, and with tables afterwards."""

    @property
    def _uploads(self) -> Uploads:
        if self._state.home is None:
            raise InputError("upload", found="a workspace in memory", allowed="a workspace on disk, or `add_dataset`")
        return Uploads(self._state.home.uploads, self._state)

    def stage_upload(
        self, filename: str, stream: BinaryIO, *, reading: Reading | None = None, actor: Actor | None = None
    ) -> Upload:
        """Stores and reads an uploaded table until it is registered by `add_dataset` or discarded."""
        self._act("stage_upload", actor)
        return self._uploads.stage(filename, stream, reading)

    def receive_upload(
        self, filename: str, *, expected: int = 0, actor: Actor | None = None
    ) -> AbstractContextManager[Arriving]:
        """Takes a file in pieces, and then reads it in the background. `expected`: its size, if known."""
        self._act("receive_upload", actor)
        return self._receive(self._uploads, filename, expected)

    @contextmanager
    def _receive(self, uploads: Uploads, filename: str, expected: int) -> Iterator[Arriving]:
        with uploads.arriving(filename, expected=expected) as arriving:
            yield arriving
            arriving.file.close()
            self._begin(uploads, arriving.id, arriving.filename, None)

    def import_file(self, path: str, *, actor: Actor | None = None) -> str:
        """Copies a file from a folder that the administrator allows, and reads it in the background; the upload's id.

        Raises InputError where the path is not in such a folder.
        """
        self._act("import_file", actor)
        source, uploads = imports.checked(path), self._uploads
        with uploads.arriving(source.name, expected=source.stat().st_size) as arriving:
            pass

        def work(progress: Progress) -> None:
            uploads.copy(arriving.id, arriving.filename, source)
            uploads.read(arriving.id, arriving.filename, None, progress)

        self._state.readings.start(arriving.id, arriving.filename, work)
        return arriving.id

    def importable(self, *, actor: Actor | None = None) -> list[str]:
        """The files that `import_file` takes."""
        self._act("importable", actor)
        return imports.files()

    def read_again(self, upload_id: str, reading: Reading, *, actor: Actor | None = None) -> Task:
        """Reads a waiting upload otherwise, in the background. Where that fails, it stays as it was."""
        self._act("read_again", actor)
        uploads = self._uploads
        return self._begin(uploads, upload_id, uploads.get(upload_id).filename, reading)

    def _begin(self, uploads: Uploads, upload_id: str, filename: str, reading: Reading | None) -> Task:
        return self._state.readings.start(
            upload_id, filename, lambda progress: uploads.read(upload_id, filename, reading, progress)
        )

    def uploads(self, *, actor: Actor | None = None) -> list[Upload]:
        """Uploads that wait to be registered."""
        self._act("uploads", actor)
        return self._uploads.all()

    def readings(self, *, actor: Actor | None = None) -> list[Task]:
        """Files that are being read, and those that could not be until they are discarded."""
        self._act("readings", actor)
        return self._state.readings.all()

    def dismiss_reading(self, upload_id: str, *, actor: Actor | None = None) -> None:
        """Forgets why a file could not be read, once somebody has seen it."""
        self._act("dismiss_reading", actor)
        self._state.readings.dismiss(upload_id)

    def discard_upload(self, upload_id: str, *, actor: Actor | None = None) -> None:
        """Deletes an upload, and everything that was read of it."""
        self._act("discard_upload", actor)
        self._uploads.discard(upload_id)

    def dataset_terms(self, name: str, *, actor: Actor | None = None) -> DatasetTerms:
        """How many rows of one unit plans use by default, and when the table is deleted."""
        self._act("dataset_terms", actor)
        return terms.get(self._state.database, datasets.get(self._state.database, name)[0].name)

    def set_terms(
        self, name: str, *, max_rows: int | None = None, delete_on: date | None = None, actor: Actor | None = None
    ) -> DatasetTerms:
        """Says them anew. Plans that were submitted stay as they are."""
        self._act("set_terms", actor)
        said = DatasetTerms(max_rows=max_rows, delete_on=delete_on)
        terms.put(self._state.database, datasets.get(self._state.database, name)[0].name, said)
        self._state.delete_what_is_due()
        return said

    def kept(self, name: str, *, actor: Actor | None = None) -> Kept:
        """Where a dataset's rows are."""
        self._act("kept", actor)
        location = datasets.get(self._state.database, name)[1]
        if not location or location.startswith(MEMORY) or is_elsewhere(location) or self._state.home is None:
            return Kept(deleted=not location)
        path = self._state.home.tables / location
        return Kept(folder=str(path.parent), size=path.stat().st_size if path.exists() else None)

    def delete_table(self, dataset: str, *, actor: Actor | None = None) -> None:
        """Deletes the rows of a dataset. Its releases and the ledger stay; rows can be registered again."""
        acting = self._act("delete_table", actor)
        self._state.delete_table(dataset, actor=acting)
