"""Writes the words of no answer, `dprelease/model/no_answer.json`, from public packages and a short list of ours.

    pip download --no-deps Django==5.2 && unzip Django-5.2-py3-none-any.whl "django/conf/locale/*"
    npm pack survey-core@3.1.1 && tar xzf survey-core-3.1.1.tgz
    python tests/model/written/no_answer.py django package      # with pandas installed

CLDR has no such words. Django has "Unknown" beside yes and no, SurveyJS what those are offered who do not answer, and
pandas what programs write where nothing is.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

FILE = Path(__file__).resolve().parents[3] / "dprelease" / "model" / "no_answer.json"
LANGUAGES = {
    "en": "english",
    "es": "spanish",
    "de": "german",
    "fr": "french",
    "it": "italian",
    "pt": "portuguese",
    "nl": "dutch",
    "sv": "swedish",
    "da": "danish",
    "nb": "norwegian",
    "fi": "finnish",
    "pl": "polish",
    "cs": "czech",
    "ro": "romanian",
    "ca": "catalan",
    "gl": "",
    "eu": "basque",
    "el": "greek",
}
OURS = {
    "en": ["not stated", "no answer", "not applicable"],
    "es": ["NS/NC", "sin dato", "s/d", "no consta"],
    "de": ["keine Angabe", "k. A.", "k.A.", "entfällt"],
    "fr": ["non renseigné", "non précisé", "N.R."],
    "it": ["n.d.", "non indicato"],
    "pt": ["NS/NR", "sem dados"],
    "nl": ["n.v.t."],
}
"""As offices write them; of no package."""


def unknown(folder: Path, code: str) -> list[str]:
    """Returns what Django calls an answer that is neither yes nor no."""
    text = (folder / "conf" / "locale" / code / "LC_MESSAGES" / "django.po").read_text("utf-8")
    found = re.search(r'msgid "Unknown"\nmsgstr "(.+)"', text)
    return ["Unknown"] if code == "en" else [found[1]] if found else []


def refused(folder: Path, name: str) -> list[str]:
    """Returns what SurveyJS offers to those who do not answer."""
    path = folder / ("survey.core.js" if name == "english" else f"i18n/{name}.js")
    keys = ("refuseItemText", "dontKnowItemText")
    text = path.read_text("utf-8") if path.is_file() else ""
    return [found[1] for key in keys if (found := re.search(rf'{key}: *"([^"]+)"', text))]


def main() -> None:
    from pandas import __version__ as version
    from pandas._libs.parsers import STR_NA_VALUES

    django, survey = map(Path, sys.argv[1:3])
    package = json.loads((survey / "package.json").read_text("utf-8"))
    said = {
        code: list(dict.fromkeys([*unknown(django, code), *refused(survey, name), *OURS.get(code, [])]))
        for code, name in LANGUAGES.items()
    }
    sources = [
        {"source": "Django 5.2, conf/locale, Unknown", "licence": "BSD-3-Clause"},
        {"source": f"survey-core {package['version']}, i18n, refuse and don't know", "licence": package["license"]},
        {"source": f"pandas {version}, STR_NA_VALUES (programs)", "licence": "BSD-3-Clause"},
        {"source": "dprelease, tests/model/written/no_answer.py", "licence": "as dprelease"},
    ]
    lines = ",\n".join(f'  "{code}": {json.dumps(words, ensure_ascii=False)}' for code, words in said.items())
    top = ",\n".join(f"  {json.dumps(each)}" for each in sources)
    programs = json.dumps(sorted(set(STR_NA_VALUES) - {""}))
    text = f'{{\n "sources": [\n{top}\n ],\n "programs": {programs},\n "languages": {{\n{lines}\n }}\n}}\n'
    FILE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
