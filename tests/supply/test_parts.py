"""The base install: what publishes, verifies and reads needs none of the extras, and says which one something needs."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

from tests.test_architecture import IMPORT_NAMES, PARTS

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
WITHOUT = """
import sys
sys.modules.update(dict.fromkeys(NAMES))
import pandas, pytest, dprelease
from dprelease.cli import main
from dprelease.errors import MissingPartError, need

ws = dprelease.Workspace.in_memory()
ws.add_dataset("visits", pandas.DataFrame({"age": [40] * 500}), epsilon=1)
columns = dprelease.Columns.of({"age": dprelease.integer(0, 100)})
plan = dprelease.plan("visits", columns, unit="row", neighbors="add_remove", epsilon=1)
plan = plan.add(dprelease.histogram(columns["age"], bins=5))
assert ws.price(plan)
release = ws.publish(plan)
path = release.write(FOLDER)
assert dprelease.verify(path).words
assert len(dprelease.load(path)["histogram_age"].to_pandas()) == 5
with pytest.raises(MissingPartError, match=r"pip install 'dprelease\\[pdf\\]'"):
    need("pdf", "typst")
assert main(["--home", FOLDER, "serve"]) != 0
"""


def names() -> set[str]:
    parts = [each for part in PARTS for each in PROJECT["optional-dependencies"][part]]
    plain = {each.partition("[")[0].partition(">")[0] for each in parts}
    return {IMPORT_NAMES.get(name, name.replace("-", "_")) for name in plain} | {"scipy"}


def test_the_base_publishes_verifies_and_reads_without_any_extra(tmp_path: Path) -> None:
    code = WITHOUT.replace("NAMES", repr(sorted(names()))).replace("FOLDER", repr(str(tmp_path)))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "pip install 'dprelease[desk]'" in done.stderr


def test_all_is_every_part_but_spark() -> None:
    extras = PROJECT["optional-dependencies"]
    assert extras["all"] == [f"dprelease[{','.join(PARTS)}]"]
    assert extras.keys() == {*PARTS, "all", "spark", "site", "dev"}
