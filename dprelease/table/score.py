"""SQL of the cell of a score of several columns: whole numbers that no engine's 64 bits overflow, the same on each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dprelease.errors import InternalError
from dprelease.model.schema import Schema
from dprelease.model.tally import MOST_SCORE, Addend, ScoreKey
from dprelease.table.dialect import Dialect


def score_cell(
    score: ScoreKey, names: Mapping[str, str], schema: Schema, dialect: Dialect, needed: Iterable[str] = ()
) -> str:
    """The cell of a row, as BIGINT; NULL where one of the codes is. `names`: of the columns' codes, as BIGINT.

    `needed`: other columns without whose codes a row has no cell.

    Raises InternalError where the sum, or a part of it, could reach MOST_SCORE: by what is declared, whatever the rows.
    It is clamped before it is divided, so that no engine divides what is negative: they round it differently.
    """
    codes = {name: schema[name].codes for name in score.columns}
    if score.reach(codes) >= MOST_SCORE:
        raise InternalError(f"a score may reach {score.reach(codes)}, and has to stay below {MOST_SCORE}")
    parts = [f"CAST({score.start + score.shift} AS BIGINT)"]
    parts += [_added(addend, names[addend.column], codes[addend.column]) for addend in score.addends]
    most = (score.cells - 1) << score.bits
    cell = dialect.shifted(f"LEAST(GREATEST({' + '.join(parts)}, 0), {most})", score.bits)
    # An engine's GREATEST leaves out what is NULL.
    present = " AND ".join(f"{names[name]} IS NOT NULL" for name in dict.fromkeys((*score.columns, *needed)))
    return f"CASE WHEN {present} THEN {cell} END" if present else cell


def _added(addend: Addend, code: str, codes: int) -> str:
    if not addend.of_code:
        return f"{code} * ({addend.slope})"
    if len(addend.of_code) != len(addend.firsts or range(codes)):
        raise InternalError(f"a score has {len(addend.of_code)} numbers for the codes of {addend.column!r}")
    if addend.firsts:
        return _by_stretch(addend, code)
    listed = " ".join(f"WHEN {place} THEN {number}" for place, number in enumerate(addend.of_code) if number)
    return f"CASE {code} {listed} ELSE 0 END" if listed else "0"


def _by_stretch(addend: Addend, code: str) -> str:
    """The number of the stretch that a code is in."""
    ends = " ".join(f"WHEN {code} < {end} THEN {n}" for end, n in zip(addend.firsts[1:], addend.of_code, strict=False))
    return f"CASE {ends} ELSE {addend.of_code[-1]} END" if ends else f"({addend.of_code[-1]})"
