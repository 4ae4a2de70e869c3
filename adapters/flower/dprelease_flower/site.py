"""A site: keeps what others sent in its folder, and gives what they lack. `--node-config 'folder="..."'` names it."""

from __future__ import annotations

from pathlib import Path

from flwr.app import Context, Message
from flwr.clientapp import ClientApp

from dprelease_flower.files import Folder, RefusedError
from dprelease_flower.records import opened, packed

app = ClientApp()


@app.query()
def exchange(message: Message, context: Context) -> Message:
    """One exchange: takes what came, and answers with what the other side lacks."""
    folder = Folder(Path(str(context.node_config["folder"])))
    refused = ""
    there: dict[str, str] = {}
    try:
        there, pieces, _ = opened(message.content)
        for piece in pieces:
            folder.take(piece)
            there.pop(f"{piece.name}.part", None)
        given = list(folder.due(there))
    except RefusedError as error:
        refused, given = str(error), []
    return Message(packed(folder.listed(), given, refused), reply_to=message)
