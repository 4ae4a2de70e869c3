"""Files on their way to becoming datasets: read again, imported, registered, deleted with everything of them."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from pathlib import Path

import openpyxl
import pytest

import dprelease
from dprelease.codebook import apart
from dprelease.errors import InputError, UploadError
from dprelease.model.dataset_terms import DatasetTerms
from dprelease.model.reading import Format
from dprelease.store.event import EventKind
from dprelease.workspace import state, uploads
from dprelease.workspace.datasets import StoredRows
from dprelease.workspace.staging import Staging, Upload
from tests.codebook.test_limits import STYLES, rewritten

CSV = "name;height\nAna;1,75\nBo;1,80\n".encode("windows-1252")


@pytest.fixture
def workspace(tmp_path: Path) -> dprelease.Workspace:
    made = dprelease.Workspace.create(tmp_path / "home")
    made.add_population("people", unit="person", neighbors="add_remove", epsilon=1)
    return made


def private(workspace: dprelease.Workspace) -> list[str]:
    """Every file with rows in it."""
    assert workspace.home is not None
    folders = [workspace.home / "private" / name for name in ("uploads", "tables", "spill")]
    return sorted(
        str(path.relative_to(workspace.home)) for each in folders for path in each.rglob("*") if path.is_file()
    )


def staged(workspace: dprelease.Workspace, content: bytes = CSV) -> Upload:
    return workspace.datasets.uploads.stage("people.csv", BytesIO(content))


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals")
def test_a_file_that_takes_a_library_too_long_is_refused_before_the_server_opens_it(
    workspace: dprelease.Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, content = tmp_path / "python", BytesIO()
    slow.write_text("#!/bin/sh\nkill -XCPU $$\n")
    slow.chmod(0o700)
    openpyxl.Workbook().save(content)
    monkeypatch.setattr(apart.sys, "executable", str(slow))
    monkeypatch.setattr("openpyxl.load_workbook", lambda *_, **__: pytest.fail("it was opened here"))
    content.seek(0)
    with pytest.raises(UploadError, match="takes longer to open"):
        workspace.datasets.uploads.stage("people.xlsx", content)
    assert private(workspace) == []


@pytest.mark.full
@pytest.mark.skipif(sys.platform == "win32", reason="limits are of Unix")
def test_seven_kilobytes_of_styles_occupy_no_server(workspace: dprelease.Workspace) -> None:
    """Four hundred thousand formats took 22 seconds of the server's processor."""
    styles = (
        f'<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs>{"<xf/>" * 400_000}'
    )
    content = BytesIO(rewritten(STYLES, f"{styles}</cellXfs></styleSheet>"))
    before = time.process_time()
    with pytest.raises(UploadError, match="takes longer to open than that") as refused:
        workspace.datasets.uploads.stage("people.xlsx", content)
    assert "2 seconds" in str(refused.value)
    assert time.process_time() - before < 2, "of this process: the other one was ended after 2 seconds of processor"
    assert private(workspace) == []


def test_an_upload_is_read_again_otherwise_until_it_is_registered(workspace: dprelease.Workspace) -> None:
    upload = staged(workspace)
    reading = upload.detected.reading
    assert (reading.delimiter, upload.columns) == (";", ("name", "height"))
    workspace.datasets.uploads.read_again(upload.id, replace(reading, header=0)).ended.wait()
    (again,) = workspace.datasets.uploads.find()
    assert again.columns == ("column_1", "column_2")
    task = workspace.datasets.uploads.read_again(upload.id, replace(reading, encoding="utf-16"))
    task.ended.wait()
    assert isinstance(task.error, UploadError)
    assert workspace.datasets.uploads.find() == [again], "it stays as it was"
    workspace.add_dataset("people", again, population="people")
    assert [Path(path).parent.name for path in private(workspace)] == ["tables"]
    assert workspace.datasets.uploads.find() == []


def test_an_upload_survives_a_dataset_that_is_refused(workspace: dprelease.Workspace) -> None:
    upload = staged(workspace)
    with pytest.raises(InputError, match="nmae"):
        workspace.add_dataset("people", upload, population="people", unit_column="nmae")
    assert workspace.datasets.uploads.find() == [upload]


def test_a_discarded_upload_leaves_nothing(workspace: dprelease.Workspace) -> None:
    workspace.datasets.uploads.discard(staged(workspace).id)
    assert private(workspace) == []
    with pytest.raises(InputError):
        workspace.datasets.uploads.read_again("0000", staged(workspace).detected.reading)


