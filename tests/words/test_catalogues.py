"""Words stand in catalogues that are complete, quick to open, and open to a language that no program knows of."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from pathlib import Path
from string import Formatter

import pytest

from dprelease.words import catalogue, languages, text, texts
from dprelease.words.catalogue import forms
from dprelease.words.language import LANGUAGES, preferred, speaking
from dprelease.words.sentences import Words

pytestmark = pytest.mark.quick

ROOMS = sorted(path.stem for path in (catalogue.FOLDER / "en").glob("*.po"))
ENGLISH_ONLY = {"formats"}
"""What bundles say to programs, in one language."""
TRANSLATED = [room for room in ROOMS if room not in ENGLISH_ONLY]
OTHERS = [code for code in languages() if code != "en"]


def places(sentence: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "words"
    shutil.copytree(catalogue.FOLDER, folder, ignore=shutil.ignore_patterns("*.py", "*.mo", "__pycache__"))
    monkeypatch.setattr(catalogue, "FOLDER", folder)
    return folder


def test_rooms_and_languages_are_those_of_the_files() -> None:
    assert {"bundle", "errors", "formats", "portal", "ui", "web"} < set(ROOMS)
    assert dict(LANGUAGES) == {"en": "English", "es": "Español"}


@pytest.mark.parametrize("code", OTHERS)
@pytest.mark.parametrize("room", TRANSLATED)
def test_every_text_is_there_in_every_language_with_the_same_places(room: str, code: str) -> None:
    english, own = forms(room, "en"), forms(room, code)
    assert own.keys() == english.keys()
    assert [key for key in english if (len(english[key]) > 1) != (len(own[key]) > 1)] == []
    for place in (0, -1):  # of one, and of any other number
        assert [key for key in english if places(english[key][place]) != places(own[key][place])] == []


@pytest.mark.parametrize("code", languages())
def test_no_text_has_two_versions(code: str) -> None:
    """The later one would stand in the place of the first, and nobody would see which."""
    for path in (catalogue.FOLDER / code).glob("*.po"):
        keys = [line for line in path.read_text("utf-8").splitlines() if line.startswith("msgid ")]
        assert [key for key, times in Counter(keys).items() if times > 1] == []


@pytest.mark.parametrize("code", languages())
@pytest.mark.parametrize("room", TRANSLATED)
def test_what_is_looked_up_is_what_is_written(room: str, code: str) -> None:
    assert {key: text(room, code, key) for key in texts(room, code)} == texts(room, code)


def test_what_is_no_text_is_an_error_and_not_its_key() -> None:
    words = Words("ui")
    for code in languages():
        with speaking(code):
            assert "desk_title" in words
            assert "" not in words
            assert words.get("no_such_text", "none") == "none"


def test_a_language_is_added_by_a_folder(own_folder: Path) -> None:
    shutil.copytree(own_folder / "es", own_folder / "ca")
    path = own_folder / "ca" / "web.po"
    path.write_text(path.read_text().replace('"Language: es', '"Language: ca').replace("Ir al panel", "Vés al tauler"))
    assert dict(LANGUAGES) == {"en": "English", "ca": "Català", "es": "Español"}
    assert preferred(None, "ca-ES, en;q=0.5") == "ca"
    with speaking("ca"):
        assert Words("web")["home"] == "Vés al tauler"


def test_a_language_with_three_forms_needs_no_program(own_folder: Path) -> None:
    """Polish: 1, 2 to 4, and the others, by the rule that Babel knows."""
    header = 'msgid ""\nmsgstr ""\n"Language: pl\\n"\n"Content-Type: text/plain; charset=utf-8\\n"\n\n'
    entry = 'msgid "rows"\nmsgid_plural "rows"\nmsgstr[0] "jeden wiersz"\nmsgstr[1] "{count} wiersze"\n'
    path = own_folder / "pl" / "ui.po"
    path.parent.mkdir()
    path.write_text(f'{header}{entry}msgstr[2] "{{count}} wierszy"\n')
    with speaking("pl"):
        told = {number: Words("ui").say("rows", number, count=number) for number in (1, 2, 5, 12, 22)}
        assert told == {1: "jeden wiersz", 2: "2 wiersze", 5: "5 wierszy", 12: "12 wierszy", 22: "22 wiersze"}
        assert Words("ui").say("columns", 2, count=2) == "2 columns"
    path.write_text(f'{header}{entry}msgstr[2] ""\n')
    catalogue._translations.cache_clear()
    with speaking("pl"):
        assert Words("ui").say("rows", 22, count=22) == "22 rows"


def test_what_is_not_translated_is_said_in_english(own_folder: Path) -> None:
    path = own_folder / "es" / "web.po"
    path.write_text(path.read_text().replace('msgstr "Ir al panel"', 'msgstr ""'))
    assert text("web", "es", "home") == text("web", "en", "home") == "Go to the dashboard"


def test_a_catalogue_is_compiled_once_and_anew_where_it_has_changed(own_folder: Path) -> None:
    path = own_folder / "es" / "web.po"
    assert text("web", "es", "home") == "Ir al panel"
    (made,) = path.parent.glob("*.mo")
    path.write_text(path.read_text().replace("Ir al panel", "Al panel"))
    catalogue._translations.cache_clear()
    assert text("web", "es", "home") == "Al panel"
    (anew,) = path.parent.glob("*.mo")
    assert anew != made
    assert [each.name for each in path.parent.iterdir() if each.suffix not in (".po", ".mo")] == []


def test_only_what_is_asked_for_is_opened(own_folder: Path) -> None:
    text("web", "es", "home")
    assert [each.relative_to(own_folder).parent.name for each in own_folder.rglob("*.mo")] == ["es"]
    assert next(own_folder.rglob("*.mo")).name.startswith("web.")


def test_where_nothing_may_be_written_a_catalogue_is_read_all_the_same(
    own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(tempfile, "NamedTemporaryFile", refuse)
    assert text("web", "es", "home") == "Ir al panel"
    assert list(own_folder.rglob("*.mo")) == []
