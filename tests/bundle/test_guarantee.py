"""How often the strongest adversary is right, in one sentence of a release."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from dprelease.bundle import guarantee
from dprelease.model.privacy import NeighboringRelation
from dprelease.model.release import Release
from dprelease.portal.site import write_site
from dprelease.words.language import speaking


@pytest.mark.parametrize("neighbors", list(NeighboringRelation))
@pytest.mark.parametrize(
    ("epsilon", "delta", "most"),
    [(1, 0, "73.2"), (0.001, 0, "50.1"), (5, 0, "99.4"), (1, 0.01, "73.4"), (40, 0, "100"), (1000, 0, "100")],
)
def test_nobody_is_right_more_often_than_epsilon_and_delta_allow(
    release: Release, epsilon: float, delta: float, most: str, neighbors: NeighboringRelation
) -> None:
    """(e^ε + δ) / (e^ε + 1), rounded up."""
    own = msgspec.structs.replace(release.certificate.guarantee, epsilon=epsilon, delta=delta, neighbors=neighbors)
    certificate = msgspec.structs.replace(release.certificate, guarantee=own)
    assert f"right at most <bdi>{most}</bdi> times in 100; without it, 50" in guarantee.adversary(certificate)
    with speaking("es"):
        told = f"acierta como mucho <bdi>{most.replace('.', ',')}</bdi> de cada 100 veces"
        assert told in guarantee.adversary(certificate)


def test_readers_of_the_portal_are_told(written: Path, release: Release, tmp_path: Path) -> None:
    write_site([written], tmp_path)
    sentence = guarantee.adversary(release.certificate)
    pages = [path for path in tmp_path.rglob("index.html") if sentence in path.read_text()]
    assert sorted(path.parent.parent.name for path in pages) == ["release", "releases"]