def test_what_an_ended_process_was_reading_is_deleted(workspace: dprelease.Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "home" / "private" / "uploads" / "abc"
    folder.mkdir()
    (folder / "raw").write_bytes(CSV)
    (folder / "process").write_text(f"{os.getppid()}-1f")
    assert workspace.datasets.uploads.find() == []
    assert private(workspace), "a running process may still be at it"
    (folder / "process").write_text("999999999-1f")
    assert workspace.datasets.uploads.find() == []
    assert private(workspace) == []


def test_what_an_ended_process_of_the_same_number_was_reading_is_deleted(
    workspace: dprelease.Workspace, tmp_path: Path
) -> None:
    folder = tmp_path / "home" / "private" / "uploads" / "abc"
    folder.mkdir()
    (folder / "process").write_text(f"{os.getpid()}-1f")  # as before a container was started again
    assert workspace.datasets.uploads.find() == []
    assert private(workspace) == []


def test_what_is_discarded_while_uploads_are_listed_is_left_out(
    workspace: dprelease.Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, going = staged(workspace), staged(workspace)
    get = Staging.get

    def discarded_meanwhile(staging: Staging, upload_id: str) -> Upload:
        if upload_id == going.id:
            staging.discard(upload_id)
        return get(staging, upload_id)

    monkeypatch.setattr(Staging, "get", discarded_meanwhile)
    assert workspace.datasets.uploads.find() == [kept]


def test_so_many_files_wait_and_no_more(workspace: dprelease.Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dprelease.workspace.staging.MAX_WAITING", 1)
    staged(workspace)
    with pytest.raises(UploadError, match="too many files that wait"):
        staged(workspace)


# Folders on the server


def test_a_file_in_an_allowed_folder_is_imported(
    workspace: dprelease.Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed, secret = tmp_path / "allowed", tmp_path / "secret.csv"
    (allowed / "year").mkdir(parents=True)
    (allowed / "year" / "t.csv").write_bytes(CSV)
    (allowed / ".hidden").write_bytes(CSV)
    (allowed / ".git").mkdir()
    (allowed / ".git" / "t.csv").write_bytes(CSV)
    (allowed / "shown.csv").symlink_to(allowed / ".hidden")
    (allowed / "loop.csv").symlink_to(allowed / "loop.csv")
    secret.write_bytes(CSV)
    (allowed / "link.csv").symlink_to(secret)
    (allowed / "out").symlink_to(tmp_path)
    monkeypatch.delenv(uploads.IMPORT, raising=False)
    assert workspace.datasets.uploads.importable() == []
    monkeypatch.setenv(uploads.IMPORT, os.pathsep.join([str(allowed), str(tmp_path / "nowhere")]))
    inside = str(allowed / "year" / "t.csv")
    assert workspace.datasets.uploads.importable() == [inside]
    outside = (secret, allowed / "link.csv", allowed / "out" / "secret.csv", allowed / ".." / "secret.csv", "t.csv")
    hidden = (allowed / ".hidden", allowed / ".git" / "t.csv", allowed / "shown.csv")
    for path in (*outside, *hidden, allowed / "loop.csv", f"{inside}\0"):
        with pytest.raises(InputError):
            workspace.datasets.uploads.import_file(str(path))
    workspace.datasets.uploads.import_file(inside)
    for task in workspace.datasets.uploads.readings():
        task.ended.wait()
    (upload,) = workspace.datasets.uploads.find()
    assert (upload.filename, upload.detected.reading.format) == ("t.csv", Format.TEXT)
    assert (allowed / "year" / "t.csv").read_bytes() == CSV


# Terms


def test_the_terms_of_a_dataset_are_kept(workspace: dprelease.Workspace) -> None:
    day = datetime.now(UTC).date() + timedelta(days=30)
    workspace.add_dataset("a", staged(workspace), population="people", unit_column="name", max_rows=5, delete_on=day)
    workspace.add_dataset("b", staged(workspace), population="people")
    assert workspace.datasets.terms("a") == DatasetTerms(max_rows=5, delete_on=day)
    assert workspace.datasets.terms("b") == DatasetTerms()
    workspace.datasets.set_terms("a", max_rows=3)
    assert workspace.datasets.terms("a") == DatasetTerms(max_rows=3)
    with pytest.raises(InputError, match="max_rows"):
        workspace.datasets.set_terms("a", max_rows=0)
    with pytest.raises(InputError, match="nothing"):
        workspace.datasets.set_terms("nothing")


def test_a_table_is_deleted_on_its_day_and_the_ledger_stays(
    workspace: dprelease.Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = datetime.now(UTC).date() + timedelta(days=2)
    workspace.add_dataset("people", staged(workspace), population="people", delete_on=day)
    assert workspace.datasets.kept("people").size

    class Later(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime(day.year, day.month, day.day, tzinfo=UTC)

    assert workspace.datasets.find()
    assert len(private(workspace)) == 1
    monkeypatch.setattr(state, "datetime", Later)
    assert workspace.datasets.find(), "the first operation of a day looks"
    assert private(workspace) == []
    assert workspace.datasets.kept("people") == StoredRows(deleted=True)
    event = workspace.ledger.events("people")[-1]
    assert (event.kind, event.actor) == (EventKind.TABLE_DELETED, "workspace")
    assert workspace.ledger.verify() == len(workspace.ledger.events())
    workspace.datasets.replace_rows("people", staged(workspace))
    assert workspace.datasets.terms("people").delete_on is None, "the day was that table's"


def test_a_day_that_has_passed_deletes_at_once(workspace: dprelease.Workspace) -> None:
    workspace.add_dataset("people", staged(workspace), population="people")
    workspace.datasets.set_terms("people", delete_on=date(2020, 1, 1))
    assert private(workspace) == []


def test_a_deleted_table_leaves_no_file(workspace: dprelease.Workspace, tmp_path: Path) -> None:
    workspace.add_dataset("people", staged(workspace), population="people")
    stale = tmp_path / "home" / "private" / "spill" / "999999999-1f"
    stale.mkdir(parents=True)
    (stale / "rows.tmp").write_bytes(b"x")
    workspace.datasets.delete_table("people")
    assert private(workspace) == []
    with pytest.raises(InputError, match="deleted"):
        workspace.datasets.columns("people")
