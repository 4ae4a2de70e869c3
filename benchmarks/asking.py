"""The peers of the accuracy benchmarks, and how they are asked: jobs go to their workers, draws come back."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.environments import UnavailableError, interpreter, pinned, pinned_version

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, kw_only=True)
class Peer:
    """A library, where its worker is, and which environment it lives in."""

    name: str
    worker: str
    package: str
    environment: str = ""
    """requirements-<environment>.txt; libraries that do not agree on what they need live apart."""
    needs: str | None = None
    """A command that must be on the PATH."""
    slow: bool = False
    """It takes many times as long as the others."""

    @property
    def version(self) -> str:
        return pinned_version(pinned(self.environment), self.package)


PEERS = (
    Peer(name="OpenDP", worker="opendp", package="opendp"),
    Peer(name="diffprivlib", worker="diffprivlib", package="diffprivlib"),
    Peer(name="python-dp", worker="pydp", package="python-dp"),
    Peer(name="PipelineDP", worker="pipelinedp", package="pipeline-dp"),
    Peer(name="SmartNoise", worker="smartnoise", package="smartnoise-sql", environment="smartnoise"),
    Peer(
        name="Tumult",
        worker="tumult",
        package="tmlt.analytics",
        environment="tumult",
        needs="java",
        slow=True,
    ),
)


def prepared(peers: Sequence[Peer], environments: Path) -> tuple[dict[Peer, Path], list[str]]:
    """The interpreters of the peers that can be asked, and why the others cannot."""
    found, notes = {}, []
    for peer in peers:
        try:
            found[peer] = interpreter(pinned(peer.environment), environments, needs=peer.needs)
        except UnavailableError as cause:
            notes.append(f"{peer.name} {peer.version} was not asked: {cause}.")
    return found, notes


def answered(
    peer: Peer, python: Path, jobs: Sequence[Mapping[str, Any]]
) -> tuple[list[Mapping[str, list[Any] | str]], list[str]]:
    """Puts jobs to the peer's worker: by job, the draws of each of its ways, or how that failed; and why some jobs at
    the end are without an answer.
    """
    started = time.perf_counter()
    done = subprocess.run(
        [str(python), "-m", f"benchmarks.peers.{peer.worker}"],
        cwd=ROOT,
        input="".join(json.dumps(item) + "\n" for item in jobs),
        capture_output=True,
        text=True,
        check=False,
    )
    print(f"  {peer.name}: {time.perf_counter() - started:.0f} s", file=sys.stderr)
    lines = done.stdout.splitlines()
    notes = []
    if len(lines) < len(jobs):
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        notes.append(f"{peer.name} stopped early: {reason}")
    return [json.loads(line) for line in lines], notes
