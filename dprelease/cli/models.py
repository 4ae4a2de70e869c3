"""The command that fits a model to the tables of a published bundle."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from dprelease.cli.command import Answer, add_command, add_group
from dprelease.errors import InputError
from dprelease.words import phrase


def add(commands: Any) -> None:
    models = add_group(commands, "model", phrase("cli.model_group"))
    fitted = add_command(models, "from", _fit, phrase("cli.model_from"))
    fitted.add_argument("path", help=str(phrase("cli.bundle_folder_zip_file")))
    fitted.add_argument("--outcome", required=True, metavar="COLUMN", help=str(phrase("cli.model_outcome")))
    fitted.add_argument("--on", required=True, action="append", metavar="COLUMN", help=str(phrase("cli.model_on")))
    fitted.add_argument("--kind", default="scorecard", help=str(phrase("cli.model_kind")))
    fitted.add_argument("--key", help=str(phrase("cli.signer_fingerprint_signer_pub")))
    fitted.add_argument("--out", type=Path, required=True, metavar="FILE", help=str(phrase("cli.model_file")))


def _fit(options: argparse.Namespace) -> Answer:
    from dprelease.model.encoding import canonical
    from dprelease.verdict.model_from import model_from

    paths = _paths(options.out)
    found = model_from(options.path, options.outcome, options.on, options.kind, key=options.key)
    for path, content in zip(paths, (canonical(found.facts), found.pmml, found.card.encode()), strict=True):
        try:
            with path.open("xb") as file:
                file.write(content)
        except OSError:
            raise InputError("out", found=str(path), allowed=phrase("cli.new_file")) from None
    words = phrase(
        "cli.model_written",
        path=options.out,
        outcome=options.outcome,
        inputs=", ".join(options.on),
        tables=", ".join(found.tables),
        release=found.release,
    )
    answer = {
        "release": found.release,
        "tables": list(found.tables),
        **dict(zip(("model", "pmml", "card"), map(str, paths), strict=True)),
        "says_nothing": found.says_nothing,
    }
    lines = [words, phrase("cli.model_rows"), phrase("cli.model_beside", pmml=paths[1], card=paths[2])]
    if found.says_nothing:
        lines.append(phrase("cli.model_says_nothing"))
    return answer, "\n".join(map(str, lines))


def _paths(out: Path) -> tuple[Path, Path, Path]:
    """Where the model, its PMML and its card are written: nothing stands there. Raises InputError where it does."""
    paths = (out, out.with_suffix(".pmml"), out.with_suffix(".md"))
    for path in paths:
        if path.exists() or paths.count(path) > 1:
            raise InputError("out", found=str(path), allowed=phrase("cli.new_file"))
    return paths
