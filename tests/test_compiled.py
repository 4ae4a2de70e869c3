"""What is compiled before a run is what pytest would have compiled, and is taken for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from _pytest.assertion import rewrite

from tests.compiled import compiled

pytestmark = pytest.mark.quick


def test_pytest_reads_it_and_a_changed_test_is_compiled_again(tmp_path: Path) -> None:
    path = tmp_path / "test_one.py"
    for text in ("def test_it():\n    assert 1 == 2\n", "def test_it():\n    assert 1 == 3\n"):
        path.write_text(text)
        assert rewrite._read_pyc(path, compiled(path)) == rewrite._rewrite_test(path, None)[1]  # type: ignore[arg-type]
    assert [each.name for each in compiled(path).parent.iterdir()] == [compiled(path).name]
