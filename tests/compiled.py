"""Compile the program and its tests once, on every processor, before each of several workers would do it for itself.

Of a clean clone it takes 13 s of processor; of one that is compiled already, one second.
"""

from __future__ import annotations

import compileall
import importlib.util
import re
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from _pytest.assertion import rewrite

ROOT = Path(__file__).resolve().parents[1]
REWRITTEN = re.compile(r"/(test_\w+|conftest)\.py$")
"""Files whose assertions pytest rewrites: it keeps what it compiled of them under names of its own."""
HASH = slice(8, 16)
"""Where a compiled file has the hash of its source."""


def compiled(path: Path) -> Path:
    """Return the compiled file of a test, as pytest reads it, written unless it is there already."""
    target = rewrite.get_cache_dir(path) / (path.stem + rewrite.PYC_TAIL)
    source = importlib.util.source_hash(path.read_bytes())
    if not target.exists() or target.read_bytes()[HASH] != source:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_suffix(".partial")
        with partial.open("wb") as file:
            rewrite._write_pyc_fp(file, *rewrite._rewrite_test(path, None))  # type: ignore[arg-type]
        partial.rename(target)
    return target


def main() -> None:
    for folder in ("dprelease", "pages", "tests"):
        compileall.compile_dir(ROOT / folder, quiet=2, workers=0, rx=REWRITTEN)
    tests = [path for path in sorted((ROOT / "tests").rglob("*.py")) if REWRITTEN.search(path.as_posix())]
    with ProcessPoolExecutor() as pool:
        list(pool.map(compiled, tests, chunksize=8))


if __name__ == "__main__":
    main()
