"""The questions by Python: `ask.py MODULE QUESTIONS FOLDER`, of the package `dprelease` or its reader."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any


def written(number: Any) -> Any:
    return int(number) if isinstance(number, float) and number.is_integer() else number


class Asked:
    """Questions about the releases of a folder, each loaded once."""

    def __init__(self, module: Any, folder: Path) -> None:
        self.module, self.folder, self.held = module, folder, dict[str, Any]()

    def release(self, name: str) -> Any:
        if name not in self.held:
            self.held[name] = self.module.load(self.folder / name, checks="signature")
        return self.held[name]

    def found(self, asked: Any) -> Any:
        kind, *given = asked
        if kind == "cell":
            return self.release(given[0])[given[1]].cell(**given[2])
        if kind == "cells":
            table = self.release(given[0])[given[1]]
            return [each for each in table if all(str(each.keys[key]) in own for key, own in given[2].items())]
        if kind == "fact":
            return getattr(getattr(self.release(given[0]).certificate, given[1]), given[2])
        if kind == "load":
            self.module.load(self.folder / given[0], given[1])
            return "held"
        parts = [self.found(each) if isinstance(each, list) else each for each in given]
        if kind == "grade":
            return parts[0].grade
        if kind in ("total", "share"):
            return getattr(self.module, kind)(*parts)
        one, other = parts
        return {"sum": lambda: one + other, "difference": lambda: one - other, "times": lambda: one * other}.get(
            kind, lambda: one / other
        )()

    def answer(self, asked: Any) -> str:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of numbers about other rows
                found = self.found(asked)
        except (self.module.InputError, self.module.IntegrityError):
            return "refused"
        if not hasattr(found, "lower95"):
            return str(written(found))
        numbers = [written(each) for each in (found.value, found.lower95, found.upper95)]
        return json.dumps([*numbers, written(float(found.confidence)), found.unit])


def answered(*command: str | Path, **environment: str) -> dict[str, str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | environment)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    asked = Asked(import_module(sys.argv[1]), Path(sys.argv[3]))
    questions = json.loads(Path(sys.argv[2]).read_text("utf-8"))
    print(json.dumps({name: asked.answer(each) for name, each in questions.items()}))
