"""Several sites, one release: sums of exact integers under masks, with noise in shares. Messages are signed files.

The modules beside this one make a round's messages and know no workspace: a site's integers are given to them, as is
the event by which its ledger was charged. `federations` is what a workspace does in rounds (with `round_files`,
`round_plans`, `round_release`), `checks` what `verify` does with a sum, `combining` what anybody adds up of published
bundles; `commands`, `routes` and `page` are its doors.
"""

from dprelease.registry import Room

_ROOM = "dprelease.extras.federation"
_COMBINE = f"{_ROOM}.combining.combine"
room = Room(
    commands={"federation": f"{_ROOM}.commands:add", "combine": f"{_ROOM}.combining.command:add"},
    exports={"check_combined": f"{_COMBINE}:check_combined", "combine": f"{_COMBINE}:combine"},
    nouns={"federations": f"{_ROOM}.federations:Federations"},
    checks={"federation": f"{_ROOM}.checks.found:found"},
    routes={"federation": f"{_ROOM}.routes:ROUTES"},
    screens={"rounds": "rounds"},
    waits={"rounds": f"{_ROOM}.page.waits:waits"},
)
