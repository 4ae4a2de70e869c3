"""Tables that a curator has brought and not yet registered."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from dprelease.codebook.apart import WORKBOOK, check_apart
from dprelease.errors import DPReleaseError, InputError, UploadError
from dprelease.model.reading import Detected, Format, Reading, ShortRow, WorkbookSheet
from dprelease.model.run import lasts, mark
from dprelease.store.facts import is_blind
from dprelease.table.detect import detect, format_of
from dprelease.table.ingest import IngestProgress, ShortRowError, ingest
from dprelease.table.ingest_names import were_mended
from dprelease.table.left_out import LeftOut, left_out
from dprelease.words import phrase, verbatim
from dprelease.workspace.state import State

MAX_BYTES = 2**34
MAX_WAITING = 20
"""Uploads that wait or arrive at a time."""
ROOM = 3
"""Free space on the disk in sizes of a file: for itself, for another encoding, and for the table."""
TOO_LARGE, TOO_MANY, NO_ROOM = (
    phrase("workspace.more_bytes_than_taken"),
    phrase("workspace.too_many_files_wait"),
    phrase("workspace.too_little_room_disk"),
)
CHUNK = 2**20
RAW, TABLE, FACTS, OWNER = "raw", "table.parquet", "facts.json", "process"


@dataclass(frozen=True, slots=True)
class Upload:
    """A stored upload. Shown to curators only: the file's name and columns are not public."""

    id: str
    filename: str
    columns: tuple[str, ...]
    detected: Detected
    """Detected reading of the file, and the choices for it."""
    mended: bool = False
    """True if columns were called alike, or had no name, and got one."""
    said: bool = False
    """True if somebody said how it is read."""
    left_out: tuple[LeftOut, ...] = ()
    """Rules by which rows could be left out, and how many rows each would concern."""

    def settled(self) -> Reading:
        """Return how it is read. Raises UploadError where that is asked, and nothing was read."""
        return self.detected.settled(self.filename)


@dataclass(slots=True)
class Arriving:
    """A file that is being received."""

    id: str
    filename: str
    file: BinaryIO = field(repr=False)
    size: int = 0

    def write(self, chunk: bytes) -> None:
        """Write a piece of the file. Raises UploadError where the file becomes too large."""
        self.size += len(chunk)
        if self.size > MAX_BYTES:
            raise too_large(self.filename)
        self.file.write(chunk)


