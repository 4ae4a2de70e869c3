"""Synthetic rows as a DataFrame: `dprelease.load_rows(bundle, ID)`."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprelease.bundle.container import read_files
from dprelease.bundle.fetch import fetch_files, is_address
from dprelease.bundle.read import check
from dprelease.bundle.row_dictionary import dictionary_path
from dprelease.bundle.row_files import parquet_path
from dprelease.errors import InputError, IntegrityError
from dprelease.model.encoding import read_json
from dprelease.words import phrase, quoted

if TYPE_CHECKING:
    import pandas

ENDING = ".synthetic.parquet"
STANDS = "count_missing_as"
"""Key in a dictionary of the value that missing answers are counted as."""
NUMBERS = ("integer", "number")
NULLABLE: Mapping[str, Any] = {"integer": "Int64", "boolean": "boolean"}
"""Types of pandas that can hold missing cells, by the type that cannot."""


def load_rows(
    bundle: str | Path, statistic: str, *, labels: str | None = None, missing: bool = False
) -> pandas.DataFrame:
    """Load the synthetic rows of a statistic from a bundle: a folder or zip file by its path, or its web address.

    Columns have their declared types: whole numbers int64, numbers float64, days datetime64, yes or no bool, and
    categories a pandas Categorical whose categories are all declared ones, in the declared order. `labels`: the
    language in which categories are called by their labels; those without one keep their codes. What the rows are
    stands in `frame.attrs`: `synthetic`, `about`, `use` and `columns` as in the data dictionary.

    `missing`: cells of the value that no answer counts as (`count_missing_as`) are missing ones, and that is no
    category. Whole numbers are then Int64, yes or no boolean. Rows whose answer was that value are among them, where
    a declaration lets it be one.

    None of the rows is anybody's: analyse the measured tables, explore the rows. The files are compared with the
    checksums that are signed; by whom, `dprelease.verify` says. Raises InputError where there are no such rows, and
    IntegrityError where a file is not what was signed.

    Example: `dp.load_rows(bundle, "invented")`.
    """
    files = fetch_files(str(bundle)) if is_address(bundle) else read_files(Path(bundle))
    check({name: data for name, data in files.items() if not name.startswith("../")})
    path, described = parquet_path(statistic), dictionary_path(statistic)
    if path not in files or described not in files:
        raise _no_rows(files, statistic)
    told = read_json(files[described], described)
    try:
        return _typed(files[path], told, labels, missing)
    except (KeyError, TypeError, AttributeError, ValueError, OSError):
        raise IntegrityError(phrase("bundle.rows_not_as_described", path=quoted(path))) from None


def _no_rows(files: Mapping[str, bytes], statistic: str) -> InputError:
    known = sorted(Path(name).name.removesuffix(ENDING) for name in files if name.endswith(ENDING))
    allowed = phrase("bundle.rows_of", known=", ".join(known)) if known else phrase("bundle.release_with_rows")
    return InputError("statistic", found=str(statistic), allowed=allowed)


def _typed(data: bytes, told: Mapping[str, Any], language: str | None, missing: bool) -> pandas.DataFrame:
    import pandas

    frame = pandas.read_parquet(BytesIO(data), engine="pyarrow")
    for column in told["columns"]:
        name = column["name"]
        if column.get("type") == "date":
            frame[name] = pandas.to_datetime(frame[name])
        if missing and STANDS in column:
            frame[name] = _without(frame[name], column)
        if column.get("type") == "category" and "values" in column:
            values = [each for each in column["values"] if not missing or each != column.get(STANDS)]
            called = {code: words.get(language, "") for code, words in column.get("labels", {}).items()}
            kind = pandas.CategoricalDtype(values)
            frame[name] = frame[name].astype(kind).cat.rename_categories(_called(values, called))
    frame.attrs = {key: told[key] for key in ("synthetic", "about", "use", "release", "statistic", "columns")}
    return frame


def _without(cells: pandas.Series[Any], column: Mapping[str, Any]) -> pandas.Series[Any]:
    """Return a column with missing cells in place of the value that missing answers are counted as."""
    import pandas

    given, kind = column[STANDS], NULLABLE.get(column["type"])
    if kind is not None:
        cells = cells.astype(kind)
    if column["type"] == "date":
        given = pandas.Timestamp(given)
    elif column["type"] in NUMBERS:
        given = float(given)
    elif column["type"] == "boolean":
        given = str(given).lower() == "true"
    return cells.mask(cells == given)


def _called(codes: list[str], labels: Mapping[str, str]) -> list[str]:
    """Return each code's label; the code itself where it has none, or two have the same."""
    named = [labels.get(code) or code for code in codes]
    return [code if named.count(label) > 1 else label for code, label in zip(codes, named, strict=True)]
