"""Runs the full audit and writes docs/audit.md: `make audit`, or `python -m tests.privacy.report --draws 50000`."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from tests.privacy.audit import DRAWS, Finding, audit
from tests.privacy.cases import Case, cases
from tests.privacy.evidence import FALSE_ALARM
from tests.privacy.publishing import pair, without_sharing
from tests.privacy.test_audit import ORDINARY

PAGE = Path(__file__).parents[2] / "docs" / "audit.md"
COPIES = 1000
HEAD = """# Privacy audit

{scope}
Written on {date} in {minutes} minutes by dprelease {dprelease}, OpenDP {opendp}, DuckDB {duckdb}, NumPy {numpy},
Python {python}, {machine}, {cores} cores.

{verdict} Each case publishes one statistic through `Workspace.publish`, thousands of times, on two tables that differ
in one unit, and counts events in what was sealed, from which all that is published follows. The lower bounds trust no
formula of the product; each is too high with a chance of at most {alarm:g}, one of all with at most {whole:.1g}. What
the audit shows: no case is seen to spend more than it is charged, on the worst pair of tables that was found; and noise
weaker by the stated factor would have been seen, with the stated power. What it cannot show: that there is no worse
pair of tables and no worse event; a loss that is too large by less than the factor; what happens once in a million
draws, such as a δ of 1e-9; leaks beside the numbers, such as the time that a query takes. For those there are proofs,
the tests of sensitivities on generated neighbours, and reading.

Claims: **ε** is held against ln((p − δ)/q), p and q at their Clopper–Pearson bounds. **ρ** is held against a lower
bound on the Kullback–Leibler divergence (Donsker and Varadhan), which ρ-zCDP bounds by ρ. **ε at δ** is the ε that ρ
means at δ = 0.01: it leaves room that no mechanism uses, so weaker noise shows in ρ first. Where a mechanism in ρ has a
pure ε, √(2ρ), that is held as well. Noise: the factor that the run sees with a power of 99 %; below
0.85 where the worst pair that was found spends clearly less than ε, – where nothing is seen. Power: of this run, for
that factor and that claim.

| statistic | relation | unit | currency | draws, each table | claim | declared | observed, at least | noise | power |
|---|---|---|---|---:|---|---:|---:|---:|---:|
"""


@dataclass(frozen=True)
class Audited:
    """A case with what came out."""

    case: Case
    draws: int
    findings: list[Finding]
    factor: float

    def lines(self) -> list[str]:
        """Rows of the table."""
        rows = "1 row" if self.case.max_rows == 1 else f"{self.case.max_rows} rows"
        unit = f"identifier, {rows}" if self.case.people else "row"
        if self.case.max_groups is not None:
            unit += f", {self.case.max_groups} group"
        about = f"{self.case.name} | {self.case.relation} | {unit} | {self.case.currency} | {self.draws:,}"
        return [
            f"| {about} | {item.claim} | {item.declared:.3f} | {item.observed:.3f}{' **refuted**' * item.refuted} "
            f"| {self.factor or '–'} | {f'{item.power:.3f}' if self.factor else '–'} |"
            for item in self.findings
        ]


def audited(case: Case, draws: int, factor: float) -> Audited:
    """One case of a run."""
    return Audited(case, draws, audit(case, draws, copies=COPIES, factor=factor or 0.5), factor)


def drawn(case: Case, draws: int, factor: float) -> Audited:
    """One case by draws of the same mechanisms from the same tallies, not published: seconds instead of a minute."""
    with without_sharing():
        both = replace(pair(case, 1), published=False)
        return Audited(case, draws, audit(case, draws, copies=1, factor=factor or 0.5, pairs=both), factor)


def page(results: Sequence[Audited], scope: str, seconds: float) -> str:
    """The whole page."""
    findings = [item for result in results for item in result.findings]
    refuted = [item for item in findings if item.refuted]
    verdict = (
        f"{len(refuted)} of {len(findings)} claims are **refuted**."
        if refuted
        else f"None of {len(findings)} claims in {len(results)} cases is refuted."
    )
    head = HEAD.format(
        date=datetime.now(UTC).date().isoformat(),
        scope=scope,
        minutes=round(seconds / 60),
        dprelease=version("dprelease") if _installed() else "of this checkout",
        opendp=version("opendp"),
        duckdb=version("duckdb"),
        numpy=version("numpy"),
        python=platform.python_version(),
        machine=f"{platform.system()} {platform.machine()}",
        cores=os.cpu_count(),
        verdict=verdict,
        alarm=2 * FALSE_ALARM,
        whole=2 * FALSE_ALARM * len(findings),
    )
    return head + "\n".join(line for result in results for line in result.lines()) + "\n"


def _installed() -> bool:
    from importlib.metadata import PackageNotFoundError

    try:
        version("dprelease")
    except PackageNotFoundError:
        return False
    return True


def main(arguments: Sequence[str]) -> int:
    """Writes the page; fails where a claim is refuted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS, help="of each table")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--ordinary", action="store_true", help="the cases and draws of `make test` alone: minutes")
    parser.add_argument("--only", default="", help="cases whose name has this text; prints the table")
    parser.add_argument("--drawn", action="store_true", help="draw without publishing; prints the table")
    given = parser.parse_args(arguments)
    every = {str(case): case for case in cases()}
    chosen = [(case, given.draws * case.times, case.seen) for name, case in every.items() if given.only in name]
    scope = f"The full run: every case, with {given.draws:,} draws of each table and more."
    if given.ordinary:
        chosen = [(every[name], draws, factor) for name, (draws, factor) in ORDINARY.items()]
        scope = f"The ordinary set of `make test`: {len(chosen)} of {len(every)} cases. `make audit` runs all of them."
    started, results = time.monotonic(), []
    with ProcessPoolExecutor(given.workers) as pool:
        for result in pool.map(drawn if given.drawn else audited, *zip(*chosen, strict=True)):
            results.append(result)
            print(f"{len(results)}/{len(chosen)}", *result.lines(), sep="\n", flush=True)
    if not given.only and not given.drawn:
        PAGE.write_text(page(results, scope, time.monotonic() - started))
    return int(any(item.refuted for result in results for item in result.findings))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
