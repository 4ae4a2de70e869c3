"""Rounds of several sites: who takes part, how far each is, and what this site can do next."""

from dprelease.ui.kit import blocks
from dprelease.ui.kit.session import may
from dprelease.ui.rounds.begin import begin
from dprelease.ui.rounds.carry import carry
from dprelease.ui.rounds.shown import chosen, overview
from dprelease.ui.rounds.telling import openly
from dprelease.ui.rounds.work import end, work

with blocks.screen("rounds"):
    name = chosen()
    if name is not None:
        with openly():
            standing = overview(name)
            if may("contribute"):
                work(standing)
                end(standing)
        if may("take_round_files"):
            carry(name)
    if may("create_federation"):
        begin(alone=name is None)
