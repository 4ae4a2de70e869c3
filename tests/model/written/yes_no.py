"""Writes the words of yes and no by language, `dprelease/model/yes_no.json`, from Unicode CLDR.

    npm pack cldr-misc-full@48.2.0 && tar xzf cldr-misc-full-48.2.0.tgz
    python tests/model/written/yes_no.py package

CLDR has a word and a letter for yes and for no (posix/messages). Words for true and false are not in it, nor in any
package: a person types them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parents[3] / "dprelease" / "model" / "yes_no.json"
ALSO = {"nb": "no"}
"""Languages that CLDR keeps under another code."""


def words(folder: Path, code: str) -> tuple[list[str], list[str]] | None:
    """What a language has for yes and for no; nothing where it has none of its own."""
    path = folder / "main" / code / "posix.json"
    if not path.is_file():
        return None
    said = json.loads(path.read_text("utf-8"))["main"][code]["posix"].get("messages", {})
    return tuple(said[key].split(":") for key in ("yesstr", "nostr")) if "yesstr" in said else None  # type: ignore[return-value]


def main() -> None:
    folder = Path(sys.argv[1])
    package = json.loads((folder / "package.json").read_text("utf-8"))
    found: dict[str, Any] = {}
    for path in sorted((folder / "main").iterdir()):
        code = path.name
        if "-" not in code and (said := words(folder, ALSO.get(code, code))) is not None:
            found[code] = {"yes": said[0], "no": said[1]}
    head = {
        "source": f"Unicode CLDR {package['cldrVersion']}, posix/messages",
        "version": f"{package['name']} {package['version']}",
        "licence": package["license"],
    }
    lines = ",\n".join(f'  "{code}": {json.dumps(said, ensure_ascii=False)}' for code, said in sorted(found.items()))
    top = ",\n".join(f' "{key}": {json.dumps(value)}' for key, value in head.items())
    FILE.write_text(f'{{\n{top},\n "languages": {{\n{lines}\n }}\n}}\n', "utf-8")


if __name__ == "__main__":
    main()
