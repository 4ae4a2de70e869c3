"""Tables that stay on PostgreSQL and Spark: the engines that answer there. The only room that knows their clients."""

from dprelease.registry import Room

_SCHEMES = "dprelease.extras.warehouses.schemes"
room = Room(
    engines={
        "postgresql": f"{_SCHEMES}:POSTGRESQL",
        "postgres": f"{_SCHEMES}:POSTGRESQL",
        "spark": f"{_SCHEMES}:SPARK",
    }
)
