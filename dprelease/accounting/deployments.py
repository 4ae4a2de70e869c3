"""Published ε of others, and a convention for a first one. Nothing here is a rule: each says where it is from.

The values are those that the OpenDP Deployments Registry states (repository opendp/deployments-registry-data, as it
stood in September 2026: 27 deployments with an ε, published from 2016 to 2024). They protect different units, some for
a day only, some in the local model, so they say what is usual, not what is safe.
"""

from __future__ import annotations

from bisect import bisect_right
from statistics import quantiles

PUBLISHED = (
    0.01,
    0.1,
    0.1,
    0.66,
    1.0,
    1.0,
    1.453,
    1.672,
    1.68,
    2.0,
    2.0,
    2.0,
    2.19,
    2.64,
    4.0,
    4.0,
    4.0,
    4.72,
    4.8,
    5.0,
    8.0,
    8.0,
    8.0,
    9.98,
    10.0,
    12.0,
    34.9,
)
"""ε of each deployment, ascending; docs/guide/epsilon.md names them."""
LOWER_QUARTILE, MEDIAN, UPPER_QUARTILE = quantiles(PUBLISHED, method="inclusive")

HARMS = {"low": 2.0, "moderate": 1.0, "high": 0.5, "very_high": 0.1}
"""A first ε by the harm that a disclosure would do to one unit: a convention of this program.

1 is the upper end of what Ponomareva et al. 2023 (How to DP-fy ML, section 5.2) call a strong guarantee; 0.1 is among
the values that Dwork 2011 (A firm foundation for private data analysis) has in mind. That harm should decide is the
approach of PSI (Gaboardi et al. 2016).
"""


def part_below(epsilon: float) -> float:
    """Return the part of the published deployments with at most this ε, from 0 to 1."""
    return bisect_right(PUBLISHED, epsilon) / len(PUBLISHED)
