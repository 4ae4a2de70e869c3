"""Attacks on small invented worlds, against the customary defences and against noise. Reads no workspace."""

from dprelease.ui.attacks.page import attack
from dprelease.ui.kit import blocks

with blocks.screen("attacks"):
    attack()
