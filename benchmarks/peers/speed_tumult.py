"""Tumult Analytics: one session, nine queries, through Spark on this machine, which needs a Java runtime.

Each quartile is a query. Its histogram puts ages into bins by a Python function. As imports are, the start of Spark is
left out; its processes' time and memory count.
"""

from __future__ import annotations

from pathlib import Path

from tmlt.analytics import AddOneRow, BinningSpec, KeySet, PureDPBudget, QueryBuilder, Session

from benchmarks.peers.tumult import spark
from benchmarks.peers.working import AGE, BINS, EPSILON, INCOME, QUARTILES, REGIONS, SEXES, SHARE, work

EDGES = [*range(0, AGE[1], AGE[1] // BINS), AGE[1]]


def run(path: Path, unit: str) -> object:
    session = Session.from_dataframe(
        PureDPBudget(EPSILON), "t", spark().read.parquet(str(path)), protected_change=AddOneRow()
    )
    rows = QueryBuilder("t")
    bins = BinningSpec(EDGES, right=False)
    regions = KeySet.from_dict({"region": REGIONS})
    cells = KeySet.from_dict({"region": REGIONS, "sex": SEXES})
    queries = [
        (rows.count(), SHARE),
        (rows.sum("income", *INCOME), SHARE),
        (rows.average("income", *INCOME), SHARE),
        *((rows.quantile("income", share, *INCOME), SHARE / len(QUARTILES)) for share in QUARTILES),
        (rows.histogram("age", bins), SHARE),
        (rows.groupby(cells).count(), SHARE),
        (rows.groupby(regions).average("income", *INCOME), SHARE),
    ]
    return [session.evaluate(query, PureDPBudget(share)).collect() for query, share in queries]


if __name__ == "__main__":
    spark()
    work(run)
