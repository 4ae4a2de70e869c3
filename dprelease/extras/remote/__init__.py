"""Work at a distance, by tokens: columns, prices, plans and publications over HTTP, without ever seeing a row.

`noun` is what the workspace does, `doors` the table of addresses, `routes` the server, `described` its OpenAPI
description, `client` the other end of the wire.
"""

from dprelease.registry import Room

_ROOM = "dprelease.extras.remote"
room = Room(
    exports={"connect": f"{_ROOM}.client:connect"},
    nouns={"remote": f"{_ROOM}.noun:Remote"},
    routes={"remote": f"{_ROOM}.routes:ROUTES"},
)
