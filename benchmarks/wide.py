"""Registration of a file of 10,000 columns, from the terminal: seconds of the processor."""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from dprelease import cli

LIMIT = 10.0
"""Seconds of the processor."""


def written(folder: Path, columns: int, rows: int) -> Path:
    """A CSV file of rows that are nobody's."""
    path = folder / "wide.csv"
    names = ",".join(f"column_name_{place}" for place in range(columns))
    lines = (",".join(str((row * 7 + place * 13) % 100) for place in range(columns)) for row in range(rows))
    path.write_text("\n".join([names, *lines, ""]), "utf-8")
    return path


def seconds(folder: Path, path: Path) -> float:
    """What `dataset add` takes of the processor, in a workspace that has nothing."""
    more = ["--home", str(folder / "home")]
    assert cli.main(["init", *more]) == 0
    start = process_time()
    assert cli.main(["dataset", "add", "wide", str(path), "--epsilon", "1", *more]) == 0
    return process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--columns", type=int, default=10_000)
    parser.add_argument("--rows", type=int, default=100)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        taken = seconds(Path(folder), written(Path(folder), options.columns, options.rows))
    kept = "kept" if taken <= LIMIT else "NOT kept"
    print(f"{options.columns} columns, {options.rows} rows: {taken:.1f} s of the processor; at most {LIMIT}: {kept}")


if __name__ == "__main__":
    main()
