"""The private rows and their engine: the only room that reads rows. Nothing here shows a value in its repr or errors."""

from dprelease.table.engine import Engine, Table
from dprelease.table.tally import Tally

__all__ = ["Engine", "Table", "Tally"]
