"""The private rows and their engine: the only room that reads rows. No repr or error shows a value."""

from dprelease.table.answer import Table, check_columns
from dprelease.table.engine import Engine
from dprelease.table.tally import Discovery, Tally

__all__ = ["Discovery", "Engine", "Table", "Tally", "check_columns"]
