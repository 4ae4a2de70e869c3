"""The one in the middle: asks each site what it has, and hands on what others lack, until all have the same."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from logging import INFO, WARNING
from pathlib import Path

from flwr.app import Context, Message
from flwr.common.logger import log
from flwr.serverapp import Grid, ServerApp

from dprelease_flower.files import Folder, Piece, RefusedError
from dprelease_flower.records import opened, packed

app = ServerApp()
PAUSE = 2.0
"""Seconds between exchanges in which nothing moved: sites count and draw meanwhile."""


@app.main()
def main(grid: Grid, context: Context) -> None:
    """Run configuration: `folder` of the round here; `sites`, how many; `until`, the file that all shall have;
    `minutes` after which it stops. Started again, it goes on where it stopped."""
    asked = context.run_config
    folder = Folder(Path(str(asked["folder"])))
    if not folder.path.is_dir():
        raise SystemExit(f"folder: found {asked['folder']!r}; allowed: an existing folder. Set it by --run-config.")
    sites, until = int(asked["sites"]), str(asked["until"])
    ends = time.monotonic() + 60 * float(asked["minutes"])
    began, carried, known = time.monotonic(), 0, dict[int, Mapping[str, str]]()
    while time.monotonic() < ends:
        moved = exchange(grid, folder, known)
        carried += moved
        here = folder.listed()
        whole = len(known) >= sites and all(dict(each) == here for each in known.values())
        if whole and any(name == until or name.endswith(".void.json") for name in here):
            log(
                INFO,
                "dprelease: all of %d sites have %s; %d bytes, %.1f s",
                len(known),
                until,
                carried,
                time.monotonic() - began,
            )
            return
        if not moved:
            time.sleep(PAUSE)
    raise SystemExit(f"dprelease: not all sites have {until} after {asked['minutes']} minutes; run it again to go on.")


def exchange(grid: Grid, folder: Folder, known: dict[int, Mapping[str, str]]) -> int:
    """One message to each site and its answer; returns how many bytes came and went."""
    messages, moved = [], 0
    for node in grid.get_node_ids():
        given = []
        if node in known:
            given = list(_due(folder, known[node], node))
        moved += sum(len(piece.data) for piece in given)
        messages.append(Message(packed(folder.listed(), given), dst_node_id=node, message_type="query"))
    for reply in grid.send_and_receive(messages, timeout=120):
        node = reply.metadata.src_node_id
        if reply.has_error():
            log(WARNING, "dprelease: site %d did not answer: %s", node, reply.error.reason)
            continue
        try:
            listed, pieces, refused = opened(reply.content)
            known[node] = listed
            for piece in pieces:
                folder.take(piece)
                moved += len(piece.data)
        except RefusedError as error:
            refused = str(error)
        if refused:
            log(WARNING, "dprelease: site %d: %s", node, refused)
    return moved


def _due(folder: Folder, there: Mapping[str, str], node: int) -> Iterator[Piece]:
    try:
        yield from folder.due(there)
    except RefusedError as error:
        log(WARNING, "dprelease: site %d: %s", node, error)
