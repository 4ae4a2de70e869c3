"""Rounds of several sites: who takes part, how far each is, and what this site can do next."""

from dprelease.extras.federation.page.begin import begin, carry
from dprelease.extras.federation.page.shown import chosen, overview
from dprelease.extras.federation.page.telling import openly
from dprelease.extras.federation.page.work import end, work
from dprelease.ui.kit import blocks
from dprelease.ui.kit.session import may

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
