"""Tables that a curator has uploaded and not yet registered."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from dprelease.errors import InputError, UploadError
from dprelease.table.ingest import ingest
from dprelease.workspace.state import State

MAX_BYTES = 2**34


@dataclass(frozen=True, slots=True)
class Upload:
    """A stored upload. Shown to curators only: the file's name and columns are not public."""

    id: str
    filename: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Uploads:
    """The uploads of a workspace: `<id>.parquet` and `<id>.json` in a private folder."""

    folder: Path
    state: State

    def stage(self, filename: str, stream: BinaryIO) -> Upload:
        """Stores a CSV, TSV or Parquet file. A refused one leaves nothing behind."""
        name = Path(filename.replace("\\", "/")).name or "table"
        with TemporaryDirectory(dir=self.folder, prefix=".incoming-") as scratch:
            raw = Path(scratch) / "raw"
            with raw.open("wb") as file:
                while chunk := stream.read(2**20):
                    file.write(chunk)
                    if file.tell() > MAX_BYTES:
                        raise UploadError(name, found=f"more than {MAX_BYTES} bytes", allowed="smaller files")
            upload_id = secrets.token_hex(8)
            ingest(raw, Path(scratch) / "table.parquet", filename=name)
            (Path(scratch) / "table.parquet").rename(self._table(upload_id))
            self._facts(upload_id).write_text(json.dumps({"filename": name}), "utf-8")
        return self.get(upload_id)

    def get(self, upload_id: str) -> Upload:
        if not (upload_id.isalnum() and self._facts(upload_id).is_file()):
            raise InputError("upload", found=upload_id, allowed="an upload that was not yet registered or discarded")
        facts = json.loads(self._facts(upload_id).read_text("utf-8"))
        return Upload(upload_id, facts["filename"], self.state.engine.parquet(self._table(upload_id)).columns)

    def all(self) -> list[Upload]:
        return [self.get(path.stem) for path in sorted(self.folder.glob("*.json"))]

    def take(self, upload: Upload) -> str:
        """Moves an upload among the tables; returns its location there."""
        location = self.state.adopt(self._table(self.get(upload.id).id))
        self._facts(upload.id).unlink()
        return location

    def discard(self, upload_id: str) -> None:
        self._table(self.get(upload_id).id).unlink(missing_ok=True)
        self._facts(upload_id).unlink(missing_ok=True)

    def _table(self, upload_id: str) -> Path:
        return self.folder / f"{upload_id}.parquet"

    def _facts(self, upload_id: str) -> Path:
        return self.folder / f"{upload_id}.json"
