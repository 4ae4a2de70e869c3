"""Fuzzes one target, guided by coverage (atheris, libFuzzer): `python -m tests.fuzz.run plan --seconds 1800`.

Begins with the seeds; what breaks something is written to `--findings`. Exit code 0 where nothing did.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["dprelease", "yaml", "zipfile", "json"]):
    import dprelease.workspace  # noqa: F401 (instrumented as it is imported)
    from tests.fuzz import targets

LONGEST = {"plan": 20_000, "table": 20_000, "bundle": 100_000}
"""Bytes of an input; longer ones cost time and find nothing more."""


def main() -> None:
    """Ends the process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=targets.TARGETS)
    parser.add_argument("--seconds", type=int, default=1800)
    parser.add_argument("--findings", type=Path, default=Path(tempfile.gettempdir()))
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    corpus = Path(tempfile.mkdtemp(prefix=f"dprelease-corpus-{options.target}-"))
    for name, data in targets.seeds(options.target).items():
        (corpus / name).write_bytes(data)
    target = targets.TARGETS[options.target]
    arguments = [
        sys.argv[0],
        f"-max_total_time={options.seconds}",
        f"-max_len={LONGEST[options.target]}",
        f"-artifact_prefix={options.findings}/{options.target}-",
        "-len_control=0",
        "-timeout=120",
        "-rss_limit_mb=4096",
        "-print_final_stats=1",
        "-verbosity=1",
        str(corpus),
    ]
    atheris.Setup(arguments, target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
