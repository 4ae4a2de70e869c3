"""Dictionaries of SPSS, Stata and SAS, read in a process of its own: a library parses them before we can count.

Run as `python -m dprelease.codebook.apart ENDING`: bytes of a file come in, JSON goes out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from io import BytesIO
from math import ceil
from pathlib import Path
from time import process_time
from typing import Any

from dprelease.codebook.fault import CodebookError
from dprelease.words import phrase

SECONDS = 2
"""Of processor, once the library is there; and one more for each `LARGE` bytes of the file, which holds rows too."""
LARGE = 50_000_000
MEMORY = 2**31
"""Bytes of addresses, and three times as many as the file has."""
PATIENCE = 120
"""Seconds by the clock, where a machine is busy."""
CATALOGUE = "sas7bcat"
"""How the name of a file ends that holds the labels of SAS."""


def read_apart(source: str, ending: str, content: bytes) -> Any:
    """The variables of a file, each as a mapping; of a catalogue its formats, each with values and labels.

    Raises CodebookError where the library fails, crashes, or needs more time or memory than it may.
    """
    root = str(Path(__file__).parents[2])
    paths = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "dprelease.codebook.apart", ending]
    environment = {**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(command, input=content, capture_output=True, env=environment, timeout=PATIENCE)  # noqa: S603
    except subprocess.TimeoutExpired:
        done = None
    if done is None or (done.returncode < 0 and not done.stdout):
        allowed = phrase("codebook.dictionary_within_seconds", seconds=_seconds(len(content)))
        remedy = phrase("codebook.save_dictionary_anew")
        raise CodebookError(source, found=phrase("codebook.dictionary_takes_longer"), allowed=allowed, remedy=remedy)
    if done.returncode:
        allowed = phrase("codebook.file_spss_stata_wrote")
        raise CodebookError(source, found=phrase("table.file_cannot_read"), allowed=allowed)
    return json.loads(done.stdout)


def _seconds(size: int) -> int:
    return SECONDS + size // LARGE


def _limit(size: int) -> None:
    """Bounds this process, where the system can: it is ended by a signal, or the library finds no memory."""
    if sys.platform == "win32":
        return
    import resource

    seconds = ceil(process_time()) + _seconds(size)
    with suppress(ValueError, OSError):  # some systems know no bound of memory
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY + 3 * size, MEMORY + 3 * size))


def told_of(ending: str, content: bytes) -> Any:
    """What is told of a file, in values of JSON."""
    from dataclasses import asdict

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
        formats = pyreadstat.read_sas7bcat(BytesIO(content), output_format="dict")[1].value_labels
        return {name: [[value, str(label)] for value, label in each.items()] for name, each in formats.items()}
    meta = readers.get(ending, pyreadstat.read_sav)(BytesIO(content), metadataonly=True, **more)[1]
    return [asdict(each) for each in variables(meta)]


if __name__ == "__main__":
    try:
        import pyreadstat  # noqa: F401 (before the limits begin)

        given = sys.stdin.buffer.read()
        _limit(len(given))
        told = told_of(sys.argv[1], given)
    except Exception:  # noqa: BLE001 (the library raises many kinds, whose texts may quote the file)
        sys.exit(1)
    sys.stdout.buffer.write(json.dumps(told).encode())
