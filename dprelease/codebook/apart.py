"""Dictionaries of SPSS, Stata and SAS, and workbooks, in a process of its own: libraries parse before we can count.

Run as `python -m dprelease.codebook.apart ENDING [FILE]`: the file, or its bytes, come in, JSON goes out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from io import BytesIO
from math import ceil
from pathlib import Path
from time import process_time
from typing import Any

from dprelease.codebook.fault import CodebookError
from dprelease.errors import UploadError, need
from dprelease.words import phrase

SECONDS = 2
"""Limit of processor seconds, once the library is loaded; one more for each `LARGE` bytes of the file."""
LARGE, LARGE_WORKBOOK = 50_000_000, 1_000_000
MEMORY = 2**31
"""Bytes of addresses, and three times as many as the file has."""
PATIENCE = 120
"""Seconds by the clock, where a machine is busy."""
CATALOGUE = "sas7bcat"
"""File name extension of a catalogue with the labels of SAS."""
WORKBOOK = "xlsx"


def read_apart(source: str, ending: str, content: bytes | Path) -> Any:
    """Return the variables of a file, each as a mapping; of a catalogue its formats, each with values and labels.

    Of a workbook nothing: it is opened, with its styles and shared texts, and closed.

    Raises CodebookError where the library fails, crashes, or needs more time or memory than it may.
    """
    need("codebooks", "pyreadstat")
    root = str(Path(__file__).parents[2])
    paths = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "dprelease.codebook.apart", ending]
    given: dict[str, Any] = {"input": content}
    if isinstance(content, Path):
        command, given = [*command, str(content)], {"stdin": subprocess.DEVNULL}
    environment = {**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(command, capture_output=True, env=environment, timeout=PATIENCE, **given)  # noqa: S603
    except subprocess.TimeoutExpired:
        done = None
    if done is None or (done.returncode < 0 and not done.stdout):
        size = content.stat().st_size if isinstance(content, Path) else len(content)
        allowed = phrase("codebook.dictionary_within_seconds", seconds=_seconds(ending, size))
        remedy = phrase("codebook.save_dictionary_anew")
        raise CodebookError(source, found=phrase("codebook.dictionary_takes_longer"), allowed=allowed, remedy=remedy)
    if done.returncode:
        if ending == WORKBOOK:
            found, allowed = phrase("table.excel_workbook_cannot_read"), phrase("table.whole_xlsx_workbook_without")
        else:
            found, allowed = phrase("table.file_spss_stata_cannot"), phrase("table.whole_sav_zsav_por")
        raise CodebookError(source, found=found, allowed=allowed)
    return json.loads(done.stdout)


def check_apart(filename: str, ending: str, path: Path) -> None:
    """Open a table as a library will, but for its rows. Raises UploadError where that fails or goes beyond limits."""
    try:
        read_apart(filename, ending, path)
    except CodebookError as error:
        (problem,) = error.problems
        raise UploadError(
            filename, found=problem.found, allowed=problem.allowed, remedy=phrase("table.save_anew_export_csv")
        ) from None


def _seconds(ending: str, size: int) -> int:
    return SECONDS + size // (LARGE_WORKBOOK if ending == WORKBOOK else LARGE)


def _limit(ending: str, size: int) -> None:
    """Bounds this process, where the system can: it is ended by a signal, or the library finds no memory."""
    if sys.platform == "win32":
        return
    import resource

    seconds = ceil(process_time()) + _seconds(ending, size)
    with suppress(ValueError, OSError):  # some systems know no bound of memory
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY + 3 * size, MEMORY + 3 * size))


def told_of(ending: str, file: BytesIO | str) -> Any:
    """Return the description of a file, in values of JSON."""
    from dataclasses import asdict

    if ending == WORKBOOK:
        import openpyxl

        with open(file, "rb") if isinstance(file, str) else file as opened:  # its name may end otherwise
            openpyxl.load_workbook(opened, read_only=True, keep_links=False).close()
        return None
    import pyreadstat

    from dprelease.model.dictionary import variables

    readers: dict[str, Any] = {
        "dta": pyreadstat.read_dta,
        "por": pyreadstat.read_por,
        "sas7bdat": pyreadstat.read_sas7bdat,
    }
    more: dict[str, Any] = {} if ending == "por" else {"user_missing": True}
    more |= {"output_format": "dict"}  # else pandas is imported, which is work of a second
    if ending == CATALOGUE:
        formats = pyreadstat.read_sas7bcat(file, output_format="dict")[1].value_labels
        return {name: [[value, str(label)] for value, label in each.items()] for name, each in formats.items()}
    meta = readers.get(ending, pyreadstat.read_sav)(file, metadataonly=True, **more)[1]
    return [asdict(each) for each in variables(meta)]


if __name__ == "__main__":
    try:
        import_module("openpyxl" if sys.argv[1] == WORKBOOK else "pyreadstat")  # before the limits begin
        if len(sys.argv) > 2:
            _limit(sys.argv[1], Path(sys.argv[2]).stat().st_size)
            told = told_of(sys.argv[1], sys.argv[2])
        else:
            given = sys.stdin.buffer.read()
            _limit(sys.argv[1], len(given))
            told = told_of(sys.argv[1], BytesIO(given))
    except Exception:  # noqa: BLE001 (the library raises many kinds, whose texts may quote the file)
        sys.exit(1)
    sys.stdout.buffer.write(json.dumps(told).encode())
