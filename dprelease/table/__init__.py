"""The private rows and their engine: the only room that reads rows. No repr or error shows a value."""

from dprelease.table.engine import Engine, Table
from dprelease.table.tally import Discovery, Tally

__all__ = ["Discovery", "Engine", "Table", "Tally"]
