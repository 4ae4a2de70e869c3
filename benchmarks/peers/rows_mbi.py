"""AIM and MST of opendp[mbi]: rows of one table of cell numbers. Prints seconds and memory as JSON.

    python -m benchmarks.peers.rows_mbi CELLS.npz METHOD RHO OUT.npz

METHOD is `aim` or `mst` with the library's own options, or with others, such as `aim:max_size=8,oneway_split=0.1`.

CELLS.npz has `codes`, a row for each column of the table, and `cells`, how many each column has. Codes that the model
gives to no declared cell (the library adds one for what is unknown) are -1 in OUT.npz. That has rows of one model
twice: `round`, which the library makes by default, and `sample`. Where mbi 1.1.0 rounds, it hands the cells of a
column out in the order of the rows within each group of cells that it depends on: columns that depend on the same one
go together then, though the model says nothing of that.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from contextlib import redirect_stdout

import numpy as np
import opendp.prelude as dp
import polars as pl

from benchmarks.peers.processes import peak_mb, processor

METHODS = {"aim": dp.mbi.AIM, "mst": dp.mbi.MST}


def main() -> None:
    warnings.filterwarnings("ignore")
    dp.enable_features("contrib")
    given, method, rho, out = np.load(sys.argv[1]), sys.argv[2], float(sys.argv[3]), sys.argv[4]
    name, _, given_options = method.partition(":")
    options = {
        key: float(value) for key, _, value in (each.partition("=") for each in given_options.split(",") if each)
    }
    names = [f"c{place}" for place in range(len(given["cells"]))]
    frame = pl.LazyFrame(dict(zip(names, given["codes"].astype(np.int64), strict=True)))
    keys = {each: list(range(count)) for each, count in zip(names, given["cells"].tolist(), strict=True)}
    before, began = processor(), time.perf_counter()
    with redirect_stdout(sys.stderr):
        context = dp.Context.compositor(
            data=frame, privacy_unit=dp.unit_of(contributions=1), privacy_loss=dp.loss_of(rho=rho)
        )
        query = context.query(rho=rho).select(*names)
        table = query.contingency_table(keys=keys, algorithm=METHODS[name](**options)).release()
        rounded = table.synthesize()
        seconds = time.perf_counter() - began
        ways = {"round": rounded, "sample": table.synthesize(method="sample")}
    np.savez(
        out, **{way: np.array([rows[each].fill_null(-1).to_numpy() for each in names]) for way, rows in ways.items()}
    )
    print(json.dumps({"seconds": seconds, "processor": processor() - before, "peak_mb": peak_mb()}))


if __name__ == "__main__":
    main()
