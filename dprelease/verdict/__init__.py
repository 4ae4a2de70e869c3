"""Statements of a release, written once, and checked by whoever has its bundle: without a workspace or a ledger.

It has not the name of the function: `dprelease.verify` would be the room or the function, whichever was imported last.
"""
