"""A wheel holds the catalogues of words compiled, too: where it is installed, nothing may be writable."""

from __future__ import annotations

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

sys.path.insert(0, str(Path(__file__).parent))
from dprelease.words.catalogue import compiled, compiled_name


class BuildWords(build_py):
    """Compiles each catalogue beside its copy."""

    def run(self) -> None:
        super().run()
        for path in Path(self.build_lib).glob("dprelease/words/**/*.po"):
            source = path.read_bytes()
            path.with_name(compiled_name(path, source)).write_bytes(compiled(source, path.parent.name))


setup(script_name=__file__, cmdclass={"build_py": BuildWords})
