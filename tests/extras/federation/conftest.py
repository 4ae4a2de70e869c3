from __future__ import annotations

from pathlib import Path

import pytest

from tests.extras.federation.sites import Sites


@pytest.fixture
def sites(tmp_path: Path) -> Sites:
    return Sites(tmp_path)
