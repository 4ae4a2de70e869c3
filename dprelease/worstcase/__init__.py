"""Worst-case loss of each mechanism of a certificate, worked out a second time, by other means.

The rooms that price a plan state sensitivities and losses in closed forms. This room takes
what stands in a certificate, as plain mappings: plan, columns, unit, relation, currency, and of each mechanism its
name, scale and settings. It lists what a unit's rows can add to the integers that noise goes on, tries every pair of
neighbours that can be the worst, and computes the loss of the stated noise by formulas of its own, in fractions. It
shares no code with the first implementation, imports none of its rooms, and never reads a stated sensitivity. Where
the two differ, one of them is wrong: the tests compare them over generated options, and whoever verifies a release
compares them again.
"""

from dprelease.worstcase.excess import Excess, excesses, true_losses
from dprelease.worstcase.loss import Loss, loss
from dprelease.worstcase.measured import measured
from dprelease.worstcase.setting import MechanismInput
from dprelease.worstcase.world import World

__all__ = ["Excess", "Loss", "MechanismInput", "World", "excesses", "loss", "measured", "true_losses"]
