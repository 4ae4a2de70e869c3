"""What can be quoted is counted, why a number is of grade C is stated, and verify works both out again."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from dprelease.bundle.listing import parts
from dprelease.bundle.outputs import release_files
from dprelease.errors import IntegrityError
from dprelease.model.release import Estimates, Release
from dprelease.model.statement import Reason
from dprelease.statements.counts import contents
from dprelease.verdict.grades import check_grades
from dprelease.verdict.statements import check_statements
from dprelease.words.language import speaking
from tests.bundle.releases import COLUMNS, listed, make_release


@pytest.fixture(scope="module")
def release() -> Release:
    """Counts of every grade by group, of which none can be quoted without a C; and shares by their smaller side."""
    rows = [(1000, 900, 1100), (300, 150, 450), (100, 10, 190), (20, -70, 110), (None, None, None)]
    value, lower, upper = (list(column) for column in zip(*rows, strict=True))
    counts = Estimates(axes=(listed("g", *"abcde"),), value=value, lower95=lower, upper95=upper)
    shares = Estimates(axes=(listed("g", *"ab"),), value=[0.01, 0.5], lower95=[0.004, 0.49], upper95=[0.016, 0.51])
    columns = COLUMNS | {"g": {"type": "category", "categories": [*"abcde"]}}
    part = {"id": "p", "kind": "proportion", "where": [{"column": "g", "equals": "a"}], "by": ["g"]}
    return make_release([({"id": "v", "kind": "count", "by": ["g"]}, counts), (part, shares)], columns=columns)


@pytest.fixture(scope="module")
def certificate(release: Release) -> dict[str, Any]:
    return dict(json.loads(json.dumps(release.certificate.to_mapping())))


@pytest.fixture(scope="module")
def tables(release: Release) -> dict[str, bytes]:
    files = release_files(release)
    return {name: b"".join(parts(files[f"tables/{name}.csv"])) for name in release.tables}


def test_the_counts_and_reasons_of_a_release_hold(certificate: dict[str, Any], tables: dict[str, bytes]) -> None:
    assert check_statements(certificate, tables) >= 0
    assert check_grades(certificate, tables) > 0
    letters = {name: [line.rsplit(b",", 1)[1] for line in data.splitlines()[1:]] for name, data in tables.items()}
    for name, (can, every) in certificate["statements"]["quotable"].items():
        assert (can, every) == (sum(letter in (b"A", b"C") for letter in letters[name]), len(letters[name]))
    reasons = certificate["statements"]["reasons"]
    assert reasons.keys() == {name for name, own in letters.items() if b"C" in own}
    assert reasons == {"v": ["amount"], "p": ["side"]}


def test_another_count_or_reason_is_refused(certificate: dict[str, Any], tables: dict[str, bytes]) -> None:
    told = certificate["statements"]
    table = next(name for name, (can, every) in told["quotable"].items() if can < every)
    forged = deepcopy(certificate)
    forged["statements"]["quotable"][table][0] += 1
    with pytest.raises(IntegrityError, match="can be quoted"):
        check_statements(forged, tables)
    missing = deepcopy(certificate)
    del missing["statements"]["quotable"][table]
    with pytest.raises(IntegrityError, match="can be quoted"):
        check_statements(missing, tables)
    for name, own in told["reasons"].items():
        other = next(each.value for each in Reason if each.value not in own)
        for reasons in ([other], [], [*own, other]):
            forged = deepcopy(certificate)
            forged["statements"]["reasons"][name] = reasons
            with pytest.raises(IntegrityError, match="reasons of its grades"):
                check_grades(forged, tables)


@pytest.mark.parametrize(
    ("counts", "english", "spanish"),
    [
        ((80, 80), "80 numbers", "80 cifras"),
        ((3, 80), "3 of 80 can be quoted", "se pueden citar 3 de 80"),
        ((1, 80), "1 of 80 can be quoted", "se puede citar 1 de 80"),
        ((0, 80), "none of 80 can be quoted", "no se puede citar ninguna de 80"),
        ((1, 1), "1 number", "1 cifra"),
        ((0, 1), "cannot be quoted", "no se puede citar"),
    ],
)
def test_contents_say_how_many_can_be_quoted(counts: tuple[int, int], english: str, spanish: str) -> None:
    with speaking("en"):
        assert contents(*counts) == english
    with speaking("es"):
        assert contents(*counts) == spanish
