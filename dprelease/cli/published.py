"""Commands about published bundles: a model fitted to one, rows made of one."""

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

    rows = add_group(commands, "rows", phrase("cli.rows_group"))
    made = add_command(rows, "from", _make, phrase("cli.rows_from"))
    made.add_argument("path", help=str(phrase("cli.bundle_folder_zip_file")))
    made.add_argument("--statistic", required=True, metavar="ID", help=str(phrase("cli.rows_statistic")))
    made.add_argument("--rows", type=int, metavar="N", help=str(phrase("cli.rows_count")))
    made.add_argument("--column", action="append", metavar="COLUMN", help=str(phrase("cli.rows_column")))
    made.add_argument("--order", type=int, metavar="N", help=str(phrase("cli.rows_order")))
    made.add_argument("--key", help=str(phrase("cli.signer_fingerprint_signer_pub")))
    made.add_argument("--out", type=Path, required=True, metavar="FOLDER", help=str(phrase("cli.rows_out")))


def _fit(options: argparse.Namespace) -> Answer:
    from dprelease.model.encoding import canonical
    from dprelease.verdict.model_from import model_from

    paths = _paths(options.out)
    found = model_from(options.path, options.outcome, options.on, options.kind, key=options.key)
    contents = {"model": canonical(found.facts), "pmml": found.pmml, "card": found.card.encode()}
    files = {name: path for (name, content), path in zip(contents.items(), paths, strict=True) if content is not None}
    for name, path in files.items():
        content = contents[name]
        assert content is not None
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
        **{name: str(path) for name, path in files.items()},
        "says_nothing": found.says_nothing,
    }
    lines = [words, phrase("cli.model_rows")]
    if "pmml" in files:
        lines.append(phrase("cli.model_beside", pmml=paths[1], card=paths[2]))
    else:
        lines.append(phrase("cli.model_beside_card", card=paths[2]))
    if found.says_nothing:
        lines.append(phrase("cli.model_says_nothing"))
    return answer, "\n".join(map(str, lines))


def _paths(out: Path) -> tuple[Path, Path, Path]:
    """Return new paths for the model, its PMML and its card. Raises InputError where one exists or two are equal."""
    paths = (out, out.with_suffix(".pmml"), out.with_suffix(".md"))
    for path in paths:
        if path.exists() or paths.count(path) > 1:
            raise InputError("out", found=str(path), allowed=phrase("cli.new_file"))
    return paths


def _make(options: argparse.Namespace) -> Answer:
    from dprelease.verdict.check import line
    from dprelease.verdict.rows_from import rows_from

    found = rows_from(
        options.path,
        options.statistic,
        rows=options.rows,
        columns=options.column or (),
        order=options.order,
        key=options.key,
    )
    try:
        options.out.mkdir()
    except OSError:
        raise InputError("out", found=str(options.out), allowed=phrase("cli.new_folder")) from None
    for path, data in found.files.items():
        (options.out / path).parent.mkdir(exist_ok=True)
        (options.out / path).write_bytes(data)
    words = phrase(
        "cli.rows_written", path=options.out, count=found.count, statistic=found.statistic, release=found.release
    )
    answer = {
        "release": found.release,
        "statistic": found.statistic,
        "synthetic": True,
        "rows": found.count,
        "files": [str(options.out / path) for path in found.files],
        "remarks": [check.to_mapping() for check in found.remarks],
    }
    remarks = [f"{found.release}: {line(found.remarks)}"] if found.remarks else []
    return answer, "\n".join(map(str, (words, phrase("cli.rows_synthetic"), *remarks)))
