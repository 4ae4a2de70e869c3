"""Rooms that a feature has to itself, from rows to pages. The rest of the product imports none of them.

Each is a folder whose `room` (`dprelease.registry.Room`) names what it adds. Without its folder the rest works.
"""