@dataclass(frozen=True)
class Staging:
    """Folder of uploads: for each a private folder, with the file as it came, the table, and how it is read."""

    folder: Path
    state: State

    @classmethod
    def of(cls, state: State) -> Staging:
        """Return the uploads' folder of a workspace on disk. Raises InputError in memory."""
        if state.home is None:
            raise InputError(
                "upload",
                found=phrase("workspace.workspace_memory"),
                allowed=phrase("workspace.workspace_disk_add_dataset"),
            )
        return cls(state.home.uploads, state)

    @contextmanager
    def arriving(self, filename: str, *, expected: int = 0) -> Iterator[Arriving]:
        """Take a file in pieces; `expected`: its size, if known. Where that fails, nothing of it is left."""
        name = Path(filename.replace("\\", "/")).name or "table"
        self._check_room(name, expected)
        upload_id = secrets.token_hex(8)
        folder = self.folder / upload_id
        folder.mkdir(mode=0o700)
        try:
            (folder / OWNER).write_text(mark())
            with (folder / RAW).open("wb") as file:
                yield Arriving(upload_id, name, file)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def _check_room(self, name: str, expected: int) -> None:
        if expected > MAX_BYTES:
            raise too_large(name)
        if len(list(self.folder.iterdir())) >= MAX_WAITING:
            raise UploadError(
                name,
                found=TOO_MANY,
                allowed=phrase("workspace.at_most_files", max_waiting=MAX_WAITING),
                remedy=phrase("workspace.register_delete_some_them"),
            )
        if expected * ROOM > shutil.disk_usage(self.folder).free:
            raise UploadError(
                name,
                found=NO_ROOM,
                allowed=phrase("workspace.times_size_file", room=ROOM),
                remedy=phrase("workspace.ask_whoever_runs_server"),
            )

    def stage(
        self, filename: str, stream: BinaryIO, reading: Reading | None = None, like: Reading | None = None
    ) -> Upload:
        """Store a file and read it. A refused one leaves nothing behind."""
        with self.arriving(filename) as arriving:
            while chunk := stream.read(CHUNK):
                arriving.write(chunk)
            arriving.file.close()
            self.read(arriving.id, arriving.filename, reading, like=like)
        return self.get(arriving.id)

    def copy(self, upload_id: str, filename: str, source: Path) -> None:
        """Copy a file of the server to where an upload arrives."""
        folder = self.folder / upload_id
        try:
            shutil.copyfile(source, folder / RAW)
        except OSError as cause:
            shutil.rmtree(folder, ignore_errors=True)
            raise UploadError(
                filename,
                found=phrase("workspace.file_cannot_copied"),
                allowed=phrase("workspace.one_can"),
                remedy=verbatim(cause.strerror or ""),
            ) from None

    def read(
        self,
        upload_id: str,
        filename: str,
        reading: Reading | None = None,
        progress: IngestProgress | None = None,
        *,
        like: Reading | None = None,
    ) -> None:
        """Make a table of the file as it came, read as declared, or as detected where the file settles that.

        A file that cannot be read is deleted, unless it was read before: then it stays as it was. `like`: the layout of
        a dataset that its rows are for, by which it is read where nobody declared another.
        """
        folder = self.folder / upload_id
        raw, fresh = folder / RAW, folder / "fresh.parquet"
        try:
            (folder / OWNER).write_text(mark())
            _check_apart(raw, filename)
            blind = is_blind(self.state.database)
            found = detect(raw, filename, {} if reading is None else reading.to_mapping(), blind=blind)
            chosen = reading or like or found.reading
            asks = () if reading or like else found.asks
            facts: dict[str, Any] = {
                "said": reading is not None,
                "filename": filename,
                "reading": chosen.to_mapping(),
                "sheets": [asdict(each) for each in found.sheets],
                "labelled": found.labelled,
                "asks": asks,
                "bands": found.bands,
                "formulas": found.formulas,
                "blind": found.blind,
            }
            if not asks:
                try:
                    ingest(raw, fresh, filename=filename, reading=chosen, progress=progress)
                except ShortRowError as error:
                    if (folder / TABLE).exists():  # it was read already, and stays so
                        raise
                    asks, facts["short"] = ("skip",), asdict(error.row)
                    facts["asks"] = asks
            if not asks:
                engine = self.state.engine
                table = engine.parquet(fresh)
                facts["mended"] = were_mended(raw, chosen, filename, table.columns)
                facts["left_out"] = [] if blind else [asdict(each) for each in left_out(engine, table, chosen)]
            (folder / "fresh.json").write_text(json.dumps(facts), "utf-8")
            if not asks:
                fresh.rename(folder / TABLE)
            (folder / "fresh.json").rename(folder / FACTS)
        except BaseException:
            if not (folder / FACTS).exists():
                shutil.rmtree(folder, ignore_errors=True)
            raise

    def get(self, upload_id: str) -> Upload:
        folder = self.folder / upload_id
        if not (upload_id.isalnum() and _is_read(folder)):
            raise InputError("upload", found=upload_id, allowed=phrase("workspace.upload_was_yet_registered"))
        facts = json.loads((folder / FACTS).read_text("utf-8"))
        detected = Detected(
            reading=Reading.parse(facts["reading"]),
            sheets=tuple(WorkbookSheet(**each) for each in facts["sheets"]),
            labelled=tuple(facts["labelled"]),
            asks=tuple(facts["asks"]),
            bands=tuple(facts["bands"]),
            formulas=facts["formulas"],
            blind=facts["blind"],
            short=ShortRow(**facts["short"]) if facts.get("short") else None,
        )
        columns = () if detected.asks else self.state.engine.parquet(folder / TABLE).columns
        proposed = tuple(LeftOut(**each) for each in facts.get("left_out", ()))
        mended = facts.get("mended", False)
        return Upload(upload_id, facts["filename"], columns, detected, mended, facts["said"], proposed)

    def all(self) -> list[Upload]:
        """Return the uploads that are read, oldest first. Deletes what an ended process left half done."""
        self.remove_orphans()
        ready = []
        for folder in sorted(self.folder.iterdir(), key=_changed):
            if _is_read(folder):
                try:
                    ready.append(self.get(folder.name))
                except DPReleaseError:
                    if folder.exists():  # else it was discarded or registered meanwhile
                        raise
        return ready

    def remove_orphans(self) -> None:
        """Delete what an ended process left: files that were not read to the end, or were half taken or read anew."""
        for folder in self.folder.iterdir():
            if _is_arriving(folder):
                continue
            if not _is_read(folder):
                shutil.rmtree(folder, ignore_errors=True) if folder.is_dir() else folder.unlink(missing_ok=True)
                continue
            for path in folder.iterdir():
                if path.name not in (RAW, TABLE, FACTS, OWNER):
                    shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)

    def table(self, upload: Upload) -> Path:
        """Return the path of an upload's table. Raises UploadError where nobody said yet how the file is read."""
        found = self.get(upload.id)
        found.settled()
        return self.folder / found.id / TABLE

    def raw(self, upload: Upload) -> Path:
        """Return the path of the file as it came."""
        return self.folder / self.get(upload.id).id / RAW

    def take(self, upload: Upload) -> str:
        """Move an upload among the tables, and delete the file as it came; return the table's location."""
        location = self.state.adopt(self.table(upload))
        shutil.rmtree(self.folder / upload.id)
        return location

    def discard(self, upload_id: str) -> None:
        """Delete an upload, also one that is being read."""
        self.state.readings.forget(upload_id)
        if upload_id.isalnum():
            shutil.rmtree(self.folder / upload_id, ignore_errors=True)


def too_large(filename: str) -> UploadError:
    """Return the error for a file larger than this program takes."""
    return UploadError(filename, found=TOO_LARGE, allowed=phrase("workspace.at_most_bytes", max_bytes=MAX_BYTES))


ENDINGS = {
    Format.EXCEL: WORKBOOK,
    Format.SPSS: "sav",
    Format.SPSS_PORTABLE: "por",
    Format.STATA: "dta",
    Format.SAS: "sas7bdat",
}
"""Filename extension by format, for the formats that libraries open before anything of them is counted."""


def _check_apart(raw: Path, filename: str) -> None:
    """Open such a file in a process with limits first: else a small one could occupy the server for minutes."""
    ending = ENDINGS.get(format_of(raw, filename))
    if ending is not None:
        check_apart(filename, ending, raw)


def _changed(folder: Path) -> int:
    """Return when a folder was changed, in nanoseconds; 0 for one that is being deleted meanwhile."""
    try:
        return folder.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def _is_read(folder: Path) -> bool:
    """Return True if a file is read, and no registration that was killed before it ended took its table."""
    try:
        asks = json.loads((folder / FACTS).read_text("utf-8"))["asks"]
    except (FileNotFoundError, NotADirectoryError):
        return False
    return bool(asks) or (folder / TABLE).is_file()


def _is_arriving(folder: Path) -> bool:
    """Return True if a process that still runs is writing the upload."""
    try:
        return lasts((folder / OWNER).read_text())
    except OSError:
        return False
