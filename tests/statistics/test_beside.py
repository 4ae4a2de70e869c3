"""Whole plans beside other libraries: peers are given the cells that we count, and one that errs less is named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.beside import Row, ours
from benchmarks.compared import Figure
from benchmarks.generated import rows_of
from benchmarks.plans import HEALTH, SERIES, STUDY, Case
from benchmarks.questions import lines_of


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", [HEALTH, STUDY, SERIES], ids=lambda case: case.name)
def test_what_peers_are_held_to_is_what_we_publish_without_noise(case: Case) -> None:
    rows = rows_of(case)
    lines = lines_of(case, rows)
    assert [line.id for line in lines] == [item["id"] for item in case.statistics]
    ours(case, rows, lines, 2)  # compares them
    cut = next(line for line in lines if line.truth.size > 1)
    with pytest.raises(AssertionError, match=cut.id):
        ours(case, rows, [replace(cut, truth=np.roll(cut.truth, 1))], 2)


def test_peers_whose_coded_cells_are_counted_get_the_truth() -> None:
    for line in lines_of(HEALTH, rows_of(HEALTH)):
        for way in line.ways:
            if way.statistic in ("crosstab", "histogram"):
                shape = tuple(way.cells.values())
                counts = np.bincount(np.ravel_multi_index(list(way.columns.values()), shape), minlength=np.prod(shape))
                assert way.after(counts[None]) == pytest.approx(line.truth[None])


def test_a_peer_that_errs_less_is_named_with_its_ratio() -> None:
    line = lines_of(STUDY, rows_of(STUDY))[0]
    own = Figure(1.0, 0.03)
    row = Row(line=line, ours=own, chosen=Figure(0.5, 0.01), peers={"a": Figure(0.8, 0.02), "b": Figure(0.97, 0.02)})
    assert row.said() == "a lower: 0.80"
    assert row.with_chosen.said() == "lowest"
    unsure = replace(row, peers={"a": Figure(0.8, 0.08)})
    assert unsure.said() == "even, within noise"
