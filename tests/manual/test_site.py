"""The documentation site: its notebooks run, its menu has every page, and nothing in it leads astray or is fetched."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from manual import build, notebooks
from tests.test_docs import outline

ROOT = Path(__file__).resolve().parents[2]
PAGE = '# Title\n\nWords.\n\n```python\nx = 2\nprint("a < b")\nx\n```\n\nMore.\n\n```python\ny = x\n```\n'


def test_a_page_is_run_and_shown_with_its_answers(tmp_path: Path) -> None:
    cells = list(notebooks.run(PAGE, tmp_path))
    assert [cell.outputs for cell in cells if cell.is_code] == [(("text/plain", "a < b"), ("text/plain", "2")), ()]
    page = notebooks.as_markdown(cells, "[here](x.ipynb)")
    assert page.startswith("# Title\n\n[here](x.ipynb)\n")
    assert "<pre>a &lt; b</pre>" in page
    book = json.loads(notebooks.as_notebook(cells))
    assert [cell["cell_type"] for cell in book["cells"]] == ["markdown", "code", "markdown", "code", "markdown"]
    assert book["cells"][1]["outputs"][1]["data"] == {"text/plain": ["2"]}


def test_a_page_that_does_not_run_is_seen(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        list(notebooks.run("# T\n\n```python\n1 / 0\n```\n", tmp_path))


@pytest.mark.parametrize("name", build.NOTEBOOKS)
def test_both_languages_run_the_same_cells(name: str) -> None:
    english, spanish = ((notebooks.FOLDER / folder / f"{name}.md").read_text() for folder in ("", "es"))
    assert notebooks.BLOCK.findall(spanish) == notebooks.BLOCK.findall(english)
    for part in ("headings", "marked"):
        assert len(outline(spanish)[part]) == len(outline(english)[part]), part


@pytest.mark.full
@pytest.mark.parametrize("language", ["en", "es"])
def test_the_notebooks_run_and_show_no_true_values(language: str) -> None:
    for name, cells in build.executed(language):
        outputs = [content for cell in cells for _, content in cell.outputs]
        assert len(outputs) >= 4, name
        assert not any("#b00" in content for content in outputs), "a preview"


def pages(entries: object) -> list[str]:
    if isinstance(entries, str):
        return [entries]
    parts = entries.values() if isinstance(entries, dict) else entries
    return [page for part in parts for page in pages(part)]  # type: ignore[attr-defined]


@pytest.mark.parametrize("language", ["en", "es"])
def test_every_page_is_in_the_menu_once(language: str) -> None:
    listed = pages(build.nav(language))
    there = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert {page for page in there if "/es/" not in page} <= set(listed)
    assert len(listed) == len(set(listed))


def test_the_reference_has_every_name_with_its_example() -> None:
    text = "\n".join(build._names())
    assert "## `dp.load`\n" in text
    approve = text.partition("### `ws.plans.approve`")[2].partition("###")[0]
    assert "approve(plan_id: str, *, comment: str = ''" in approve
    assert "```pycon\n>>> submitted" in approve


@pytest.mark.parametrize(
    ("page", "wrong"),
    [
        ('<script src="https://cdn.example/x.js"></script>', "fetches"),
        ('<link href=//fonts.example/a.css rel="stylesheet">', "fetches"),
        ('<a href="none.html#x">', "leads to none.html"),
        ('<img src="missing.png">', "leads to missing.png"),
        ('<a href="https://example.org/">', ""),
        ('<a href="page.html#top">', ""),
    ],
)
def test_what_is_wrong_with_a_page_is_seen(page: str, wrong: str, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(page)
    found = list(build.faults(tmp_path))
    assert [wrong in each for each in found] == [True] * bool(wrong)


@pytest.mark.full
@pytest.mark.skipif(find_spec("mkdocs") is None, reason="make site installs what the site is made with")
def test_the_site_is_built(tmp_path: Path) -> None:
    made = f"from pathlib import Path; from manual import build; build.build(Path({str(tmp_path / '1.0')!r}))"
    subprocess.run([sys.executable, "-c", made], check=True, cwd=ROOT)
    for language, word in {"en": "Guide", "es": "Guía"}.items():
        assert word in (tmp_path / "1.0" / language / "index.html").read_text()
        assert (tmp_path / "1.0" / language / "notebooks/reading.ipynb").exists()
    assert json.loads((tmp_path / "versions.json").read_text()) == ["1.0"]
