"""The lab: what attacks and mechanisms do, computed without rows, for pages to show.

`pair`, `repeat` and `together` show what one mechanism, or several copies of it, tell of two neighbouring tables.
`broken` is the gallery of algorithms that are printed and do not hold. All of it is pure; `audit` alone draws,
the noise of a release on two public numbers. `portal` has its pages for the public.
"""

from dprelease.registry import Room

_ROOM = "dprelease.extras.lab"
room = Room(
    commands={"simulate": f"{_ROOM}.simulation:add"},
    portal={"lab": f"{_ROOM}.portal.pages:"},
)
